"""Sites made to stall a check: each is checked to its end.

As for parsing, the limit of seconds is far beyond what any of them needs, and far below what they would need if the
work grew with the square of the text.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from sites import write_site

SECONDS = 60
"""Of the processor: on a busy machine a check takes as long as that lets it."""
POST = "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\n"
IMAGE = b"\x89PNG\r\n\x1a\n"

SITES: dict[str, dict[str, str | bytes]] = {
    "words that are left": {"content/a/a.md": POST + "TODO " * 180_000},
    "beginnings of tokens": {"content/a/a.md": POST + "eyJ" * 300_000},
    "problems on many lines": {"content/a/a.md": POST + "[a](#)\n\n" * 70_000},
    "names of images": {"content/a/a.md": POST + "a\n", "static/a.png": IMAGE, "static/a.css": "a" * 500_000},
}


@pytest.mark.parametrize("name", SITES)
@pytest.mark.slow
def test_a_check_ends(name: str, tmp_path: Path) -> None:
    root = write_site(tmp_path, SITES[name])
    words = ["check", "--root", str(root), "--jobs", "1", "--format", "json"]
    code = "import sys; from devlog.cli import main; main(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
