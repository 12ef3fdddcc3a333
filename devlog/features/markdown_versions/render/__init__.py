"""Renders the Markdown versions of pages, and the lists of them for language models."""
