"""Rows on many machines: partitions, passes over them, and exact answers about them."""
