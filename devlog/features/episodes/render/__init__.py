"""Renders podcast feeds, and files of transcripts and chapters."""
