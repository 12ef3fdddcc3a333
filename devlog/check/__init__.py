"""Finds problems of a site that do not prevent a build: one module for each family of rules."""
