"""Renders targets to bytes, with pure recipes that see nothing but their target."""
