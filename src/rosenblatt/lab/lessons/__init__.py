"""Lessons in one file: experiments computed beforehand, texts between them."""
