"""Turning posts into episodes: what of a text is said, having that spoken, and what is kept of it."""
