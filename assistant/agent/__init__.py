"""A small process that holds the keys of unlocked vaults, so that the passphrase is asked for once and not each time.

`client` is what the program uses, `starting` how it starts the process (`python -m assistant.agent`), `protocol` what
goes over the socket; `server` is what the process does, `held` what it holds and for how long, and `hardening` what
keeps others out of its memory.
"""
