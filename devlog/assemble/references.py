"""What fills the holes of each text, worked out when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy

import msgspec

from devlog.assemble.feeds import feed_files
from devlog.assemble.links import LinkIndex, resolve_all
from devlog.assemble.site import Assembled
from devlog.assemble.views import Views, tag_permalink
from devlog.config import Config
from devlog.model import problems
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed, Ref
from devlog.model.site import Redirect, Site
from devlog.model.target import Filling, Place


class Resolved(msgspec.Struct, frozen=True):
    """The references of a text.

    Attributes:
        filling: its body with what fills the holes.
        image: the picture that stands for a post elsewhere, as an absolute URL.
        wrong: which of them lead nowhere.
    """

    filling: Filling
    image: str
    wrong: tuple[Diagnostic, ...]


class References:
    """The references of all texts of a site.

    Attributes:
        missing: the texts that were asked for though they are not parsed in full yet.
    """

    def __init__(self, config: Config, assembled: Assembled, views: Views, own_url: str) -> None:
        """
        Args:
            config: of the site.
            assembled: the site.
            views: makes URLs.
            own_url: the configured URL, which posts may write in their links.
        """
        self.missing: set[str] = set()
        self._config = config
        self._views = views
        self._texts = {parsed.path: (parsed, permalink) for parsed, permalink in texts_of(assembled.site)}
        self._done: dict[str, Resolved] = {}
        self._index = LinkIndex(config, own_url)
        self._redirects = tuple(item for item in assembled.site.redirects if item.is_written)
        self._fill(assembled)

    def _fill(self, assembled: Assembled) -> None:
        for parsed, permalink in self._texts.values():
            self._index.add_page(parsed, permalink)
        for item in assembled.unpublished:
            self._index.add_page(item.parsed, item.permalink, item.reason)
        for asset in assembled.site.assets:
            self._index.add_asset(asset.asset, asset.permalink, static=asset.folder == "static")
        for permalink in _generated(self._config, assembled.site):
            self._index.add_url(permalink)

    def amended(self, views: Views, texts: Mapping[str, Parsed]) -> References:
        """The references after some texts were parsed anew, by path."""
        made = copy(self)
        made.missing = set()
        made._views = views
        made._texts = {**self._texts}
        made._done = {**self._done}
        for path, parsed in texts.items():
            if path not in made._texts:
                continue  # it is not published
            old, permalink = made._texts[path]
            made._texts[path] = (parsed, permalink)
            made._done.pop(path, None)
            was_sketch = not old.document.body
            if was_sketch or old.document.anchors != parsed.document.anchors:  # others' links to them are checked anew
                made._done = {}
        made._index = self._index.amended(texts.values())
        return made

    def of(self, path: str) -> Resolved:
        """The references of one text."""
        if not self._texts[path][0].document.body:
            self.missing.add(path)
        return self._resolved(path)

    def diagnostics(self) -> Iterator[Diagnostic]:
        """What is wrong with the references of all texts."""
        for path in self._texts:
            yield from self._resolved(path).wrong
        for item in self._redirects:
            wrong = self.redirected(item)[1]
            if wrong:
                yield wrong

    def redirected(self, item: Redirect) -> tuple[str, Diagnostic | None]:
        """Where a redirect that is written out somewhere leads, as other sites see it, and what is wrong with it."""
        if "://" in item.target:
            return item.target, None
        url, permalink, wrong = self._index.follow(item.target, item.span)
        if permalink == item.permalink:
            wrong = problems.bad_redirect(item.span, item.permalink, item.target)
        return self._config.origin + url, wrong

    def places(self) -> Iterator[tuple[Parsed, tuple[Place, ...]]]:
        """Every text with what its references lead to."""
        for path, (parsed, _) in self._texts.items():
            yield parsed, self._resolved(path).filling.places

    def _resolved(self, path: str) -> Resolved:
        found = self._done.get(path)
        if found is None:
            parsed, permalink = self._texts[path]
            places, wrong = resolve_all(self._index, parsed, permalink)
            image, image_wrong = self._image(parsed, permalink)
            filling = Filling(parsed.document.body, places, self._views.absolute(permalink))
            found = self._done[path] = Resolved(filling, image, (*wrong, *image_wrong))
        return found

    def _image(self, parsed: Parsed, permalink: str) -> tuple[str, tuple[Diagnostic, ...]]:
        """A picture that front matter names, found as pictures in the text are."""
        image = parsed.front_matter.image
        if not image or image.startswith(("https://", "http://")):
            return image, ()
        ref = Ref("image", image, parsed.front_matter.span("image", parsed.file))
        place, wrong = self._index.resolve(ref, parsed, permalink)
        if wrong and not image.startswith((".", "/")):  # Hugo finds it from the site's root, too
            rooted = msgspec.structs.replace(ref, target=f"/{image}")
            other_place, other_wrong = self._index.resolve(rooted, parsed, permalink)
            place, wrong = (place, wrong) if other_wrong else (other_place, None)
        return self._config.origin + place.url if place.url.startswith("/") else "", (wrong,) if wrong else ()


def texts_of(site: Site) -> Iterator[tuple[Parsed, str]]:
    """Every text of a site and the page it stands in."""
    for post in (*site.posts, *site.pages):
        yield post.parsed, post.permalink
    for topic in site.topics:
        if topic.index:
            yield topic.index, topic.permalink
    if site.home:
        yield site.home, "/"


def _generated(config: Config, site: Site) -> Iterable[str]:
    """The permalinks of what devlog makes itself."""
    yield from ("/", "/archive/", "/authors/", "/tags/", "/sitemap.xml", "/posts.json", "/404.html", "/robots.txt")
    folders = [topic.permalink for topic in site.topics]
    folders += [author.permalink for author in site.authors]
    folders += ["/tags/", *(tag_permalink(slug) for slug, _ in site.tags)] if site.tags else []
    yield from folders
    for folder in ("/", *folders):
        yield from feed_files(config, folder, json=True).values()
    for redirect in site.redirects:
        yield redirect.permalink
