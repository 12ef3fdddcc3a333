"""What a post says of that, and what the site makes of it."""
