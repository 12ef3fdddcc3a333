"""Resolves what ``[home]`` in the configuration names: the image and the pinned posts of the home page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from devlog.assemble import problems
from devlog.assemble.links import LinkIndex
from devlog.config import Home
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.site import Post, Published, Site


class HomeFiles(msgspec.Struct, frozen=True):
    """What the configuration of the home page names.

    Attributes:
        pinned: the permalinks of the pinned posts, in the order of the configuration.
        image: the URL of the image; empty without one.
        file: the file of the image, if it is one of the site.
        diagnostics: problems with them.
    """

    pinned: tuple[str, ...] = ()
    image: str = ""
    file: Published | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    def posts(self, site: Site) -> tuple[list[Post], Sequence[Post]]:
        """The pinned posts of a site, and all others."""
        if not self.pinned:
            return [], site.posts
        by_permalink = {post.permalink: post for post in site.posts}
        pinned = [by_permalink[permalink] for permalink in self.pinned if permalink in by_permalink]
        chosen = {post.id for post in pinned}
        return pinned, [post for post in site.posts if post.id not in chosen]


def home_files(home: Home, spans: Mapping[str, Span], index: LinkIndex, site: Site) -> HomeFiles:
    """Resolve what the configuration of the home page names.

    Args:
        home: that part of the configuration.
        spans: where the configuration sets each key, by dotted name.
        index: everything in the site that a link can lead to.
        site: the site.
    """
    wrong: list[Diagnostic] = []
    pinned: dict[str, None] = {}
    image, file = "", None
    if home.image:
        image, permalink, problem = index.follow(home.image, spans["home.image"], "image")
        wrong += [problem] if problem else []
        image = image if permalink else ""
        file = next((item for item in site.assets if item.permalink == permalink), None)
    posts = {post.permalink for post in site.posts} if home.pinned else set()
    for target in home.pinned:
        _, permalink, problem = index.follow(target, spans["home.pinned"])
        if problem:
            wrong.append(problem)
        elif permalink in posts:
            pinned[permalink] = None
        else:
            wrong.append(problems.pinned_not_a_post(spans["home.pinned"], target))
    return HomeFiles(tuple(pinned), image, file, tuple(wrong))
