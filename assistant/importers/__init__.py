"""Conversations from elsewhere: one file per format, each a generator of turns; `run` puts them into the memory."""
