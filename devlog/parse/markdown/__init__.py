"""Markdown to HTML with holes: markdown-it-py with devlog's rules, and faster versions of its parts (`fast_*`)."""
