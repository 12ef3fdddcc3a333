"""Finds references in posts, and definitions in source files."""
