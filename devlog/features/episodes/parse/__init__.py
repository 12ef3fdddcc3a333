"""Parses the front matter of episodes and shows, and transcripts in all their formats."""
