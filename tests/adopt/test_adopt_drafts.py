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


def quarto(config: str, files: Mapping[str, str]) -> Case:
    return Case({"_quarto.yml": config, "posts/a/index.md": SHOWN, **files})


CASES = {
    "hexo-underscores": Case(
        {
            "_config.yml": "title: Q\nurl: https://log.example.org\nsource_dir: source\npermalink: :year/:title/\n",
            "source/_posts/a.md": SHOWN,
            "source/_posts/_secret.md": HIDDEN,
            "source/_posts/_deep/b.md": HIDDEN,
            "source/_posts/more/_deep/c.md": HIDDEN,
            "source/_posts/d.md": post("Hidden", date="2026-01-03", published="false"),
            "source/_posts/snake_case.md": SHOWN,
        },
        ("3 files ignored, as by Hexo",),
    ),
    "hexo-skipped": Case(
        {
            "_config.yml": "title: Q\nsource_dir: source\nskip_render:\n  - _posts/raw/**\n"
            "ignore: ['**/wip-*.md', 'source/_posts/x.{md,html}']\n",
            "source/_posts/a.md": SHOWN,
            "source/_posts/raw/b.md": HIDDEN,
            "source/_posts/deep/wip-c.md": HIDDEN,
            "source/_posts/x.md": HIDDEN,
        },
        ("_config.yml:3: _posts/raw/** → ignore = [“/raw”]",),
    ),
    "hexo-front-matter": Case(
        {
            "_config.yml": "title: Q\nsource_dir: source\n",
            "source/_posts/a.md": SHOWN,
            "source/_posts/b.md": "title: Hidden\ndate: 2026-01-03\npublished: false\n---\nText\n",
            "source/_posts/c.md": ';;;\n"title": "Hidden",\n"published": false\n;;;\nText\n',
            "source/_posts/d.md": '"title": "Hidden",\n"published": false\n;;;\nText\n',
            "source/_posts/e.md": "-----\ntitle: Hidden\npublished: false\n-----\nText\n",
            "source/_posts/f.md": "title: Hidden\ndate: 2026-01-03\n\tindented: by a tab\n----\nText\n",
            "source/_posts/g.md": "Shown\n-----\n\nA heading: no front matter.\n",
            "source/_posts/h.md": "\n\n" + post("Shown", "Text: one\n\n---\n\nMore: two\n", date="2026-01-02"),
            "source/_posts/i.md": '{"title": "Shown",\n"date": "2026-01-02"}\nText: one\n\n---\n\nMore\n',
        },
        (
            "source/_posts/b.md:1: front matter – ignored until it has a line “---” above it, too",
            "source/_posts/c.md:1: front matter – ignored until it is in braces instead of “;;;”, as JSON",
            "source/_posts/d.md:1: front matter – ignored until it is in braces instead of “;;;”, as JSON",
            "source/_posts/e.md:1: front matter – ignored until the lines around it are “---”",
            "source/_posts/f.md:1: front matter – ignored until it has a line “---” above it, too",
        ),
    ),
    "eleventy-git": Case(
        {
            ".eleventy.js": "",
            ".gitignore": "node_modules\nre:.*\nposts/wip-*.md\nprivate/\n*.bak.md\n# x\n/later\n!posts/wip-c.md\n",
            "posts/a.md": SHOWN,
            "posts/wip-c.md": HIDDEN,
            "posts/deep/private/d.md": HIDDEN,
            "posts/deep/e.bak.md": HIDDEN,
            "posts/later.md": SHOWN,
            "posts/later/f.md": SHOWN,
        },
        (
            ".gitignore:3: posts/wip-*.md → ignore = [“/wip-c.md”]",
            ".gitignore:4: private/ → ignore = [“private”]",
            ".gitignore:5: *.bak.md → ignore = [“*.bak.md”]",
            ".gitignore:8: !posts/wip-c.md – it has no counterpart",
        ),
    ),
    "eleventy-git-everything": Case(
        {".eleventy.js": "", ".gitignore": "posts/x\nposts\n", "posts/a.md": HIDDEN, "posts/x/b.md": HIDDEN},
        (".gitignore:2: posts → ignore = [“/**”]",),
    ),
    "eleventy-data": Case(
        {
            ".eleventy.js": "",
            "posts/a.md": SHOWN,
            "posts/b.md": HIDDEN,
            "posts/b.json": '{"permalink": false}',
            "posts/c.md": HIDDEN,
            "posts/c.11tydata.json": '{"permalink": false}',
            "posts/drafts/drafts.json": '{"draft": true}',
            "posts/drafts/d.md": HIDDEN,
            "posts/posts.11tydata.js": "module.exports = {};",
        },
        (
            "posts/c.11tydata.json:1: permalink → ignore = [“/c.md”]",
            "posts/posts.11tydata.js:0: posts.11tydata.js – it is a program",
        ),
    ),
    "quartz-git": Case(
        {
            "quartz.config.ts": "export default { plugins: { filters: [Plugin.RemoveDrafts()] } }\n",
            ".gitignore": "secret\n",
            "content/.gitignore": "own.md\n",
            "content/deep/.gitignore": "x.md\n",
            "content/a.md": SHOWN,
            "content/b/secret/c.md": HIDDEN,
            "content/own.md": HIDDEN,
            "content/deep/x.md": HIDDEN,
        },
    ),
    "quartz-explicit": Case(
        {
            "quartz.config.ts": "export default {\n  plugins: { filters: [Plugin.ExplicitPublish()] } }\n",
            "content/a.md": post("Shown", date="2026-01-02", publish="true"),
            "content/b.md": HIDDEN,
            "content/c.md": post("Hidden", date="2026-01-02", publish="false"),
        },
        ("quartz.config.ts:2: ExplicitPublish → ignore = [“/b.md”, “/c.md”]",),
    ),
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
    "quarto-render": quarto(
        "project:\n  type: website\n  render:\n    - '*.md'\n    - 'posts/**'\n    - '!posts/secretdir/'\n"
        "    - '!posts/secret-f.md'\n    - '!wip-*.md'\nwebsite:\n  title: Q\n  site-url: https://q.example.org\n"
        "  drafts: [posts/g/index.md]\n",
        {
            "posts/secretdir/index.md": HIDDEN,
            "posts/secret-f.md": HIDDEN,
            "posts/deep/wip-x.md": HIDDEN,
            "posts/g/index.md": HIDDEN,
        },
    )._replace(
        report=(
            "_quarto.yml:6: posts/secretdir/ → ignore = [“/secretdir”]",
            "_quarto.yml:10: website.title → title = “Q”",
            "_quarto.yml:11: website.site-url → base_url = “https://q.example.org/”",
        )
    ),
    "quarto-listed": quarto(
        "project:\n  render: ['posts/a/', 'posts/{b,d}.md', 'x(y)', '!posts/+(d).md']\n",
        {"posts/b.md": SHOWN, "posts/c.md": HIDDEN, "posts/d.md": SHOWN},
    )._replace(
        report=(
            "_quarto.yml:2: project.render → ignore = [“/c.md”]",
            "_quarto.yml:2: render: x(y) – it has no",
            "_quarto.yml:2: posts/+(d).md – it may",
        )
    ),
    "quarto-metadata": quarto(
        "project:\n  type: website\n",
        {
            "posts/later/_metadata.yml": "draft: true\n",
            "posts/later/x.md": HIDDEN,
            "posts/later/deep/y.md": HIDDEN,
            "posts/later/z.md": post("Shown", date="2026-01-02", draft="false"),
            "posts/later/ready/_metadata.yml": "draft: false\n",
            "posts/later/ready/v.md": SHOWN,
        },
    )._replace(report=("posts/later/_metadata.yml:1: draft → ignore = [“/later/deep”, “/later/x.md”]",)),
    "quarto-included": quarto(
        "metadata-files: [later.yml, missing.yml]\nexecute:\n  eval: !expr x\nwebsite: {title: Q}\n",
        {"later.yml": "website:\n  drafts: [posts/b.md, 're:.*']\n", "posts/b.md": HIDDEN},
    )._replace(report=("later.yml:2: posts/b.md → ignore = [“/b.md”]", "_quarto.yml:4: website.title → title = “Q”")),
    "quarto-all": Case(
        {
            "_quarto.yml": "draft: true\n",
            "posts/a.md": HIDDEN,
            "posts/b.md": post("Shown", date="2026-01-02", draft="false"),
        }
    ),
    "mkdocs-metadata": Case(
        {
            "mkdocs.yml": "site_name: Lumen\n",
            "docs/a.md": SHOWN,
            "docs/later/.meta.yml": "draft: true\n",
            "docs/later/b.md": HIDDEN,
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


def test_the_configuration_of_quarto_is_no_program(tmp_path: Path) -> None:
    files = {"_quarto.yml": "project: {type: website}\nformat: {html: {theme: cosmo}}\n", "posts/a.md": SHOWN}
    done = adopt(write_site(tmp_path, {**files, "_quarto-dev.yml": "x: 1\n"}), NOW, lambda *_: None, write=False)
    told = report_of(done)
    assert not any("program" in line for line in told)
    assert any(line.startswith("_quarto.yml:2: format.html.theme – ") for line in told)
    assert any(line.startswith("profiles of Quarto are not read") for line in told)
