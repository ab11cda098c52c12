"""Streaming: learning from files larger than memory, and deciding and verifying on them.

A reader's chunks are looked at one after the other by the same engine that works in memory; what is
held of the rows is bounded.
"""
