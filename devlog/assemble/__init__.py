"""Joining what was parsed into one site, and planning the files that it needs: always done in full."""
