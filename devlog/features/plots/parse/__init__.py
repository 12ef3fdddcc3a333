"""Reads a fence, and draws its chart."""
