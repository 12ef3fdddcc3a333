"""The entry point of the ``devlog`` command. Until everything is loaded, Ctrl-C ends the process at once, without a
traceback: there is nothing to clean up yet.
"""

import signal

if signal.getsignal(signal.SIGINT) == signal.default_int_handler:  # and not ignored, as behind nohup
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from devlog.cli import run

__all__ = ["run"]
