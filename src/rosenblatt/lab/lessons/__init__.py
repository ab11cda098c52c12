"""Lessons in one file: experiments with texts between them."""
