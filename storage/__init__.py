"""The encrypted vault: tables, keys, indexes and erasure. Knows no model, no screen and no theory of memory.

Start with `vault` (open, create, close), then `records` (what goes in and comes out).
"""
