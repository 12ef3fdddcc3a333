"""Code blocks: highlighting, terminal colors, and where code stands in a source file."""
