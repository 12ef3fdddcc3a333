"""Finds posts of Hexo that its plugins encrypt or hide: in devlog, all could read or find them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from devlog.adopt.adoption import Draft
from devlog.adopt.common import as_patterns
from devlog.adopt.foreign import Found, get, read_head
from devlog.adopt.ignoring import SOURCES, content_of, ignore
from devlog.adopt.survey import Survey
from devlog.parse.front_matter.tree import Mapping, Scalar

_PASSWORD = "password"  # noqa: S105 - the name of a key


def by_plugins(draft: Draft, survey: Survey) -> None:
    """Ignore the posts with a password, also one for their tags, or a key that hides them, and report each."""
    content = content_of(draft)
    for table in ("encrypt", "hide_posts"):
        draft.take(table)
    filtered = draft.peek("hide_posts", "filter")
    flag = filtered.text if filtered and filtered.text else "hidden"
    tags = _tags_with_password(draft)
    found: list[tuple[Found, Iterable[str]]] = []
    for file in survey.below(content, SOURCES):
        head = read_head(survey, file)
        if key := _encrypted(head, tags):
            found.append((key, as_patterns((file,), content)))
        elif (key := get(head, (flag,))) and key.is_on:
            draft.leave(key, "ignored: for a page that no list has, set “unlisted”, and remove it from “ignore”")
            found.append((key, as_patterns((file,), content)))
    ignore(draft, found)


def _tags_with_password(draft: Draft) -> frozenset[str]:
    """The tags whose posts are encrypted."""
    tags = draft.peek("encrypt", "tags")
    names = [get(item, ("name",)) for item in (tags.items if tags else ())]
    for key in filter(None, names):
        draft.done(key._replace(key=f"encrypt.tags: {key.text}"), "posts with this tag are ignored")
    return frozenset(key.text for key in names if key)


def _encrypted(head: Mapping, tags: Collection[str]) -> Found | None:
    """The key because of which a post is encrypted. An empty password is none, whatever tags it has."""
    key = get(head, (_PASSWORD,))
    if key and not (isinstance(key.node, Scalar) and key.node.is_null):
        return key if key.text else None
    listed = get(head, ("tags",)) or get(head, ("tag",))
    return listed if listed and not frozenset(listed.texts).isdisjoint(tags) else None
