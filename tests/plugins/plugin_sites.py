"""Sites with a plugin, and what building and checking them gives."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sites import NOW, build_site, read_tree, write_site

from devlog.checking import Checked, Options, check
from devlog.model.diagnostic import Diagnostic
from devlog.packages import _packages, _path, _versions

ROOT = Path(__file__).parent.parent.parent
POST = "content/storage/2026-05-04-compaction.md"
SITE = {
    "devlog.toml": 'title = "The Lumen log"\nplugins = ["plugins.py"]\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    POST: "---\ntitle: Compaction, at last\nauthor: Ada Quill (@adaquill)\n---\nIt mends LUM-12.\n",
}


def checked(root: Path) -> Checked:
    return check(Options(root=root, now=NOW, jobs=1))


def built(root: Path) -> dict[str, str]:
    """The texts of a site that is built without a word."""
    report = build_site(root)
    assert not report.diagnostics
    return {path: data.decode() for path, data in read_tree(root / "public").items() if b"\0" not in data}


def codes(found: Iterator[Diagnostic] | tuple[Diagnostic, ...]) -> set[str]:
    return {item.code for item in found}


HEAD = "from devlog.plugin import PlannedFile, Plugin, problem\n"


def with_plugin(folder: Path, text: str, **more: str) -> Path:
    files = {name.replace("_toml", ".toml"): data for name, data in more.items()}
    return write_site(folder, {**SITE, "plugins.py": text, **files})


def broken(root: Path) -> Diagnostic:
    """The one thing that is wrong with a site; nothing is published then."""
    report = build_site(root)
    assert report.failed
    assert not (root / "public").exists()
    (problem,) = report.diagnostics
    return problem


EVERYTHING = HEAD + (
    "VERSION = 1\n"
    "def years(outline):\n    yield PlannedFile('/x.txt', 'years', {'posts': len(outline.site.posts)})\n"
    "def write(target, resources):\n    return f'{VERSION} {target.context}'\n"
    "def loud(text):\n    return f'{text}{VERSION}'\n"
    "from msgspec import Struct\nfrom devlog.plugin import FrontMatterKeys\n"
    "class Said(Struct, frozen=True):\n    name: str = ''\n"
    "def read(field, entry):\n    return '', ()\n"
)


def work(root: Path) -> tuple[int, set[str]]:
    """How many texts were parsed, and which files were written."""
    report = build_site(root)
    assert not report.diagnostics
    return report.parsed, set(report.written)


def installed(folder: Path, code: str, entry: str, version: str = "1.0") -> Path:
    """A folder with an installed package that offers a plugin."""
    points = f"[console_scripts]\nx = y:z\n\n[devlog.plugins]\n{entry}\n"
    return write_site(
        folder,
        {
            f"lumen_devlog-{version}.dist-info/METADATA": f"Name: lumen-devlog\nVersion: {version}\n",
            f"lumen_devlog-{version}.dist-info/entry_points.txt": points,
            "lumen_devlog/__init__.py": code,
        },
    )


def in_a_process(folder: Path, root: Path) -> subprocess.CompletedProcess[str]:
    """Build a site with packages of another folder. What it says of its progress, as one of ten seconds does, is left
    out.
    """
    done = subprocess.run(
        [sys.executable, "-m", "devlog", "build", "--root", str(root), "--jobs", "1"],
        # Python takes compiled code for current that was written in the same second.
        env={"PYTHONPATH": f"{ROOT}:{folder}", "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    done.stderr = re.sub(r"^[A-Z][a-z ]+ [\d,]+(?:/[\d,]+)?\n", "", done.stderr, flags=re.MULTILINE)
    return done


def look_again() -> None:
    """Let this process find the installed packages anew."""
    for cached in (_path, _packages, _versions):
        cached.cache_clear()
