"""What may be published, and which paths are one path to some system."""

from __future__ import annotations

import ntpath
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model import outpath
from devlog.model.outpath import check_out_path, collision_key, control_folder

GOOD = [
    "index.html",
    "404.html",
    "a/b/c.txt",
    "café/index.html",
    "日本語/はじめに.html",
    "мир/index.html",
    "نمونه/index.html",
    ".well-known/security.txt",
    ".nojekyll",
    ".htaccess",
    "a b/c (1).png",
    "نامه\u200cها/index.html",
    "❤\ufe0f.png",
    "console/index.html",
    "com/index.html",
    "com10.txt",
    "xcon",
    "C++/c#.html",
    "a..b",
    "x" * 200,
]

BAD = {
    "": "empty",
    "/a": "absolute",
    "//evil": "absolute",
    "a//b": "empty",
    "a/": "empty",
    ".": "dots",
    "..": "dots",
    "a/../b": "dots",
    "../../x": "dots",
    "a/.../b": "dots",
    "a\\b": "“\\”",
    "..\\x": "“\\”",
    "C:": "“:”",
    "c:/x": "“:”",
    "a.txt::$DATA": "“:”",
    "a\0b": "control",
    "a\nb": "control",
    "a\x7fb": "control",
    "a\x85b": "control",
    "a\u2028b": "control",
    "a\udce9": "control",
    "con": "device",
    "Con.txt": "device",
    "a/NUL.tar.gz": "device",
    "aux/index.html": "device",
    "com1": "device",
    "LPT9.md": "device",
    "com¹": "device",
    "nul .txt": "device",
    "a.": "ends",
    "a /b": "ends",
    ".git/config": "begins with a dot",
    ".GIT/config": "begins with a dot",
    "git~1/config": ".git",
    "a/\u200c.git/config": "begins with a dot",
    ".g\u200dit/config": "begins with a dot",
    "\u2060..": "dots",
    "a/\u200b/b": "cannot be seen",
    "CON\ufe0f": "device",
    "a.\u00ad": "ends",
    ".devlog-manifest.json": "begins with a dot",
    "cafe\u0301": "NFC",
    "x" * 201: "200",
    "é" * 101: "200",
    "/".join("a" * 33): "32",
    "/".join(["x" * 199] * 6): "1000",
}


@pytest.mark.parametrize("path", GOOD)
def test_good_paths(path: str) -> None:
    assert check_out_path(path) == ""


@pytest.mark.parametrize(("path", "reason"), BAD.items())
def test_bad_paths(path: str, reason: str) -> None:
    assert reason in check_out_path(path)


def is_reserved(path: str) -> bool:
    """Whether Windows keeps a name of a path for itself; what no name may hold there, such as “?”, is left out."""
    is_reserved: Callable[[str], bool] | None = getattr(ntpath, "isreserved", None)  # from Python 3.13 on
    if is_reserved:
        return is_reserved(path.translate(str.maketrans('*"<>?|', "______")))
    return any(PureWindowsPath(part).is_reserved() for part in path.split("/"))


@pytest.mark.slow
@given(st.text() | st.text(alphabet="./\\:~ acongitul1\0é") | st.lists(st.text(max_size=5)).map("/".join))
def test_an_accepted_path_stays_inside(path: str) -> None:
    if check_out_path(path):
        return
    root = Path("/srv/public")
    assert (root / path).resolve().is_relative_to(root)
    for pure in (PurePosixPath(path), PureWindowsPath(path)):
        assert not pure.is_absolute()
        assert not pure.drive
        assert ".." not in pure.parts
        assert "/".join(pure.parts) == path
    assert not is_reserved(path)
    assert normalize("NFC", path) == path
    path.encode()


@given(st.text())
def test_the_key_is_stable(path: str) -> None:
    key = collision_key(path)
    assert collision_key(normalize("NFD", path)) == collision_key(normalize("NFC", path))
    assert collision_key(path) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Readme", "README"),
        ("Caf\u00e9", "cafe\u0301"),
        ("straße", "STRASSE"),
        ("ΣΑΣ", "σας"),
        ("a/B", "A/b"),
    ],
)
def test_one_key(one: str, other: str) -> None:
    assert collision_key(one) == collision_key(other)


@pytest.mark.slow
@given(st.lists(st.from_regex(outpath._PLAIN, fullmatch=True), min_size=1, max_size=9))
def test_the_short_way_for_plain_paths_leads_where_the_long_one_does(segments: list[str]) -> None:
    path = "/".join(segments)
    answers = (check_out_path(path), collision_key(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outpath, "_PLAIN_PATH", re.compile("(?!)"))
        assert (check_out_path(path), collision_key(path)) == answers


def test_plain_paths_have_a_longest_one_too() -> None:
    segment = f"{'a' * 80}.{'b' * 40}"
    assert check_out_path("/".join([segment] * 8)) == ""
    assert "bytes" in check_out_path("/".join([segment] * 9))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u1fb7", "\u1fbc\u0342"),
        ("\u1fc7", "\u1fcc\u0342"),
        ("\u1fb4\u0323", "\u0386\u0323\u0345"),
        ("نامه\u200cها", "نامهها"),
        ("❤\ufe0f.PNG", "❤.png"),
        ("a\u034f\u0301", "Á"),
    ],
)
def test_what_looks_alike_to_some_system(one: str, other: str) -> None:
    assert collision_key(f"x/{one}") == collision_key(f"x/{other}")


def test_paths_that_no_system_has_are_not_composed() -> None:
    """Bringing many accents into their order takes time that grows with the square of their number."""
    long = "e\u0301" * 5_000
    assert check_out_path("e\u0301") == "is not in Unicode's composed form (NFC)"
    assert "bytes" in check_out_path(long)
    assert collision_key(long) == long


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".git", ".git"),
        ("a/.GIT/hooks", ".GIT"),
        ("a\\.git\\hooks", ".git"),
        (".git /x", ".git "),
        (".git. .", ".git. ."),
        (".git::$INDEX_ALLOCATION", ".git::$INDEX_ALLOCATION"),
        (".g\u200cit/x", ".g\u200cit"),
        ("GIT~1", "GIT~1"),
        ("a/devlog~2", "devlog~2"),
        (".hg", ".hg"),
        (".Svn/x", ".Svn"),
        (".devlog/out", ".devlog"),
        ("git", ""),
        ("a.git/x", ""),
        (".github/pages", ""),
        (".gitlab", ""),
        ("devlog/~1", ""),
        ("", ""),
    ],
)
def test_folders_of_version_control(path: str, found: str) -> None:
    assert control_folder(path) == found
