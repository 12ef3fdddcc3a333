"""Fetches avatars from other hosts, and makes small square images of them."""
