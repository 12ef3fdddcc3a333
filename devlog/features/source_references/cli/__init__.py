"""The `devlog refs` command."""
