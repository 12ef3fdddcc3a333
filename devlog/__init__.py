"""A static site generator for developer logs."""

__version__ = "0.1.0"
