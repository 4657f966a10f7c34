"""A private assistant: a local model, and a memory one can see into.

Read in this order: `session` (one message from key to disk), `events` (what a reply tells on its way),
`memory.associative` (remember and recall), `memory.engines` (the ways of recalling), `memory.forgetting` (what goes,
and with what), `memory.trust` (what is believed), `storage.vault` (where it rests), `language.model` and
`language.worker` (who answers), `agent` (who holds keys meanwhile), `bootstrap` (how the parts meet),
`cli` and `tui` (how people reach it).
"""

__version__ = "0.1.0"
