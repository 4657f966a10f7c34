"""Everything that runs a neural network: the encoder, the language model, and what they read.

Start with `model` (the protocol and the client), then `worker` (the process that owns llama.cpp), `encoder`, `prompt`.
"""
