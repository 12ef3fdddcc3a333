"""Turning one source into a parsed value. Nothing here knows that other files exist."""
