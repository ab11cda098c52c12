"""Files of a user's as features and labels: what the command line and the lab both read.

``reading`` reads raw rows, ``columns`` makes features of them.
"""
