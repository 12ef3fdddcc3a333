"""What is known of episodes, shows, audio files and transcripts."""
