"""Resolves the links of each source on demand, and collects what fills the holes of its body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy

import msgspec

from devlog.assemble import problems
from devlog.assemble.feeds import feed_files
from devlog.assemble.links import Landing, LinkIndex, resolve_all
from devlog.assemble.site import Assembled
from devlog.assemble.url_lengths import UrlLengths
from devlog.assemble.urls import url
from devlog.assemble.views import tag_permalink
from devlog.config import Config
from devlog.model import view
from devlog.model.closest import MOST_SUGGESTIONS
from devlog.model.derived import Derived, LinkTargets
from devlog.model.diagnostic import Diagnostic, Span, limited
from devlog.model.document import Parsed, Ref
from devlog.model.image import Drawings, ImageFile, ImageVariants, diagram_key
from devlog.model.site import Published, Redirect, Site
from devlog.model.source import Asset
from devlog.model.target import Choice, Drawn, Filling, ResolvedLink


class Resolved(msgspec.Struct, frozen=True):
    """The resolved links of a source.

    Attributes:
        links: what fills the holes, one for each link.
        files: the files of the site that the links lead to: see `Landing`. It is empty if none leads to a file.
        image: the absolute URL of the image for previews of the post on other sites.
        wrong: diagnostics of broken links.
        cover: the same image, if it is a file of the site: its URL as pages link to it, and the file.
    """

    links: tuple[ResolvedLink, ...]
    files: tuple[tuple[Published, ...], ...]
    image: str
    wrong: tuple[Diagnostic, ...]
    cover: tuple[str, Published] | None = None


class References:
    """The links of all sources of a site.

    Attributes:
        missing: the sources that were requested though only their front matter is parsed so far.
        index: everything in the site that a link can lead to.
    """

    def __init__(self, config: Config, assembled: Assembled, index: LinkIndex) -> None:
        """
        Args:
            config: the configuration of the site.
            assembled: the site.
            index: everything in the site that a link can lead to: see `link_index`.
        """
        self.missing: set[str] = set()
        self.index = index
        self._config = config
        self._sources = {parsed.path: (parsed, permalink) for parsed, permalink in sources_of(assembled.site)}
        self._done: dict[str, Resolved] = {}
        # Secondary sources shown on the page of a post, such as transcripts, with the page, by the path of the post.
        self._companion: dict[str, tuple[Parsed, str]] = {}
        redirects = assembled.site.redirects
        self._redirects = tuple(item for item in redirects if item.is_configured)
        self._aliases = {item.permalink: item.target for item in redirects if not (item.is_configured or item.yields)}

    def with_targets(self, targets: LinkTargets) -> References:
        """A copy with more link targets; every source in `targets.companions` must be published."""
        made = copy(self)
        made.missing = set()
        made.index = self.index.with_targets(targets.anchors, targets.urls)
        made._done = {}
        made._companion = {path: (item.text, self._sources[path][1]) for path, item in targets.companions.items()}
        return made

    def updated(self, sources: Mapping[str, Parsed]) -> References:
        """A copy after some sources, by path, were parsed again."""
        made = copy(self)
        made.missing = set()
        made._sources = {**self._sources}
        made._done = {**self._done}
        for path, parsed in sources.items():
            if path not in made._sources:
                continue  # it is not published
            old, permalink = made._sources[path]
            made._sources[path] = (parsed, permalink)
            made._done.pop(path, None)
            was_sketch = not old.document.body
            if was_sketch or old.document.anchors != parsed.document.anchors:  # links to them must be checked again
                made._done = {}
        made.index = self.index.updated(sources.values())
        return made

    def of(self, path: str) -> Resolved:
        """The resolved links of one source."""
        if not self._sources[path][0].document.body:
            self.missing.add(path)
        return self._resolved(path)

    def sources(self) -> Iterator[Parsed]:
        """Every published source."""
        return (parsed for parsed, _ in self._sources.values())

    def text(self, path: str) -> Parsed | None:
        """A published source; `None` if it is not published."""
        found = self._sources.get(path)
        return found[0] if found else None

    def permalink(self, path: str) -> str:
        """The permalink of the page that shows a published source."""
        return self._sources[path][1]

    def companion(self, path: str) -> tuple[Parsed, tuple[Landing, ...]] | None:
        """The secondary source shown on the page of a post, with its resolved links; `None` without one."""
        found = self._companion.get(path)
        return (found[0], resolve_all(self.index, *found)) if found else None

    def companions(self) -> Iterator[Parsed]:
        """Every secondary source that is shown on the page of a post."""
        return (parsed for parsed, _ in self._companion.values())

    def images(self, wanted: Callable[[Asset], bool]) -> dict[str, tuple[Published, Span]]:
        """The images of the site that published sources show or name, each with the position of its first use.

        Args:
            wanted: selects the files to return.

        Returns:
            One image and position for each digest of a file.
        """
        found: dict[str, tuple[Published, Span]] = {}
        for path, (parsed, _) in self._sources.items():
            for ref, files in zip(parsed.document.refs, self._resolved(path).files, strict=False):
                for item in files if ref.kind == "image" else ():
                    if wanted(item.asset):
                        found.setdefault(item.asset.digest, (item, ref.span))
            if parsed.front_matter.image and (cover := self._resolved(path).cover) and wanted(cover[1].asset):
                span = parsed.front_matter.span("image", parsed.file)
                found.setdefault(cover[1].asset.digest, (cover[1], span))
        return found

    def linked(self, path: str, pages: Mapping[str, str]) -> list[str]:
        """The given pages that a source links to, without its own page and without duplicates.

        Args:
            path: the path of the source.
            pages: the permalinks of pages, by URL.
        """
        parsed, own = self._sources[path]
        if not parsed.document.refs:
            return []
        found: dict[str, None] = {}
        for link in self._resolved(path).links:
            if link.kind == "link" and link.url[:1] == "/":
                permalink = pages.get(link.url.partition("#")[0])
                if permalink and permalink != own:
                    found[permalink] = None
        return list(found)

    def diagnostics(self) -> Iterator[Diagnostic]:
        """The diagnostics about links of all sources, and about redirects."""
        for path in self._sources:
            yield from self._resolved(path).wrong
        for parsed, permalink in self._companion.values():
            yield from _wrong(resolve_all(self.index, parsed, permalink))
        yield from self._wrong_redirects()

    def _wrong_redirects(self) -> Iterator[Diagnostic]:
        """The diagnostics about configured redirects, and about those that lead back to themselves through others."""
        broken = 0
        steps = dict(self._aliases)
        for item in self._redirects:
            _, steps[item.permalink], wrong = self._led(item, suggest=broken < MOST_SUGGESTIONS)
            if wrong:
                broken += 1
                yield wrong
        circular = _in_circles(steps)
        for item in self._redirects:
            if item.permalink in circular and steps[item.permalink] != item.permalink:
                yield problems.redirect_in_circle(item.span, item.permalink, item.target, is_own=False)

    def redirected(self, item: Redirect) -> str:
        """The absolute URL to which a configured redirect leads."""
        return self._led(item)[0]

    def _led(self, item: Redirect, *, suggest: bool = False) -> tuple[str, str, Diagnostic | None]:
        """The absolute URL to which a configured redirect leads, its permalink if it is in the site, and a problem."""
        target = item.target
        if "://" in target and not target.startswith("/"):
            permalink = self.index.follow(target, item.span, suggest=False)[1] if self.index.is_own(target) else ""
            found, wrong = target, None  # something else may have the other URLs below that of the site
        else:
            found, permalink, wrong = self.index.follow(target, item.span, suggest=suggest)
            found = self._config.origin + found
        if permalink == item.permalink:
            wrong = problems.redirect_in_circle(item.span, item.permalink, target, is_own=True)
        return found, permalink, wrong

    def resolved_links(self) -> Iterator[tuple[Parsed, tuple[ResolvedLink, ...]]]:
        """Every source with its resolved links."""
        for path, (parsed, _) in self._sources.items():
            yield parsed, self._resolved(path).links

    def _resolved(self, path: str) -> Resolved:
        found = self._done.get(path)
        if found is None:
            parsed, permalink = self._sources[path]
            landings = resolve_all(self.index, parsed, permalink)
            image, cover, wrong = self._image(parsed, permalink)
            found = self._done[path] = Resolved(
                tuple([item.link for item in landings]),
                tuple([item.files for item in landings]) if any(item.files for item in landings) else (),
                image,
                (*_wrong(landings), *wrong),
                cover,
            )
        return found

    def _image(
        self, parsed: Parsed, permalink: str
    ) -> tuple[str, tuple[str, Published] | None, tuple[Diagnostic, ...]]:
        """The image that front matter names, resolved in the same way as images in bodies: see `Resolved`."""
        image = parsed.front_matter.image
        if not image or image.startswith(("https://", "http://")):
            return image, None, ()
        ref = Ref("image", image, parsed.front_matter.span("image", parsed.file))
        link, files, wrong = self.index.find_named(ref, parsed, permalink)
        if not link.url.startswith("/"):
            return "", None, (wrong,) if wrong else ()
        return self._config.origin + link.url, (link.url, files[0]) if files else None, (wrong,) if wrong else ()


def _wrong(landings: Iterable[Landing]) -> tuple[Diagnostic, ...]:
    """The problems of the links of a source."""
    return limited(item.problem for item in landings if item.problem)


class Fillings:
    """What fills the holes of each body: resolved links, image variants and rendered diagrams."""

    def __init__(self, config: Config, references: References, derived: Derived) -> None:
        """
        Args:
            config: the configuration of the site.
            references: the links of its sources.
            derived: data derived from the site and its files.
        """
        self._config = config
        self._references = references
        self._drawings = derived.of(Drawings)
        self._choices = {digest: self._choices_of(some) for digest, some in derived.of(ImageVariants).by_digest.items()}
        self._done: dict[str, tuple[Resolved, Filling, int]] = {}

    def updated(self, references: References) -> Fillings:
        """A copy after some sources were parsed again; `references` are the updated links."""
        made = copy(self)
        made._references = references
        return made

    def of(self, path: str) -> Filling:
        """The body of one source with what fills its holes."""
        return self._filled(path)[0]

    def html_size(self, path: str) -> int:
        """The size of the HTML of a source in bytes, with the URLs of its links."""
        return self._filled(path)[1]

    def _filled(self, path: str) -> tuple[Filling, int]:
        """The results of `of` and `html_size`."""
        resolved = self._references.of(path)
        known = self._done.get(path)
        if known and known[0] is resolved:
            return known[1:]
        parsed = self._references.text(path)
        assert parsed
        drawings = self._drawn(parsed) if parsed.document.diagrams else ()
        filling = Filling(
            parsed.document.body, self._chosen(resolved.links, resolved.files), self._absolute(path), drawings
        )
        lengths = UrlLengths(parsed.document, self._config.origin, filling.page_url)
        urls = lengths.total(filling.links) if filling.links else 0
        size = parsed.document.html + urls
        self._done[path] = (resolved, filling, size)
        return filling, size

    def companion(self, path: str) -> Filling | None:
        """The body of the secondary source shown on the page of a post, and what fills its holes; `None` without it."""
        found = self._references.companion(path)
        if found is None:
            return None
        parsed, landings = found
        links = self._chosen([item.link for item in landings], [item.files for item in landings])
        return Filling(parsed.document.body, links, self._absolute(path))

    def cover(self, path: str) -> view.Cover | None:
        """The image that the front matter of a source names, for lists; `None` if it is no file of the site."""
        found = self._references.of(path).cover
        return self.cover_of(*found) if found else None

    def cover_of(self, address: str, file: Published | None) -> view.Cover | None:
        """An image with its URL as pages load it, and the file if it is one of the site; `None` without a URL."""
        if not file:
            return view.Cover(address) if address else None
        size, choices = file.asset.size, self._choices.get(file.asset.digest, ())
        # Formats stand in the order of their weight; all browsers read the last one.
        return view.Cover(
            address, size.width if size else 0, size.height if size else 0, choices[-1].srcset if choices else ""
        )

    def _absolute(self, path: str) -> str:
        return self._config.origin + url(self._config, self._references.permalink(path))

    def _chosen(
        self, links: Sequence[ResolvedLink], files: Sequence[tuple[Published, ...]]
    ) -> tuple[ResolvedLink, ...]:
        """The links and images, with the variants that a browser may load instead of an image."""
        if not self._choices or not files:
            return tuple(links)
        return tuple([self._one_chosen(link, some) for link, some in zip(links, files, strict=True)])

    def _one_chosen(self, link: ResolvedLink, files: tuple[Published, ...]) -> ResolvedLink:
        choices = self._choices.get(files[0].asset.digest, ()) if files and link.kind == "image" else ()
        dark = self._one_chosen(link.dark, files[1:]) if link.dark else None
        if not choices and dark is link.dark:
            return link
        return msgspec.structs.replace(link, choices=choices, dark=dark)

    def _choices_of(self, images: Iterable[ImageFile]) -> tuple[Choice, ...]:
        sets: dict[str, list[str]] = {}
        for image in images:
            sets.setdefault(image.type, []).append(f"{url(self._config, image.permalink)} {image.width}w")
        return tuple(Choice(kind, ", ".join(candidates)) for kind, candidates in sets.items())

    def _drawn(self, parsed: Parsed) -> tuple[Drawn, ...]:
        """The rendered diagrams of a source; empty values for diagrams that are shown as code."""
        return tuple(
            [self._one_drawn(diagram_key(item.language, item.text), item.language) for item in parsed.document.diagrams]
        )

    def _one_drawn(self, key: str, language: str) -> Drawn:
        light, dark = self._drawings.by_key.get(key), self._drawings.dark.get(key)
        if light is None:
            return Drawn()
        configured = self._config.diagrams.get(language)
        urls = [url(self._config, image.permalink) if image else "" for image in (light, dark)]
        return Drawn(urls[0], light.width, light.height, urls[1], paper=bool(configured and configured.paper))


def _in_circles(steps: Mapping[str, str]) -> set[str]:
    """The redirects that lead back to themselves.

    Args:
        steps: where each redirect leads, by permalink.
    """
    found: set[str] = set()
    seen: set[str] = set()
    for start in steps:
        path: list[str] = []
        place = start
        while place in steps and place not in seen:
            seen.add(place)
            path.append(place)
            place = steps[place]
        if place in path:
            found.update(path[path.index(place) :])
    return found


def link_index(config: Config, assembled: Assembled, own_url: str) -> LinkIndex:
    """Build the index of everything in a site that a link can lead to.

    Args:
        config: the configuration of the site.
        assembled: the site.
        own_url: the configured URL, which posts may use in their links.
    """
    index = LinkIndex(config, own_url)
    for parsed, permalink in sources_of(assembled.site):
        index.add_page(parsed, permalink)
    for item in assembled.unpublished:
        index.add_page(item.parsed, item.permalink, item.reason)
    for asset in assembled.site.assets:
        index.add_asset(asset)
    for refused in assembled.refused:
        index.add_refused(refused.asset, refused.permalink)
    for permalink in _generated(config, assembled.site):
        index.add_url(permalink)
    return index


def sources_of(site: Site) -> Iterator[tuple[Parsed, str]]:
    """Every published source of a site, with the permalink of the page that shows it."""
    for post in (*site.posts, *site.pages):
        yield post.parsed, post.permalink
    for topic in site.topics:
        if topic.index:
            yield topic.index, topic.permalink
    if site.home:
        yield site.home, "/"


def _generated(config: Config, site: Site) -> Iterable[str]:
    """The permalinks of pages and files that devlog generates."""
    yield from ("/", "/archive/", "/authors/", "/tags/", "/sitemap.xml", "/posts.json", "/404.html", "/robots.txt")
    folders = [topic.permalink for topic in site.topics]
    folders += [author.permalink for author in site.authors]
    folders += ["/tags/", *(tag_permalink(slug) for slug, _ in site.tags)] if site.tags else []
    yield from folders
    for folder in ("/", *folders):
        yield from feed_files(config, folder, json=True).values()
    for redirect in site.redirects:
        yield redirect.permalink
