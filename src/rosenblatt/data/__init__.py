"""Data in and out: readers, tables, checks of input, model files, export, data sets."""
