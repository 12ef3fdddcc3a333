"""Assembles the files, pages and feeds of episodes and shows."""
