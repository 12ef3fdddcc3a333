"""Doing work once and in parallel. Nothing here knows what a post or a site is."""
