"""Turning targets into bytes: pure recipes that see nothing but their target."""
