"""Looks for files that take much more memory than they have bytes: ``python -m tests.benchmarks.memory [--minutes N]``.

Limits of size do not limit what is made of a file. As `growth` does for time, this draws patterns, repeats each until a
file has its largest allowed size, and runs whole commands on a site with that file. It reports commands whose largest
process takes more than `MUCH` bytes, with the arguments that repeat it.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .growth import NUMBER, Pattern, drawn, grown, load, run_forked
from .report import say

MUCH = 1 << 30
LIMIT = 4 << 30
"""The maximum address space of a command in bytes, so that none takes the machine's memory."""
SECONDS = 120
"""After so many seconds of a processor a command is ended."""

MiB = 1 << 20
_XML = "<g> </g> <g <a/> a='1' xmlns:a='b' &amp; &#65; <!-- --> <![CDATA[ ]]> <? ?> <!ENTITY <!ATTLIST ' \" # url( ) {"
_JSON = '[ ] { } {"a": "a", " \\n \\" \\\\ \\u0041 , : 1 1e5 0.1 null true " " [] {} "" [0, {"":0}, \\ud83d'
_CUES = "00:01.000 --> 00:02.000 1 <v Ada> </v> <b> &amp; WEBVTT NOTE STYLE : - a word 00:00:01,000 99:99 {\\an8} 漢"
_YAML = "a: - [ ] { } , ' \" | > &a *a !!str # : ? 1 2026-01-01 ~ <<: --- ..."


def _notebook(kind: str) -> Callable[[str], str]:
    """A notebook with a text in a cell, in an output of some media type, or in place of any value."""

    def made(text: str) -> str:
        value = text if kind == "json" else json.dumps(text, ensure_ascii=False)
        outputs = f'[{{"output_type": "display_data", "metadata": {{}}, "data": {{"{kind}": {value}}}}}]'
        cell = f'"source": {value}' if kind == "source" else f'"source": "1", "outputs": {outputs}'
        return f'{{"nbformat": 4, "metadata": {{}}, "cells": [{{"cell_type": "code", "metadata": {{}}, {cell}}}]}}'

    return made


def _between(before: str, after: str = "") -> Callable[[str], str]:
    return lambda text: f"{before}{text}{after}"


_HEAD = "---\ntitle: A post\ndate: 2026-05-01\n"
_POST = {"content/log/a.md": f"{_HEAD}---\n![A](a.svg)\n"}
_EPISODE = {
    "content/log/a.md": f"{_HEAD}audio: {{url: 'https://a.example/a.mp3', length: 9, transcript: a.vtt}}\n---\nA\n"
}
_CHAPTERS = {
    "content/log/a.md": f"{_HEAD}audio: {{url: 'https://a.example/a.mp3', length: 9, chapters: a.json}}\n---\nA\n"
}
_CODE = {"content/log/a.md": f'{_HEAD}---\n{{{{< code file="a.txt" >}}}}\n'}

Kind = tuple[str, int, str, Callable[[str], str], dict[str, str]]
KINDS: dict[str, Kind] = {
    "post": ("content/log/a.md", MiB - 200, "", _between(f"{_HEAD}---\n"), {}),
    "HTML": ("content/log/a.html", MiB - 200, "", _between(f"{_HEAD}---\n"), {}),
    "front matter": ("content/log/a.md", 16_000, _YAML, _between(_HEAD, "\n---\nA\n"), {}),
    "authors": ("content/authors.yml", MiB - 200, _YAML, str, _POST),
    "code": ("content/log/a.md", MiB - 200, "", _between(f"{_HEAD}---\n~~~~~~py\n", "\n~~~~~~\n"), {}),
    "table": ("content/log/a.md", MiB - 200, "", _between(f"{_HEAD}---\n```csv\n", "\n```\n"), {}),
    "chart": ("content/log/a.md", MiB - 200, _JSON, _between(f"{_HEAD}---\n```vega-lite\n", "\n```\n"), {}),
    "formula": ("content/log/a.md", MiB - 200, "", _between(f"{_HEAD}---\n$$\n", "\n$$\n"), {}),
    "included": ("content/log/a.txt", MiB - 1, "", str, _CODE),
    "SVG": ("content/log/a.svg", 60 * MiB, _XML, _between("<svg xmlns='http://www.w3.org/2000/svg'>", "</svg>"), _POST),
    "transcript": ("content/log/a.vtt", 4 * MiB, _CUES, _between("WEBVTT\n\n"), _EPISODE),
    "chapters": ("content/log/a.json", MiB - 200, _JSON, str, _CHAPTERS),
    "notebook": ("content/log/a.ipynb", 31 * MiB, _JSON, _notebook("json"), {}),
    "notebook: code": ("content/log/a.ipynb", 2 * MiB, "", _notebook("source"), {}),
    "notebook: HTML": ("content/log/a.ipynb", 16 * MiB, "", _notebook("text/html"), {}),
    "notebook: Markdown": ("content/log/a.ipynb", 16 * MiB, "", _notebook("text/markdown"), {}),
    "notebook: formula": ("content/log/a.ipynb", 16 * MiB, "", _notebook("text/latex"), {}),
    "notebook: text": ("content/log/a.ipynb", 16 * MiB, "", _notebook("text/plain"), {}),
    "notebook: SVG": ("content/log/a.ipynb", 16 * MiB, _XML, _notebook("image/svg+xml"), {}),
}
"""For each kind of file: its path, its size, its fragments (empty for those of Markdown), how it is made of a text, and
the other files."""


def _drawn(rng: random.Random, fragments: str) -> Pattern:
    """A pattern at random, of fragments; empty for those of Markdown."""
    if not fragments:
        return drawn(rng)
    known = fragments.split(" ")

    def text() -> str:
        return "".join(rng.choice((*known, "\n", " ")) for _ in range(rng.randint(1, 4))) + rng.choice((NUMBER, "", ""))

    return [(text() or "a", repeated) for repeated in rng.choice(((True,), (True, True), (False, True), (True, False)))]


def _most_of(kind: str, pattern: Pattern) -> dict[str, tuple[int, float]]:
    """For each command the bytes of its largest process, and the seconds of all."""
    path, size, _, made, others = KINDS[kind]
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    data = made(grown(pattern, size)[:size])
    try:
        for name, text in {"devlog.toml": 'base_url = "https://example.org/"\n', **others, path: data}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8", errors="replace", newline="")
        return {command: _run(command.split(), folder) for command in ("build -q", "check")}
    finally:
        shutil.rmtree(folder)


def _run(arguments: list[str], folder: Path) -> tuple[int, float]:
    """The bytes of the largest process of a command, and the seconds of all."""
    _, usage = run_forked(arguments, folder, {resource.RLIMIT_AS: LIMIT, resource.RLIMIT_CPU: SECONDS})
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024), usage.ru_utime + usage.ru_stime


def main() -> int:
    """Look for as long as was said, or at one pattern; the exit status tells whether nothing was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pattern", type=json.loads, help="look at this one only")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="may be given several times")
    options = parser.parse_args()
    kinds = options.kind or list(KINDS)
    load()
    rng = random.Random(options.seed)
    end = time.monotonic() + 60 * options.minutes
    count = found = 0
    most = dict.fromkeys(kinds, 0)
    while time.monotonic() < end:
        kind = kinds[count % len(kinds)]
        count += 1
        pattern = options.pattern or _drawn(rng, KINDS[kind][2])
        for command, (held, took) in _most_of(kind, pattern).items():
            most[kind] = max(most[kind], held)
            if held > MUCH or took > SECONDS / 2:
                found += 1
                said = f"{kind}, {command}: {held >> 20:,} MiB, {took:.1f} s"
                print(f"{said}: --kind '{kind}' --pattern {json.dumps(pattern)!r}", flush=True)
        if options.pattern and count == len(kinds):
            break
    say("MiB at most: " + ", ".join(f"{kind} {held >> 20:,}" for kind, held in most.items()))
    print(f"{count:,} patterns; {found} take too much.")
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
