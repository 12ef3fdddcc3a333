"""What a post refers to, and what a repository checkout knows of it."""
