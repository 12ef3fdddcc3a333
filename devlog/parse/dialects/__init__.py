"""Syntax that posts of other generators use besides Markdown: kramdown, Liquid and Zola's shortcodes."""
