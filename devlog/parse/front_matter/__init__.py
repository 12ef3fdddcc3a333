"""The block at the top of a file: YAML, TOML or JSON, and what its keys mean."""
