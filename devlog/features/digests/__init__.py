"""Digests: posts about what happened in a repository, written from its history."""
