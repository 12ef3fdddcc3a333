"""Speed, measured as whole processes; not collected by the test run. See ``python -m tests.benchmarks --help``."""
