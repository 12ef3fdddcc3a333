"""Builds the search index in parallel with a build."""
