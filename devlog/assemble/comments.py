"""Comments: links a post to its discussion, under an identifier that survives when the post moves.

A discussion belongs to the first URL of its post. ``comments_id`` in the front matter overrides it; otherwise the first
of the post's ``aliases`` counts as older than its own URL. So a post that moves keeps its discussion if its old URL is
appended to its aliases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, urlencode, urlsplit

from devlog.assemble import problems
from devlog.assemble.series import by_age
from devlog.assemble.urls import alias_permalink, url
from devlog.config import Comments, Config
from devlog.model import view
from devlog.model.catalog import Catalog
from devlog.model.diagnostic import Diagnostic
from devlog.model.site import Post

_NUMBER = re.compile(r"#?([0-9]{1,12})")


def comments_view(config: Config, post: Post, own_url: str, t: Catalog) -> view.CommentsView | None:
    """The discussion of a post.

    Args:
        config: the configuration of the site.
        post: a post of the site.
        own_url: the configured URL of the site. Each post has one discussion, no matter where the site is shown.
        t: the message catalog of the site.

    Returns:
        `None` without comments: none are configured, the post turns them off, or it is not published yet.
    """
    comments = config.comments
    if not _has_comments(config, post):
        return None
    discussion, frame = _discussion(config, post, own_url)
    return view.CommentsView(
        provider=comments.provider,
        service="GitHub" if comments.provider == "giscus" else t("the_forum"),
        url=discussion,
        frame=frame,
        origin=comments.origin,
        load=comments.load,
    )


def shared_discussions(config: Config, posts: Iterable[Post]) -> list[Diagnostic]:
    """Diagnostics of posts whose ``comments_id`` gives them the discussion of another post.

    The discussion is that of the post that has it without saying so, or else of the first post.
    """
    shown = [post for post in posts if _has_comments(config, post)]
    if not any(post.parsed.front_matter.comments_id for post in shown):
        return []  # posts with different URLs have different discussions
    shared = []
    owners: dict[str, Post] = {}
    for post in sorted(shown, key=lambda post: (post.parsed.front_matter.comments_id != "", *by_age(post))):
        owner = owners.setdefault(_discussion(config, post)[1], post)
        given = post.parsed.front_matter.comments_id
        if owner is not post and given:
            span = post.parsed.front_matter.span("comments_id", post.parsed.file)
            shared.append(problems.shared_discussion(span, given, owner.parsed.file))
    return shared


def _has_comments(config: Config, post: Post) -> bool:
    return bool(config.comments.provider) and post.parsed.front_matter.comments and not post.state


def _discussion(config: Config, post: Post, own_url: str = "") -> tuple[str, str]:
    """The URL of a post's discussion, and of the page that embeds it, which differs between discussions."""
    make = _giscus if config.comments.provider == "giscus" else _discourse
    return make(config.comments, config, post, own_url or config.base_url)


def first_permalink(config: Config, post: Post) -> str:
    """The permalink under which a post was first published, as far as its front matter says."""
    aliases = post.parsed.front_matter.aliases
    if not aliases:
        return post.permalink
    from_root, ending = config.conventions.is_foreign, config.conventions.page_ending
    return alias_permalink(aliases[0].url, post.permalink, config.base_path, from_root=from_root, ending=ending)


def _giscus(comments: Comments, config: Config, post: Post, own_url: str) -> tuple[str, str]:
    """The URL of a GitHub discussion, and of the giscus page that embeds it."""
    given = post.parsed.front_matter.comments_id
    number = _NUMBER.fullmatch(given)
    about = {
        "repo": comments.repo,
        "repoId": comments.repo_id,
        "category": comments.category,
        "categoryId": comments.category_id,
        "strict": "1",
        "reactionsEnabled": "1",
        "emitMetadata": "0",
        "inputPosition": "bottom",
    }
    discussions = f"https://github.com/{comments.repo}/discussions"
    if number:
        about["number"] = number[1]
        link = f"{discussions}/{number[1]}"
    else:
        term = given or _term(comments, config, post, own_url)
        about["term"] = term
        link = f"{discussions}?discussions_q={quote(f'in:title {term}', safe='')}"
    return link, f"{comments.frame_url}/widget?{urlencode(about, quote_via=quote)}"


def _term(comments: Comments, config: Config, post: Post, own_url: str) -> str:
    """The title of a post's discussion."""
    permalink = first_permalink(config, post)
    if comments.mapping == "id":
        return permalink
    # Same as giscus derives it from the URL in the browser: without the leading slash and the extension.
    path = urlsplit(_address(config, permalink, own_url)).path
    return re.sub(r"\.\w+$", "", path[1:]) or "index"


def _discourse(comments: Comments, config: Config, post: Post, own_url: str) -> tuple[str, str]:
    """The URL of a Discourse topic, and of the forum's page that embeds it."""
    given = post.parsed.front_matter.comments_id
    number = _NUMBER.fullmatch(given)
    if number:
        return f"{comments.frame_url}/t/{number[1]}", f"{comments.frame_url}/embed/comments?topic_id={number[1]}"
    address = given or _address(config, first_permalink(config, post), own_url)
    asked = quote(address, safe="")
    return f"{comments.frame_url}/search?q={asked}", f"{comments.frame_url}/embed/comments?embed_url={asked}"


def _address(config: Config, permalink: str, own_url: str) -> str:
    """The absolute URL of a permalink on the published site."""
    parts = urlsplit(own_url)
    origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    base = parts.path.rstrip("/") + "/"
    return origin + base + url(config, permalink)[len(config.base_path) :]
