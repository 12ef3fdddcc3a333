"""Examines the files of social cards, and decides which are used."""
