"""Jupyter notebooks as posts."""
