"""Converts notebooks to Markdown."""
