"""Runs programs that render diagrams, and removes active content from the results."""
