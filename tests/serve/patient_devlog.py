"""The `devlog` command, but for a preview that is as patient as the watchers of tests."""

from __future__ import annotations

if __name__ == "__main__":  # its processes import this file, too
    from watch_sites import PATIENT

    from devlog.serve import debounce

    debounce.PATIENCE = PATIENT  # before the watcher is imported
    from devlog.cli import run

    run()
