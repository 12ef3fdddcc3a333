"""Runs work in parallel and caches its results. Nothing here knows what a post or a site is."""
