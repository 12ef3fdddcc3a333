"""The entry point of the ``devlog`` command. Until everything is loaded, Ctrl-C ends the process at once, without a
traceback: there is nothing to clean up yet.
"""

import os
import signal
import sys

if sys.platform == "win32":
    # Programs such as git come from PATH alone: the current folder may be a repository of somebody else.
    os.environ.setdefault("NoDefaultCurrentDirectoryInExePath", "1")

if signal.getsignal(signal.SIGINT) == signal.default_int_handler:  # and not ignored, as behind nohup
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from devlog.cli import run

__all__ = ["run"]
