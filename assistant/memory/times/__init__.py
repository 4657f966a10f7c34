"""The words for times, a module for each language, and what they come to."""
