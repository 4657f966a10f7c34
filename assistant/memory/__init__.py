"""The memory: what was said becomes a graph, and comes back when it matters.

Start with `associative` (the facade), then `graph` (what is held in memory), `engines` (the ways of recalling, each
read top to bottom), `anchors` and `activation` (the pure kernels they call) and `parameters` (every number).
"""
