"""Source references: mentions of the project's own pull requests, commits, files and symbols in posts."""
