"""The values of reading paths."""
