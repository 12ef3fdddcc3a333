"""A configuration of up to 1 MiB is imported in time and memory that grow with its size, whatever it contains."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from adopt.old_sites import post
from sites import write_site

from devlog.adopt.adopt import translated
from devlog.adopt.survey import Survey

SIZE = 1_000_000
HUGO = 'baseURL = "https://log.example.org/"\ntitle = "Quill"\n'
JEKYLL = "title: Quill\nurl: https://log.example.org\n"


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("name", ["", "categories_"])
def test_a_long_name_in_a_permalink(name: str, tmp_path: Path) -> None:
    texts = {"_config.yml": f"{JEKYLL}permalink: /:{name}{'a_' * (SIZE // 2)}\n", "_posts/2026-05-01-a.md": post("A")}
    adoption, wrong = translated(Survey(write_site(tmp_path, texts)))
    assert adoption, wrong


TEXT = {"content/a.md": post("A")}
ADDRESS = '"baseURL": "https://log.example.org/", "title": "Quill"'
KEYS = ", ".join(f'"k{number}": 1' for number in range(1_000))
LONG = "a" * 10_000
FAR = "a/../" * 2_000
REPEATING = {
    "other parameters": {"hugo.json": f'{{{ADDRESS}, "{LONG}": {{{KEYS}}}}}', **TEXT},
    "patterns of lists": {"hugo.json": f'{{{ADDRESS}, "permalinks": {{"{LONG}": {{{KEYS}}}}}}}', **TEXT},
    "sections": {
        "hugo.toml": f'{HUGO}defaultContentLanguageInSubdir = true\ndefaultContentLanguage = "{LONG}"\n[uglyURLs]\n'
        + "".join(f"s{number} = true\n" for number in range(1_000)),
        **TEXT,
    },
    "collections": {
        "_config.yml": f'{JEKYLL}collections:\n  ? "{FAR}c"\n'
        f'  : {{output: true, permalink: "/{":collection/" * 1_000}:name"}}\n',
        "_posts/2026-05-01-a.md": post("A"),
        "c/a.md": post("A"),
    },
    "folders of a blog": {
        "mkdocs.yml": f"site_name: Quill\nplugins:\n- blog:\n    blog_dir: {LONG}\n"
        f'    post_dir: "{"{blog}/../" * 1_000}blog/posts"\n',
        "docs/blog/posts/a.md": post("A"),
    },
    "dates of a blog": {
        "mkdocs.yml": f"site_name: Quill\nplugins:\n- blog:\n    post_url_date_format: {'y' * 10_000}\n"
        f'    post_url_format: "{"{date}" * 1_000}"\n',
        "docs/blog/posts/a.md": post("A"),
    },
}


@pytest.mark.parametrize("kind", REPEATING)
def test_a_long_text_is_not_repeated(kind: str, tmp_path: Path) -> None:
    """With each of a thousand keys, or at each of a thousand places, it would take ten million characters."""
    survey = Survey(write_site(tmp_path, REPEATING[kind]))
    tracemalloc.start()
    adoption, _ = translated(survey)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert adoption
    assert peak < 5_000_000
