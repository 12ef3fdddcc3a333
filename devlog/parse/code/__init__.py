"""Code blocks: syntax highlighting, terminal colors, diagrams, and the ranges of code in a source file."""
