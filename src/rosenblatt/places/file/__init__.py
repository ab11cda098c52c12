"""Streaming: learning from files larger than memory, and deciding and verifying on them.

The engine that works in memory looks at a reader's chunks one after the other; the rows held in
memory are bounded.
"""
