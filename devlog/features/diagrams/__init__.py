"""Diagrams in posts, rendered by programs that the configuration names."""
