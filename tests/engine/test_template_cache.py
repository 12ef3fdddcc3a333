"""Compiled templates are kept for a user: what the next command need not do, and when it must do it all the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sites import build_site, read_tree, write_site

from devlog.disk.manifest import MANIFEST
from devlog.engine import user_cache
from devlog.render import templates

POST = "content/kernels/2026-05-04-a.md"
TEXT = '---\ntitle: A\ndate: 2026-05-04\nauthor: "Ada Quill (@adaquill)"\n---\n\nOne.\n'
SITE = {"content/kernels/_index.md": "---\ntitle: Kernels\n---\n", POST: TEXT}
PLUGIN = """\
from pathlib import Path

from devlog.plugin import Plugin

plugin = Plugin("words", filters={"words": lambda name: Path(name).read_text()})
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where compiled templates lie."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setenv("DEVLOG_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the templates that are compiled."""
    found: list[str] = []
    translate = templates._translate

    def noted(template: templates.Template, *others: object) -> templates._Translated:
        found.append(template.name)
        return translate(template, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(templates, "_translate", noted)
    forget()
    yield found
    forget()


def forget() -> None:
    """Know nothing, as another process does."""
    for cached in (templates._environment, templates._translation, templates._bytecode):
        cached.cache_clear()


def pages(root: Path) -> dict[str, bytes]:
    """What was published; the manifest has times."""
    return {path: data for path, data in read_tree(root / "public").items() if path != MANIFEST}


@pytest.mark.slow
def test_the_next_command_compiles_nothing(tmp_path: Path, compiled: list[str]) -> None:
    root = write_site(tmp_path / "site", SITE)
    assert not build_site(root).failed
    assert "post.html" in compiled
    compiled.clear()
    forget()
    write_site(root, {POST: TEXT + "\nTwo.\n"})
    report = build_site(root)
    assert report.rendered > 0
    assert compiled == []
    assert b"Two." in read_tree(root)["public/kernels/2026-05-04-a/index.html"]


@pytest.mark.slow
def test_another_site_compiles_nothing_either(tmp_path: Path, compiled: list[str]) -> None:
    build_site(write_site(tmp_path / "one", SITE))
    expected = pages(tmp_path / "one")
    compiled.clear()
    forget()
    build_site(write_site(tmp_path / "two", SITE))
    assert compiled == []
    assert pages(tmp_path / "two") == expected


@pytest.mark.slow
def test_what_a_page_needed_later_is_kept_too(tmp_path: Path, folder: Path, compiled: list[str]) -> None:
    root = write_site(tmp_path / "site", SITE)
    build_site(root)
    for file in folder.iterdir():  # the site still knows what its templates use
        file.unlink()
    for expected in (True, False):
        compiled.clear()
        forget()
        write_site(root, {POST: TEXT + f"\nIt is {expected}.\n"})
        build_site(root)
        assert ("post.html" in compiled) is expected
        assert "search.html" not in compiled


@pytest.mark.slow
@pytest.mark.parametrize("other", ["template", "words", "damaged", "no cache"])
def test_what_is_another_is_compiled(tmp_path: Path, folder: Path, compiled: list[str], other: str) -> None:
    root = write_site(tmp_path / "site", SITE)
    build_site(root)
    compiled.clear()
    forget()
    shown = ""
    match other:
        case "template":
            write_site(root, {"templates/post.html": "{% extends 'base.html' %}{% block main %}Mine{% endblock %}"})
            shown = "Mine"
        case "words":
            write_site(root, {"i18n/en.toml": 'january = "Jan."\n'})
        case "damaged":
            (kept,) = folder.iterdir()
            kept.write_bytes(kept.read_bytes()[:-1])
            write_site(root, {POST: TEXT + "\nTwo.\n"})
    assert not [item for item in build_site(root, cache=other != "no cache").diagnostics if item.severity == "error"]
    assert "post.html" in compiled
    assert shown in (root / "public/kernels/2026-05-04-a/index.html").read_text()


@pytest.mark.slow
def test_a_mistake_in_a_template_is_reported_each_time(tmp_path: Path, compiled: list[str]) -> None:
    root = write_site(tmp_path / "site", {**SITE, "templates/post.html": "{% extends 'base.html' %}\n{{ no thing }}"})
    first = build_site(root)
    compiled.clear()
    forget()
    second = build_site(root)
    assert [item.span.line for item in first.diagnostics] == [2]
    assert second.diagnostics == first.diagnostics


@pytest.mark.slow
def test_what_a_plugin_computes_is_computed_by_each_command(tmp_path: Path, folder: Path) -> None:
    """Filters of constants run while a template is compiled; nobody knows what they read."""
    forget()
    files = {
        **SITE,
        "devlog.toml": 'plugins = ["words.py"]\n',
        "words.py": PLUGIN,
        "words.txt": "first",
        "templates/partials/footer.html": f"<p>{{{{ '{tmp_path}/site/words.txt' | words }}}}</p>",
    }
    root = write_site(tmp_path / "site", files)
    page = root / "public/kernels/2026-05-04-a/index.html"
    report = build_site(root)
    assert report.diagnostics == ()
    assert "<p>first</p>" in page.read_text()
    write_site(root, {"words.txt": "second"})
    forget()
    build_site(root, cache=False, output="public")
    assert "<p>second</p>" in page.read_text()
    write_site(root, {"words.txt": "third", POST: TEXT + "\nTwo.\n"})
    forget()
    build_site(root)
    assert "<p>third</p>" in page.read_text()
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.parametrize("code", [b"", b"\xff", b"i\0\0\0\0", b"c\0\0"])
def test_what_is_no_code_is_compiled_again(
    tmp_path: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch, code: bytes
) -> None:
    written: dict[str, bytes] = {}
    write = user_cache.write
    monkeypatch.setattr(user_cache, "write", lambda name, data: (written.update({name: data}), write(name, data)))
    root = write_site(tmp_path / "site", SITE)
    build_site(root)
    wanted = pages(root)
    ((name, data),) = written.items()
    kept = msgspec.msgpack.decode(data)
    write(name, msgspec.msgpack.encode({**kept, "codes": dict.fromkeys(kept["codes"], code)}))
    for times in (1, 0):  # the second time, what was compiled is there again
        compiled.clear()
        forget()
        write_site(root, {POST: f"{TEXT}\n{times}\n"})
        assert not build_site(root).failed
        assert ("post.html" in compiled) == bool(times)
    write_site(root, {POST: TEXT})
    build_site(root)
    assert pages(root) == wanted
