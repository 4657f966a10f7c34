"""Everything that runs a neural network: the encoder, the language model, and what they read.

Start with `model` (the protocol and the client), then `process` and `worker` (the two ends of the pipe), `runner` (what
is done with llama.cpp) and `template` (how a conversation is written down); `catalogue` and `gguf` tell which models
there are and what they need, `prompt` and `speed` what they are given to read. `encoder` stands by itself.
"""
