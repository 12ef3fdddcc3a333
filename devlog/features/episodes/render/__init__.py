"""Podcast feeds and files of transcripts."""
