"""Markdown to HTML with holes: markdown-it-py with devlog's rules, and faster versions of parts of it (`fast_*`)."""
