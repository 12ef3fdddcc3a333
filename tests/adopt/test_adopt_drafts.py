"""Drafts in each spelling that the old generator accepts are not published by devlog either."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from adopt.old_sites import post
from sites import build_site, read_tree, write_site

from devlog.adopt.adopt import Adopted, adopt

SHOWN = post("Shown", date="2026-01-02")
HIDDEN = post("Hidden", date="2026-01-03")
NOW = datetime(2026, 6, 15, tzinfo=UTC)


class Case(NamedTuple):
    """A site, in which a post is to be published if its title is “Shown”, and the beginnings of lines of the report."""

    files: Mapping[str, str]
    report: tuple[str, ...] = ()


def pelican(text: str, ending: str = ".md") -> Case:
    return Case({"pelicanconf.py": "", "content/a.md": SHOWN, f"content/secret{ending}": text})


def nikola(files: Mapping[str, str]) -> Case:
    return Case({"conf.py": "", "posts/a.md": SHOWN, **files})


def html(elements: str) -> str:
    return f"<!DOCTYPE html>\n<html><head><title>Hidden</title>\n{elements}</head><body>Text</body></html>\n"


CASES = {
    "pelican-continued": pelican("Title: Hidden\nDate: 2026-01-03\nTags: x,\n    y\nStatus: draft\n\nText\n"),
    "pelican-tabs": pelican("Title: Hidden\nDate: 2026-01-03\nSummary: one\n\ttwo\n\tthree\nStatus: hidden\n\nText\n"),
    "pelican-long": pelican(f"Title: Hidden\nDate: 2026-01-03\nSummary: {'word ' * 2000}\nStatus: draft\n\nText\n"),
    "pelican-status-below": pelican("Title: Hidden\nDate: 2026-01-03\nStatus:\n    draft\n\nText\n"),
    "pelican-fence": pelican("---\nTitle: Hidden\nDate: 2026-01-03\nStatus: draft\n\nText: [\n"),
    "pelican-html": pelican(
        html('<meta name="date" content="2026-01-03">\n<META  name=status content="Draft" />'), ".html"
    ),
    "pelican-htm": pelican(html("<meta contents='hidden'\nname='status'>"), ".htm"),
    "nikola-apart": nikola(
        {
            "posts/b.md": "Text\n",
            "posts/b.meta": "---\ntitle: Hidden\nstatus: private\n---\n",
            "posts/c.md": "Text\n",
            "posts/c.meta": "---\ntitle: Hidden\nstatus: draft\n---\n",
            "posts/d.md": "Text\n",
            "posts/d.meta": "+++\ntitle = 'Hidden'\ntags = ['x', 'Draft']\n+++\n",
            "posts/e.md": "Text\n",
            "posts/e.meta": "---\ntitle: Hidden\ndate: 2026-07-01 10:00:00 UTC\n---\n",
            "posts/f.md": "Text\n",
            "posts/f.meta": ".. title: Hidden\n\n.. status: draft\n",
        }
    )._replace(report=("posts/b.meta:3: status → ignore = [“/b.md”]",)),
    "nikola-tags": nikola(
        {
            "posts/b.md": "---\ntitle: Hidden\ndate: 2026-01-03\ntags: [x, private]\n---\nText\n",
            "posts/c.md": "---\ntitle: Hidden\ndate: 2026-01-03\ntags: x, draft\n---\nText\n",
            "posts/d.md": "<!--\nSome text\n.. title: Hidden\n.. tags: x,\n     y\n.. status: private\n-->\n\nText\n",
            "posts/e.md": "---\ntitle: Shown\ndate: 2026-01-03\ntags: [x]\n---\nText\n\nstatus: draft\n",
        }
    ),
    "hugo-htm": Case(
        {
            "hugo.toml": 'baseURL = "https://log.example.org/"\n',
            "content/posts/a.md": SHOWN,
            "content/ideas/_index.md": "---\ncascade:\n  draft: true\n---\n",
            "content/ideas/b.htm": HIDDEN,
            "content/ideas/c.md": post("Shown", date="2026-01-02", draft="false"),
        }
    ),
}


def report_of(done: Adopted) -> list[str]:
    assert done.adoption
    return [
        *(f"{note.span.path}:{note.span.line}: {note.key} → {note.text}" for note in done.adoption.mapped),
        *(f"{note.span.path}:{note.span.line}: {note.key} – {note.text}" for note in done.adoption.unmapped),
        *(note.text for note in done.adoption.advice),
    ]


@pytest.mark.parametrize("name", CASES)
def test_drafts_in_each_spelling_are_not_published(name: str, tmp_path: Path) -> None:
    files, report = CASES[name]
    done = adopt(write_site(tmp_path, files), NOW, lambda *_: None, write=False)
    assert done.trial
    assert len(done.trial.addresses) == sum("Shown" in text for text in files.values()), done.trial.addresses
    assert not done.left_out
    told = report_of(done)
    for line in report:
        assert any(one.startswith(line) for one in told), told


JEKYLL = {
    "_config.yml": "title: Lumen\n",
    "_posts/2026-01-02-a.md": SHOWN,
    "_posts/salaries.csv": "1\n",
    "lab/_posts/plan.csv": "x\n",
    "lab/data.csv": "2\n",
    "_drafts/b.md": post("Hidden"),
    "_drafts/deal.csv": "3\n",
}


@pytest.mark.parametrize(
    ("more", "copied"),
    [
        ({}, ["lab/data.csv"]),
        (
            {"_config.yml": "title: Lumen\nplugins: [jekyll-postfiles]\n"},
            ["lab/data.csv", "lab/plan.csv", "salaries.csv"],
        ),
        ({"Gemfile": "gem 'jekyll-postfiles'\n"}, ["lab/data.csv", "lab/plan.csv", "salaries.csv"]),
    ],
)
def test_files_among_posts_are_copied_only_if_a_plugin_did(
    more: Mapping[str, str], copied: list[str], tmp_path: Path
) -> None:
    site = write_site(tmp_path, {**JEKYLL, **more})
    done = adopt(site, NOW, lambda *_: None, write=True)
    assert done.written
    told = "2 files in _posts/ ignored that Jekyll does not publish either" in report_of(done)
    assert told == ("salaries.csv" not in copied)
    report = build_site(site)
    assert not report.failed
    assert [path for path in read_tree(site / report.output) if path.endswith(".csv")] == copied
