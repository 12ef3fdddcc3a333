"""A post as its Markdown version has it."""
