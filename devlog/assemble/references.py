"""What fills the holes of each text, worked out when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy

import msgspec

from devlog.assemble.feeds import feed_files
from devlog.assemble.links import MOMENT, LinkIndex, resolve_all
from devlog.assemble.mentions import reference_permalinks
from devlog.assemble.site import Assembled
from devlog.assemble.views import Views, tag_permalink
from devlog.config import Config
from devlog.model import problems
from devlog.model.closest import MOST_SUGGESTIONS
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed, Ref
from devlog.model.picture import Picture, diagram_key
from devlog.model.site import Author, Redirect, Site
from devlog.model.target import Drawn, Filling, Place


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

    def __init__(
        self, config: Config, assembled: Assembled, views: Views, index: LinkIndex, wrong: Iterable[Diagnostic] = ()
    ) -> None:
        """
        Args:
            config: of the site.
            assembled: the site.
            views: makes URLs.
            index: every place of the site that a reference can lead to: see `places_of`.
            wrong: what is wrong with references that stand in no text.
        """
        self.missing: set[str] = set()
        self._config = config
        self._views = views
        self._texts = {parsed.path: (parsed, permalink) for parsed, permalink in texts_of(assembled.site)}
        self._done: dict[str, Resolved] = {}
        self._diagrams: Mapping[str, Picture] = {}
        self._index = index
        self._wrong = tuple(wrong)
        self._spoken: Mapping[str, tuple[Parsed, str]] = {}  # transcripts, and their pages, by the path of the post
        self._redirects = tuple(item for item in assembled.site.redirects if item.is_written)

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

    def with_pictures(self, images: Mapping[str, tuple[Picture, ...]]) -> References:
        """The references with other sizes and formats of pictures, by the digest of their files."""
        if not images:
            return self
        made = copy(self)
        made._index = self._index.with_pictures(images)
        made._done = {
            path: resolved
            for path, resolved in self._done.items()
            if all(place.kind != "image" for place in resolved.filling.places)
        }
        return made

    def with_transcripts(self, posts: Iterable[str], texts: Mapping[str, Parsed], urls: Iterable[str]) -> References:
        """The references of a site with episodes.

        Args:
            posts: the paths of the episodes.
            texts: their transcripts, of those that have theirs in a file.
            urls: the permalinks of other files of theirs.
        """
        made = copy(self)
        anchors = {path: texts[path].document.anchors if path in texts else () for path in posts}
        made._index = self._index.with_spoken({path: (*more, MOMENT) for path, more in anchors.items()}, urls)
        made._spoken = {path: (text, self._texts[path][1]) for path, text in texts.items()}
        made._done = {}
        return made

    def find(
        self, ref: Ref, parsed: Parsed, permalink: str, *, suggest: bool = True
    ) -> tuple[Place, Diagnostic | None]:
        """Where a reference leads that stands in the front matter of a text; `suggest` as in `LinkIndex.resolve`."""
        place, wrong = self._index.resolve(ref, parsed, permalink, suggest=suggest)
        if wrong and not ref.target.startswith((".", "/")):  # as for pictures, from the site's root, too
            rooted = msgspec.structs.replace(ref, target=f"/{ref.target}")
            other_place, other_wrong = self._index.resolve(rooted, parsed, permalink, suggest=False)
            return (place, wrong) if other_wrong else (other_place, None)
        return place, wrong

    def spoken(self, path: str) -> Filling | None:
        """The transcript of a post that has it in a file; `None` without one."""
        found = self._spoken.get(path)
        if found is None:
            return None
        parsed, permalink = found
        places, _ = resolve_all(self._index, parsed, permalink)
        return Filling(parsed.document.body, places, self._views.absolute(permalink))

    def with_drawings(self, diagrams: Mapping[str, Picture]) -> References:
        """The references with the pictures of diagrams, by key."""
        if not diagrams and not self._diagrams:
            return self
        made = copy(self)
        made._diagrams = diagrams
        made._done = {path: done for path, done in self._done.items() if not done.filling.drawings}
        return made

    def _drawings(self, parsed: Parsed) -> tuple[Drawn, ...]:
        """The pictures of a text's diagrams; those that have none stay texts."""
        drawn = []
        for diagram in parsed.document.diagrams:
            made = self._diagrams.get(diagram_key(diagram.language, diagram.text))
            configured = self._config.diagrams.get(diagram.language)
            paper = configured is None or configured.paper
            drawn.append(Drawn(self._views.url(made.permalink), made.width, made.height, paper) if made else Drawn())
        return tuple(drawn)

    def of(self, path: str) -> Resolved:
        """The references of one text."""
        if not self._texts[path][0].document.body:
            self.missing.add(path)
        return self._resolved(path)

    def texts(self) -> Iterator[Parsed]:
        """Every text that is published."""
        return (parsed for parsed, _ in self._texts.values())

    def text(self, path: str) -> Parsed | None:
        """A text that is published; `None` for any other."""
        found = self._texts.get(path)
        return found[0] if found else None

    def linked(self, path: str, pages: Mapping[str, str]) -> list[str]:
        """Which of some pages, permalinks by URL, a text refers to; each once, not its own."""
        parsed, own = self._texts[path]
        if not parsed.document.refs:
            return []
        found: dict[str, None] = {}
        for place in self._resolved(path).filling.places:
            if place.kind == "link" and place.url[:1] == "/":
                permalink = pages.get(place.url.partition("#")[0])
                if permalink and permalink != own:
                    found[permalink] = None
        return list(found)

    def diagnostics(self) -> Iterator[Diagnostic]:
        """What is wrong with the references of all texts."""
        for path in self._texts:
            yield from self._resolved(path).wrong
        yield from self._wrong
        for parsed, permalink in self._spoken.values():
            yield from resolve_all(self._index, parsed, permalink)[1]
        broken = 0
        for item in self._redirects:
            wrong = self.redirected(item, suggest=broken < MOST_SUGGESTIONS)[1]
            if wrong:
                broken += 1
                yield wrong

    def redirected(self, item: Redirect, *, suggest: bool = False) -> tuple[str, Diagnostic | None]:
        """Where a redirect that is written out somewhere leads, as other sites see it, and what is wrong with it."""
        if "://" in item.target:
            return item.target, None
        url, permalink, wrong = self._index.follow(item.target, item.span, suggest=suggest)
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
            drawings = self._drawings(parsed) if parsed.document.diagrams else ()
            filling = Filling(parsed.document.body, places, self._views.absolute(permalink), drawings)
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


def places_of(config: Config, assembled: Assembled, own_url: str) -> LinkIndex:
    """Every place of a site that a reference can lead to.

    Args:
        config: of the site.
        assembled: the site.
        own_url: the configured URL, which posts may write in their links.
    """
    index = LinkIndex(config, own_url)
    for parsed, permalink in texts_of(assembled.site):
        index.add_page(parsed, permalink)
    for item in assembled.unpublished:
        index.add_page(item.parsed, item.permalink, item.reason)
    for asset in assembled.site.assets:
        index.add_asset(asset.asset, asset.permalink, static=asset.folder == "static")
    for refused in assembled.refused:
        index.add_refused(refused.asset, refused.permalink)
    for permalink in _generated(config, assembled.site):
        index.add_url(permalink)
    return index


def avatars_of(
    authors: Iterable[Author], index: LinkIndex, *, remote: bool
) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """The pictures of authors.

    Args:
        authors: of the site.
        index: every place of the site.
        remote: whether pictures on other hosts are shown, which then learn who reads.

    Returns:
        Their URLs by the key of the author, and which of them are not there.
    """
    found: dict[str, str] = {}
    missing: list[Diagnostic] = []
    for author in authors:
        if author.avatar.startswith(("https://", "http://")):
            if remote:
                found[author.key] = author.avatar
        elif author.avatar:
            url, _, wrong = index.follow(
                author.avatar, author.avatar_span, "image", suggest=len(missing) < MOST_SUGGESTIONS
            )
            if wrong:
                missing.append(wrong)
            else:
                found[author.key] = url
    return found, tuple(missing)


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
    yield from ("/llms.txt", "/llms-full.txt") if config.llms.enabled else ()
    if config.repository:
        yield from reference_permalinks()
    folders = [topic.permalink for topic in site.topics]
    folders += [author.permalink for author in site.authors]
    folders += ["/tags/", *(tag_permalink(slug) for slug, _ in site.tags)] if site.tags else []
    yield from folders
    for folder in ("/", *folders):
        yield from feed_files(config, folder, json=True).values()
    for redirect in site.redirects:
        yield redirect.permalink
