"""A post that many newer ones supersede: few of them are named, wherever it is listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from catalogs import ENGLISH
from sites import NOW, build_site, read_tree, write_site
from small_posts import NAMES, parsed_post, post_text

from devlog.assemble.references import link_index
from devlog.assemble.site import SiteFiles, Visibility, assemble
from devlog.assemble.views import SHOWN
from devlog.config import Config
from devlog.features.supersession.assemble import MOST_NEWEST, post_statuses_of
from devlog.model.git_dates import GitDates
from devlog.parse.front_matter.values import LONGEST, MOST


@pytest.mark.slow
def test_feeds_repeat_few_of_the_long_names_that_posts_share(tmp_path: Path) -> None:
    title, name = "u" * (LONGEST - 10), "v" * (LONGEST - 10)
    newer = ", ".join(f"../new/{post}.md" for post in NAMES[:MOST_NEWEST])
    files = {
        "devlog.toml": 'base_url = "https://example.org/"\n',
        "content/authors.yml": "".join(f"{key}:\n  name: {name} {key}\n" for key in NAMES[:SHOWN]),
        "content/log/old.md": post_text(
            author="[" + ", ".join(NAMES[:SHOWN]) + "]", tags="one", superseded_by=f"[{newer}]"
        ),
    }
    files |= {
        f"content/new/{post}.md": post_text(title=f"{title} {post}", date="2026-04-01") for post in NAMES[:MOST_NEWEST]
    }
    assert build_site(write_site(tmp_path, files)).written
    outputs = read_tree(tmp_path / "public")
    for path in ("tags/one/index.xml", "tags/one/feed.xml"):
        text = outputs[path].decode()
        assert (text.count(title), text.count(name)) == (1, 1)
        assert f" aa” and {MOST_NEWEST - 1} more." in text
        assert f">and {SHOWN - 1} more</" in text
    page = outputs["log/old/index.html"].decode()
    assert all(f"{title} {post}<" in page and f"{name} {post}<" in page for post in NAMES[:MOST_NEWEST])


@pytest.mark.slow
def test_readers_are_led_to_a_few_of_many_newer_posts() -> None:
    newer = [f"n{name}" for name in NAMES[: 3 * MOST]]
    texts = [
        parsed_post("old", superseded_by=f"[{', '.join(f'middle{number}.md' for number in range(3))}]"),
        *(
            parsed_post(
                f"middle{number}",
                superseded_by=f"[{', '.join(f'{name}.md' for name in newer[number * MOST : (number + 1) * MOST])}]",
            )
            for number in range(3)
        ),
        *(parsed_post(name) for name in newer),
    ]
    config = Config()
    assembled = assemble(config, SiteFiles(texts), GitDates(), Visibility(NOW))
    known = post_statuses_of(config, assembled.site, link_index(config, assembled, ""), ENGLISH)
    found = known.by_post
    assert not known.problems
    places = {post.id: place for place, post in enumerate(assembled.site.posts)}
    best = sorted((f"log/{name}.md" for name in newer), key=places.__getitem__)[:MOST_NEWEST]
    assert found["log/old.md"].newest == tuple(best)
    assert all(len(post_status.newest) <= MOST_NEWEST for post_status in found.values())
