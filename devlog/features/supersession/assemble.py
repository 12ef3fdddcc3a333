"""Determines which posts supersede which, and what pages and feeds show about the status of posts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from devlog.assemble.dates import moment
from devlog.assemble.links import LinkIndex
from devlog.assemble.urls import url
from devlog.assemble.views import day, fitting, language_of
from devlog.config import Config
from devlog.features.supersession import problems
from devlog.features.supersession.model.provenance import ASSISTANT, Ai, Provenance
from devlog.features.supersession.model.status import PostStatus, PostStatuses
from devlog.model import view
from devlog.model.catalog import Catalog
from devlog.model.closest import MOST_SUGGESTIONS
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Ref
from devlog.model.post_note import EntryNote, PostNote
from devlog.model.site import Post, Site

MOST_NEWEST = 8
"""The maximum number of newest posts named for a superseded post. A post split into more should name an overview."""


def post_statuses_of(config: Config, site: Site, index: LinkIndex, t: Catalog) -> PostStatuses:
    """The status of the posts and plain pages of a site.

    Args:
        config: the configuration of the site.
        site: the site, with everything that is published.
        index: everything in the site that a link can lead to.
        t: the message catalog of the site.
    """
    provenances = {
        post.id: post.parsed.front_matter.of(Provenance)
        for post in (*site.posts, *site.pages)
        if post.parsed.front_matter.parts
    }
    if not provenances:
        return PostStatuses()
    posts = {post.id: post for post in (*site.posts, *site.pages)}
    said = {id_: provenance for id_, provenance in provenances.items() if _says_something(provenance)}
    steps, wrong = _steps(said, posts, index)
    indexes = {id_: index for index, id_ in enumerate(posts)}
    newest, circles = _newest(steps, indexes)
    older: dict[str, list[str]] = {}
    for step in steps:
        older.setdefault(step.new, []).append(step.old)
    found = {}
    for id_ in dict.fromkeys((*said, *newest, *older)):
        provenance, newer = provenances.get(id_, Provenance()), newest.get(id_, ())
        found[id_] = _post_status(config, posts, provenance, newer, older.get(id_, ()), t)
        if newer and provenance.status == "current":
            parsed = posts[id_].parsed
            span = parsed.front_matter.span("status", parsed.file)
            wrong.append(problems.contradicted_status(span, posts[newer[0]].parsed.file))
    wrong += _circles(circles, steps, posts)
    ais = {id_: _ai_view(provenance.ai, t) for id_, provenance in provenances.items() if provenance.ai}
    notes = {id_: _note(found.get(id_), ais.get(id_), config, t) for id_ in dict.fromkeys((*found, *ais))}
    in_feeds = _in_feeds(steps, posts)
    if in_feeds != steps:
        public = _newest(in_feeds, indexes)[0]
        for id_ in newest:
            status = _post_status(config, posts, provenances.get(id_, Provenance()), public.get(id_, ()), (), t)
            notes[id_] = msgspec.structs.replace(notes[id_], entry=_entry_note(status, config, t))
    return PostStatuses(found, notes, tuple(wrong))


def _says_something(said: Provenance) -> bool:
    return bool(said.status or said.supersedes or said.superseded_by or said.reviewed or said.applies_to)


def _in_feeds(steps: tuple[_Step, ...], posts: Mapping[str, Post]) -> tuple[_Step, ...]:
    """The steps that feeds may tell: they name no post that is not published, even if the build shows such posts."""
    return tuple(step for step in steps if not posts[step.new].state)


class _Step(NamedTuple):
    """From a post to the one that supersedes it, by their ids; `ref` is the link in front matter that says so."""

    old: str
    new: str
    ref: Ref


def _steps(
    said: Mapping[str, Provenance], posts: Mapping[str, Post], index: LinkIndex
) -> tuple[tuple[_Step, ...], list[Diagnostic]]:
    """All steps from a post to its successor, each once, and diagnostics of links that lead nowhere."""
    ids: dict[str, str] = {}
    steps: dict[tuple[str, str], _Step] = {}
    wrong: list[Diagnostic] = []
    broken: Counter[str] = Counter()
    for id_, ref, is_newer in _references(said):
        ids = ids or {other.permalink: other.id for other in posts.values()}
        post = posts[id_]
        suggest = broken[post.id] < MOST_SUGGESTIONS
        permalink, problem = index.page_of(ref, post.parsed, post.permalink, suggest=suggest)
        broken[post.id] += not permalink
        other = ids.get(permalink)
        if other == post.id:
            wrong.append(problems.supersedes_itself(ref.span))
        elif other:
            wrong += [problem] if problem else []
            old, new = (other, post.id) if is_newer else (post.id, other)
            steps.setdefault((old, new), _Step(old, new, ref))
        elif problem and "://" not in ref.target:
            wrong.append(problem)
        else:  # for external URLs, the problem of the link would only say that it is not a path
            wrong.append(problems.supersedes_nothing(ref.span, ref.target))
    return tuple(steps.values()), wrong


def _references(said: Mapping[str, Provenance]) -> Iterator[tuple[str, Ref, bool]]:
    """The links to superseded and superseding posts: the post, the link, and whether the post is the newer one."""
    for id_, provenance in said.items():
        yield from ((id_, ref, True) for ref in provenance.supersedes)
        yield from ((id_, ref, False) for ref in provenance.superseded_by)


def _newest(
    steps: Iterable[_Step], indexes: Mapping[str, int]
) -> tuple[dict[str, tuple[str, ...]], list[frozenset[str]]]:
    """For each superseded post the newest ones, in the order of the site; and the cycles of supersession."""
    newer: dict[str, list[str]] = {}
    for step in steps:
        newer.setdefault(step.old, []).append(step.new)
    newest: dict[str, tuple[str, ...]] = {}
    circles = []
    for group in _groups(newer):
        ends: set[str] = set()
        for other in {other for id_ in group for other in newer.get(id_, ())} - group:
            ends.update(newest.get(other) or (other,))
        found = tuple(sorted(ends, key=indexes.__getitem__)[:MOST_NEWEST])  # later groups need no more of each
        if found:
            newest.update(dict.fromkeys(group, found))
        if len(group) > 1:
            circles.append(group)
    return newest, circles


def _groups(newer: Mapping[str, Sequence[str]]) -> Iterator[frozenset[str]]:
    """The strongly connected components of all posts; each comes after all components to which it leads.

    This is Tarjan's algorithm with an explicit stack: a chain of posts may be longer than the recursion limit.
    """
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: dict[str, None] = {}  # posts that are in no group yet, in the order of their visits

    def meet(id_: str) -> tuple[str, Iterator[str]]:
        number[id_] = low[id_] = len(number)
        waiting[id_] = None
        return id_, iter(newer.get(id_, ()))

    for start in newer:
        path = [] if start in number else [meet(start)]
        while path:
            id_, others = path[-1]
            other = next(others, None)
            if other is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[id_])
                if low[id_] == number[id_]:
                    yield _taken(waiting, id_)
            elif other not in number:
                path.append(meet(other))
            elif other in waiting:
                low[id_] = min(low[id_], number[other])


def _taken(waiting: dict[str, None], first: str) -> frozenset[str]:
    """Remove the posts from `first` on from `waiting`, and return them."""
    group: list[str] = []
    while not group or group[-1] != first:
        group.append(waiting.popitem()[0])
    return frozenset(group)


def _post_status(
    config: Config,
    posts: Mapping[str, Post],
    said: Provenance,
    newest: tuple[str, ...],
    older: Iterable[str],
    t: Catalog,
) -> PostStatus:
    reviewed = moment(said.reviewed, ZoneInfo(config.timezone)) if said.reviewed else None

    def links(ids: Iterable[str]) -> tuple[view.Link, ...]:
        found = (posts[id_] for id_ in ids)
        return tuple(view.Link(it.title, url(config, it.permalink), language_of(it, config)) for it in found)

    return PostStatus(
        status="superseded" if newest else said.status,
        newest=newest,
        superseded_by=links(newest),
        supersedes=links(older),
        reviewed=day(t, reviewed, config.date_format, day_only=True) if reviewed else None,
        applies_to=said.applies_to,
    )


def _circles(
    groups: Sequence[frozenset[str]], steps: Iterable[_Step], posts: Mapping[str, Post]
) -> Iterator[Diagnostic]:
    """Diagnostics about posts that supersede each other, at the first position that says so."""
    group_of = {id_: number for number, group in enumerate(groups) for id_ in group}
    spans: dict[int, Span] = {}
    for step in steps:
        number = group_of.get(step.old)
        if number is not None and number == group_of.get(step.new):
            spans[number] = min(spans.get(number, step.ref.span), step.ref.span)
    for number, group in enumerate(groups):
        yield problems.superseding_circle(spans[number], sorted(posts[id_].parsed.file for id_ in group))


# -- values to show


def _note(post_status: PostStatus | None, ai: view.AiView | None, config: Config, t: Catalog) -> PostNote:
    if post_status is None:
        return PostNote(ai=ai)
    return PostNote(
        status=post_status.status,
        is_offered=post_status.status != "superseded",
        fields={
            "superseded_by": post_status.superseded_by,
            "supersedes": post_status.supersedes,
            "reviewed": post_status.reviewed,
            "applies_to": post_status.applies_to,
        },
        ai=ai,
        entry=_entry_note(post_status, config, t),
    )


def _entry_note(post_status: PostStatus, config: Config, t: Catalog) -> EntryNote:
    """The note in feeds, with absolute URLs. It does not name the posts that a post supersedes.

    A post is in many feeds, with the titles of others; if these are long, only some of them are named.
    """
    status, newer = post_status.status, post_status.superseded_by
    facts = {
        "status": status,
        "superseded_by": [config.origin + link.url for link in newer],
        "reviewed": post_status.reviewed.short if post_status.reviewed else "",
        "applies_to": post_status.applies_to,
    }
    facts = {name: value for name, value in facts.items() if value}
    if status not in ("superseded", "historical"):
        return EntryNote(facts=facts)
    named = newer[: fitting(link.title for link in newer)]
    titles = [f"“{link.title}”" for link in named]
    links = [f'<a href="{escape(config.origin + link.url)}">{escape(link.title)}</a>' for link in named]
    if not newer:
        notice = t("post_superseded") if status == "superseded" else t("post_historical")
        return EntryNote(status, notice, f"<p><strong>{escape(notice)}</strong></p>\n", facts)
    notice, conjunction = t("superseded_by_posts", posts="{posts}"), t("and")
    more = f" {t('and_more', count=len(newer) - len(named))}" if len(named) < len(newer) else ""
    linked = f" {escape(conjunction)} ".join(links) + escape(more)
    return EntryNote(
        mark=status,
        text=notice.replace("{posts}", f" {conjunction} ".join(titles) + more),
        html=f"<p><strong>{escape(notice).replace('{posts}', linked)}</strong></p>\n",
        facts=facts,
    )


def _ai_view(ai: Ai, t: Catalog) -> view.AiView:
    """How AI was involved in writing a post."""
    return view.AiView(_disclosure(ai, t), ai.drafted, ai.edited_by)


def _disclosure(ai: Ai, t: Catalog) -> str:
    """The disclosure of AI as a sentence."""
    if ai.note:
        return ai.note
    tool, editor = ai.drafted or ASSISTANT, ai.edited_by
    if editor:
        return t("drafted_and_edited" if ai.drafted else "helped_and_edited", tool=tool, editor=editor)
    return t("drafted" if ai.drafted else "helped", tool=tool)
