"""Diagrams in posts, drawn by programs that the configuration names."""
