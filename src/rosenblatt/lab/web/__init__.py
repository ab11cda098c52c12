"""The page: its files, made into one, and served."""
