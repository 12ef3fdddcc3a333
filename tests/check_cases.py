"""Running the cases of `tests/check/cases`: the format of `cases_format.py`, with expectations of a check.

-- expect problems --                             these are all the problems that a check tells
-- expect fixed content/kernels/a.md --           what fixing makes of this file, as a whole
-- expect fixed content/kernels/a.md (escaped) -- the same, with escapes as in files
-- expect fixed -- content/a.txt is gone
"""

from __future__ import annotations

import codecs
import re
import subprocess
from pathlib import Path

import click
from cases_format import Case, Section
from sites import NOW, read_tree, write_site

from devlog.checking import Checked, Options, check
from devlog.fixing.run import Fixed, fix
from devlog.report import as_text

FIXED = re.compile(r"expect fixed (\S+?)(?: \((escaped)\))?")


def check_site(root: Path, **options: object) -> Checked:
    """Check the site in `root`, in this process and at the usual moment."""
    return check(Options(**{"root": root, "now": NOW, "jobs": 1, **options}))  # type: ignore[arg-type]


def fix_site(root: Path) -> Fixed:
    """Fix the site in `root`, whatever git knows."""
    done = fix(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=True)
    assert isinstance(done, Fixed)
    return done


def problems_of(checked: Checked) -> str:
    """All problems as the command prints them, without colors."""
    texts = (click.unstyle(as_text(item)) for item in checked.diagnostics)
    return "\n".join(line.rstrip() for text in texts for line in text.split("\n"))


def written(case: Case, folder: Path) -> Path:
    """The site of a case, written into a folder."""
    return write_site(folder, {path: data for path, data in case.files.items() if not path.startswith("expect ")})


def escaped(data: bytes) -> str:
    """Bytes as a section has them that says so."""
    text = data.decode().replace("\\", "\\\\")
    for plain, sign in (("\r", "\\r"), ("\n", "\\n\n"), ("\t", "\\t"), ("\ufeff", "\\ufeff")):
        text = text.replace(plain, sign)
    return text.rstrip("\n")


def fixed_sections(case: Case) -> list[tuple[Section, str, bool]]:
    """The sections that say what fixing makes of a file: itself, its path, whether it is written with escapes."""
    found = ((section, FIXED.fullmatch(section.heading)) for section in case.sections)
    return [(section, match[1], bool(match[2])) for section, match in found if match]


def shown(data: bytes, *, with_escapes: bool) -> str:
    """The bytes of a file as a section has them."""
    return escaped(data) if with_escapes else data.decode().rstrip("\n")


def unescaped(text: str) -> str:
    """What a section with escapes stands for."""
    joined = text.replace("\n", "")
    return re.sub(r"\\(?:[nrt\\]|x[0-9a-f]{2}|u[0-9a-f]{4})", lambda m: codecs.decode(m[0], "unicode_escape"), joined)


def git(folder: Path, *words: str, day: str = "2026-05-01") -> str:
    """Run git in a folder, as a person of the tests and at noon of a day; returns what it says."""
    moment = f"{day}T12:00:00Z"
    dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
    environment = {**dates, "HOME": "/nonexistent", "PATH": "/usr/bin:/bin"}
    who = ["-c", "user.name=Ada Quill", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]
    quiet = ["-c", "maintenance.auto=false"]  # see tests/conftest.py, of whose environment nothing is left here
    done = subprocess.run(["git", *who, *quiet, *words], cwd=folder, env=environment, check=True, capture_output=True)
    return done.stdout.decode()


def repository(root: Path, *, day: str = "2026-05-01") -> None:
    """Make a folder a repository in which everything is committed."""
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "All of it"]):
        git(root, *command, day=day)


def tree(root: Path) -> dict[str, bytes]:
    """All files of a site but those that devlog keeps for itself."""
    return {path: data for path, data in read_tree(root).items() if not path.startswith((".devlog/", ".git/"))}
