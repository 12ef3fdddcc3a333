"""Writing a digest: collect, understand, write, verify."""
