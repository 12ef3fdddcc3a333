"""Looks for texts whose work grows faster than they do: ``python -m tests.benchmarks.growth [--minutes N] [--seed N]``.

Tests of growth count calls of the interpreter (``tests/steps.py``), which no busy machine changes, but they do not see
a search or a copy inside of one call. This measures a processor's time, which no test may assert. It draws patterns,
repeats each until a post has `SIZE` bytes, and runs whole commands on a site with that post. Where a command takes
more than `LONG` seconds, it is run with a quarter of the text, and reported if the whole text took much more than four
times as long. A report ends with the arguments that repeat it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from devlog.parse.markdown.parser import EXTENSIONS

from .report import say

SIZE = 100_000
LONG = 2.0
LIMIT = 60
"""Seconds of a processor after which a command is ended."""

GROWS = 7.0
"""Four times the text may take so many times as long: what is beyond four is the noise of a busy machine."""

Pattern = list[tuple[str, bool]]
"""Texts, and whether each is repeated. `NUMBER` in a text is the number of the repetition."""

NUMBER = "№"

_MARKUP = (
    "<div> </div> <p> <b> </b> <a> </a> <img <table> <tr><td> <td> </table> <details> <summary> </details> <svg>",
    "<math> <select> <title> <textarea> <style> <script> <!-- --> <![CDATA[ ]]> <? <!x <br> <i/> <font> <li> <ul>",
    "<dd> <picture> <h2> </h2> <code> <pre> href=' srcset=' src=a.png alt=' id=' &amp; &#106; &lt; &nosuch &nbsp;",
    "[ ] ]( ](a) ](b.md) ](#a) ![ [a](b) ![a](a.png) [a][b] [^a] [^a]: ^[ [a]: ( ) <http://a.b> http://a.b/",
    "www.a.b a@b.c mailto:a@b.c @ada #1 o/r#12 abcdef0 * ** _ __ ~ ~~ == ^ : :: ::: :::note !!! ` `` ``` ```py",
    "~~~ $ $$ \\( \\) \\[ \\] \\\\ \\frac{ { } \\begin{align} \\end{align} {{<note>}} {{</note>}} {{<figure {{<",
    ">}} {{% %}} {%raw%} {%endraw%} {{site.title}} {:.a} {: {#a} {::nomarkdown} {{ }} <% ?> :rocket: > - 1. + ***",
    "--- === # ## ### +++ | a|b -|- :-- || \\| [!NOTE] [TOC] TL;DR: Disclosure: <!--more--> a b word Ada 1 9.5% ,",
    ". ... ! ? ; ' \" “ ” -- / \\* = on javascript: %6a % file:/// ../ ä 漢 א \u0301 \u200b 😀 \x1b[31m",
)
_FRAGMENTS = [fragment for line in _MARKUP for fragment in line.split(" ")]
_BREAKS = (" ", "\n", "\n\n", "\t", "\r", "    ", "\n> ", "\n- ", "\n    ", "  \n", "> ", "- ")

_SHAPES = ((True,), (True, True), (True, False), (False, True), (False, True, False), (True, False, True))
"""Which texts of a pattern are repeated: openings, openings and closings, with one opening or closing …"""


def drawn(rng: random.Random) -> Pattern:
    """A pattern at random."""

    def text() -> str:
        parts = [rng.choice(_BREAKS if rng.random() < 0.25 else _FRAGMENTS) for _ in range(rng.randint(1, 3))]
        return "".join(parts) + (NUMBER if rng.random() < 0.15 else "")

    return [(text(), repeated) for repeated in rng.choice(_SHAPES)]


def grown(pattern: Pattern, size: int) -> str:
    """A text of about so many bytes."""
    once = sum(len(text.encode()) for text, repeated in pattern if repeated)
    count = size // once + 1
    return "".join(
        "".join(text.replace(NUMBER, str(number)) for number in range(count if repeated else 1))
        for text, repeated in pattern
    )


_TOML = 'base_url = "https://example.org/"\n'
_FRONT_MATTER = "---\ntitle: A post\ndate: 2026-05-01\nauthor: Ada Quill (@ada)\ntags: [a, b]\n---\n"
_TITLE_LENGTH = 20_000


def _with_title(text: str) -> str:
    """A post whose title is the beginning of its text, too."""
    title = json.dumps(" ".join(text[:_TITLE_LENGTH].split()), ensure_ascii=False)
    return f"---\ntitle: {title}\ndate: 2026-05-01\n---\n{text}"


_EXTENDED = _TOML + "[markdown]\n" + "".join(f"{name} = true\n" for name in EXTENSIONS)

Site = tuple[dict[str, str], str, Callable[[str], str], tuple[str, ...]]
SITES: dict[str, Site] = {
    "post": ({"devlog.toml": _TOML}, "content/log/a.md", str, ("build -q", "check", "search word")),
    "extensions": ({"devlog.toml": _EXTENDED}, "content/log/a.md", str, ("build -q",)),
    "html": ({"devlog.toml": _TOML}, "content/log/a.html", str, ("build -q", "check")),
    "jekyll": (
        {"devlog.toml": f'dialect = "jekyll"\n{_TOML}'},
        "content/_posts/2026-05-01-a.md",
        str,
        ("build -q", "check --fix --dry-run"),
    ),
    "title": ({"devlog.toml": _TOML}, "content/log/a.md", _with_title, ("build -q", "check --fix --dry-run")),
    "adopt jekyll": ({"_config.yml": "title: A\n"}, "_posts/2026-05-01-a.md", str, ("adopt --dry-run",)),
    "adopt hugo": ({"hugo.toml": "title = 'A'\n"}, "content/posts/a.md", str, ("adopt --dry-run",)),
}
"""For each kind of site: its other files, the post's path, what is done to the post's text, the commands."""


def seconds(site: str, text: str) -> dict[str, float]:
    """A processor's seconds for each command of a site, one after the other; `LIMIT` where one did not end."""
    others, path, made, commands = SITES[site]
    folder = Path(tempfile.mkdtemp())
    whole = made(text)
    try:
        for name, data in {**others, path: whole if whole.startswith("---") else _FRONT_MATTER + whole}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(data, "utf-8", newline="")
        return {command: _run(command.split(), folder) for command in commands}
    finally:
        shutil.rmtree(folder)


_CRASHED = 70


def _run(arguments: list[str], folder: Path) -> float:
    """A processor's seconds of a command."""
    code, usage = run_forked(arguments, folder, {resource.RLIMIT_CPU: LIMIT})
    return usage.ru_utime + usage.ru_stime if code >= 0 else float(LIMIT)


def run_forked(arguments: list[str], folder: Path, limits: Mapping[int, int]) -> tuple[int, resource.struct_rusage]:
    """Run a command in a fork, which has everything loaded; says if it has crashed.

    Args:
        arguments: those of ``devlog``.
        folder: the folder in which it runs.
        limits: of its resources, by their numbers in `resource`.

    Returns:
        Its exit code, negative for a signal, and what it has used.
    """
    pid = os.fork()
    if not pid:
        code = _CRASHED
        try:
            for kind, limit in limits.items():
                resource.setrlimit(kind, (limit, limit))
            os.chdir(folder)
            quiet = os.open(os.devnull, os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(quiet, number)
            sys.argv = ["devlog", *arguments]
            _main()
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        finally:
            os._exit(code)
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code == _CRASHED:
        say(f"internal error: devlog {' '.join(arguments)}")
    return code, usage


def _main() -> None:
    from devlog.cli import main

    main()


def examined(pattern: Pattern, sites: list[str]) -> Iterator[str]:
    """What is to be said of a pattern."""
    whole, part = grown(pattern, SIZE), grown(pattern, SIZE // 4)
    for site in sites:
        long = {command: took for command, took in seconds(site, whole).items() if took > LONG}
        short = seconds(site, part) if long else {}
        for command, took in long.items():
            if took > GROWS * short[command] or took >= LIMIT:
                times = f"{site}, {command}: {short[command]:.1f} s, {took:.1f} s"
                yield f"{times}: --site '{site}' --pattern {json.dumps(pattern)!r}"


def main() -> int:
    """Look for as long as was said, or at one pattern; the exit status tells whether nothing was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pattern", type=json.loads, help="look at this one only")
    parser.add_argument("--site", action="append", choices=sorted(SITES), help="may be given several times")
    options = parser.parse_args()
    sites = options.site or list(SITES)
    load()
    rng = random.Random(options.seed)
    end = time.monotonic() + 60 * options.minutes
    count = found = 0
    while time.monotonic() < end:
        count += 1
        for said in examined(options.pattern or drawn(rng), sites if options.pattern else [rng.choice(sites)]):
            found += 1
            print(said, flush=True)
        if options.pattern:
            break
    print(f"{count:,} patterns; {found} grow too fast.")
    return min(found, 1)


def load() -> None:
    """Import what the commands need, before there are forks."""
    import devlog.build
    import devlog.checking
    import devlog.cli
    import devlog.search.lookup  # noqa: F401


if __name__ == "__main__":
    sys.exit(main())
