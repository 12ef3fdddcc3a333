"""`devlog new author`: one more entry, and every other byte as it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from sites import build_site, read_tree, write_site

from devlog.disk.single_files import replace

Devlog = Callable[..., Result]
DEE = ("new", "author", "deemoss", "--name", "Dee Moss", "--url", "https://dee.example.org", "--bio", "Asks: why? #1")
ENTRY = 'deemoss:\n  name: Dee Moss\n  url: https://dee.example.org\n  bio: "Asks: why? #1"\n'
TABLE = '[authors.deemoss]\nname = "Dee Moss"\nurl = "https://dee.example.org"\nbio = "Asks: why? #1"\n'

YAML = [
    "adaquill:\n  name: Ada Quill\n",
    "adaquill:\n  name: Ada Quill",
    "# Who we are\nadaquill: {name: 'Ada Quill'}   # on storage\n\nboreed:\n    name: Bo Reed\n",
    "adaquill:\r\n  name: Ada Quill\r\n",
    "\ufeffadaquill:\n  name: Ada Quill\n",
    "  adaquill:\n    name: Ada Quill\n",
    '"adaquill":\n  name: Ada Quill\n',
    "# Who\n  'adaquill':\n    name: Ada Quill\n",
    "# nobody yet\n",
    "",
]
TOML = [
    '[authors.adaquill]\nname = "Ada Quill"\n',
    'title = "Lumen"\n[authors]\nadaquill = {name = "Ada Quill"}\n[settings]\ntoc = false # no',
    'title = "Lumen"\r\n[authors.adaquill]\r\nname = "Ada Quill"\r\n',
]


def with_post(site: Path) -> Path:
    """A post by the new author, whose name only the registry knows."""
    return write_site(site, {"content/planner/2026-05-01-x.md": '---\ntitle: X\nauthor: "@deemoss"\n---\nText.\n'})


def check(site: Path) -> None:
    report = build_site(with_post(site))
    assert report.diagnostics == ()
    assert "Dee Moss" in (site / "public/authors/deemoss/index.html").read_text("utf-8")


def test_the_first_author(site: Path, devlog: Devlog) -> None:
    done = devlog(*DEE)
    assert (done.exit_code, done.stdout) == (0, "content/authors.yml\n")
    assert (site / "content/authors.yml").read_text("utf-8") == ENTRY
    check(site)


@pytest.mark.parametrize("text", YAML)
def test_yaml(text: str, site: Path, devlog: Devlog) -> None:
    file = site / "content/authors.yml"
    file.write_bytes(text.encode())
    done = devlog(*DEE)
    assert (done.exit_code, done.stderr) == (0, "")
    written = file.read_bytes()
    assert written.startswith(text.encode())
    assert (b"\r\n" in written) == ("\r\n" in text)
    assert written.count(b"\r\n") in (0, written.count(b"\n"))
    check(site)


def test_after_a_handle_that_needs_quotes(site: Path, devlog: Devlog) -> None:
    assert devlog("new", "author", "007", "--name", "Bo Reed").exit_code == 0
    assert devlog(*DEE).exit_code == 0
    assert (site / "content/authors.yml").read_text("utf-8") == '"007":\n  name: Bo Reed\n' + ENTRY


@pytest.mark.slow
@pytest.mark.parametrize("there", ["", "authors.yml", "_data/authors.yml"])
def test_the_authors_file_of_jekyll(there: str, site: Path, devlog: Devlog) -> None:
    """Where Jekyll has it, or where devlog has it."""
    write_site(site, {"devlog.toml": 'dialect = "jekyll"\n', **({f"content/{there}": YAML[0]} if there else {})})
    assert not build_site(site).failed
    done = devlog(*DEE)
    assert (done.exit_code, done.stdout) == (0, f"content/{there or '_data/authors.yml'}\n")
    assert (site / f"content/{there or '_data/authors.yml'}").read_text("utf-8") == (YAML[0] if there else "") + ENTRY
    write_site(site, {"content/_posts/2026-05-01-x.md": "---\ntitle: X\nauthor: deemoss\n---\nText.\n"})
    assert not build_site(site).failed
    assert "Dee Moss" in (site / "public/authors/deemoss/index.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("text", TOML)
def test_toml(text: str, site: Path, devlog: Devlog) -> None:
    file = site / "devlog.toml"
    file.write_bytes(text.encode())
    done = devlog(*DEE)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "devlog.toml\n", "")
    written = file.read_bytes()
    assert written.startswith(text.encode())
    assert written.replace(b"\r\n", b"\n").endswith(b"\n\n" + TABLE.encode())
    assert written.count(b"\r\n") in (0, written.count(b"\n"))
    check(site)


def test_pyproject(site: Path, devlog: Devlog) -> None:
    text = '[project]\nname = "lumen-log"\n[tool.devlog.authors.adaquill]\nname = "Ada Quill"\n'
    (site / "pyproject.toml").write_text(text)
    assert devlog(*DEE).stdout == "pyproject.toml\n"
    assert (site / "pyproject.toml").read_text() == f"{text}\n{TABLE.replace('[', '[tool.devlog.')}"
    check(site)


@pytest.mark.parametrize("place", ["content/authors.yml", "devlog.toml"])
@pytest.mark.parametrize("handle", ["adaquill", "@AdaQuill", "aquill"])
def test_nobody_twice(place: str, handle: str, site: Path, devlog: Devlog) -> None:
    yaml = "AdaQuill:\n  name: Ada Quill\n  aliases: [aquill]\n"
    toml = '[authors.adaquill]\nname = "Ada Quill"\naliases = ["aquill"]\n'
    write_site(site, {place: yaml if place.endswith("yml") else toml})
    before = read_tree(site)
    done = devlog("new", "author", handle)
    assert done.exit_code == 1
    assert "error[known-author]" in done.stderr
    assert read_tree(site) == before


@pytest.mark.parametrize("handle", ["", "ada quill", "../x", "a\nb", "ä", "-x", "x" * 101, "a: b"])
def test_no_handle(handle: str, site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    done = devlog("new", "author", "--", handle)
    assert done.exit_code == 1
    assert "error[bad-name]" in done.stderr
    assert read_tree(site) == before


@pytest.mark.parametrize("handle", ["on", "123", "null", "a.b", "1e3"])
def test_handles_that_yaml_and_toml_would_misread(handle: str, site: Path, devlog: Devlog) -> None:
    assert devlog("new", "author", handle, "--name", "Dee Moss").exit_code == 0
    assert devlog("new", "author", handle).exit_code == 1
    (site / "content/authors.yml").unlink()
    (site / "devlog.toml").write_text(TOML[0])
    assert devlog("new", "author", handle, "--name", "Dee Moss").exit_code == 0
    assert "known-author" in devlog("new", "author", handle).stderr


@pytest.mark.parametrize("url", ["javascript:alert(1)", "dee.example.org", "ftp://x"])
def test_no_address(url: str, site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    done = devlog("new", "author", "deemoss", "--url", url)
    assert done.exit_code == 1
    assert "such as “https://example.org/ada”" in done.stderr
    assert read_tree(site) == before


LIKE_OTHERS = "add “deemoss” by hand, in the form of the authors there"
AS_MAPPING = "write each author as “handle:”, with “name:” and other keys indented below"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{adaquill: {name: Ada Quill}}\n", LIKE_OTHERS),
        ("adaquill:\n  name: Ada\n...\n", LIKE_OTHERS),
        ("- adaquill\n", AS_MAPPING),
        ("{}\n", AS_MAPPING),
    ],
)
def test_what_cannot_be_added_to(text: str, hint: str, site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/authors.yml": text})
    before = read_tree(site)
    done = devlog(*DEE)
    assert done.exit_code == 1
    assert "error[cannot-append]" in done.stderr
    assert f"hint: {hint}\n" in done.stderr
    assert read_tree(site) == before


@pytest.mark.parametrize(("text", "code"), [("a: [\n", "front-matter-syntax"), ("---\na: {}\n", "yaml-feature")])
def test_a_damaged_file_is_named_as_such(text: str, code: str, site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/authors.yml": text})
    before = read_tree(site)
    done = devlog(*DEE)
    assert done.exit_code == 1
    assert f"error[{code}]" in done.stderr
    assert "cannot-append" not in done.stderr
    assert read_tree(site) == before


def test_an_inline_table_cannot_be_added_to(site: Path, devlog: Devlog) -> None:
    write_site(site, {"devlog.toml": 'authors = {adaquill = {name = "Ada"}}\n'})
    before = read_tree(site)
    done = devlog(*DEE)
    assert "error[cannot-append]" in done.stderr
    assert f"hint: {LIKE_OTHERS}\n" in done.stderr
    assert read_tree(site) == before


def test_links_are_not_followed(site: Path, devlog: Devlog) -> None:
    outside = site / "elsewhere.yml"
    outside.write_text("adaquill:\n  name: Ada\n")
    (site / "content/authors.yml").symlink_to(outside)
    assert devlog(*DEE).exit_code == 1
    assert outside.read_text() == "adaquill:\n  name: Ada\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such modes")
def test_the_mode_of_the_file_stays(site: Path, devlog: Devlog) -> None:
    file = write_site(site, {"content/authors.yml": YAML[0]}) / "content/authors.yml"
    file.chmod(0o640)
    assert devlog(*DEE).exit_code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_file_that_changes_meanwhile_stays(site: Path) -> None:
    file = write_site(site, {"content/authors.yml": "new: {}\n"}) / "content/authors.yml"
    problem = replace(site, "content/authors.yml", b"old: {}\n", b"mine: {}\n")
    assert problem is not None
    assert problem.code == "changed-while-building"
    assert file.read_text() == "new: {}\n"
