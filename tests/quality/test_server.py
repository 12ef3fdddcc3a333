"""The server of these tests treats files as GitHub Pages does, so that what is measured is what readers get."""

from __future__ import annotations

import gzip
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from quality.server import serving

FILES = {"index.html": "<p>Home", "a/index.html": "<p>" + "word " * 200, "404.html": "<p>Gone", "x.png": "\x89PNG"}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / "public" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    return tmp_path / "public"


def get(url: str, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer, data


def test_files_below_a_path(site: Path) -> None:
    with serving(site, "/lumen/") as url:
        assert url.endswith("/lumen/")
        answer, data = get(url, "/lumen/a/")
        assert (answer.status, answer.getheader("content-type")) == (200, "text/html; charset=utf-8")
        assert data.decode() == FILES["a/index.html"]
        assert get(url, "/lumen/a")[0].getheader("location") == "/lumen/a/"
        for path in ("/a/", "/lumen/no/", "/lumen/../secret.txt", "/lumen/%2e%2e/secret.txt"):
            answer, data = get(url, path)
            assert (answer.status, data.decode()) == (404, FILES["404.html"])


def test_parts_of_files(site: Path) -> None:
    whole = FILES["a/index.html"].encode()
    with serving(site) as url:
        assert get(url, "/a/")[0].getheader("accept-ranges") == "bytes"
        answer, data = get(url, "/a/", range="bytes=2-5")
        assert (answer.status, data) == (206, whole[2:6])
        assert answer.getheader("content-range") == f"bytes 2-5/{len(whole)}"
        assert get(url, "/a/", range="bytes=3-")[1] == whole[3:]
        assert get(url, "/a/", range="bytes=0-99999")[1] == whole
        assert get(url, "/a/", range=f"bytes={len(whole)}-")[0].status == 200


def test_texts_are_compressed_and_kept(site: Path) -> None:
    with serving(site) as url:
        answer, data = get(url, "/a/", **{"accept-encoding": "gzip"})
        assert answer.getheader("content-encoding") == "gzip"
        assert gzip.decompress(data).decode() == FILES["a/index.html"]
        assert answer.getheader("cache-control") == "max-age=600"
        again, data = get(url, "/a/", **{"if-none-match": answer.getheader("etag") or ""})
        assert (again.status, data) == (304, b"")
        assert get(url, "/x.png", **{"accept-encoding": "gzip"})[0].getheader("content-encoding") is None
