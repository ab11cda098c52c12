"""Bytes to numbers: compiled parsers of CSV, svmlight and Vowpal Wabbit text."""
