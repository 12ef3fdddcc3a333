"""What a build writes grows with what it reads, whatever the front matter of posts names."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import pytest
from sites import NOW, build_site, read_tree, write_site

from devlog.assemble.references import places_of
from devlog.assemble.series import SHOWN as SHOWN_PARTS
from devlog.assemble.series import series_of, series_view
from devlog.assemble.site import Visibility, assemble
from devlog.assemble.standing import MOST_NEWEST, standings_of
from devlog.assemble.views import SHOWN
from devlog.config import Config
from devlog.model.document import Parsed
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.parse.values import MOST

NAMES = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)]


def _post(**fields: str) -> str:
    lines = {"title": "A post", "date": "2026-05-01", "author": "Ada Quill (@adaquill)", **fields}
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in lines.items()) + "---\nText.\n"


def _parsed(name: str, **fields: str) -> Parsed:
    path = f"log/{name}.md"
    return parse(Source(path, f"content/{path}", _post(**fields)), ParseOptions())[0]


@pytest.mark.parametrize("theme", ["default", "paper"])
def test_lists_and_feeds_name_some_authors_and_tags_and_say_how_many_there_are(tmp_path: Path, theme: str) -> None:
    authors = ", ".join(f"Writer {name} (@w{name})" for name in NAMES[:MOST])
    tags = ", ".join(f"t{name}" for name in NAMES[:MOST])
    files = {
        "devlog.toml": f'base_url = "https://example.org/"\ntheme = "{theme}"\n',
        "content/log/a.md": _post(author=authors, tags=tags),
    }
    assert build_site(write_site(tmp_path, files)).written
    outputs = read_tree(tmp_path / "public")
    last = NAMES[MOST - 1]
    whole = {"log/a/index.html", "log/a.md", "log/a/index.md", "posts.json", "authors/index.html", "tags/index.html"}
    whole |= {"authors.md", "tags.md", "authors/index.md", "tags/index.md", "sitemap.xml"}
    for path, data in outputs.items():
        if path in whole or not path.endswith((".html", ".xml", ".json", ".md")):
            continue
        text = data.decode()
        for pattern, own in ((r"Writer [a-z]{2}\b", "authors/"), (r"\bt[a-z]{2}(?=<|&|\"|\))", "tags/")):
            named = set(re.findall(pattern, text))
            assert len(named) <= SHOWN + 1, (path, len(named), own)
    post = outputs["log/a/index.html"].decode()
    assert f"Writer {last}" in post
    assert f"/tags/t{last}/" in post
    assert f"Writer {last}" in outputs["posts.json"].decode()
    assert f"t{last}" in outputs["posts.json"].decode()
    assert f"and {MOST - SHOWN} more" in outputs["index.xml"].decode()
    assert f"and {MOST - SHOWN} more" in outputs["index.html" if theme == "default" else "log/index.html"].decode()


def test_what_one_more_author_and_tag_adds_does_not_grow(tmp_path: Path) -> None:
    sizes = []
    for count in (MOST // 4, MOST // 2, MOST):
        authors = ", ".join(f"Writer {name} (@w{name})" for name in NAMES[:count])
        tags = ", ".join(f"t{name}" for name in NAMES[:count])
        folder = tmp_path / str(count)
        files = {
            "devlog.toml": 'base_url = "https://example.org/"\n',
            "content/log/a.md": _post(author=authors, tags=tags),
        }
        assert build_site(write_site(folder, files)).written
        sizes.append(sum(map(len, read_tree(folder / "public").values())))
    assert sizes[2] - sizes[1] < 2.2 * (sizes[1] - sizes[0])


def test_a_page_of_a_long_series_shows_the_parts_around_its_own() -> None:
    texts = [_parsed(f"p{number:03}", series="Tides", part=str(number)) for number in range(1, 301)]
    site = assemble(Config(), texts, (), (), {}, {}, Visibility(NOW)).site
    groups = series_of(site.posts)
    shown = {}
    for post in site.posts:
        found = series_view(post, groups, str)
        assert found
        shown[found.number] = [part.number for part in found.parts]
        assert [part.number for part in found.parts if part.is_current] == [found.number]
        assert found.total == 300
    assert {len(parts) for parts in shown.values()} == {SHOWN_PARTS}
    assert shown[1][0] == 1
    assert shown[150] == [*range(100, 200)]
    assert shown[300][-1] == 300


def test_readers_are_led_to_a_few_of_many_newer_posts() -> None:
    newer = [f"n{name}" for name in NAMES[: 3 * MOST]]
    texts = [
        _parsed("old", superseded_by=f"[{', '.join(f'middle{number}.md' for number in range(3))}]"),
        *(
            _parsed(
                f"middle{number}",
                superseded_by=f"[{', '.join(f'{name}.md' for name in newer[number * MOST : (number + 1) * MOST])}]",
            )
            for number in range(3)
        ),
        *(_parsed(name) for name in newer),
    ]
    config = Config()
    assembled = assemble(config, texts, (), (), {}, {}, Visibility(NOW))
    found, wrong = standings_of(config, assembled.site, places_of(config, assembled, ""))
    assert not wrong
    places = {post.id: place for place, post in enumerate(assembled.site.posts)}
    best = sorted((f"log/{name}.md" for name in newer), key=places.__getitem__)[:MOST_NEWEST]
    assert found["log/old.md"].newest == tuple(best)
    assert all(len(standing.newest) <= MOST_NEWEST for standing in found.values())
