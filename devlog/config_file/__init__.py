"""Reads the configuration file: `devlog.config` has its keys."""
