"""The command that episodes add, a module for each, as in `devlog.cli`."""
