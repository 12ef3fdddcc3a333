"""The command: its exit codes, what it prints, and site maps in the place of an old output."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from compare_outputs import ORIGIN, refresh
from sites import build_site, write_site

from devlog.cli import main
from devlog.compare import sitemap
from devlog.compare.values import Comparison

CONFIG = f'title = "The Lumen log"\nbase_url = "{ORIGIN}/"\n'
PAGE = "<title>Text</title>"
NEW = {
    "devlog.toml": CONFIG,
    "public/index.html": "<title>The Lumen log</title>",
    "public/a/index.html": PAGE,
    "public/b.html": PAGE,
}


def compare(folder: Path, *arguments: str) -> Result:
    """Run ``devlog compare`` on the site in a folder; ``OLD`` in an argument stands for the folder beside it."""
    old = [argument.replace("OLD", str(folder / "old")) for argument in arguments]
    return CliRunner().invoke(main, ["compare", "--root", str(folder), *old])


def old_and_new(folder: Path, old: Mapping[str, str | bytes], new: dict[str, str] | None = None) -> Path:
    """A site with its output, and an old output."""
    write_site(folder / "old", old)
    return write_site(folder, NEW if new is None else new)


# -- exit codes


def test_nothing_lost(tmp_path: Path) -> None:
    done = compare(old_and_new(tmp_path, {"index.html": PAGE, "a/index.html": PAGE, "x.css": ""}), "--old", "OLD")
    assert done.exit_code == 0
    assert done.stdout.startswith("No URL lost between ")


def test_something_lost(tmp_path: Path) -> None:
    site = old_and_new(tmp_path, {"index.html": PAGE, "gone/index.html": PAGE, "x.css": ""})
    done = compare(site, "--old", "OLD")
    assert done.exit_code == 1
    assert done.stdout.startswith("1 URL lost between ")
    assert "Lost: 1 page\n  /gone/\n" in done.stdout
    assert compare(site, "--old", "OLD", "--accept", "/gone/").exit_code == 0


def test_another_new_folder(tmp_path: Path) -> None:
    site = old_and_new(tmp_path, {"index.html": PAGE, "gone/index.html": PAGE})
    write_site(tmp_path / "other", {"index.html": PAGE, "gone/index.html": PAGE})
    assert compare(site, "--old", "OLD", "--new", str(tmp_path / "other")).exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "arguments", "told"),
    [
        ({"x": ""}, NEW, ("--old", "OLD/nowhere"), "does not exist"),
        ({"x": ""}, NEW, (), "Missing option '--old'"),
        (
            {"x.txt": ""},
            NEW,
            ("--old", "OLD"),
            "error[nothing-to-compare]: no HTML pages found in this folder or below it",
        ),
        (
            {"index.html": ""},
            {"devlog.toml": ""},
            ("--old", "OLD"),
            "hint: build the site first, or pass its folder with --new",
        ),
        ({"index.html": ""}, NEW, ("--old", "OLD", "--new", "OLD"), "the old and the new output are the same folder"),
        ({"index.html": ""}, NEW, ("--old", "OLD", "--base-url", "docs"), "“docs” is not a base URL"),
        ({"index.html": ""}, {"devlog.toml": "x"}, ("--old", "OLD"), "error[invalid-config]"),
        (
            {"index.html": ""},
            {"devlog.toml": 'severity.broken-lnk = "off"\n'},
            ("--old", "OLD"),
            "error[unknown-config-key]: unknown key “severity.broken-lnk”",
        ),
        ({"sitemap.xml": "<urlset>"}, NEW, ("--old", "OLD/sitemap.xml"), "cannot be read as a sitemap"),
        ({"sitemap.xml": "<rss></rss>"}, NEW, ("--old", "OLD/sitemap.xml"), "its first element is “rss”"),
        ({"sitemap.xml": "<urlset></urlset>"}, NEW, ("--old", "OLD/sitemap.xml"), "contains no URLs"),
        ({"page.html": PAGE}, NEW, ("--old", "OLD/page.html"), "its first element is “title”"),
    ],
)
def test_nothing_to_compare(
    old: dict[str, str], new: dict[str, str], arguments: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    done = compare(old_and_new(tmp_path, old, new), *arguments)
    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(("severity", "status", "told"), [("warning", 0, 1), ("error", 1, 1), ("off", 0, 0)])
def test_what_could_not_be_compared(severity: str, status: int, told: int, tmp_path: Path) -> None:
    config = f'{CONFIG}[severity]\nnot-compared = "{severity}"\n'
    site = old_and_new(tmp_path, {"index.html": PAGE, "f.xml": "<rss><x>"}, {**NEW, "public/f.xml": "<rss></rss>"})
    write_site(site, {"devlog.toml": config})
    done = compare(site, "--old", "OLD")
    assert done.exit_code == status
    assert done.stderr.count(f"{severity}[not-compared]: was not compared: it is not valid XML") == told
    assert json.loads(compare(site, "--old", "OLD", "--format", "json").stdout)["failed"] == bool(status)


# -- what is printed

OLD = {
    "index.html": "<title>The Lumen log</title>",
    "a/index.html": '<title>Other</title><h2 id="x">X</h2>',
    "b.html": PAGE,
    **{f"gone-{number:02}/index.html": PAGE for number in range(12)},
    **{f"page/{number}/index.html": PAGE for number in range(2, 19)},
}


def test_lists_are_capped_and_shown_in_full_when_asked(tmp_path: Path) -> None:
    site = old_and_new(tmp_path, OLD)
    short, full = compare(site, "--old", "OLD"), compare(site, "--old", "OLD", "-v")
    assert "Lost: 12 pages\n  /gone-00/\n" in short.stdout
    assert "  /gone-09/\n  … and 2 more\n\nLost: 17 list pages\n  /page/…/ (17 pages)\n" in short.stdout
    assert "/gone-11/\n" not in short.stdout
    assert "/gone-11/\n" in full.stdout
    assert "/page/18/\n" in full.stdout
    assert [line.split() for line in short.stdout.splitlines()[2:5]] == [
        ["before", "kept", "redirected", "lost", "may", "go", "new"],
        ["pages", "15", "3", "0", "12", "0", "0"],
        ["list", "pages", "17", "0", "0", "17", "0", "0"],
    ]
    assert "Changed titles (1)\n  /a/\n    Other → Text\n" in short.stdout
    assert "to which other sites may link (1)\n  /a/\n    #x\n" in short.stdout


def test_json_is_complete(tmp_path: Path) -> None:
    done = compare(old_and_new(tmp_path, OLD), "--old", "OLD", "--format", "json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1
    assert list(told) == [*Comparison.__struct_fields__, "failed"]
    assert told["failed"] is True
    assert len(told["lost"]) == 29
    assert told["lost"][0] == {
        "url": "/gone-00/",
        "kind": "page",
        "reason": "missing",
        "led_to": "",
        "near": "",
        "near_by": "",
        "excuse": "",
    }
    assert told["titles"] == [{"url": "/a/", "old": "Other", "new": "Text"}]
    assert told["anchors"] == [{"url": "/a/", "lost": ["x"]}]
    assert told["old_urls"] == {"page": 15, "list": 17, "feed": 0, "file": 0, "asset": 0}


def test_the_reference_has_every_key() -> None:
    text = (Path(__file__).parents[2] / "docs" / "migration.md").read_text("utf-8")
    assert [key for key in (*Comparison.__struct_fields__, "failed") if f"`{key}`" not in text] == []


# -- site maps


def site_map(*paths: str, origin: str = ORIGIN) -> str:
    rows = "".join(f"<url><loc>{origin}{path}</loc><lastmod>2026-05-04</lastmod></url>" for path in paths)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'


def index(*paths: str) -> str:
    rows = "".join(f"<sitemap><loc>{ORIGIN}{path}</loc></sitemap>" for path in paths)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'


def lost(done: Result) -> list[str]:
    return [row["url"] for row in json.loads(done.stdout)["lost"]]


def test_a_site_map(tmp_path: Path) -> None:
    site = old_and_new(tmp_path, {"sitemap.xml": site_map("/", "/a", "/a/", "/b", "/b.html", "/c%20d/", "/tags/x/")})
    done = compare(site, "--old", "OLD/sitemap.xml", "--format", "json")
    assert lost(done) == ["/c d/", "/tags/x/"]
    assert json.loads(done.stdout)["urls_only"] is True
    assert "Only URLs were compared" in compare(site, "--old", "OLD/sitemap.xml").stdout


def test_a_compressed_site_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(site_map("/a/", "/gone/").encode())
    files: dict[str, str | bytes] = {
        "sitemap.xml": index("/part.xml.gz"),
        "part.xml.gz": packed,
        "cut.xml.gz": packed[:-9],
        "odd.xml.gz": packed[:12] + b"\xff" * 40,
    }
    site = old_and_new(tmp_path, files)
    for name in ("part.xml.gz", "sitemap.xml"):
        assert lost(compare(site, "--old", f"OLD/{name}", "--format", "json")) == ["/gone/"]
    for name, reason in (("cut", "ends too early"), ("odd", "is damaged")):
        assert f"its compression with gzip {reason}" in compare(site, "--old", f"OLD/{name}.xml.gz").stderr
    monkeypatch.setattr(sitemap, "_BYTES", len(packed))
    done = compare(site, "--old", "OLD/part.xml.gz")
    assert done.exit_code == 2
    assert "without its compression" in done.stderr


def test_bytes_that_are_not_utf8_are_shown_as_in_the_url(tmp_path: Path) -> None:
    site = old_and_new(tmp_path, {"sitemap.xml": site_map("/a/", "/gu%FFide/")})
    assert lost(compare(site, "--old", "OLD/sitemap.xml", "--format", "json")) == ["/gu%FFide/"]
    assert "/gu%FFide/" in compare(site, "--old", "OLD/sitemap.xml").stdout


def test_addresses_of_another_base(tmp_path: Path) -> None:
    site = old_and_new(tmp_path, {"sitemap.xml": site_map("/a/", "/gone/", origin="https://old.example.org/blog")})
    done = compare(site, "--old", "OLD/sitemap.xml")
    assert done.exit_code == 2
    assert "none of the 2 URLs is below “docs.example.org/lumen/”" in done.stderr
    assert "“--base-url https://old.example.org/blog/” fits all URLs" in done.stderr
    base = ("--base-url", "https://old.example.org/blog/")
    assert lost(compare(site, "--old", "OLD/sitemap.xml", *base, "--format", "json")) == ["/gone/"]


def test_an_index_of_site_maps(tmp_path: Path) -> None:
    files = {
        "sitemap.xml": index("/en/sitemap.xml", "/posts.xml", "/deep/pages.xml", "/sitemap.xml"),
        "en/sitemap.xml": site_map("/a/", "/en/gone/"),
        "posts.xml": site_map("/gone/"),
        "pages.xml": site_map("/b.html"),
    }
    done = compare(old_and_new(tmp_path, files), "--old", "OLD/sitemap.xml", "--format", "json")
    assert lost(done) == ["/en/gone/", "/gone/"]


@pytest.mark.parametrize("path", ["/gone.xml", "/../secret.xml", "/%2e%2e/secret.xml", f"/{'a' * 300}.xml"])
def test_an_index_that_names_what_is_not_there(path: str, tmp_path: Path) -> None:
    write_site(tmp_path, {"secret.xml": site_map("/a/")})
    done = compare(old_and_new(tmp_path, {"sitemap.xml": index(path)}), "--old", "OLD/sitemap.xml")
    assert done.exit_code == 2
    assert re.search("cannot be read: (no such file or folder|file name too long)", done.stderr)


# -- where the old site was found


def test_the_home_page_says_where_the_old_site_was_found(tmp_path: Path) -> None:
    old = {
        "index.html": '<link rel="canonical" href="https://old.example.org/blog/">',
        "x/index.html": refresh("https://old.example.org/blog/a/"),
    }
    new = {**NEW, "public/x/index.html": refresh(f"{ORIGIN}/a/")}
    assert compare(old_and_new(tmp_path, old, new), "--old", "OLD").exit_code == 0


@pytest.mark.parametrize("base", [(), ("--base-url", "/blog/")])
def test_without_any_base_url(base: tuple[str, ...], tmp_path: Path) -> None:
    old = {"index.html": PAGE, "a/index.html": PAGE}
    old["x/index.html"] = refresh("/blog/a/" if base else "https://any.example.org/a/")
    new = {**NEW, "devlog.toml": "", "public/x/index.html": refresh("/a/")}
    done = compare(old_and_new(tmp_path, old, new), "--old", "OLD", *base, "--format", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["redirects"] == []


def test_the_site_above_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = write_site(tmp_path / "old", {"index.html": "<title>Old</title>"})
    root = write_site(tmp_path / "site", {"devlog.toml": "", "content/storage/a.md": "---\ntitle: A\n---\n"})
    build_site(root)
    monkeypatch.chdir(root / "content/storage")
    done = CliRunner().invoke(main, ["compare", "--old", str(old)])
    assert done.exit_code == 0, done.output
