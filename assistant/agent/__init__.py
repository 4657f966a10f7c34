"""A small process that holds the keys of unlocked vaults, so that the passphrase is asked for once and not each time.

`client` is what the program uses, `protocol` what goes over the socket, `server` the process (`python -m
assistant.agent`), `held` what it holds and for how long, `hardening` what keeps others out of its memory.
"""
