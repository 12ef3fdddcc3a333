"""Tabs go on with the page that they show when its source is renamed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serve_sites import ORIGIN
from sites import NOW, write_site

from devlog.engine.jobs import Jobs
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Update

A, B, INDEX = "content/log/a.md", "content/log/b.md", "content/log/_index.md"


def post(title: str, text: str = "Words.", more: str = "") -> str:
    return f"---\ntitle: {title}\ndate: 2026-05-04\n{more}---\n{text}\n"


class Shown:
    """A preview of a small site, and the pages that tabs show."""

    def __init__(self, root: Path) -> None:
        index = "---\ntitle: Log\n---\n"
        files = {
            INDEX: index,
            A: post("One"),
            B: post("Two"),
            "devlog.toml": 'base_url = "/x/"\nsearch.enabled = false\n',
        }
        self.root = write_site(root, files)
        self.pages = ["/x/log/a/", "/x/log/b/", "/x/log/", "/x/tags/"]
        self._jobs = Jobs()
        options = Options(self.root, ORIGIN, now=lambda: NOW, jobs=1)
        self.preview = Preview(options, self._jobs, lambda: self.pages)
        self.preview.change(frozenset())

    def edit(self, **files: str | None) -> dict[str, str]:
        """Write or delete files, named without folder and suffix; returns which pages have moved where."""
        names = {f"content/log/{name.replace('__', '/')}.md": text for name, text in files.items()}
        for name, text in names.items():
            if text is None:
                (self.root / name).unlink()
            else:
                write_site(self.root, {name: text})
        change = self.preview.change(frozenset(names))
        return change.update.moved if change else {}

    def hello(self, page: str) -> Update:
        future = self.preview.hello(page)
        while self._jobs.step():
            pass
        return future.result(0)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Shown]:
    shown = Shown(tmp_path)
    yield shown
    shown.preview.close()


def test_a_renamed_file(site: Shown) -> None:
    assert site.edit(a=None, c=post("One")) == {"/x/log/a/": "/x/log/c/"}
    assert site.edit(c=post("One", "Other words.")) == {}


def test_a_renamed_and_edited_file_has_the_same_title(site: Shown) -> None:
    assert site.edit(a=None, c=post("One", "Other words.")) == {"/x/log/a/": "/x/log/c/"}


def test_another_file_is_not_the_same(site: Shown) -> None:
    assert site.edit(a=None, c=post("Three")) == {}


def test_of_two_copies_none_is_certain(site: Shown) -> None:
    assert site.edit(a=None, c=post("One"), d=post("One")) == {}


def test_a_file_that_becomes_a_bundle(site: Shown) -> None:
    assert site.edit(a=None, c__index=post("One")) == {"/x/log/a/": "/x/log/c/"}


def test_a_file_that_is_gone_for_a_moment(site: Shown) -> None:
    assert site.edit(a=None) == {}
    assert site.edit(b=post("Two", "Other words.")) == {}
    assert site.edit(c=post("One")) == {"/x/log/a/": "/x/log/c/"}


def test_another_address_of_the_same_file(site: Shown) -> None:
    assert site.edit(a=post("One", more="slug: uno\n")) == {"/x/log/a/": "/x/log/uno/"}
    site.pages.append("/x/log/uno/")
    assert site.edit(a=post("One", more="slug: ä b\n")) == {
        "/x/log/uno/": "/x/log/ä-b/",
    }


def test_a_redirect_leads_there_by_itself(site: Shown) -> None:
    assert site.edit(a=None, c=post("One", more="aliases: [/log/a/]\n")) == {}


def test_a_renamed_topic(site: Shown) -> None:
    (site.root / "content/log").rename(site.root / "content/notes")
    change = site.preview.change(frozenset({A, B, INDEX, "content/notes"}))
    assert change
    assert change.update.moved == {
        "/x/log/": "/x/notes/",
        "/x/log/a/": "/x/notes/a/",
        "/x/log/b/": "/x/notes/b/",
    }


def test_a_hidden_tab_is_told_when_it_is_shown_again(site: Shown) -> None:
    site.edit(a=None, c=post("One"))
    assert site.hello("/x/log/a/").moved == {"/x/log/a/": "/x/log/c/"}
    assert site.hello("/x/log/b/").moved == {}
    site.edit(a=post("Three"))
    assert site.hello("/x/log/a/").moved == {}
