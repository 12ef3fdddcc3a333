"""Derives data from audio files and transcripts, before pages are planned."""
