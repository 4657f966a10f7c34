"""The parts of the chat: composer, transcript, answer, the hint in an empty chat, the status line."""
