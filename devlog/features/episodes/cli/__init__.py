"""The command that episodes add, one module for each command, as in `devlog.cli`."""
