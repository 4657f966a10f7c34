"""The program's own measure: questions with known evidence, asked of a temporary vault; nothing else is touched."""
