"""A report on a file of data, as one page: what ``decide``, ``fit`` and their kin say of it.

``findings`` finds it out, ``picture`` says what to draw, ``page`` writes the file.
"""
