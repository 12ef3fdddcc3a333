"""Texts made to stall a parser: every one is read to its end, in a process of its own, at several sizes.

The limit of seconds is far beyond what any of them needs: it tells a text that never ends from one that does.
Growth is asserted by counting steps of the interpreter, which no busy machine changes.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from pathologies import FRONT_MATTERS, GENERATORS, LONG, NASTY_CODE

from devlog.parse.code import LANGUAGES

SECONDS = 60
SIZES = (300, 600, 1200)

READ = """
import json, sys
sys.path.insert(0, {folder!r})
from pathologies import FRONT_MATTERS, GENERATORS
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

kind, name = {kind!r}, {name!r}
make = {{"body": GENERATORS, "front matter": FRONT_MATTERS}}[kind][name]

def steps(text):
    count = 0
    def trace(frame, event, argument):
        nonlocal count
        count += 1
    source = Source("a/2026-05-04-x.md", "content/a/2026-05-04-x.md", text)
    sys.setprofile(trace)
    try:
        parsed, body, _ = parse(source, ParseOptions(html="safe"))
    finally:
        sys.setprofile(None)
    assert parsed.path == source.path and body.pieces is not None
    return count

parse(Source("a.md", "a.md", "a"), ParseOptions(html="safe"))
print(json.dumps([steps(make(size)) for size in {sizes!r}]))
"""

READ_LONG = """
import sys
sys.path.insert(0, {folder!r})
from pathologies import LONG
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

parsed, body, _ = parse(Source("a.md", "content/a.md", LONG[{name!r}]), ParseOptions(html="safe"))
assert body.pieces
"""

STRIP = r"""
from devlog.model.metadata import without_metadata

scan = b"\xff\xd8\xff\xda\x00\x02" + b"\xff" * 1_000_000
assert without_metadata(scan + b"\x00") == scan + b"\x00"
assert without_metadata(scan + b"\xd9 behind") == b"\xff\xd8\xff\xda\x00\x02\xff\xd9"
"""


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _steps(kind: str, name: str) -> list[int]:
    folder = __file__.rpartition("/")[0]
    counts: list[int] = json.loads(_run(READ.format(folder=folder, kind=kind, name=name, sizes=SIZES)))
    return counts


@pytest.mark.parametrize("name", GENERATORS)
def test_bodies(name: str) -> None:
    counts = _steps("body", name)
    # Twice the text may take twice the steps, and a little more; four times would be quadratic.
    assert counts[2] < 3 * counts[1] + 2000
    assert counts[1] < 3 * counts[0] + 2000


@pytest.mark.parametrize("name", LONG)
def test_long_texts(name: str) -> None:
    _run(READ_LONG.format(folder=__file__.rpartition("/")[0], name=name))


def test_a_picture_of_fill_bytes() -> None:
    _run(STRIP)


@pytest.mark.parametrize("name", FRONT_MATTERS)
def test_front_matter(name: str) -> None:
    counts = _steps("front matter", name)
    assert counts[2] < 3 * counts[1] + 2000


LEX = """
import sys
sys.path.insert(0, {folder!r})
from pathologies import NASTY_CODE
from devlog.parse.code import highlight

for language in {languages!r}:
    for name, code in NASTY_CODE.items():
        highlight(code, language)
        highlight(code[:-1], language)
print("done")
"""

_GROUPS = [sorted(LANGUAGES)[start::8] for start in range(8)]


@pytest.mark.parametrize("languages", _GROUPS, ids=lambda group: group[0])
def test_lexers(languages: list[str]) -> None:
    folder = __file__.rpartition("/")[0]
    assert _run(LEX.format(folder=folder, languages=languages)) == "done\n"


def test_the_corpus_is_large_enough() -> None:
    assert len(GENERATORS) >= 29
    assert len(NASTY_CODE) >= 20
