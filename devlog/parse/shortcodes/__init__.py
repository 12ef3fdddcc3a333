"""Parsing, matching and rendering of shortcodes."""
