"""Fixes the problems of a site that have exactly one right answer (`devlog check --fix`)."""
