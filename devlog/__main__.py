"""Runs the ``devlog`` command for ``python -m devlog``."""

import sys
from os.path import dirname

# With -m, Python imports first from the current folder, which may be a repository of somebody else. A checkout of
# devlog itself is the only folder from which it has to.
if not sys.flags.safe_path and sys.path[0] != dirname(dirname(__file__)):  # noqa: PTH120 - it might be its pathlib
    del sys.path[0]

from devlog.start import run

run()
