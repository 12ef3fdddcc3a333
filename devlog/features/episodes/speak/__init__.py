"""Turns posts into episodes: selects the text to speak, has it spoken, and writes audio and transcript."""
