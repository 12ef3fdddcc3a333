"""Nothing outside the site can be read, and what is not text is said to be so, with its place."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.disk import read
from devlog.disk.folder import Folder
from devlog.disk.ignore import compile_ignore
from devlog.disk.read import (
    Tree,
    read_bytes,
    read_content,
    read_content_below,
    read_source,
    read_static,
    read_text,
    read_theme,
)
from devlog.disk.stat_cache import StatCache
from devlog.disk.theme import load_theme
from devlog.engine.work import time_limit
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.source import Size, Source

CANARY = "the-secret-outside"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file.md").write_text(CANARY)
    (tmp_path / "site" / "content" / "topic").mkdir(parents=True)
    (tmp_path / "site" / "content" / "topic" / "good.md").write_text("good")
    return tmp_path / "site"


def _codes(found: tuple[Diagnostic, ...]) -> list[tuple[str, str]]:
    return [(problem.span.path, problem.code) for problem in found]


def texts(site: Path, tree: Tree) -> list[str]:
    """The texts of a tree, read as a build reads them."""
    sources = [read_source(site, found) for found in tree.sources]
    return [source.text for source in sources if isinstance(source, Source)]


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # socket paths are short
    try:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(path.name)
    finally:
        os.chdir(here)


LINKS: dict[str, Callable[[Path], None]] = {
    "to a file": lambda path: path.symlink_to("../../../secret/file.md"),
    "to a file, absolute": lambda path: path.symlink_to(path.parents[3] / "secret" / "file.md"),
    "to a file of the site": lambda path: path.symlink_to("good.md"),
    "to a folder": lambda path: path.symlink_to("../../../secret"),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "to a device": lambda path: path.symlink_to("/dev/null"),
    "to the environment": lambda path: path.symlink_to("/proc/self/environ"),
}


@pytest.mark.parametrize("name", ["x.md", "x.png", "x"])
@pytest.mark.parametrize("make", LINKS.values(), ids=LINKS.keys())
def test_links_are_refused(site: Path, make: Callable[[Path], None], name: str) -> None:
    make(site / "content" / "topic" / name)
    tree = read_content(site, "content")
    assert _codes(tree.diagnostics) == [(f"content/topic/{name}", "symlink")]
    assert [source.path for source in tree.sources] == ["topic/good.md"]
    assert tree.assets == ()
    refused = read_bytes(site, f"content/topic/{name}")
    assert isinstance(refused, Diagnostic)
    assert refused.code == "symlink"


def test_a_link_in_the_middle_is_refused(site: Path) -> None:
    (site / "content" / "linked").symlink_to(site.parent / "secret")
    refused = read_bytes(site, "content/linked/file.md")
    assert isinstance(refused, Diagnostic)
    assert refused.code == "unreadable"
    assert "content/linked" in refused.message


def test_a_linked_content_folder_is_refused(site: Path) -> None:
    (site / "other").symlink_to(site.parent / "secret")
    assert _codes(read_content(site, "other").diagnostics) == [("other", "symlink")]
    assert _codes(read_static(site, "other").diagnostics) == [("other", "symlink")]


@pytest.mark.parametrize("make", [os.mkfifo, _socket], ids=["pipe", "socket"])
def test_special_files_are_refused_without_waiting(site: Path, make: Callable[[Path], None]) -> None:
    make(site / "content" / "topic" / "x.md")
    tree = read_content(site, "content")
    assert _codes(tree.diagnostics) == [("content/topic/x.md", "special-file")]
    refused = read_bytes(site, "content/topic/x.md")
    assert isinstance(refused, Diagnostic)
    assert refused.code == "special-file"


def test_a_device_is_refused(site: Path) -> None:
    try:
        os.mknod(site / "content" / "x.md", 0o20666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("making a device needs root")
    assert _codes(read_content(site, "content").diagnostics) == [("content/x.md", "special-file")]


def test_a_hard_link_is_a_file(site: Path) -> None:
    os.link(site / "content" / "topic" / "good.md", site / "content" / "topic" / "too.md")
    tree = read_content(site, "content")
    assert texts(site, tree) == ["good", "good"]


@pytest.mark.parametrize("victim", ["topic", "topic/good.md"])
def test_a_swap_between_listing_and_opening(site: Path, victim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = site / "content"
    target = site.parent / "secret" / ("file.md" if victim.endswith(".md") else "")
    (site.parent / "secret" / "good.md").write_text(CANARY)
    scan = Folder.scan

    def swap(folder: Folder) -> list[os.DirEntry[str]]:
        entries = scan(folder)
        if any(entry.name == Path(victim).name for entry in entries):
            (content / victim).rename(site / "away")
            (content / victim).symlink_to(target)
        return entries

    monkeypatch.setattr(Folder, "scan", swap)
    tree = read_content(site, "content")
    assert _codes(tree.diagnostics) == [(f"content/{victim}", "symlink")]
    assert CANARY not in repr(tree)


def test_a_folder_swapped_after_it_was_opened_is_still_the_old_one(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = site / "content"
    (site.parent / "secret" / "good.md").write_text(CANARY)
    open_file = Folder.open_file

    def swap(folder: Folder, name: str, *, follow: bool = False) -> int:
        (content / "topic").rename(site / "away")
        (content / "topic").symlink_to(site.parent / "secret")
        return open_file(folder, name, follow=follow)

    monkeypatch.setattr(Folder, "open_file", swap)
    (found,) = read_content(site, "content").sources
    assert found.digest == digest_bytes(b"good")


@pytest.mark.parametrize("folder", ["..", "../secret", "content/../../secret", "/etc"])
def test_folders_outside_are_refused(site: Path, folder: str) -> None:
    assert _codes(read_content(site, folder).diagnostics) == [(folder, "outside-folder")]


@pytest.mark.parametrize("file", ["../secret/file.md", "/etc/passwd", "content/../../secret/file.md", "", "a/"])
def test_files_outside_are_refused(site: Path, file: str) -> None:
    assert isinstance(read_bytes(site, file), Diagnostic)


TEXTS: dict[str, tuple[bytes, str]] = {
    "plain": (b"a\nb\n", "a\nb\n"),
    "empty": (b"", ""),
    "no end": (b"a", "a"),
    "mark": (b"\xef\xbb\xbfa", "a"),
    "mark only": (b"\xef\xbb\xbf", ""),
    "mixed ends": (b"a\r\nb\rc\nd\r\r\n", "a\nb\nc\nd\n\n"),
    "every plane": ("é日😀\u2028".encode(), "é日😀\u2028"),
}


@pytest.mark.parametrize(("data", "expected"), TEXTS.values(), ids=TEXTS.keys())
def test_texts(site: Path, data: bytes, expected: str) -> None:
    (site / "content" / "x.md").write_bytes(data)
    assert read_text(site, "content/x.md") == expected


WRONG: dict[str, tuple[bytes, str, tuple[int, int], str, str]] = {
    "latin-1": ("ab\ncdé f".encode("latin-1"), "not-utf8", (2, 3), "byte 5 (0xE9)", "“é”"),
    "after a mark": (b"\xef\xbb\xbfa\xff", "not-utf8", (1, 2), "byte 4 (0xFF)", "“ÿ”"),
    "after CRLF and wide characters": ("é\r\n日\r".encode() + b"\x80", "not-utf8", (3, 1), "byte 8", "“€”"),
    "no letter": (b"\x81", "not-utf8", (1, 1), "byte 0 (0x81)", ""),
    "cut": ("aé".encode()[:-1], "not-utf8", (1, 2), "byte 1", ""),
    "surrogate": (b"\xed\xa0\x80", "not-utf8", (1, 1), "byte 0", ""),
    "utf-16": ("hé".encode("utf-16"), "not-utf8", (0, 0), "UTF-16", "UTF-8"),
    "utf-16 without mark": ("hello".encode("utf-16-be"), "not-utf8", (0, 0), "UTF-16", "UTF-8"),
    "utf-32": ("h".encode("utf-32"), "not-utf8", (0, 0), "UTF-32", "UTF-8"),
    "image": (b"\x89PNG\r\n\x1a\n\0\0", "not-utf8", (0, 0), "but a PNG image", "suffix"),
    "binary": (bytes(range(256)), "not-utf8", (0, 0), "but a binary file", "suffix"),
    "latin-1 with few control characters": (b"\x01" + 40 * b"a" + b"\xe9", "not-utf8", (1, 42), "0xE9", "“é”"),
    "zero": (b"line\nab\0c defgh", "zero-byte", (2, 3), "byte 7", ""),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_what_is_not_text(site: Path, case: tuple[bytes, str, tuple[int, int], str, str]) -> None:
    data, code, place, message, hint = case
    (site / "content" / "x.md").write_bytes(data)
    problem = read_source(site, next(found for found in read_content(site, "content").sources if found.path == "x.md"))
    assert isinstance(problem, Diagnostic)
    assert (problem.code, problem.span.line, problem.span.column) == (code, *place)
    assert problem.span.path == "content/x.md"
    assert message in problem.message
    assert hint in problem.hint


def test_a_folder_named_like_a_post(site: Path) -> None:
    (site / "content" / "x.md").mkdir()
    (site / "content" / "x.md" / "in.md").write_text("in")
    tree = read_content(site, "content")
    assert [source.path for source in tree.sources] == ["topic/good.md", "x.md/in.md"]
    assert isinstance(read_text(site, "content/x.md"), Diagnostic)


def test_limits(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "content" / "x.md").write_bytes(b"a" * (1 << 20))
    assert read_content(site, "content").diagnostics == ()
    (site / "content" / "x.md").write_bytes(b"a" * ((1 << 20) + 1))
    (problem,) = read_content(site, "content").diagnostics
    assert (problem.code, problem.message) == ("too-large", "is larger than 1 MiB")
    (site / "content" / "x.md").unlink()
    monkeypatch.setattr(read, "ASSET_LIMIT", 2 << 20)
    (site / "content" / "x.bin").write_bytes(b"a" * ((2 << 20) + 1))
    (problem,) = read_content(site, "content").diagnostics
    assert problem.code == "too-large"


@pytest.mark.parametrize("name", ["content/x.bin", "content/x.md", "static/x.bin"])
def test_what_is_too_large_is_refused_by_its_size(site: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To read it up to the limit would take seconds, after each change of another file again."""
    (site / "static").mkdir(exist_ok=True)
    with (site / name).open("wb") as file:
        file.truncate(read.ASSET_LIMIT + 1)

    def only_small(file: int, length: int, read: Callable[[int, int], bytes] = os.read) -> bytes:
        assert os.fstat(file).st_size < 1000
        return read(file, length)

    monkeypatch.setattr(os, "read", only_small)
    (problem,) = (*read_content(site, "content").diagnostics, *read_static(site, "static").diagnostics)
    assert (problem.span.path, problem.code) == (name, "too-large")
    assert isinstance(read_bytes(site, name), Diagnostic)


def test_what_becomes_too_large_while_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(bytes(2 << 20))
    with Folder.open(tmp_path) as folder:
        pieces = folder.read("x.bin", limit=3 << 20)
        assert next(pieces)
        file.write_bytes(bytes(4 << 20))
        with pytest.raises(OSError, match=r"x\.bin"):
            list(pieces)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs files of which the system tells no size")
def test_a_limit_holds_for_files_without_a_size() -> None:
    with Folder.open(Path("/proc/self")) as folder:
        assert folder.read_all("status", 1 << 20)
        with pytest.raises(OSError, match="status"):
            folder.read_all("status", 100)
        with pytest.raises(OSError, match="status"):
            list(folder.read("status", limit=100))


def test_depth(site: Path) -> None:
    deep = site / "content" / "/".join("d" * 40)
    deep.mkdir(parents=True)
    assert [problem.code for problem in read_content(site, "content").diagnostics] == ["too-deep"]


@pytest.mark.parametrize("levels", [1, 29, 32])
def test_a_folder_that_is_read_again_is_as_deep_as_before(site: Path, levels: int) -> None:
    (site / "content" / "/".join("d" * 40)).mkdir(parents=True)
    whole, ignored = read_content(site, "content"), compile_ignore(())[0]
    below = read_content_below(site, "content", "/".join("d" * levels), ignored, StatCache())
    assert below.diagnostics == whole.diagnostics


def test_names_are_composed(site: Path) -> None:
    name = normalize("NFD", "café.md")
    (site / "content" / name).write_text("é")
    (source,) = (source for source in read_content(site, "content").sources if source.path != "topic/good.md")
    assert source.path == "café.md"
    assert (site / source.file).read_text() == "é"


def test_two_forms_of_one_name(site: Path) -> None:
    for form in ("NFC", "NFD"):
        (site / "content" / normalize(form, "café.md")).write_text(form)
    tree = read_content(site, "content")
    assert texts(site, tree)[0] == "NFC"
    assert [problem.code for problem in tree.diagnostics] == ["same-name"]


def test_undecodable_names(site: Path) -> None:
    (Path(os.fsdecode(os.fsencode(site / "content") + b"/caf\xe9.md"))).write_text("x")
    assert _codes(read_content(site, "content").diagnostics) == [(r"content/caf\xe9.md", "undecodable-name")]


def test_what_editors_and_conventions_leave_out(site: Path) -> None:
    skipped = (
        ".hidden.md ~x.md #x# x.md~ .#x.md .x.md.swp x.swp x.swx 4913 x.tmp x.md___jb_tmp___ "
        "README.md readme.MD template.md CODE_OF_CONDUCT.md Thumbs.db"
    )
    for name in skipped.split():
        (site / "content" / "topic" / name).write_text("x")
    (site / "content" / "topic" / ".#lock.md").symlink_to("user@host.1234")  # as Emacs makes them
    for name in ("node_modules", ".git"):
        (site / "content" / name).mkdir()
        (site / "content" / name / "x.md").write_text("x")
    tree = read_content(site, "content")
    assert tree.diagnostics == ()
    assert [source.path for source in tree.sources] == ["topic/good.md"]
    assert tree.assets == ()


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.draft.md", "topic/x.draft.md", True),
        ("*.draft.md", "topic/x.md", False),
        ("topic/*.md", "topic/x.md", True),
        ("topic/*.md", "topic/sub/x.md", False),
        ("topic/**", "topic/sub/x.md", True),
        ("**/x.md", "x.md", True),
        ("**/x.md", "a/b/x.md", True),
        ("a/**/x.md", "a/x.md", True),
        ("/x.md", "x.md", True),
        ("/x.md", "a/x.md", False),
        ("/re:x.md", "re:x.md", True),
        ("/a/*.md", "a/x.md", True),
        ("/a/*.md", "b/a/x.md", False),
        ("x?.md", "x1.md", True),
        ("x?y.md", "x/y.md", False),
        ("x[0-9].md", "x1.md", True),
        ("x[!0-9].md", "x1.md", False),
        ("x[!0-9].md", "xa.md", True),
        ("x[]].md", "x].md", True),
        ("x[.md", "x[.md", True),
        ("(x+).md", "(x+).md", True),
        (r"re:^notes/.*\.md$", "notes/x.md", True),
        (r"re:^notes/", "topic/notes/x.md", False),
    ],
)
def test_ignore_patterns(pattern: str, path: str, matches: bool) -> None:
    ignore, found = compile_ignore((pattern,))
    assert found == ()
    assert ignore.content(path.rpartition("/")[2], path, False) is matches


def globbed(glob: str, path: str) -> bool:
    """Whether a path matches a glob of ``a``, ``/``, ``*`` and ``**``, by trying everything."""
    if not glob:
        return not path
    if glob.startswith("**/") and globbed(glob[3:], path):
        return True
    star = "**/" if glob.startswith("**/") else "**" if glob.startswith("**") else "*" if glob.startswith("*") else ""
    ends = range(len(path) + 1)
    if star == "**/":
        return any(path[at - 1 : at] == "/" and globbed(glob[3:], path[at:]) for at in ends)
    if star:
        return any((star == "**" or "/" not in path[:at]) and globbed(glob[len(star) :], path[at:]) for at in ends)
    return path[:1] == glob[0] and globbed(glob[1:], path[1:])


@given(
    glob=st.lists(st.sampled_from(["a", "b", "/", "*", "*", "**", "**/"]), max_size=7).map("".join),
    path=st.text("ab/", max_size=9),
)
def test_a_glob_matches_what_it_says(glob: str, path: str) -> None:
    glob, parts = re.sub(r"\*{3,}", "**", glob.strip("/")), path.strip("/")
    ignore, found = compile_ignore((glob,))
    if not found and "//" not in parts:
        assert (ignore.globs[0].fullmatch(parts) is not None) is globbed(glob, parts), (glob, parts)


@pytest.mark.parametrize("pattern", [f"{'*a' * 25}b", f"**{'*a' * 25}b", f"{'*a' * 25}/**/b"])
def test_no_glob_takes_long(pattern: str) -> None:
    ignore, found = compile_ignore((pattern,))
    assert found == ()
    with time_limit(5):
        assert not ignore.content("a" * 200, "a" * 200, False)


@pytest.mark.parametrize("glob", ["*a**/b", "*/**/b", "a*b**/c"])
def test_a_star_before_two_stars(glob: str) -> None:
    ignore, _ = compile_ignore((glob,))
    for path in ("xaab", "a/b", "x/a/b", "aa/b", "axb/c", "abxc", "abbc", "a/c"):
        assert (ignore.globs[0].fullmatch(path) is not None) is globbed(glob, path), path


def test_a_glob_may_not_search_all_folders_many_times() -> None:
    assert compile_ignore(("**/a/**/b/**",))[1] == ()
    (problem,) = compile_ignore(("**a**a**a**a",))[1]
    assert "more than 3 times “**”" in problem.message


def test_ignored_folders_and_bad_patterns(site: Path) -> None:
    tree = read_content(site, "content", ("topic/", "re:(", "[z-a]"))
    assert tree.sources == ()
    assert [problem.code for problem in tree.diagnostics] == ["bad-ignore-pattern"] * 2


def test_static_files(site: Path) -> None:
    static = site / "static"
    assert read_static(site, "static") == read.Tree()
    for name in ("a.css", "x.html", ".DS_Store", "Thumbs.db", ".env", ".nojekyll", ".htaccess", "README.md"):
        static.mkdir(exist_ok=True)
        (static / name).write_text(name)
    (static / ".well-known").mkdir()
    (static / ".well-known" / "security.txt").write_text("x")
    tree = read_static(site, "static")
    expected = [".htaccess", ".nojekyll", ".well-known/security.txt", "README.md", "a.css", "x.html"]
    assert [asset.path for asset in tree.assets] == expected
    assert tree.diagnostics == ()


def test_assets(site: Path) -> None:
    data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\5\0\0\0\6" + b"x" * (3 << 20)
    (site / "content" / "topic" / "a.png").write_bytes(data)
    (asset,) = read_content(site, "content").assets
    assert (asset.path, asset.file) == ("topic/a.png", "content/topic/a.png")
    assert (asset.length, asset.size) == (len(data), Size(5, 6))
    assert len(asset.digest) == 32
    assert read_bytes(site, asset.file) == data


def test_missing_and_wrong_folders(site: Path) -> None:
    assert _codes(read_content(site, "none").diagnostics) == [("none", "missing-folder")]
    (site / "file").write_text("x")
    assert _codes(read_content(site, "file").diagnostics) == [("file", "unreadable")]


def test_a_theme_may_be_linked(site: Path) -> None:
    theme = site.parent / "theme"
    (theme / "templates" / "partials").mkdir(parents=True)
    (theme / "templates" / "partials" / "head.html").write_text("head\r\n")
    (theme / "templates" / "base.html").symlink_to("partials/head.html")
    (theme / "static").symlink_to(site / "content")
    files = read_theme(theme)
    assert files.templates == {"base.html": "head\n", "partials/head.html": "head\n"}
    assert list(files.templates) == sorted(files.templates)
    assert [(asset.path, asset.file) for asset in files.assets] == [("topic/good.md", "static/topic/good.md")]
    assert files.diagnostics == ()


def test_overrides_follow_no_links_in_static(site: Path) -> None:
    """It is no part of a theme, but untrusted: links could lead to the whole disk, or for ever to each other."""
    (site / "templates").mkdir()
    (site / "templates" / "base.html").write_text("own")
    static = site / "static"
    static.mkdir(exist_ok=True)
    for name in ("again", "and-again"):
        (static / name).symlink_to(".")
    (static / "nothing").symlink_to("nowhere")
    loaded = load_theme(site, "default")
    assert {template.file: template.text for template in loaded.theme.templates}["templates/base.html"] == "own"
    assert loaded.diagnostics == ()


def test_a_theme_linked_to_itself_ends(site: Path) -> None:
    theme = site.parent / "theme"
    (theme / "templates").mkdir(parents=True)
    (theme / "templates" / "again").symlink_to(".")
    assert [problem.code for problem in read_theme(theme).diagnostics] == ["too-deep"]


def test_no_descriptor_stays_open(site: Path) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("no list of open descriptors here")
    (site / "content" / "topic" / "x.md").symlink_to("good.md")
    (site / "content" / "topic" / "y.md").write_bytes(b"\xff")
    before = len(list(descriptors.iterdir()))
    read_content(site, "content")
    read_bytes(site, "content/topic/x.md")
    assert len(list(descriptors.iterdir())) == before


def test_the_order_does_not_depend_on_the_folder(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "zbé日aC":
        (site / "content" / f"{name}.md").write_text(name)
    once = read_content(site, "content")
    scan = Folder.scan
    monkeypatch.setattr(Folder, "scan", lambda folder: scan(folder)[::-1])
    assert read_content(site, "content") == once


# -- reading a text once more, when it is to be parsed


@pytest.mark.parametrize("change", [lambda path: path.write_text("evil"), lambda path: path.unlink()])
def test_a_text_that_changes_after_it_was_found(site: Path, change: Callable[[Path], None]) -> None:
    (found,) = read_content(site, "content").sources
    change(site / found.file)
    problem = read_source(site, found)
    assert isinstance(problem, Diagnostic)
    assert problem.code in ("changed-while-building", "unreadable")


def test_a_text_that_becomes_a_link_after_it_was_found(site: Path) -> None:
    (found,) = read_content(site, "content").sources
    (site / found.file).unlink()
    (site / found.file).symlink_to("../../../secret/file.md")
    assert isinstance(read_source(site, found), Diagnostic)
