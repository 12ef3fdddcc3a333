"""Diagrams: texts that a program of the site's own choice draws, and what it drew made harmless."""
