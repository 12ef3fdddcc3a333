"""Taking over the site of another generator: its configuration becomes a ``devlog.toml``."""
