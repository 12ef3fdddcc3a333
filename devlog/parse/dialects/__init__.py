"""What posts of other generators contain besides Markdown: kramdown, Liquid, Zola's shortcodes."""
