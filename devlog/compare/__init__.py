"""Comparison of two outputs: finds the URLs, pages and feeds that a new site has lost, moved or changed."""
