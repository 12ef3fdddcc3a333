"""Posts with audio, shows with a feed, and transcripts."""
