"""Parsing of front matter in YAML, TOML or JSON, and of the authors file."""
