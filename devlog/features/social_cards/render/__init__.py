"""Draws social cards with Pillow."""
