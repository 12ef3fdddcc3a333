"""Speed, measured as whole processes, outside of the tests. See ``python -m tests.benchmarks --help``."""
