"""Parts of files, as players of sound and film ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from http_raw import ask
from http_site import HTML, Running, Table, protected, serving
from hypothesis import given
from hypothesis import strategies as st

from devlog.serve import ranges
from devlog.serve.policy import PLAYED
from devlog.serve.responses import Answer, Data, File, Page


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=0-", (0, 10)),
        ("bytes=2-4", (2, 5)),
        ("BYTES=2-4", (2, 5)),
        ("bytes=9-", (9, 10)),
        ("bytes=5-99999999999999999", (5, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-10", (0, 10)),
        ("bytes=-99", (0, 10)),
        ("bytes=10-", ()),
        ("bytes=10-20", ()),
        ("bytes=-0", ()),
        ("bytes=5-4", None),
        ("bytes=-", None),
        ("bytes=", None),
        ("bytes", None),
        ("bytes=a-b", None),
        ("bytes=1", None),
        ("bytes=--1", None),
        ("bytes=1-2-3", None),
        ("bytes=+1-2", None),
        ("bytes= 1-2", None),
        ("bytes=1 -2", None),
        ("bytes=0x1-2", None),
        ("bytes=1-9999999999999999999", None),
        ("items=1-2", None),
        ("bytes=0-1,3-4", None),
        ("bytes=1-2,", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("path", ["/file", "/data"])
def test_ranges(tmp_path: Path, ranged: Running, header: str, part: tuple[int, ...] | None, path: str) -> None:
    got = ask(ranged.port, path, headers={"Range": header})
    whole = b"0123456789"
    assert protected(got, PLAYED)
    if part is None:
        assert (got.status, got.body, got.one("accept-ranges")) == (200, whole, "bytes")
        assert "content-range" not in got.headers
    elif part:
        start, stop = part
        assert (got.status, got.body) == (206, whole[start:stop])
        assert (got.one("content-range"), got.one("accept-ranges")) == (f"bytes {start}-{stop - 1}/10", "bytes")
        assert got.one("content-type") == "audio/mpeg"
        assert got.one("content-length") == str(stop - start)
    else:
        assert (got.status, got.one("content-range")) == (416, "bytes */10")
        assert whole not in got.body


@pytest.fixture(scope="module")
def ranged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("ranges")
    (folder / "a.mp3").write_bytes(b"0123456789")
    (folder / "empty.mp3").write_bytes(b"")
    answers: dict[str, Answer] = {
        "/file": File(folder, "a.mp3", False, "audio/mpeg"),
        "/data": Data(b"0123456789", "audio/mpeg"),
        "/empty": File(folder, "empty.mp3", False, "audio/mpeg"),
        "/page": Page(HTML, "k"),
    }
    with serving(Table(answers)) as running:
        yield running


def test_what_has_no_ranges(ranged: Running) -> None:
    for path in ("/file", "/data"):
        head = ask(ranged.port, path, "HEAD", {"Range": "bytes=1-2"})
        assert (head.status, head.one("content-length"), head.body) == (200, "10", b"")
        compared = ask(ranged.port, path, headers={"Range": "bytes=1-2", "If-Range": '"x"'})
        assert (compared.status, compared.body) == (200, b"0123456789")
        twice = ask(ranged.port, path, headers=[("Range", "bytes=1-2"), ("Range", "bytes=3-4")])
        assert (twice.status, twice.body) == (200, b"0123456789")
    page = ask(ranged.port, "/page", headers={"Range": "bytes=1-2"})
    assert (page.status, "accept-ranges" in page.headers) == (200, False)
    assert ask(ranged.port, "/empty", headers={"Range": "bytes=0-"}).status == 416
    assert ask(ranged.port, "/empty", headers={"Range": "bytes=0-"}).one("content-range") == "bytes */0"


def test_thousands_of_ranges(ranged: Running) -> None:
    header = "bytes=" + ",".join("0-1" for _ in range(3000))
    got = ask(ranged.port, "/file", headers={"Range": header})
    assert (got.status, got.body) == (200, b"0123456789")


@pytest.mark.slow
@given(st.integers(0, 12), st.none() | st.integers(0, 12), st.none() | st.integers(0, 12))
def test_ranges_are_slices(length: int, first: int | None, last: int | None) -> None:
    data = bytes(range(length))
    header = f"bytes={'' if first is None else first}-{'' if last is None else last}".encode()
    part = ranges.chosen(header, length)
    if first is None and last is None:
        assert part is None
    elif first is None:
        assert part is not None
        assert data[part.start : part.stop] == (data[-last:] if last else b"")
    elif last is not None and last < first:
        assert part is None
    else:
        assert part is not None
        assert bytes(data[place] for place in part) == data[first : None if last is None else last + 1]
