"""Resolves the links of reading paths, and completes the contexts of their pages and of their posts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from devlog.assemble.links import LinkIndex
from devlog.assemble.site_context import Context, SiteContext
from devlog.assemble.urls import url
from devlog.assemble.views import language_of
from devlog.config import Config
from devlog.features.reading_paths import problems
from devlog.features.reading_paths.model.declared import DeclaredPath, Requirement
from devlog.features.reading_paths.model.reading_path import Before, ReadingPath, ReadingPaths, Step
from devlog.model.closest import MOST_SUGGESTIONS
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed, Ref
from devlog.model.post_note import PostNote
from devlog.model.site import Post, Site, Topic
from devlog.model.view import BeforeView, Link, OnPath, PathRef, PathStep, PathView
from devlog.plugin import Outline

MOST_SHOWN = 3
"""The maximum number of paths that the page of a post shows."""


def reading_paths_of(
    config: Config, site: Site, index: LinkIndex, pages: Iterable[Post], others: Iterable[Parsed]
) -> ReadingPaths:
    """The reading paths of a site.

    Args:
        config: the configuration of the site.
        site: the site, with everything that is published.
        index: everything in the site that a link can lead to.
        pages: the plain pages that declare a path.
        others: other sources that declare one, although they cannot be a path.
    """
    resolving = _Resolving(config, site, index)
    found = [resolving.path(page) for page in sorted(pages, key=_order)]
    paths = tuple(path for path in found if path)
    wrong = [*resolving.wrong]
    wrong += [
        problems.path_without_page(parsed.front_matter.span("steps", parsed.file))
        for parsed in others
        if parsed.front_matter.of(DeclaredPath).steps
    ]
    ids = dict.fromkeys(id_ for path in paths for id_ in (path.page, *(step.post for step in path.steps)))
    listed = [path for path in paths if path.is_listed and path.steps]
    return ReadingPaths(
        paths=paths,
        notes=dict.fromkeys(ids, PostNote(page=path_page)),
        starts=tuple(
            PathRef(path.title, url(config, path.permalink), path.description, len(path.steps), path.language)
            for path in listed
        ),
        problems=tuple(wrong),
    )


def _order(page: Post) -> tuple[bool, int, str]:
    """Pages with a weight first, the lowest at the top."""
    weight = page.parsed.front_matter.weight
    return not weight, weight or 0, page.id


class _Resolving:
    """Resolves the links of paths.

    Attributes:
        wrong: the diagnostics found so far.
    """

    def __init__(self, config: Config, site: Site, index: LinkIndex) -> None:
        self.wrong: list[Diagnostic] = []
        self._config = config
        self._index = index
        self._posts = {post.permalink: post for post in site.posts}
        others: tuple[Topic | Post, ...] = (*site.topics, *site.pages)
        self._others = {item.permalink: item for item in others}
        self._broken = 0

    def path(self, page: Post) -> ReadingPath | None:
        """The path that a page declares; `None` if it has no steps."""
        self._broken = 0
        front = page.parsed.front_matter
        declared = front.of(DeclaredPath)
        if not declared.steps:
            return None
        return ReadingPath(
            page=page.id,
            title=page.title,
            permalink=page.permalink,
            description=front.description,
            steps=tuple(self._steps(page, declared)),
            before=tuple(self._before(page, page.permalink, declared.before)),
            is_listed=not page.state,
            language=language_of(page, self._config),
        )

    def _steps(self, page: Post, declared: DeclaredPath) -> Iterator[Step]:
        lines: dict[str, int] = {}
        for step in declared.steps:
            permalink = self._resolved(step.ref, page)
            post = self._posts.get(permalink)
            if permalink and post is None:
                self.wrong.append(problems.not_a_post(step.ref.span, step.ref.target))
            elif post and post.id in lines:
                self.wrong.append(problems.repeated_step(step.ref.span, step.ref.target, lines[post.id]))
            elif post:
                lines[post.id] = step.ref.span.line
                yield Step(post.id, step.ref, step.why, tuple(self._before(page, post.permalink, step.before)))

    def _before(self, page: Post, own: str, required: Iterable[Requirement]) -> Iterator[Before]:
        """What to know before, without what cannot be found; `own` is the permalink of what comes after."""
        for item in required:
            if item.ref is None:
                yield Before(item.text)
            elif item.ref.target.startswith(("https://", "http://")):
                yield Before(item.ref.target, item.ref.target, ref=item.ref)
            else:
                yield from self._linked(page, own, item.ref)

    def _linked(self, page: Post, own: str, ref: Ref) -> Iterator[Before]:
        permalink = self._resolved(ref, page)
        post = self._posts.get(permalink)
        found = post or self._others.get(permalink)
        if permalink and permalink == own:
            self.wrong.append(problems.before_itself(ref.span))
        elif found and found.title:
            language = language_of(found, self._config) if isinstance(found, Post) else ""
            address = url(self._config, permalink)
            yield Before(found.title, address, post.id if post else "", ref, permalink, language)
        elif permalink:
            self.wrong.append(problems.before_nothing(ref.span, ref.target))

    def _resolved(self, ref: Ref, page: Post) -> str:
        """The permalink of what a link leads to; empty, with a diagnostic, if that is not published."""
        suggest = self._broken < MOST_SUGGESTIONS
        permalink, problem = self._index.page_of(ref, page.parsed, page.permalink, suggest=suggest)
        known = permalink in self._posts or permalink in self._others
        if not permalink:
            self._broken += 1
            self.wrong.append(problem if problem and "://" not in ref.target else _elsewhere(ref))
            return ""
        if problem:
            self.wrong.append(problem)
            return permalink if known else ""
        return permalink


def _elsewhere(ref: Ref) -> Diagnostic:
    """For external URLs, the problem of the link would only say that it is not a path."""
    return problems.not_a_post(ref.span, ref.target)


# -- pages


def path_page(known: SiteContext, post: Post, context: Context) -> Context:
    """The context of a page with the path that it is, or those that it is on.

    Args:
        known: the site context.
        post: a post or plain page.
        context: the context of its page so far.
    """
    if post.is_page:
        path = known.once(_by_page).get(post.id)
        return {**context, "path": _path_view(known, path)} if path else context
    paths = known.derived.of(ReadingPaths).paths
    places = known.once(_places).get(post.id, ())
    posts = known.once(_posts)
    shown = tuple(_on_path(known, paths[path], step, posts) for path, step in places[:MOST_SHOWN])
    return {**context, "paths": shown}


def _by_page(outline: Outline) -> Mapping[str, ReadingPath]:
    """The paths that have steps, by the ids of their pages."""
    return {path.page: path for path in outline.derived.of(ReadingPaths).paths if path.steps}


def _posts(outline: Outline) -> Mapping[str, Post]:
    """The posts of the site by id."""
    return {post.id: post for post in outline.site.posts}


def _places(outline: Outline) -> Mapping[str, Sequence[tuple[int, int]]]:
    """For each post the paths that it is on, and the step that it is of each, as indexes."""
    found: dict[str, list[tuple[int, int]]] = {}
    for number, path in enumerate(outline.derived.of(ReadingPaths).paths):
        for place, step in enumerate(path.steps):
            found.setdefault(step.post, []).append((number, place))
    return found


def _path_view(known: SiteContext, path: ReadingPath) -> PathView:
    posts = known.once(_posts)
    refs = known.views.refs(posts[step.post] for step in path.steps)
    return PathView(
        steps=tuple(
            PathStep(number, ref, step.why, _before_views(step.before))
            for number, (step, ref) in enumerate(zip(path.steps, refs, strict=True), start=1)
        ),
        reading_time=sum(ref.reading_time for ref in refs),
        before=_before_views(path.before),
    )


def _before_views(before: Iterable[Before]) -> tuple[BeforeView, ...]:
    return tuple(BeforeView(item.title, item.url, item.language) for item in before)


def _on_path(known: SiteContext, path: ReadingPath, place: int, posts: Mapping[str, Post]) -> OnPath:
    def link(index: int) -> Link | None:
        if not 0 <= index < len(path.steps):
            return None
        post = posts[path.steps[index].post]
        return known.views.link(post)

    return OnPath(
        title=path.title,
        url=known.views.url(path.permalink),
        number=place + 1,
        total=len(path.steps),
        previous=link(place - 1),
        next=link(place + 1),
        language=path.language,
    )
