"""Assigns output paths: each path has one owner, and a second claim for it is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from devlog.assemble import problems
from devlog.assemble.urls import output_path
from devlog.model.active import obeyed, without_compression
from devlog.model.diagnostic import Diagnostic, Span, generated
from devlog.model.outpath import PREVIEW, check_out_path, collision_key, markdown_path_of
from devlog.model.site import Site
from devlog.model.target import Copy
from devlog.model.theme import Theme
from devlog.plugins.features import site_search

Make = Callable[..., dict[str, Any]]


class Claim(msgspec.Struct, frozen=True):
    """A planned file whose context has not been made yet.

    Attributes:
        path: relative to the output folder.
        recipe: the name of the recipe that renders it.
        template: the template's name, for recipes that use one.
        make: the function of `pages` or `files` that returns everything the recipe may see.
        about: the arguments of `make`: the part of the site that the file is about.
        markdown: the output path of the Markdown version; empty without one.
    """

    path: str
    recipe: str
    template: str
    make: Make
    about: tuple[object, ...] = ()
    markdown: str = ""


class Claims:
    """Collects the files of a site while they are planned.

    Attributes:
        recipes: the number of files of each recipe.
        copies: files to copy, by path.
        diagnostics: problems with claims that were refused.
        searched: the first path claimed inside the folder of the search index, with what claims it; `None` without one.
    """

    def __init__(self) -> None:
        self.recipes: Counter[str] = Counter()
        self.copies: dict[str, Copy] = {}
        self.diagnostics: list[Diagnostic] = []
        self.searched: tuple[str, Span] | None = None
        self._owners: dict[str, Span] = {}  # by collision key
        self._folders: dict[str, tuple[str, Span]] = {}  # by collision key: the first file inside, and what claims it
        self._clashing: set[str] = set()  # paths that would be both, each of which is reported once
        self._compressed: dict[str, Span] = {}  # by collision key: what servers may send in place of that file
        self._refused: dict[str, str] = {}  # whose they were, by permalink

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
        """Claim a permalink for a file to render.

        Args:
            permalink: where the file is published.
            recipe: the name of the recipe that renders it.
            template: the template's name, for recipes that use one.
            span: what requests the file: a position in a source file, or a name such as “the archive”.
            make: see `Claim`.
            about: see `Claim`.
            has_markdown: whether to publish a Markdown version beside it.

        Yields:
            The claim, unless it is refused.
        """
        path, key = self._granted(permalink, span, is_page=recipe in ("page", "redirect"))
        if path:
            self.recipes[recipe] += 1
            yield Claim(path, recipe, template, make, about, self._markdown(path, key, span) if has_markdown else "")

    def copy(self, permalink: str, copy: Copy, span: Span) -> None:
        """Claim a permalink, whose path is that of the copy, for a file that is copied."""
        path, _ = self._granted(permalink, span)
        if path:
            self.copies[path] = copy

    def refuse(self, permalink: str, problem: Diagnostic) -> None:
        """Report why nothing may be published at a permalink, unless the problem of a page above it is enough."""
        # Below a page with the URL of another, or with a wrong one, there would be its feeds and its card: its own
        # problem is enough.
        above = {self._refused[folder] for folder in _folders(permalink) if folder in self._refused}
        if not above or (problem.span.is_file and problem.span.path not in above):
            self.diagnostics.append(problem)
            self._refused[permalink] = problem.span.path

    def reserve_compressed(self) -> None:
        """Refuse all further claims in whose place servers would send a compressed file that has been claimed.

        The files of the static folder are the owner's own: they may replace others, and none of a post replaces one.
        """
        own = {collision_key(path) for path, copy in self.copies.items() if copy.folder == "static"}
        for path, copy in self.copies.items():
            if copy.folder != "static" and (plain := without_compression(path)) != path:
                key, span = collision_key(plain), self._owners[collision_key(path)]
                if key in own:
                    self.diagnostics.append(problems.sent_instead(span, plain, self._owners[key]))
                self._compressed.setdefault(key, span)

    def _granted(self, permalink: str, span: Span, *, is_page: bool = False) -> tuple[str, str]:
        """The output path and the collision key of a permalink; both are empty when the claim is refused."""
        path = output_path(permalink)
        reason = check_out_path(path) or _of_preview(path) or (obeyed(path) if is_page else "")
        if reason:
            self.refuse(permalink, problems.bad_url(span, permalink, reason))
            return "", ""
        key = collision_key(path)
        if not self._take(path, key, span):
            return "", ""
        if self.searched is None and is_index(key):
            self.searched = path, span
        return path, key

    def _take(self, path: str, key: str, span: Span) -> bool:
        """Make a path the property of a claim, unless it is taken, or a file is where it needs a folder."""
        if key in self._owners:
            reported_at, other = _reported_first(span, self._owners[key])
            self.refuse(f"/{path.removesuffix('index.html')}", problems.colliding_url(reported_at, path, other))
            return False
        if key in self._compressed:
            self.diagnostics.append(problems.sent_instead(self._compressed[key], path, span))
            return False
        if key in self._folders:
            inside, other = self._folders[key]
            self._clash(key, path, inside, span, other)
            return False
        new: list[str] = []
        folder = key.rpartition("/")[0]
        while folder and folder not in self._folders:
            if folder in self._owners:
                above = "/".join(path.split("/")[: folder.count("/") + 1])  # keys may have other lengths
                self._clash(folder, above, path, span, self._owners[folder])
                return False
            new.append(folder)
            folder = folder.rpartition("/")[0]
        self._folders |= dict.fromkeys(new, (path, span))
        self._owners[key] = span
        return True

    def _clash(self, key: str, path: str, inside: str, span: Span, other: Span) -> None:
        """Report that a path would be both a file and the folder of the file `inside`."""
        if key not in self._clashing:
            reported_at, other = _reported_first(span, other)
            self.diagnostics.append(problems.colliding_folder(reported_at, path, inside, other))
            self._clashing.add(key)

    def _markdown(self, page: str, key: str, span: Span) -> str:
        """Claim the path of a page's Markdown version; returns an empty string if there is none or it is taken.

        The path needs no other checks, because that of the page passed them.

        Args:
            page: the output path of the page.
            key: the collision key of that path, which has the same ending.
            span: what requests the file.
        """
        path = markdown_path_of(page)
        if not path:
            return ""
        if not self._take(path, markdown_path_of(key), span):
            return ""
        self.recipes["markdown"] += 1
        return path

    def owner(self, permalink: str) -> Span | None:
        """What has claimed a permalink; `None` if it is free."""
        return self._owners.get(collision_key(output_path(permalink)))

    def is_unclaimed(self, permalink: str) -> bool:
        """Whether nothing has claimed a permalink itself so far.

        A page that gives way to another asks this: a file of a post in the place of its folder is an error instead.
        """
        return self.owner(permalink) is None

    def is_free(self, permalink: str) -> bool:
        """Whether nothing has claimed a permalink so far, nor made its path a folder, nor its folders files."""
        key = collision_key(output_path(permalink))
        folders = (key[: len(folder) - 1] for folder in _folders(f"/{key}"))
        return key not in self._owners and key not in self._folders and self._owners.keys().isdisjoint(folders)

    def brings(self, path: str) -> bool:
        """Whether the site itself has a file, at its root, that devlog would generate otherwise."""
        return collision_key(path) in {collision_key(copy) for copy in self.copies if "/" not in copy}


def claims_of_files(site: Site, theme: Theme, *, strip: bool = False) -> Claims:
    """The claims of files that a site and its theme publish as they are; with `strip`, without their metadata."""
    claims = Claims()
    for item in site.assets:
        asset = item.asset
        can = strip and asset.strips
        copy = Copy(output_path(item.permalink), item.folder, asset.file, asset.digest, strip=can, inside=asset.inside)
        claims.copy(item.permalink, copy, Span(asset.file))
    claims.reserve_compressed()
    for asset in theme.assets:
        path = f"theme/{asset.path}"
        copy = Copy(path, "theme", asset.path, asset.digest, minify=asset.minify)
        claims.copy(f"/{path}", copy, generated(f"the theme's “{asset.path}”"))
    return claims


def _reported_first(span: Span, owner: Span) -> tuple[Span, Span]:
    """Of two claims, the one at which to report the problem: if only one sets its own URL, or is a file, that one."""
    at_owner = (owner.line and not span.line) or (owner.is_file and not span.is_file)
    return (owner, span) if at_owner else (span, owner)


def _folders(permalink: str) -> Iterator[str]:
    """The permalinks of the folders that something is in."""
    return (permalink[: at + 1] for at, char in enumerate(permalink[:-1]) if char == "/")


def _of_preview(path: str) -> str:
    """Why the preview cannot show a path: the reason as `check_out_path` returns it; empty if it can."""
    return "is a folder of the preview" if path.startswith(f"{PREVIEW}/") else ""


def is_index(path: str) -> bool:
    """Whether a path is inside the folder of the search index, on a file system that ignores letter case."""
    search = site_search()
    return search is not None and path[: len(search.folder)].casefold() == search.folder
