"""Work in forks of one process that has everything loaded: what never ends, or ends its process, harms nobody else.

As a script this is that process: it reads a request per line, forks, works, and answers with what came of it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

SECONDS = 30
"""Of a processor's time: a busy machine takes longer, but it does not do more."""

SIZES = (250, 500)
GROWTH = 2.25
"""Twice the text may take twice the steps, and a little more; so much is far below four times, which is quadratic, that
a small quadratic part shows beside much linear work.
"""
FOLDERS = (Path(__file__).parents[2], Path(__file__).parents[1], Path(__file__).parent)


class Apart:
    """The process, as seen by a test. Use it in a ``with`` statement."""

    def __init__(self, *modules: str) -> None:
        """Say what forks will need.

        Args:
            modules: are imported before there are any forks.
        """
        self._modules = modules

    def __enter__(self) -> Self:
        path = os.pathsep.join(map(str, FOLDERS))
        self._process = subprocess.Popen(
            [sys.executable, __file__, *self._modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def do(self, work: str, *arguments: Any) -> Any:
        """Have something done, which must come to an end.

        Args:
            work: the name of the function, one of `WORK`.
            arguments: for it.

        Returns:
            What it has returned.
        """
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([work, arguments]) + "\n")
        self._process.stdin.flush()
        code, result, said = json.loads(self._process.stdout.readline())
        assert code not in {-signal.SIGPROF, -signal.SIGALRM}, f"has not ended in {SECONDS} seconds of a processor"
        assert code == 0, f"ended with {code}: {said[-2000:]}"
        return result


# -- what is done, in a fork


def read_body(name: str) -> list[int]:
    """The steps of reading a body of each size."""
    from pathologies import GENERATORS

    return [_steps(GENERATORS[name](size), extended="extensions" in name, dialect=_dialect(name)) for size in SIZES]


def read_front_matter(name: str) -> list[int]:
    """The steps of reading a front matter of each size."""
    from pathologies import FRONT_MATTERS

    return [_steps(FRONT_MATTERS[name](size)) for size in SIZES]


def _dialect(name: str) -> str:
    return "jekyll" if name.endswith("of kramdown") else "devlog"


def _steps(text: str, *, extended: bool = False, dialect: str = "devlog") -> int:
    from steps import steps

    from devlog.model.source import Source
    from devlog.parse.markdown.parser import EXTENSIONS
    from devlog.parse.options import ParseOptions
    from devlog.parse.parse import parse

    source = Source("a/2026-05-04-x.md", "content/a/2026-05-04-x.md", text)
    options = ParseOptions(html="safe", extensions=tuple(EXTENSIONS) if extended else (), dialect=dialect)
    results = []
    count = steps(lambda: results.append(parse(source, options)))
    ((parsed, body, _),) = results
    assert parsed.path == source.path
    assert body.pieces is not None
    return count


def read_long(name: str) -> None:
    """Read a long text, as Markdown and as HTML."""
    from pathologies import LONG

    from devlog.model.source import Source
    from devlog.parse.options import ParseOptions
    from devlog.parse.parse import parse

    for path in ("a.md", "a.html"):
        options = ParseOptions(html="safe", dialect=_dialect(name))
        _, body, _ = parse(Source(path, f"content/{path}", LONG[name]), options)
        assert body.pieces


def read_for_search() -> None:
    """Read a long line of a table, and a heading of brackets, for the search in a terminal."""
    from devlog.search.plain import plain
    from devlog.search.sections import _markdown

    assert plain("|-|-" + " " * 500_000 + "x").endswith("x")
    assert _markdown(0, 0, 1, "a {: #!" + "[" * 20_000).own is None


def adopt_long_titles() -> None:
    """Adopt sites whose title ends only far behind where it could end, or is nothing but brackets, or is a template."""
    from devlog.adopt.adopt import translated
    from devlog.adopt.common import menu_url
    from devlog.adopt.survey import Survey

    gap = "a" + " " * 500_000 + "b"
    for files in (
        {"README.md": f"# {gap}\n# A title\n"},
        {"README.md": f"# {'[' * 500_000}\n# A title\n"},
        {"hugo.toml": "", "content/_index.md": f"+++\ntitle = {gap}\ntitle = 'A title'\n+++\n"},
    ):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for path, text in {"content/posts/a.md": "# A\n", **files}.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, "utf-8")
            adoption, _ = translated(Survey(folder))
            assert adoption
            assert "A title" in [setting.value for setting in adoption.settings]
    assert menu_url("{{" * 100_000, "/")


def adopt_large(kind: str) -> None:
    """Adopt a site that has very much of one thing."""
    from devlog.adopt.adopt import translated
    from devlog.adopt.survey import Survey

    count, keys = 50_000, range(26_000)
    files = {
        "values": {
            "_config.yml": "title: L\n",
            "_data/b.yml": "".join(f"k{key}: v\n" for key in keys),
            "_posts/2026-01-01-a.md": "".join(f"{{{{ site.data.b.k{key} }}}}\n" for key in keys),
        },
        "templates": {
            "_config.yml": "title: L\n",
            **{f"_posts/2026-01-{day}-a.md": "{{" * (10 * count) for day in range(10, 20)},
        },
        "sets": {"hugo.toml": f'title = "L"\nignoreFiles = ["{"[a" * count}"]\n'},
        "tokens": {"hugo.toml": f'title = "L"\n[permalinks]\nposts = "{":a[" * (3 * count)}"\n'},
    }[kind]
    with tempfile.TemporaryDirectory() as name:
        for path, text in files.items():
            (Path(name) / path).parent.mkdir(exist_ok=True)
            (Path(name) / path).write_text(text, "utf-8")
        adoption, _ = translated(Survey(Path(name)))
    assert adoption
    assert (len(adoption.settings) > len(keys)) == (kind == "values")


def speak_long_paragraphs() -> None:
    """Speak a long address, many images of one paragraph, and what could be a path at each of its characters."""
    from devlog.config import Speak
    from devlog.features.episodes.speak.script import script
    from devlog.model.document import Body

    passages = script("A title", Body((f"<p>https://example.org/{'.' * 200_000}x.</p>",)), "en", Speak(), {})
    assert passages[1].text == "a page of example.org."
    hyphens = f"{'-' * 254}/" * 4000
    assert script("A title", Body((f"<p>words {hyphens}</p>",)), "en", Speak(), {})[1].text.startswith("words -")
    images = "<br>" * 200_000 + '<img alt="a">' * 50_000
    assert script("A title", Body((f"<p>{images}</p>",)), "en", Speak(), {})[1].text.startswith("Figure: aa")


def verify_long_digests() -> None:
    """Compare the longest texts of digests with what happened in a large repository."""
    from datetime import date

    from devlog.features.digests.digest.subjects import LONGEST, read_message
    from devlog.features.digests.digest.verify import LARGEST, verify
    from devlog.features.digests.model.activity import Activity, Change, Totals

    changes = tuple(
        Change(f"{number:040x}", f"Fix {number}", "", f"#{number}", files=tuple(f"src/{n}/a.py" for n in range(50)))
        for number in range(500)
    )
    activity = Activity("Lumen", "", "", "", "", Totals(), changes=changes)
    for pump in (
        "1,",
        "src/1/b.py ",
        "Zoe Newcomer ",
        "-a",
        "a/",
        "[a]: ",
        "](",
        "]()",
        "[]() ",
        f"{'-' * 254}/",
        "A-",
        "@a ",
        "one ",
        "0a1b2c3 ",
        "> ",
        "1. ",
    ):
        found = verify(pump * (LARGEST // len(pump)), activity, date(2026, 6, 3), "a.md")
        assert len(found.missing) == 500
        assert read_message(pump * LONGEST).title


def digest_large_histories(kind: str) -> None:
    """Write and verify a digest of so many changes of one kind that looking at all of them for each would not end."""
    from datetime import date
    from zoneinfo import ZoneInfo

    from devlog.features.digests.digest.areas import ConfiguredAreas
    from devlog.features.digests.digest.changes import changes_of
    from devlog.features.digests.digest.history import MOST_COMMITS, Before, Commit, File, History
    from devlog.features.digests.digest.text import fill
    from devlog.features.digests.digest.understand import Period, understand
    from devlog.features.digests.digest.verify import Allowed, verify

    titles = {
        "authors": "Fix {0}",
        "reverts": 'Revert "{0}"\n\nThis reverts commit {0:07x}.',
        "areas": "area{0}: add {0} parts",
        "owners": "Fix {0}",
        "levels": "Fix {0}",
        "owned levels": "Fix {0}",
        "claims": "Add " + " ".join(f"{n}{{0}} fixes" for n in range(20)) + " for @a{0} in {0}/a.py",
    }
    size = MOST_COMMITS if kind in ("authors", "reverts") else 1 if "levels" in kind else MOST_COMMITS // 4
    levels = tuple(File(f"{'d/' * 2000}{number}.py") for number in range(2000))
    zone, day, name = ZoneInfo("UTC"), date(2026, 6, 3), "Ann{0} Lee" if kind == "authors" else "Ann Lee"
    branch = tuple(
        Commit(
            f"{number:07x}{0:033x}",
            (f"{number + 1:07x}{0:033x}",),
            1_780_000_000 - number,
            name.format(number),
            f"{number}@lumen.example",
            titles[kind].format(number),
            levels if "levels" in kind else (File(f"{number}/a.py"),),
        )
        for number in range(size)
    )
    subjects = tuple(f"Fix a thing that has the number {number}" for number in range(1000))
    owners = "".join(
        f"/{number}/ @ann\n/{number}/*z @bo\n" for number in range(MOST_COMMITS if kind == "owners" else 0)
    )
    if kind == "owned levels":
        owners = "/d/d/ @ann\n"
    history = History("f" * 40, branch[0].id, branch, {}, (), Before(subjects), owners)
    activity = understand("Lumen", history, changes_of(history, {}, zone), ConfiguredAreas(), Period(), zone)
    text, unnamed = fill(Path(), "week", activity, day)
    end = text.rfind("\n", 0, 190_000) if len(text) > 190_000 else None
    assert not verify(text[:end], activity, day, "a.md", allowed=Allowed(numbers=unnamed)).problems


def strip_fill_bytes() -> None:
    """Take the metadata off a picture that has none, and a megabyte of fill bytes."""
    from devlog.model.metadata import without_metadata

    scan = b"\xff\xd8\xff\xda\x00\x02" + b"\xff" * 1_000_000
    assert without_metadata(scan + b"\x00") == scan + b"\x00"
    assert without_metadata(scan + b"\xd9 behind") == b"\xff\xd8\xff\xda\x00\x02\xff\xd9"


def highlight_all(languages: list[str]) -> int:
    """Highlight all nasty code in some languages; returns how many texts that were."""
    from pathologies import NASTY_CODE

    from devlog.parse.code.highlight import highlight

    count = 0
    for language in languages:
        for code in NASTY_CODE.values():
            highlight(code, language)
            count += 1
    return count


def _with_a_small_stack(work: Callable[[], object]) -> None:
    """Do something in a thread that has the smallest stack of all systems."""
    threading.stack_size(512 * 1024)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def read_nested(reader: str, name: str) -> list[str]:
    """Read a nested text twice; returns by whom."""
    from nested import READERS

    texts, read, _ = READERS[reader]
    done = []

    def read_by(thread: str) -> None:
        read(texts[name])
        done.append(thread)

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        read_by("by the main thread")
        _with_a_small_stack(partial(read_by, "by a thread with a small stack"))
    return done


def write_deep_formulas(kind: str) -> list[int]:
    """Write formulas that are nested deeper and deeper, on a small stack; returns how deep those were."""
    from formulas import DEEP, written

    done = []

    def write() -> None:
        for count in (40, 59, 100, 150, 700, 2000, 8000):
            made = DEEP[kind](count)
            html, _ = written(f"$${made}$$\n\n$x {made}$")
            assert len(html) < 4_000_000
            done.append(count)

    _with_a_small_stack(write)
    return done


def read_commit_message(message: str) -> str:
    """The title that a commit message states."""
    from devlog.features.digests.digest.subjects import read_message

    return read_message(message).title


def read_transcript(text: str) -> int:
    """The number of cues in a transcript of WebVTT."""
    from devlog.features.episodes.parse.transcripts import read_cues

    return len(read_cues(text, "a.vtt").cues)


WORK: dict[str, Callable[..., Any]] = {
    work.__name__: work
    for work in (
        read_body,
        read_front_matter,
        read_long,
        read_for_search,
        adopt_long_titles,
        adopt_large,
        speak_long_paragraphs,
        verify_long_digests,
        digest_large_histories,
        strip_fill_bytes,
        highlight_all,
        read_nested,
        write_deep_formulas,
        read_commit_message,
        read_transcript,
    )
}


def _answer(request: str) -> list[Any]:
    """The exit code of a fork that does something, what the function has returned, and what was said."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as result:
        pid = os.fork()
        if not pid:
            os.dup2(said.fileno(), 2)
            for number in (signal.SIGPROF, signal.SIGALRM):  # they end the process, whatever it does
                signal.signal(number, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.alarm(40 * SECONDS)  # where it waits for ever, and does nothing
            code = 99
            try:
                name, arguments = json.loads(request)
                result.write(json.dumps(WORK[name](*arguments)).encode())
                result.flush()
                code = 0
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        said.seek(0)
        result.seek(0)
        return [os.waitstatus_to_exitcode(status), json.loads(result.read() or "null"), said.read().decode()]


def _serve(modules: list[str]) -> None:
    for name in modules:
        import_module(name)
    from devlog.model.source import Source
    from devlog.parse.options import ParseOptions
    from devlog.parse.parse import parse

    parse(Source("a.md", "a.md", "a"), ParseOptions(html="safe"))
    for request in sys.stdin:
        print(json.dumps(_answer(request)), flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1:])
