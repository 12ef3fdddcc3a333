"""Decides which sizes and formats of images to make, and encodes them."""
