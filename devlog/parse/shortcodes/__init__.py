"""Shortcodes: how they are written, matched and rendered."""
