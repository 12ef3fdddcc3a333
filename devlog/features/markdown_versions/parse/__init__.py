"""Converts a post to its Markdown version."""
