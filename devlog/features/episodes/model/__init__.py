"""Values about episodes, shows, audio files and transcripts."""
