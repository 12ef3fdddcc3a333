"""The `devlog digest` command."""
