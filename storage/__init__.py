"""The encrypted vault: tables, keys, indexes and erasure. Knows no model, no screen and no theory of memory.

Start with `vault` (open, create, close), then `records` (what goes in and comes out), `keys` and `unlocking` (what
opens it), `grace`, `erasure` and `proof` (how it forgets), `backup`, `checking` and `rescue` (how it lasts).
"""
