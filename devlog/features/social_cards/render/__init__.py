"""Drawing cards with Pillow."""
