"""Markdown versions of pages, beside the pages themselves, and lists of them for language models."""
