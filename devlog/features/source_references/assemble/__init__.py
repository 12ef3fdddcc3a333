"""Which posts refer to what, and where cited lines are now."""
