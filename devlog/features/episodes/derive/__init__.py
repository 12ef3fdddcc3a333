"""What audio files and transcripts hold, looked up before pages are planned."""
