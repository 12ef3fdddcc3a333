"""Front matter means the same, and its mistakes are told in the same words, whether or not PyYAML has libyaml."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from sites import write_site

from devlog.parse.front_matter.yaml_events import read_yaml

CASES = Path(__file__).parent.parent / "cases"
BLOCK = re.compile(r"^---\n(.*?)^---$", re.MULTILINE | re.DOTALL)
MISTAKES = (
    *("a: b: c\n", "a: [1, 2\nb: c\n", "a: {x: 1\n", "a: 'x\n", 'a: "x\nb: c\n', "a: *x\n", "a: &x y\n", "a: !t y\n"),
    *("a:\n\tb: c\n", "- a\n b\n", "a: |\n  x\n y\n", "? a\n: b\n", "a: @x\n", "a: `x`\n", "a: %x\n", 'a: "\\q"\n'),
    *('a: "\\xZZ"\n', 'a: "\\UFFFFFFFF"\n', 'a: "\\u12"\n', "--- x\n", "...\n", "a: b\n...\nc: d\n", "a: b #c\n"),
    *("a: é: x\n", "a: \x01\n", "a: \x7f\n", "a: b\n c: d\n", "a: - b\n", "key\n", "key\nb: c\n", "a: |9\n x\n"),
    *("a: |0\n x\n", "a: |+-\n x\n", "a: ]\n", "a: ,\n", "a: 'it''s' x\n", "a: 'it's'\n", "a: [a, b]]\n", "a: [,]\n"),
    *("a: [a b: c]\n", "a: " + "[" * 80 + "\n", "a:\n  - b\n - c\n", "a: 'x\n...\n", "{a: b, c\nd: e\n", ":\n", "-\n"),
    *("a: |\n\tx\n", "a: 'x\n\ty'\n", "a:\t b\n", "a: b\tc\n", "a: b\t#c\n", "a: b\n\tc\n", "a: |\t\n x\n", "a: b"),
    *("a: [b?, c?d]\n", "a: {b?c: d}\n", "a: [b:, c]\n", "a: [b#c]\n", "[a]: c\n", "a: *b c\n", "a: **b** c\n", "? a"),
    *("a: b\n\n  c\n\n\n  d\n", "a: b \n  c\t\n", "a: >\n x\n\n\n y\n", "a: 🎉 b: c\n", "a: [\n", "x" * 1100 + ": a\n"),
)


def blocks() -> list[str]:
    """The front matter of all cases."""
    texts = (file.read_text("utf-8") for file in sorted(CASES.glob("*.txt")))
    return sorted({block for text in texts for block in BLOCK.findall(text) if len(block) < 1_000})


WHOLE = (
    "title: Compaction\nauthor: Ada Quill (@adaquill)\ntags: [wal, b-tree]\n",
    'title: "It \\"stalls\\": why?"\ndate: 2026-05-03T09:30:00+02:00\ndraft: true\n',
    "title: >\n  A long\n  title\nsummary: |-\n  Two\n\n  lines\ntags:\n  - one\n  - 'two'\n",
    "title: Pages # 8 KB\nauthors:\n  - name: Bo Reed\n    github: boreed\n  - {name: Cleo, mail: c@lumen.dev}\n",
    "title: A\nseries: {name: Joins, part: 2, of: [a: b, c]}\naliases: ['/old/', \"/older/\"]\n",
    "? title\n: Keys\nbase: &x [1, 2]\nother: *x\nnothing: ~\n",
)
"""Blocks to change: not those of the cases, with each of which all these texts would be others."""


def mutated(seed: int) -> Iterator[str]:
    """Blocks with a few other characters."""
    source, whole = random.Random(seed), (*MISTAKES, *WHOLE * 10)
    for _ in range(150):
        text = [*source.choice(whole)]
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(text) + 1)
            text[at : at + source.randint(0, 1)] = source.choice([*" :-[]{}'\"#*|>?,\n\t`é🎉a1", ": ", "- ", "\n  "])
        if not re.search(r"^%|!", "".join(text), re.MULTILINE):  # messages about directives and tags differ
            yield "".join(text)


def slowly(text: str, monkeypatch: pytest.MonkeyPatch) -> object:
    with monkeypatch.context() as patch:
        patch.delattr(yaml, "CSafeLoader", raising=False)
        return read_yaml(text, "a.md", 2)


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="there is nothing to compare with")
@pytest.mark.parametrize("texts", [MISTAKES, blocks(), *(tuple(mutated(seed)) for seed in range(4))])
def test_both_parsers_agree(texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for text in texts:
        assert slowly(text, monkeypatch) == read_yaml(text, "a.md", 2), repr(text)


@pytest.mark.parametrize("text", ["%YAML " + "1" * 5_000 + ".1\n---\n", 'a: "\\ud800"\n', 'a: "\\UFFFFFFFF"\n'])
def test_no_text_makes_the_slow_parser_fail(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, found = slowly(text, monkeypatch)  # type: ignore[misc]
    assert {problem.code for problem in found} == {"front-matter-syntax"}


def test_a_build_without_libyaml(tmp_path: Path) -> None:
    root = write_site(
        tmp_path,
        {
            "devlog.toml": 'base_url = "https://docs.example.org/"\n',
            "content/a/_index.md": "---\ntitle: A\n---\n",
            "content/a/2026-05-01-b.md": "---\ntitle: B\nauthor: Ada Quill (@adaquill)\ndate: 2026-05-01\n---\nText.\n",
        },
    )
    code = "import sys; sys.modules['yaml._yaml'] = None; from devlog.start import run; run()"
    command = [sys.executable, "-c", code, "build", "--jobs", "1", "--root", str(root)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ)
    assert (done.returncode, "internal-error" in done.stdout + done.stderr) == (0, False), done.stdout + done.stderr
    assert (root / "public/a/2026-05-01-b/index.html").exists()
