"""Runs the ``devlog`` command for ``python -m devlog``."""

from devlog.cli import run

run()
