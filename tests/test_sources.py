"""What a clone knows of the source that posts cite: on their pages, in a check, in the index, build after build."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tracemalloc
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from check_cases import check_site, fix_site, git, repository
from sites import NOW, build_site, read_tree, write_site
from steps import steps

from devlog.checking import Options as CheckOptions
from devlog.features.source_references import derive, disk
from devlog.features.source_references.assemble import relocated_lines
from devlog.features.source_references.parse import definitions
from devlog.fixing.run import Fixed, try_out
from devlog.model.report import Report

HOST = "https://github.com/example/lumen"
CONFIG = f"""\
title = "Lumen log"
base_url = "https://docs.example.org/lumen/"
source_repo = "{HOST}"
source_checkout = "../lumen"
"""
CACHE = """\
import os

LIMIT = 3

def lookup_entry(key):
    return table[key]

def drop_entry(key):
    del table[key]

class Cache:
    def size(self):
        return len(self.entries)
"""
OTHER = "def other_function(a):\n    return something_else(a) + 1\n"


def post(text: str) -> str:
    return f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n{text}\n"


def link(place: str, ref: str = "main") -> str:
    return f"[there]({HOST}/blob/{ref}/{place})"


def write_posts(folder: Path, **texts: str) -> Path:
    """A site whose posts, all of 3 May 2026, have these texts, beside a clone."""
    files = {f"content/storage/2026-05-03-{name}.md": post(text) for name, text in texts.items()}
    index = "---\ntitle: Storage\n---\n"
    return write_site(folder / "site", {"devlog.toml": CONFIG, "content/storage/_index.md": index, **files})


@pytest.fixture
def lumen(tmp_path: Path) -> Path:
    """A clone with one commit, of 1 May 2026."""
    root = write_site(tmp_path / "lumen", {"src/cache.py": CACHE, "src/old.py": OTHER, "src/gone.py": "alone = 1\n"})
    repository(root, day="2026-05-01")
    return root


def commit(root: Path, files: dict[str, str | None], day: str = "2026-05-05") -> str:
    """Another commit: new texts of files, `None` for those that go."""
    for name, text in files.items():
        if text is None:
            (root / name).unlink()
        else:
            write_site(root, {name: text})
    repository(root, day=day)
    return head(root)


def head(root: Path, name: str = "HEAD") -> str:
    return git(root, "rev-parse", name).strip()


def page(site: Path, name: str = "a") -> str:
    return (site / f"public/storage/2026-05-03-{name}/index.html").read_text()


def footer(site: Path, name: str = "a") -> str:
    """What a page says of the places that it cites; empty where it says nothing."""
    _, mark, rest = page(site, name).partition('<details class="cited">')
    return rest.partition("</details>")[0] if mark else ""


def build(site: Path, **options: Any) -> Report:
    report = build_site(site, **options)
    assert not [item for item in report.diagnostics if item.code != "no-checkout"]
    return report


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that git is asked, by its commands."""
    commands: list[str] = []

    class Counted(subprocess.Popen[bytes]):
        def __init__(self, words: list[str], **more: Any) -> None:
            if "--no-pager" in words:  # else it is a test that asks
                commands.append(words[words.index("--no-pager") + 1])
            super().__init__(words, **more)

    monkeypatch.setattr(subprocess, "Popen", Counted)
    return commands


# -- what has become of a place

MOVED = CACHE.replace("import os\n", "import os\nimport re\n")


HEAD, TAIL = CACHE[: CACHE.index("def drop")], CACHE[CACHE.index("def drop") :]
WITHOUT_DROP = CACHE.replace("def drop_entry(key):\n    del table[key]\n\n", "")
AFTER: dict[str, tuple[str, dict[str, str | None], str]] = {
    "moved": ("src/cache.py#L5-L6", {"src/cache.py": MOVED}, "src/cache.py:5-6 is now src/cache.py:6-7"),
    "one line": ("src/cache.py#L5", {"src/cache.py": MOVED}, "src/cache.py:5 is now src/cache.py:6"),
    "changed": (
        "src/cache.py#L3",
        {"src/cache.py": CACHE.replace("= 3", "= 4")},
        "src/cache.py:3 has changed, see src/cache.py:3",
    ),
    "taken out": ("src/cache.py#L8-L9", {"src/cache.py": WITHOUT_DROP}, "src/cache.py:8-9 is gone"),
    "all new": (
        "src/cache.py#L5-L6",
        {"src/cache.py": "all = 'new'\n"},
        "src/cache.py:5-6 has changed, see src/cache.py",
    ),
    "to another file": (
        "src/cache.py#L8-L9",
        {"src/cache.py": HEAD, "lib/drop.py": f"# New.\n{TAIL}"},
        "src/cache.py:8-9 is now lib/drop.py:2-3",
    ),
    "renamed": (
        "src/old.py#L1-L2",
        {"src/old.py": None, "lib/new.py": OTHER},
        "src/old.py:1-2 is now lib/new.py:1-2",
    ),
    "to another folder": (
        "src/old.py#L1-L2",
        {"src/old.py": None, "lib/old.py": f"import os\n{OTHER}"},
        "src/old.py:1-2 is now lib/old.py:2-3",
    ),
    "file to another folder": (
        "src/old.py",
        {"src/old.py": None, "lib/old.py": f"import os\n{OTHER}"},
        "src/old.py is now lib/old.py",
    ),
    "file renamed": ("src/old.py", {"src/old.py": None, "lib/new.py": OTHER}, "src/old.py is now lib/new.py"),
    "gone": ("src/gone.py#L1", {"src/gone.py": None}, "src/gone.py:1 is gone"),
    "file gone": ("src/gone.py", {"src/gone.py": None}, "src/gone.py is gone"),
    "to which of two": (
        "src/old.py#L1-L2",
        {"src/old.py": None, "a.py": f"# A.\n{OTHER}", "b.py": f"# B.\n{OTHER}"},
        "src/old.py:1-2 is gone",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", AFTER)
def test_places(lumen: Path, tmp_path: Path, name: str) -> None:
    place, files, says = AFTER[name]
    site = write_posts(tmp_path, a=link(place))
    build(site)
    assert footer(site) == ""
    first, last = head(lumen), commit(lumen, files)
    build(site)
    text = footer(site)
    assert "1 of 1 cited place has changed since" in text
    shown = " ".join(_plain(text).split()).partition("since ")[2]
    assert shown == says
    lines = place.partition("#")[2]
    assert f'href="{HOST}/blob/{first}/{place.partition("#")[0]}{"#" + lines if lines else ""}"' in text
    assert (f"{HOST}/blob/{last}/" in text) == ("is gone" not in says)


def _plain(html: str) -> str:
    parts = html.replace("<", "\0<").replace(">", ">\0").split("\0")
    return "".join(part for part in parts if not part.startswith("<"))


@pytest.mark.parametrize(
    ("place", "files"),
    [
        ("src/cache.py#L5-L6", {"src/cache.py": CACHE.replace("LIMIT = 3", "LIMIT = 4")}),
        ("src/cache.py#L6", {"src/cache.py": CACHE.replace("    return table[key]", "\treturn table[key]  ")}),
        ("src/cache.py", {"src/cache.py": "all = 'new'\n"}),
        ("src/cache.py#L5-L6", {"README": "Lumen\n"}),
        # What the clone does not tell.
        ("src/cache.py#L99", {"src/cache.py": "all = 'new'\n"}),
        ("src/never.py#L5", {"src/cache.py": "all = 'new'\n"}),
        ("src/later.py#L1", {"src/later.py": "late = 1\n"}),
        ("src/later.py", {"src/later.py": "late = 1\n"}),
    ],
)
def test_places_that_are_as_they_were(lumen: Path, tmp_path: Path, place: str, files: dict[str, str | None]) -> None:
    site = write_posts(tmp_path, a=link(place))
    commit(lumen, files)
    build(site)
    assert footer(site) == ""
    assert "cited.css" not in page(site)


def test_some_of_many_in_links_and_in_backticks(lumen: Path, tmp_path: Path) -> None:
    text = f"See `src/cache.py:3`, `src/cache.py`, {link('src/gone.py#L1')}, {link('src/cache.py#L11-L13')}"
    text += (
        f" and once more {link('src/gone.py#L1')}; not [this](https://github.com/other/lumen/blob/main/src/gone.py#L1)."
    )
    site = write_posts(tmp_path, a=text)
    commit(lumen, {"src/gone.py": None, "src/cache.py": CACHE.replace("= 3", "= 4")})
    build(site)
    assert "2 of 4 cited places have changed since" in footer(site)


@pytest.mark.slow
def test_the_day_of_the_post_counts_or_the_commit_that_a_link_names(lumen: Path, tmp_path: Path) -> None:
    first = head(lumen)
    second = commit(lumen, {"src/cache.py": MOVED}, "2026-05-02")
    git(lumen, "tag", "v1", first)
    commit(lumen, {"README": "Lumen\n"}, "2026-05-05")
    there = {
        "main": "src/cache.py#L6-L7",
        first: "src/cache.py#L5-L6",
        first[:9]: "src/cache.py#L6",
        "v1": "src/cache.py#L5",
    }
    site = write_posts(tmp_path, a=" ".join(link(place, ref) for ref, place in there.items()))
    build(site)
    text = _plain(footer(site))
    assert "3 of 4 cited places have changed" in text
    assert "src/cache.py:5-6 is now src/cache.py:6-7" in text
    assert "src/cache.py:6 is now src/cache.py:7" in text
    assert "src/cache.py:5 is now src/cache.py:6" in text
    assert f"blob/{second}/src/cache.py#L6-L7" in footer(site)  # the newest commit that touched the file


@pytest.mark.parametrize(
    "ref", ["0" * 40, "abcdef123", "other-branch", "v9", "@{-1}", "main..HEAD", "--all", "%0aHEAD"]
)
def test_what_the_clone_does_not_know_is_not_judged(lumen: Path, tmp_path: Path, ref: str) -> None:
    site = write_posts(tmp_path, a=link("src/gone.py#L1", ref))
    commit(lumen, {"src/gone.py": None})
    build(site)
    assert footer(site) == ""


def test_a_clock_that_went_back(lumen: Path, tmp_path: Path) -> None:
    commit(lumen, {"src/gone.py": None}, "2026-06-01")
    commit(lumen, {"src/gone.py": "alone = 1\n"}, "2026-05-02")  # made later, with a day before that of the post
    commit(lumen, {"src/gone.py": None}, "2026-06-02")
    site = write_posts(tmp_path, a=link("src/gone.py#L1"))
    build(site)
    assert "is gone" in footer(site)


@pytest.mark.slow
def test_names_in_pages_are_escaped(lumen: Path, tmp_path: Path) -> None:
    name = "src/<b>&'x.py"
    commit(lumen, {name: "alone = 'in <b>'\n"}, "2026-05-02")
    commit(lumen, {name: None, "src/<i>.py": "alone = 'in <b>'\n"})
    site = write_posts(tmp_path, a=f"[there]({HOST}/blob/main/src/%3Cb%3E%26'x.py#L1)")
    build(site)
    text = footer(site)
    assert "src/&lt;b&gt;&amp;&#39;x.py:1" in text
    assert "src/%3Ci%3E.py#L1" in text
    assert "<b>" not in text
    assert "<i>" not in text


@pytest.mark.parametrize("theme", ["default", "paper"])
def test_both_themes_say_so(lumen: Path, tmp_path: Path, theme: str) -> None:
    site = write_posts(tmp_path, a=link("src/gone.py#L1"), b="Nothing.")
    write_site(site, {"devlog.toml": f'{CONFIG}theme = "{theme}"\n'})
    commit(lumen, {"src/gone.py": None})
    build(site)
    assert "<summary>1 of 1 cited place has changed since</summary>" in footer(site)
    assert footer(site, "b") == ""


# -- build after build


@pytest.mark.slow
def test_a_build_like_the_last_one_asks_git_once(lumen: Path, tmp_path: Path, asked: list[str]) -> None:
    text = f"{link('src/cache.py#L5-L6')} `lookup_entry` {link('src/gone.py#L1', head(lumen))}"
    site = write_posts(tmp_path, a=text, b=text)
    commit(lumen, {"src/cache.py": MOVED, "src/gone.py": None})
    build(site)
    assert len(asked) <= 12
    for changed in (None, "content/storage/2026-05-03-b.md"):
        asked.clear()
        if changed:
            write_site(site, {changed: post(f"{text} And more.")})
        build(site)
        assert asked in (["cat-file"], ["cat-file", "cat-file"])  # the second is the look whether there is anything new


@pytest.mark.slow
def test_another_commit_renders_just_the_pages_that_it_is_about(lumen: Path, tmp_path: Path) -> None:
    site = write_posts(
        tmp_path, a=link("src/cache.py#L5-L6"), b=link("src/old.py#L1"), c=f"{link('src/gone.py#L1')} `lookup_entry`"
    )
    about = ["refs/source/index.html", "refs/source/src/index.html", "storage/2026-05-03-b/index.html"]
    build(site)
    assert build(site).rendered == 0
    commit(lumen, {"README": "Lumen\n"})
    assert build(site).rendered == 0
    commit(lumen, {"src/old.py": None}, "2026-05-06")
    assert [name for name in build(site).written if name.endswith("html")] == about
    commit(lumen, {"README": "Lumen.\n"}, "2026-05-07")
    assert build(site).rendered == 0
    git(lumen, "checkout", "-q", "HEAD~2")
    assert [name for name in build(site).written if name.endswith("html")] == about
    assert footer(site, "b") == ""


@pytest.mark.slow
def test_builds_are_as_clean_ones_whatever_the_clone_does(lumen: Path, tmp_path: Path) -> None:
    first = head(lumen)
    text = f"{link('src/cache.py#L5-L6')} {link('src/old.py#L2', first)} {link('src/gone.py', 'v1')}"
    text += " `Cache.size` `drop_entry`"
    site = write_posts(tmp_path, a=text, b=link("src/cache.py#L3"))
    steps = [
        lambda: commit(lumen, {"src/cache.py": MOVED}),
        lambda: git(lumen, "tag", "v1", first),
        lambda: commit(lumen, {"src/gone.py": None, "src/drop.py": "def drop_entry():\n    pass\n"}, "2026-05-06"),
        lambda: write_posts(tmp_path, b=f"{link('src/old.py#L1')} `lookup_entry()`"),
        lambda: commit(lumen, {"src/old.py": None, "src/new.py": OTHER}, "2026-05-07"),
        lambda: git(lumen, "checkout", "-q", first),
        lambda: git(lumen, "tag", "-f", "v1", "main"),
        lambda: git(lumen, "checkout", "-q", "main"),
        lambda: shutil.rmtree(lumen),
    ]
    for step in steps:
        step()
        report = build(site)
        fresh = tmp_path / "fresh"
        shutil.copytree(site, fresh, ignore=shutil.ignore_patterns("public", ".devlog"))
        again = build(fresh)
        assert {name: data for name, data in read_tree(site / "public").items() if "manifest" not in name} == {
            name: data for name, data in read_tree(fresh / "public").items() if "manifest" not in name
        }
        assert report.diagnostics == again.diagnostics
        shutil.rmtree(fresh)
    assert [item.code for item in report.diagnostics] == ["no-checkout"]


@pytest.mark.slow
def test_what_stood_in_the_other_file_all_along_has_not_moved_there(lumen: Path, tmp_path: Path) -> None:
    commit(lumen, {"src/copy.py": f"# Copy.\n{OTHER}"}, "2026-05-02")
    site = write_posts(tmp_path, a=link("src/old.py#L1-L2"))
    commit(lumen, {"src/old.py": "import os\n", "src/copy.py": f"# A copy.\n{OTHER}"})
    build(site)
    assert "has changed" in footer(site)
    assert "copy.py" not in footer(site)


@pytest.mark.slow
def test_a_shallow_clone_knows_less(lumen: Path, tmp_path: Path) -> None:
    commit(lumen, {"src/gone.py": None})
    git(tmp_path, "clone", "-q", "--depth", "1", lumen.as_uri(), "shallow")
    site = write_posts(tmp_path, a=link("src/gone.py#L1"))
    write_site(site, {"devlog.toml": CONFIG.replace("../lumen", "../shallow")})
    build(site)
    assert footer(site) == ""
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    build(site)
    assert "is gone" in footer(site)


@pytest.mark.slow
def test_a_bare_clone(lumen: Path, tmp_path: Path) -> None:
    commit(lumen, {"src/gone.py": None})
    git(tmp_path, "clone", "-q", "--bare", str(lumen), "bare")
    site = write_posts(tmp_path, a=f"{link('src/gone.py#L1')} `lookup_entry`")
    write_site(site, {"devlog.toml": CONFIG.replace("../lumen", "../bare")})
    build(site)
    assert "is gone" in footer(site)
    assert "lookup_entry" in (site / "public/refs.json").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["missing", "no clone", "no commit", "partial", "no git"])
def test_a_clone_that_cannot_be_asked(lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    commit(lumen, {"src/gone.py": None})
    site = write_posts(tmp_path, a=link("src/gone.py#L1"))
    expected = {
        "missing": "there is no such folder",
        "no clone": "git does not recognize it as a repository",
        "no commit": "it has no commit",
        "partial": "it is a partial clone",
        "no git": "git cannot be run",
    }
    if kind == "partial":
        git(lumen, "config", "uploadpack.allowFilter", "true")
        git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", lumen.as_uri(), "partial")
        write_site(site, {"devlog.toml": CONFIG.replace("../lumen", "../partial")})
    elif kind == "no git":
        monkeypatch.setenv("PATH", str(tmp_path / "none"))
    else:
        shutil.rmtree(lumen)
    if kind in ("no clone", "no commit"):
        lumen.mkdir()
        git(lumen, "init", "-q") if kind == "no commit" else None
    (problem,) = build(site).diagnostics
    assert (problem.code, problem.severity, problem.span.path) == ("no-checkout", "warning", "devlog.toml")
    assert problem.span.line == 4
    assert expected[kind] in problem.message
    assert footer(site) == ""
    assert build(site).diagnostics == (problem,)


@pytest.mark.slow
def test_without_a_repository_nothing_is_asked(lumen: Path, tmp_path: Path, asked: list[str]) -> None:
    site = write_posts(tmp_path, a=link("src/gone.py#L1"))
    for config in (CONFIG.replace("source_checkout", "# source_checkout"), f"{CONFIG}[refs]\nenabled = false\n"):
        write_site(site, {"devlog.toml": config})
        asked.clear()
        build(site)
        assert [command for command in asked if command != "cat-file"] == []
        assert footer(site) == ""


# -- symbols


def symbols(site: Path) -> dict[str, str]:
    """The symbols of ``refs.json`` and what their addresses say of the place."""
    found = json.loads((site / "public/refs.json").read_text())["refs"] if (site / "public/refs.json").exists() else []
    return {
        item["id"]: item["url"].partition("/blob/")[2].partition("/")[2] for item in found if item["kind"] == "symbol"
    }


def test_symbols_that_the_clone_defines(lumen: Path, tmp_path: Path) -> None:
    commit(lumen, {"native/cache.cpp": "#define WIDTH 3\nint lookup_native(int key) {\n", "tests/test_cache.py": CACHE})
    text = "`lookup_entry()`, `Cache.size`, `LIMIT`, `cache.LIMIT`, `lumen::lookup_native`, `WIDTH`, `Other.size`"
    site = write_posts(tmp_path, a=text)
    build(site)
    assert symbols(site) == {
        "lookup_entry": "src/cache.py#L5",
        "Cache.size": "src/cache.py#L12",
        "LIMIT": "src/cache.py#L3",
        "cache.LIMIT": "src/cache.py#L3",
        "WIDTH": "native/cache.cpp#L1",
    }


@pytest.mark.slow
def test_a_symbol_that_moves_and_one_that_everybody_defines(lumen: Path, tmp_path: Path) -> None:
    site = write_posts(tmp_path, a="`lookup_entry` and `forward_all`")
    commit(lumen, {f"src/part{number}.py": "def forward_all(): pass\n" for number in range(derive.MOST_DEFINITIONS)})
    build(site)
    assert symbols(site) == {"lookup_entry": "src/cache.py#L5", "forward_all": "src/part0.py#L1"}
    commit(lumen, {"src/one_more.py": "def forward_all(): pass\n", "src/cache.py": MOVED}, "2026-05-06")
    build(site)
    assert symbols(site) == {"lookup_entry": "src/cache.py#L6"}
    commit(lumen, {"src/cache.py": None}, "2026-05-07")
    build(site)
    assert symbols(site) == {}


@pytest.mark.slow
def test_only_new_files_are_read_for_symbols(lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = write_posts(tmp_path, a="`lookup_entry`")
    read: list[str] = []
    contents = disk.Checkout.contents

    def noted(self: disk.Checkout, blobs: Any) -> Iterator[tuple[str, bytes]]:
        for blob, data in contents(self, blobs):
            read.append(blob)
            yield blob, data

    monkeypatch.setattr(disk.Checkout, "contents", noted)
    build(site)
    assert len(read) == 3
    read.clear()
    commit(lumen, {"src/old.py": "def lookup_more(): pass\n"})
    build(site)
    assert read == [head(lumen, "HEAD:src/old.py")]
    write_posts(tmp_path, a="`lookup_entry` and `lookup_more`")
    read.clear()
    build(site)
    assert (read, set(symbols(site))) == ([], {"lookup_entry", "lookup_more"})


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("lookup()", ("lookup",)),
        ("Cache.size(a, b)", ("Cache", "size")),
        ("lumen::Cache::size", ("lumen", "Cache", "size")),
        ("self->size", ("self", "size")),
        ("", ()),
        ("x", ()),
        ("()", ()),
    ],
)
def test_parts_of_a_symbol(name: str, parts: tuple[str, ...]) -> None:
    assert derive.parts_of(name) == parts


# -- checking


def told(site: Path) -> list[tuple[str, str, int]]:
    codes = {"stale-citation", "changed-source", "no-checkout"}
    return [(item.code, item.message, item.span.line) for item in check_site(site).diagnostics if item.code in codes]


@pytest.mark.slow
def test_a_check_tells_of_each_place(lumen: Path, tmp_path: Path) -> None:
    first = head(lumen)
    text = f"{link('src/cache.py#L5-L6')}\n`src/cache.py:3`\n{link('src/gone.py#L1', first)}\n{link('src/old.py')}"
    site = write_posts(tmp_path, a=text)
    assert told(site) == []
    commit(lumen, {"src/cache.py": MOVED.replace("= 3", "= 4"), "src/gone.py": None})
    assert told(site) == [
        ("stale-citation", "“src/cache.py:5-6” has moved since this was written", 5),
        ("stale-citation", "“src/cache.py:3” has changed since this was written", 6),
        ("changed-source", "“src/gone.py:1” has been removed since this commit", 7),
    ]
    waiver = "<!-- devlog: allow stale-citation: the log of a day -->"
    write_posts(tmp_path, a=f"{text}\n\n{waiver}")
    assert [code for code, _, _ in told(site)] == ["changed-source"]
    shutil.rmtree(lumen)
    assert [code for code, _, _ in told(site)] == ["no-checkout"]


@pytest.mark.slow
def test_links_are_pinned_to_what_the_post_meant(lumen: Path, tmp_path: Path) -> None:
    first = head(lumen)
    site = write_posts(tmp_path, a=f"{link('src/cache.py#L5-L6')} and {link('src/cache.py#L5-L6', 'HEAD')}")
    commit(lumen, {"src/cache.py": MOVED})
    assert [code for code, _, _ in told(site)] == ["stale-citation"]  # it is one place, by two names of the branch
    options = CheckOptions(root=site, now=NOW, jobs=1)
    would = try_out(options, lambda _problem: True, force=False)
    done = fix_site(site)
    assert isinstance(would, Fixed)
    assert [change.diff() for change in would.changes] == [change.diff() for change in done.changes] != []
    text = (site / "content/storage/2026-05-03-a.md").read_text()
    assert text.count(f"{HOST}/blob/{first}/src/cache.py#L5-L6") == 2
    assert [code for code, _, _ in told(site)] == ["changed-source"]


@pytest.mark.slow
def test_a_bare_clone_without_an_origin_pins_too(lumen: Path, tmp_path: Path) -> None:
    first = head(lumen)
    commit(lumen, {"src/cache.py": MOVED})
    git(tmp_path, "clone", "-q", "--bare", str(lumen), "bare")
    site = write_posts(tmp_path, a=link("src/cache.py#L5-L6"))
    write_site(site, {"devlog.toml": CONFIG.replace("../lumen", "../bare")})
    fix_site(site)
    assert f"{HOST}/blob/{first}/src/cache.py#L5-L6" in (site / "content/storage/2026-05-03-a.md").read_text()


# -- names that are not UTF-8


@pytest.mark.slow
def test_files_whose_names_are_no_text(lumen: Path, tmp_path: Path) -> None:
    site = write_posts(tmp_path, a=f"{link('src/old.py#L1-L2')} and `other_function` and `lookup_entry`.")
    for file in (b"src/\xff/old.py", b"\xed\xa0\x80/new.py"):
        other = lumen / os.fsdecode(file)
        other.parent.mkdir()
        other.write_text(OTHER)
    commit(lumen, {"src/old.py": None})
    build(site)
    assert "src/old.py:1-2 is gone" in " ".join(_plain(footer(site)).split())
    assert build(site).written == ()


# -- limits


@pytest.mark.slow
def test_only_the_first_places_of_a_text_are_looked_at(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derive, "MOST_PLACES", 2)
    site = write_posts(tmp_path, a="\n".join(link(f"src/gone.py#L1-L{end}") for end in (1, 1, 2, 3)))
    commit(lumen, {"src/gone.py": "alone = 2\nx = 1\ny = 1\n"}, day="2026-05-02")
    commit(lumen, {"src/gone.py": "else = 3\n"})
    (problem,) = build_site(site).diagnostics
    assert (problem.code, problem.severity, problem.span.line) == ("unchecked-source", "info", 8)
    assert problem.message == "only the first 2 source references of a post are checked"
    assert build_site(site).diagnostics == (problem,)
    assert "2 of 2 cited places have changed" in " ".join(_plain(footer(site)).split())


@pytest.mark.slow
def test_files_of_very_many_lines_are_not_looked_into(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{link('src/cache.py#L5-L6')} and {link('src/gone.py#L1')}.\n\n{link('src/cache.py#L1')}"
    site = write_posts(tmp_path, a=text, b=link("src/cache.py#L2"))
    commit(lumen, {"src/cache.py": MOVED, "src/gone.py": "alone = 2\n"})
    lines = CACHE.count("\n") - 1
    monkeypatch.setattr(derive, "MOST_LINES", lines)
    (problem,) = build_site(site).diagnostics
    assert (problem.code, problem.severity, problem.span.line) == ("unchecked-source", "info", 5)
    expected = f"source references to “src/cache.py” are not checked: it has more than {lines} lines or 2 MB"
    assert problem.message == expected
    assert build_site(site).diagnostics == (problem,)
    assert "1 of 1 cited place has changed" in " ".join(_plain(footer(site)).split())


@pytest.mark.slow
def test_files_of_equal_content_are_read_once_for_symbols(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clone of a few kilobytes can give one blob a million names."""
    site = write_posts(tmp_path, a="`lookup_entry`, `Cache.size` and `part3.lookup_entry`")
    commit(lumen, {f"src/part{number}.py": CACHE for number in range(7)} | {"src/same.sh": CACHE})
    read: list[str] = []
    find = definitions.definitions

    def noted(path: str, data: bytes) -> Iterator[tuple[str, int]]:
        read.append(path.rpartition(".")[2])
        return find(path, data)

    monkeypatch.setattr(definitions, "definitions", noted)
    build(site)
    assert sorted(read) == ["py", "py", "py", "sh"]  # what is equal, the two other files, and it again as a script
    assert symbols(site) == {
        "lookup_entry": "src/cache.py#L5",
        "Cache.size": "src/cache.py#L12",
        "part3.lookup_entry": "src/part3.py#L5",
    }


@pytest.mark.slow
def test_symbols_of_only_so_many_definitions_are_looked_up(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same files count whether they are read now, or were read by an earlier build."""
    monkeypatch.setattr(derive, "MOST_IN_ALL", 7)
    site = write_posts(tmp_path, a="`lookup_entry`, `alone` and `other_function`")
    build(site)
    assert len(symbols(site)) == 3  # of 5 definitions in src/cache.py and 1 in each other file
    for count in range(1, 4):
        commit(lumen, {f"src/a{count}.py": f"def early{count}(): pass\n"}, f"2026-05-{5 + count:02}")
        (problem,) = build_site(site).diagnostics
        clean = write_posts(tmp_path / f"clean{count}", a="`lookup_entry`, `alone` and `other_function`")
        (tmp_path / f"clean{count}" / "lumen").symlink_to(lumen)
        assert build_site(clean).diagnostics == (problem,)
        assert symbols(clean) == symbols(site)
    assert (problem.code, problem.severity, problem.span.line) == ("unchecked-source", "info", 4)
    expected = "symbols are looked up only in the first 7 definitions of the repository checkout “../lumen”"
    assert problem.message == expected
    assert symbols(site) == {}


@pytest.mark.slow
def test_the_files_that_define_a_name_are_looked_at_once_for_all_its_modules(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"kind{number}" for number in range(200)]
    site = write_posts(tmp_path, a=" ".join(f"`{name}.lookup_part`" for name in names))
    commit(lumen, {f"src/{name}.py": "def lookup_part(): pass\n" for name in names})
    split: list[str] = []
    splitext = os.path.splitext

    def counted(path: str) -> tuple[str, str]:
        split.append(path)
        return splitext(path)

    monkeypatch.setattr("posixpath.splitext", counted)
    build(site)
    assert symbols(site) == {f"{name}.lookup_part": f"src/{name}.py#L1" for name in names}
    assert len([path for path in split if path.startswith("src/kind")]) == len(names)


@pytest.mark.slow
def test_all_places_of_a_file_share_what_is_made_of_its_versions(tmp_path: Path, lumen: Path) -> None:
    then = [f"value_{number} = {number}" for number in range(3000)]
    now = [f"{line}  # {number}" if number % 2 else line for number, line in enumerate(then)]
    commit(lumen, {"src/values.py": "\n".join(then)}, day="2026-05-02")
    commit(lumen, {"src/values.py": "\n".join(now)}, day="2026-05-05")

    def work(count: int) -> int:
        places = (f"`src/values.py:{place * 30 + 1}-{place * 30 + 3}`" for place in range(count))
        root = write_posts(tmp_path / str(count), one="\n\n".join(places))
        shutil.copytree(lumen, root.parent / "lumen")
        return steps(lambda: build_site(root))

    work(1)  # what is loaded once
    assert work(90) - work(10) < 80 * 2000  # each of them would take as many steps as there are lines


@pytest.mark.slow
def test_cited_text_is_looked_for_in_other_files_only_where_its_telling_line_stands(
    tmp_path: Path, lumen: Path
) -> None:
    """Reading a file through for each place takes a clone of megabytes and a post of kilobytes hours."""
    telling = [f"the_telling_line_of_place_{number:02}" for number in range(40)]
    many = [line for telling_line in telling for line in (telling_line, *["again"] * 50)]
    commit(lumen, {"src/places.py": "\n".join([*many, "end"]), "src/other.py": "none\n"}, day="2026-05-02")
    commit(lumen, {"src/places.py": "nothing = 1\n", "src/other.py": "\n".join([*many, "another end"])})

    def work(count: int) -> tuple[int, str]:
        places = (f"src/places.py#L{1 + 51 * at}-L{len(many)}" for at in range(count))
        root = write_posts(tmp_path / str(count), a=" ".join(map(link, places)))
        shutil.copytree(lumen, root.parent / "lumen")
        return steps(lambda: build(root)), footer(root)

    work(1)  # what is loaded once
    (few, _), (all_, shown) = work(10), work(40)
    assert shown.count("src/other.py") >= 40
    assert all_ - few < 30 * 1500


@pytest.mark.slow
def test_text_of_which_each_line_is_repeated_is_not_looked_for(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derive, "_COMPARED", 8)
    commit(lumen, {"src/rep.py": "telling_line_of_text\n{\n" * 2 + "first_end\n"}, day="2026-05-02")
    site = write_posts(tmp_path, a=link("src/rep.py#L1-L2"))
    commit(
        lumen,
        {
            "src/rep.py": "import os\n",
            "src/other.py": "telling_line_of_text\n}\n" * 4 + "telling_line_of_text\n{\nfirst_end\n",
        },
    )
    build(site)
    assert "other.py" not in footer(site)
    monkeypatch.setattr(derive, "_COMPARED", 10)
    shutil.rmtree(site / ".devlog")
    build(site)
    assert "other.py" in footer(site)


@pytest.mark.slow
def test_few_files_are_in_memory_at_once(tmp_path: Path, lumen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone of some kilobytes can have many files of two megabytes, and a post of two kilobytes cites 200."""
    names = [f"src/part_{number:02}.py" for number in range(40)]
    lines = {name: f"def of_part_{number}_of_lumen():\n" for number, name in enumerate(names)}
    commit(lumen, {name: f"import os\n{line}" for name, line in lines.items()}, day="2026-05-02")
    site = write_posts(tmp_path, a=" ".join(link(f"{name}#L{line}") for name in names for line in (1, 2)))
    new = {name: f"import sys\nimport re\n# {line}" for name, line in lines.items()}
    commit(lumen, {**new, "src/other.py": "".join(lines.values())})
    held = []
    real = derive._Inquiry._load

    def load(inquiry: derive._Inquiry, blobs: Collection[str]) -> None:
        real(inquiry, blobs)
        held.append(len(inquiry._lines))

    monkeypatch.setattr(derive._Inquiry, "_load", load)
    build(site)
    at_once = footer(site)
    shutil.rmtree(site / ".devlog")
    monkeypatch.setattr(derive, "MOST_HELD", 6)
    assert max(held) > 60
    held.clear()
    build(site)
    assert footer(site) == at_once
    assert at_once.count("src/other.py") >= 40
    assert 0 < max(held) <= 6 + 3


def test_of_a_file_with_many_names_few_are_compared(
    tmp_path: Path, lumen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trees of some kilobytes can have a million names of one file, and a post of two kilobytes cites 200 of them."""
    monkeypatch.setattr(derive, "_SAME", 5)
    compared = []
    real = derive._nearest

    def nearest(file: str, others: Iterable[str]) -> str:
        compared.append(len(others := tuple(others)))
        return real(file, others)

    monkeypatch.setattr(derive, "_nearest", nearest)
    site = write_posts(tmp_path, a=link("src/old.py#L1"))
    commit(lumen, {f"same/{number}.py": OTHER for number in range(60)} | {"src/old.py": None})
    build(site)
    assert "same/0.py" in footer(site)
    assert compared == [5]


def test_of_a_file_with_many_names_few_are_kept_for_each_line_in_it() -> None:
    lines = [f"this is line {number} of the file" for number in range(500)]

    class Checkout:
        def contents(self, _blobs: object) -> Iterator[tuple[str, bytes]]:
            yield "blob", "\n".join(lines).encode()

    inquiry = derive._Inquiry(Checkout(), "head", None)  # type: ignore[arg-type]
    inquiry.__dict__["_by_blob"] = {"blob": [f"{number}.py" for number in range(10_000)]}
    tracemalloc.start()
    found = inquiry._holding(set(lines))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {line: [] for line in lines}
    assert peak < 2_000_000


def test_the_lines_of_files_that_may_be_the_successor_are_counted_once(
    tmp_path: Path, lumen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each version that a post cites is compared with files of the same name."""
    versions = [commit(lumen, {"src/old.py": f"{OTHER}value = {number}\n"}) for number in range(8)]
    commit(lumen, {"src/old.py": None, **{f"{name}/old.py": f"{OTHER}# {name}\n" for name in "abcde"}})
    calls = []
    real = relocated_lines.counted
    monkeypatch.setattr(relocated_lines, "counted", lambda lines: (calls.append(lines), real(lines))[1])
    site = write_posts(tmp_path, a=" ".join(link("src/old.py#L2", version) for version in versions))
    build(site)
    assert footer(site).count("a/old.py") >= len(versions)
    assert len(calls) == len(versions) + 5


def test_only_so_many_lines_are_compared_in_a_build(
    tmp_path: Path, lumen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later builds go on, and what they show at last is what a build without a limit shows."""
    versions = [commit(lumen, {"src/cache.py": f"{CACHE}# {number}\n"}) for number in range(6)]
    commit(lumen, {"src/cache.py": MOVED})
    texts = {
        "a": link("src/cache.py#L5-L6"),
        "b": " ".join(link("src/cache.py#L5-L6", version) for version in versions[:3]),
        "c": " ".join(link("src/cache.py#L5-L6", version) for version in versions[3:]),
    }
    whole = write_posts(tmp_path / "whole", **texts)
    shutil.copytree(lumen, tmp_path / "whole/lumen")
    build(whole)
    site = write_posts(tmp_path, **texts)
    monkeypatch.setattr(derive, "MOST_COMPARED", 300)
    (problem,) = build_site(site).diagnostics
    assert (problem.code, problem.severity) == ("unchecked-source", "info")
    assert problem.message == "3 source references are not checked: a build compares at most 300 lines"
    assert footer(site, "a") == footer(whole, "a") != ""
    assert "source references are not checked" in build_site(site).diagnostics[0].message
    assert footer(site, "b") == footer(whole, "b") != ""
    assert build_site(site).diagnostics == ()
    shown, expected = (read_tree(folder / "public") for folder in (site, whole))
    assert [path for path in expected if shown[path] != expected[path]] == [".devlog-manifest.json"]


def test_a_post_that_needs_too_many_lines_is_not_looked_at_again(
    tmp_path: Path, lumen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = [commit(lumen, {"src/cache.py": f"{CACHE}# {number}\n"}) for number in range(6)]
    commit(lumen, {"src/cache.py": MOVED})
    site = write_posts(tmp_path, a=" ".join(link("src/cache.py#L5-L6", version) for version in versions))
    monkeypatch.setattr(derive, "MOST_COMPARED", 100)
    (problem,) = build_site(site).diagnostics
    assert problem.code == "unchecked-source"
    monkeypatch.setattr(derive._Inquiry, "_judged", None)
    assert build_site(site).diagnostics == (problem,)
