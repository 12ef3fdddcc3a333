"""Assembles the index of source references, and finds the current positions of cited lines."""
