"""What an imported template defines begins anew with each page, whichever pages were rendered before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sites import build_site, read_tree, write_site

from devlog.disk.theme import load_theme
from devlog.render.templates import environment

DAYS = range(1, 5)
POST = "---\ntitle: Post {0}\ndate: 2026-05-0{0}\nauthor: Ada Quill (@ada)\n---\nText {0}.\n"
PAGE = (
    '{% extends "default/post.html" %}{% block main %}{% from "partials/rows.html" import row %}'
    '<p class="row">{{ row() }}, {{ row() }}</p>{% endblock %}'
)


def rows(root: Path) -> list[str]:
    """What each post shows of the rows."""
    tree = read_tree(root / "public")
    return re.findall(
        '<p class="?row"?>(.*?)</p>', "".join(tree[path].decode() for path in sorted(tree) if "post-" in path)
    )


@pytest.mark.parametrize(
    ("partials", "shown"),
    [
        (
            {"rows": '{% set colors = cycler("odd", "even") %}{% macro row() %}{{ colors.next() }}{% endmacro %}'},
            "odd, even",
        ),
        (
            {
                "rows": '{% from "partials/count.html" import count %}{% macro row() %}{{ count() }}{% endmacro %}',
                "count": "{% set seen = [] %}{% macro count() %}{{ seen.append(1) or seen | length }}{% endmacro %}",
            },
            "1, 2",
        ),
        ({"rows": "{% macro row() %}{{ 7 }}{% endmacro %}"}, "7, 7"),
    ],
)
def test_a_page_does_not_depend_on_those_before_it(tmp_path: Path, partials: dict[str, str], shown: str) -> None:
    files = {f"templates/partials/{name}.html": text for name, text in partials.items()}
    posts = {f"content/storage/post-{day}.md": POST.format(day) for day in DAYS}
    root = write_site(tmp_path, {"templates/post.html": PAGE, **files, **posts})
    assert not build_site(root, executor="inline").failed
    assert rows(root) == [shown] * len(DAYS)
    write_site(root, {"content/storage/post-3.md": POST.format(3) + "More.\n"})
    assert not build_site(root, executor="inline").failed
    assert rows(root) == [shown] * len(DAYS)


@pytest.mark.parametrize("name", ["default", "paper"])
def test_partials_of_our_themes_are_evaluated_once(name: str) -> None:
    """They define macros, which are the same on each page."""
    theme = load_theme(Path(), name).theme
    made = environment(theme)
    imported = {
        name for template in theme.templates for name in re.findall(r'{% *(?:from|import) "(.+?)"', template.text)
    }
    assert len(imported) > 3
    for template in sorted(imported):
        made.get_template(template).make_module()
    assert not made.may_change
