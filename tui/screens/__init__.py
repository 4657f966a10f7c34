"""One file for each screen: unlock, chat, conversations, memory; and the small dialogs."""
