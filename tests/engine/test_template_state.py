"""A page does not depend on the pages that were rendered before it."""

from __future__ import annotations

import copy
import pickle
import re
from collections import Counter
from pathlib import Path
from types import MappingProxyType

import jinja2
import pytest
from sites import build_site, read_tree, write_site

from devlog.disk.theme import load_theme
from devlog.model.document import Heading
from devlog.render.read_only import read_only
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


@pytest.mark.parametrize(
    "change",
    [
        '{{ site.settings.update(color="red") or "" }}',
        '{% set _ = site.settings.setdefault("seen", []).append(page.title) %}',
        '{% set _ = site.settings.pop("remote_avatars") %}',
        "{% set _ = assets.clear() %}",
        '{% set _ = page.json_ld.author.append("Ada") %}',
        "{% set _ = page.json_ld.author[0].update(name=1) %}",
    ],
)
def test_templates_cannot_change_what_other_pages_have(tmp_path: Path, change: str) -> None:
    page = '{% extends "default/post.html" %}\n{% block main %}\n' + change + "\n{% endblock %}\n"
    root = write_site(tmp_path, {"templates/post.html": page, "content/storage/post-1.md": POST.format(1)})
    found = build_site(root, executor="inline").diagnostics
    (error,) = (item for item in found if item.severity == "error")
    assert (error.span.path, error.span.line) == ("templates/post.html", 3)
    assert "cannot be changed, as other pages have it too" in error.message


def test_templates_can_change_values_of_their_own(tmp_path: Path) -> None:
    page = (
        '{% extends "default/post.html" %}{% block main %}{% set mine = dict(site.settings, color="red") %}'
        '{% set _ = mine.update(more=1) %}{% set names = ["a"] %}{% set _ = names.append("b") %}'
        '<p class="row">{{ names | join(mine.color) }}{{ site.settings | tojson | length > 1 }}</p>{% endblock %}'
    )
    root = write_site(tmp_path, {"templates/post.html": page, "content/storage/post-1.md": POST.format(1)})
    assert not build_site(root, executor="inline").failed
    assert rows(root) == ["aredbTrue"]


def test_lists_and_tables_in_contexts_of_plugins_are_read_only() -> None:
    given = {"days": [{"names": ["Ada"]}], "sets": ({1}, [2]), "heading": Heading(1, "a", "A"), "count": 3}
    made = read_only(given)
    assert made == given
    for change in (made["days"].clear, made["days"][0].clear, made["days"][0]["names"].sort, made["sets"][1].reverse):
        with pytest.raises(jinja2.TemplateRuntimeError, match="cannot be changed"):
            change()
    assert not hasattr(made["sets"][0], "add")
    assert made["heading"] is given["heading"]
    assert [*made["days"], 1] == [{"names": ["Ada"]}, 1]


def test_every_change_of_a_list_or_table_is_refused() -> None:
    """Each method that Python's own lists and dictionaries have, but tuples and read-only mappings do not."""
    made = read_only({"list": [1], "table": {1: 2}})
    for value, same in ((made["list"], tuple), (made["table"], MappingProxyType)):
        changes = {*dir(type(value).__base__)} - {*dir(same), "__reversed__", "__init__", "copy"}
        for name in changes:
            assert getattr(type(value), name) is not getattr(type(value).__base__, name), name


def test_copies_can_be_changed_and_other_types_stay() -> None:
    made = read_only({"rows": [{"names": ["Ada"]}], "words": Counter("aab")})
    for same in (copy.deepcopy(made["rows"]), pickle.loads(pickle.dumps(made["rows"]))):
        same[0]["names"].append("Bo")
        same.append(1)
        assert same == [{"names": ["Ada", "Bo"]}, 1]
    assert type(copy.copy(made["rows"][0])) is dict
    assert made["words"].most_common(1) == [("a", 2)]
