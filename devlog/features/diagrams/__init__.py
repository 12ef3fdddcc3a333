"""Diagrams in posts, rendered by programs that are installed or that the configuration names."""
