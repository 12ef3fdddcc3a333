"""Renders the lists for language models: ``llms.txt`` with links to posts, ``llms-full.txt`` with the newest ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count as numbers

from devlog.features.markdown_versions.render.page import MARKS, filled, origin_of
from devlog.model.document import Body
from devlog.model.markdown import address, escaped, opened, scalar
from devlog.model.outpath import markdown_path_of
from devlog.model.target import Entry, Listed, Resources, Target
from devlog.model.urls import absolute
from devlog.model.view import PathRef, PostRef, SiteView

LIST = "/llms.txt"
FULL = "/llms-full.txt"
"""The permalinks of the two files."""


def list_recipe(target: Target, _resources: Resources) -> str:
    """The recipe of ``llms.txt``."""
    return llms(**target.context)


def full_recipe(target: Target, resources: Resources) -> str:
    """The recipe of ``llms-full.txt``."""
    return llms_full(**target.context, bodies=resources.bodies)


def llms(
    site: SiteView,
    starts: Sequence[PathRef],
    topics: Sequence[Listed],
    posts: Sequence[PostRef],
    others: Sequence[Listed],
    *,
    markdown: bool,
) -> str:
    """``llms.txt`` as llmstxt.org describes it: title, quote, and lists of links: reading paths, then posts by topic.

    Args:
        site: the view of the site.
        starts: the reading paths.
        topics: the topics in order, each with the number of its own posts.
        posts: the posts, newest first.
        others: other pages.
        markdown: whether pages have Markdown versions.
    """
    origin = origin_of(site)
    parts = [f"# {_line(site.title)}\n"]
    if site.description.strip():
        parts.append(f"> {opened(_line(site.description))}\n")
    parts.append(_about(site, origin, markdown=markdown, named=any(post.url.endswith(".html") for post in posts)))
    if starts:
        parts.append("## Start here\n\n" + "".join(_start(start, origin, markdown=markdown) for start in starts))
    by_topic: dict[str, list[PostRef]] = {}
    for post in posts:
        by_topic.setdefault(post.topic.url if post.topic else "", []).append(post)
    for topic in topics:
        own = by_topic.get(topic.url, [])
        if own:
            parts.append(_topic(topic, own, origin, markdown=markdown))
    if others:
        lines = [
            _item(other.title, _markdown_url(other.url, markdown=markdown), other.description, origin)
            for other in others
        ]
        parts.append("## Optional\n\n" + "".join(lines))
    return "\n".join(parts)


def _about(site: SiteView, origin: str, *, markdown: bool, named: bool) -> str:
    own = origin + site.url
    refs = (
        "Posts that mention a pull request, an issue, a commit, a file or a symbol: "
        f"[refs.json]({address(own + 'refs.json')}).\n"
        if site.refs_url
        else ""
    )
    without = "the HTML page is at the URL without “index.md”"
    other = ", or with “.html” in place of “.md”" if named else ""
    how = f"Links lead to Markdown; {without}{other}.\n" if markdown else ""
    return (
        f"Posts are listed by topic, newest first.\n{how}"
        f"The newest posts in one file: [llms-full.txt]({address(own + FULL[1:])}).\n"
        f"All posts as JSON: [posts.json]({address(own + 'posts.json')}).\n{refs}"
    )


def _topic(topic: Listed, posts: Sequence[PostRef], origin: str, *, markdown: bool) -> str:
    about = f"{opened(_line(topic.description))}\n\n" if topic.description.strip() else ""
    lines = [_post(post, origin, markdown=markdown) for post in posts]
    older = topic.logs - len(posts)
    if older > 0:
        title = f"{older} older {'log' if older == 1 else 'logs'}"
        lines.append(_item(title, _markdown_url(topic.url, markdown=markdown), "", origin))
    return f"## {_line(topic.title)}\n\n{about}" + "".join(lines)


def _start(start: PathRef, origin: str, *, markdown: bool) -> str:
    count = f"{start.count} {'log' if start.count == 1 else 'logs'} in order"
    said = ". ".join(part for part in (count, start.description) if part)
    return _item(start.title, _markdown_url(start.url, markdown=markdown), said, origin)


def _post(post: PostRef, origin: str, *, markdown: bool) -> str:
    facts = ", ".join(fact for fact in (post.date.short, MARKS.get(post.status, "")) if fact)
    said = ". ".join(part for part in (facts, post.excerpt) if part)
    return _item(post.title, _markdown_url(post.url, markdown=markdown), said, origin)


def _item(title: str, url: str, said: str, origin: str) -> str:
    name = _line(title).replace("\\[", "(").replace("[", "(").replace("]", ")")  # parsers of llms.txt know no escapes
    whole = absolute(url, origin)
    return f"- [{name}]({address(whole)}){f': {_line(said)}' if said.strip() else ''}\n"


def _markdown_url(url: str, *, markdown: bool) -> str:
    return (markdown_path_of(url) if markdown else "") or url


def _line(text: str) -> str:
    return escaped(" ".join(text.split()))


def llms_full(
    site: SiteView,
    posts: Sequence[PostRef],
    entries: Sequence[Entry],
    total: int,
    limit: int,
    bodies: Mapping[str, Body],
) -> str:
    """``llms-full.txt``: whole posts, the newest first, as many as fit.

    Args:
        site: the view of the site.
        posts: the newest posts, one more than fit if there are more.
        entries: feed entries with the bodies of these posts.
        total: the number of all posts.
        limit: the maximum size of the file in bytes.
        bodies: the bodies that the entries name, by digest.
    """
    opening = f"# {_line(site.title)}\n"
    if site.description.strip():
        opening += f"\n> {opened(_line(site.description))}\n"
    texts = list(_texts(site, zip(posts, entries, strict=True), total, bodies))
    key = _key(texts)
    if texts:
        opening += _how(key)
    parts = [opening]
    room = limit - len(opening.encode()) - len(_left(total, site).encode())
    for number, (post, text) in zip(range(total, 0, -1), zip(posts, texts, strict=True), strict=False):
        part = f"\n{_head(post, origin_of(site), f'{key}: {number}')}\n# {_line(post.title)}\n"
        part += f"\n{text}" if text else ""
        room -= len(part.encode())
        if room < 0:
            break
        parts.append(part)
    shown = len(parts) - 1
    if shown < total:
        parts.append(_left(total - shown, site))
    return "".join(parts)


def _texts(
    site: SiteView, posts: Iterable[tuple[PostRef, Entry]], total: int, bodies: Mapping[str, Body]
) -> Iterator[str]:
    """The body of each post. Labels of footnotes have the number of the post, the first one being the oldest, so that
    a new post changes no other.
    """
    origin = origin_of(site)
    for number, (_, entry) in zip(range(total, 0, -1), posts, strict=False):
        yield filled(entry.content, bodies, origin, f"{number}-").decode() if entry.content else ""


# A body may contain anything, even what looks like the properties of the next post, and in code it must stay as it is.
# So these begin with a key that no body has, whatever marks, blanks and invisible characters surround it there. The
# line ends are those of all programs, and no part of what may precede the key, so that each character is read once.
_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_KEY = re.compile(rf"(?:^|[{_ENDS}])(?:[^\w{_ENDS}]|_)*post(?:-(\d{{1,9}}))?(?:[^\w:{_ENDS}]|_)*:", re.IGNORECASE)


def _key(texts: Iterable[str]) -> str:
    """A key with which no line of these texts begins: ``post``, or if need be ``post-2`` and so on."""
    used = {int(number or 1) for text in texts for number in _KEY.findall(text)}
    free = next(number for number in numbers(1) if number not in used)
    return "post" if free == 1 else f"post-{free}"


def _how(key: str) -> str:
    """What readers must know to tell posts apart."""
    return (
        f"\nEach post begins with its properties between two lines “---”. The first one is “{key}:” with a number.\n"
        f"No other line begins with “{key}:”, so properties without it are part of the post that they are in.\n"
    )


def _head(post: PostRef, origin: str, first: str) -> str:
    lines = ["---", first, f"title: {scalar(post.title)}", f"url: {scalar(origin + post.url)}"]
    if post.date.iso:
        lines.append(f"date: {post.date.iso}")
    if post.authors:
        lines.append(f"authors: [{', '.join(scalar(author.name) for author in post.authors)}]")
    if post.topic:
        lines.append(f"topic: {scalar(post.topic.title)}")
    if post.status:
        lines.append(f"status: {post.status}")
    return "\n".join((*lines, "---\n"))


def _left(count: int, site: SiteView) -> str:
    """A note about the number of posts that are left out."""
    url = address(origin_of(site) + site.url + LIST[1:])
    logs = "1 older post is" if count == 1 else f"{count} older posts are"
    return f"\n---\n\n{logs} left out here: [llms.txt]({url}) lists them.\n"
