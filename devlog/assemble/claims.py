"""Who publishes what: each output path has one owner, and a second claim is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from devlog.assemble import problems
from devlog.assemble.urls import output_path
from devlog.model.active import obeyed
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.markdown import markdown_path_of
from devlog.model.metadata import can_strip
from devlog.model.outpath import check_out_path, collision_key
from devlog.model.site import Site
from devlog.model.target import Copy
from devlog.model.theme import Theme
from devlog.plugin import site_search

Make = Callable[..., dict[str, Any]]


class Claim(msgspec.Struct, frozen=True):
    """A file to render that is planned, though what goes into it is not worked out yet.

    Attributes:
        path: relative to the output folder.
        recipe: what makes it.
        template: for the recipes that use one.
        make: gives all that it may see: a function of `pages` or `files`.
        about: the arguments of `make`: what of the site the file is about.
        markdown: the path of the same as Markdown; empty without one.
    """

    path: str
    recipe: str
    template: str
    make: Make
    about: tuple[object, ...] = ()
    markdown: str = ""


class Claims:
    """The files of a site while they are planned.

    Attributes:
        recipes: how many files there are of each recipe.
        copies: what is to be copied, by path.
        diagnostics: which claims could not be granted.
        searched: the first path claimed where the index of the search belongs, and by what; `None` if there is none.
    """

    def __init__(self) -> None:
        self.recipes: Counter[str] = Counter()
        self.copies: dict[str, Copy] = {}
        self.diagnostics: list[Diagnostic] = []
        self.searched: tuple[str, Span] | None = None
        self._owners: dict[str, Span] = {}

    def claim(
        self,
        permalink: str,
        recipe: str,
        template: str,
        span: Span,
        make: Make,
        *about: object,
        has_markdown: bool = False,
    ) -> Iterator[Claim]:
        """Claim a permalink for something to render.

        Args:
            permalink: where it is published.
            recipe: what makes it.
            template: for the recipes that use one.
            span: what asks for it: a place in a file, or a name such as “the archive”.
            make: see `Claim`.
            about: see `Claim`.
            has_markdown: whether it is a page that stands there as Markdown, too.

        Yields:
            The claim, if it is granted.
        """
        path, key = self._granted(permalink, span, is_page=recipe in ("page", "redirect"))
        if path:
            self.recipes[recipe] += 1
            yield Claim(path, recipe, template, make, about, self._markdown(path, key, span) if has_markdown else "")

    def copy(self, permalink: str, folder: str, file: str, digest: str, span: Span, *, strip: bool = False) -> None:
        """Claim a permalink for a file that is published as it is, or, to `strip`, without its metadata."""
        path, _ = self._granted(permalink, span)
        if path:
            self.copies[path] = Copy(path, folder, file, digest, strip)

    def _granted(self, permalink: str, span: Span, *, is_page: bool = False) -> tuple[str, str]:
        """The output path of a permalink, and its collision key; both are empty when it cannot be had."""
        path = output_path(permalink)
        reason = check_out_path(path) or (obeyed(path) if is_page else "")
        if reason:
            self.diagnostics.append(problems.bad_url(span, permalink, reason))
            return "", ""
        key = collision_key(path)
        if key in self._owners:
            owner = self._owners[key]
            # The one that names its own URL is the one to change.
            told, other = (owner, span) if owner.line and not span.line else (span, owner)
            self.diagnostics.append(problems.colliding_url(told, path, other.path))
            return "", ""
        self._owners[key] = span
        if self.searched is None and is_index(key):
            self.searched = path, span
        return path, key

    def _markdown(self, page: str, key: str, span: Span) -> str:
        """The path of a granted page as Markdown, which is as fit as its own; empty when it cannot be had.

        Args:
            page: the path of the page.
            key: its collision key, which ends as it does.
            span: what asks for it.
        """
        path = markdown_path_of(page)
        if not path:
            return ""
        key = markdown_path_of(key)
        if key in self._owners:
            self.diagnostics.append(problems.colliding_url(span, path, self._owners[key].path))
            return ""
        self._owners[key] = span
        self.recipes["markdown"] += 1
        return path

    def owner(self, permalink: str) -> str:
        """Who has claimed a permalink; empty when nobody has."""
        owner = self._owners.get(collision_key(output_path(permalink)))
        return owner.path if owner else ""

    def is_free(self, permalink: str) -> bool:
        """Whether nobody has claimed a permalink so far."""
        return collision_key(output_path(permalink)) not in self._owners

    def brings(self, path: str) -> bool:
        """Whether the site itself brings a file that devlog would make otherwise."""
        return collision_key(path) in {collision_key(copy) for copy in self.copies if "/" not in copy}


def claims_of_files(site: Site, theme: Theme, *, strip: bool = False) -> Claims:
    """What the files claim that a site and its theme publish as they are, or, to `strip`, without their metadata."""
    claims = Claims()
    for item in site.assets:
        asset = item.asset
        can = strip and can_strip(asset.path)
        claims.copy(item.permalink, item.folder, asset.file, asset.digest, Span(asset.file), strip=can)
    for asset in theme.assets:
        path = f"theme/{asset.path}"
        claims.copy(f"/{path}", "theme", asset.path, asset.digest, Span(path))
    return claims


def is_index(path: str) -> bool:
    """Whether a path lies where the index of the search belongs, as far as some system can tell."""
    search = site_search()
    return search is not None and path[: len(search.folder)].casefold() == search.folder
