"""Import of a site from another generator: converts its configuration to a ``devlog.toml``."""
