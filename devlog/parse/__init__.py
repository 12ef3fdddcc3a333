"""Parsing of a single source into a `Parsed` value. Nothing in this package knows that other files exist."""
