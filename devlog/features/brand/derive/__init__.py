"""Derives the images and fonts of a brand from its files, and checks these."""
