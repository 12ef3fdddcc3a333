"""A small site with problems that can be fixed, and what fixing it does."""

from __future__ import annotations

from pathlib import Path

from sites import NOW

from devlog.checking import Options, reported
from devlog.fixing.run import Fixed, fix, try_out
from devlog.model.diagnostic import Diagnostic

INDEX = "---\ntitle: Storage\n---\n"
FRONT_OF_A = "---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n"
POST = "---\ntitle: A post\nauthors: Ada Quill(@adaquill)\n---\n# A post\n\nText.\n"
FIXED_POST = "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\nText.\n"
A = "content/storage/2026-05-01-a.md"
B = "content/storage/2026-05-02-b.md"
SITE = {
    "devlog.toml": 'base_url = "https://docs.example.org/lumen/"\n',
    "content/storage/_index.md": INDEX,
    A: POST,
    B: POST.replace("A post", "Another"),
}


def fix_paths(root: Path, *paths: Path, force: bool = False) -> Fixed | Diagnostic:
    """Fix what is wrong in some paths, or in the whole site."""
    return fix(Options(root=root, now=NOW, jobs=1), reported(root, paths), force=force)


def tried(root: Path, *, force: bool = False) -> Fixed:
    """What fixing would do."""
    would = try_out(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=force)
    assert isinstance(would, Fixed), would
    return would


def files_of(done: Fixed | Diagnostic) -> list[str]:
    """The files that were fixed, by their new names."""
    assert isinstance(done, Fixed), done
    return [change.new_file for change in done.changes]


def refusals(done: Fixed | Diagnostic) -> list[tuple[str, str]]:
    """Code and file of what could not be done."""
    assert isinstance(done, Fixed)
    return [(problem.code, problem.span.path) for problem in done.refused]


def undated(text: str) -> dict[str, str]:
    """A site with one post that has no date, neither in its name nor in its front matter."""
    return {**{key: SITE[key] for key in ("devlog.toml", "content/storage/_index.md")}, "content/storage/a.md": text}
