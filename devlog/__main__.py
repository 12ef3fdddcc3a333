"""``python -m devlog`` is the ``devlog`` command."""

from devlog.cli import run

run()
