"""Resolves links: first as paths of source files, then as URLs of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

import msgspec

from devlog.assemble import problems
from devlog.assemble.url_lengths import UrlLengths
from devlog.assemble.urls import url
from devlog.config import README, Config
from devlog.model.closest import MOST_SUGGESTIONS, Words, closest
from devlog.model.codes import UNREAD
from devlog.model.composed import composed
from devlog.model.diagnostic import Diagnostic, Edit, Fix, Span
from devlog.model.document import Document, Parsed, Ref, RefKind
from devlog.model.expansion import most_expanded
from devlog.model.image import MODES
from devlog.model.problems import nearest
from devlog.model.relative import relative
from devlog.model.site import Published
from devlog.model.source import Asset, Size
from devlog.model.target import ResolvedLink
from devlog.model.urls import decoded, has_scheme, rooted

MOMENT = "t="
"""The beginning of fragments that link to a second of an episode. Pages of episodes have it among their anchors."""

_LONGEST = 200
"""The maximum length of a suggested target: a few letters could otherwise get a long path in a message, and in its fix,
again and again."""

_FEW = 50
"""Up to this number of fragments, a linear search is used."""

_BROKEN = frozenset({"broken-anchor", "broken-image", "broken-link"})

_LINE = "-L"
"""The end of anchors of code blocks, as `parse.code.line_links` makes them: in links, numbers of lines follow."""

_LINES = re.compile(rf"(.+?{_LINE})([0-9]+(?:-L?[0-9]+)?)")

_SECONDS = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3})?")


class Destination(msgspec.Struct, frozen=True):
    """Something inside the site that a link can lead to.

    ``anchors`` is `None` if fragments are not checked; ``reason`` says why a post is unpublished; ``asset`` is the file
    if the destination is a file that is published as it is.
    """

    permalink: str
    anchors: tuple[str, ...] | None = None
    size: Size | None = None
    reason: str = ""
    asset: Published | None = None


def _is_page(destination: Destination) -> bool:
    return destination.asset is None and destination.permalink.endswith(("/", ".html"))


def _unfit_image(ref: Ref, destination: Destination) -> Diagnostic | None:
    """The problem with an image that browsers cannot show."""
    if _is_page(destination):
        return problems.page_as_image(ref.span, ref.target)
    published = destination.asset
    if published and published.asset.is_damaged_image:
        return problems.damaged_image(ref.span, ref.target, empty=not published.asset.length)
    return None


class Landing(NamedTuple):
    """The result of resolving a link.

    Attributes:
        link: what fills the hole. A link without a destination keeps its target as written.
        files: the file of the site that the link leads to, if any; for a pair of images both, the light one first.
        problem: the diagnostic of a broken link.
    """

    link: ResolvedLink
    files: tuple[Published, ...] = ()
    problem: Diagnostic | None = None


class _Found(msgspec.Struct, frozen=True):
    destination: Destination
    rightly_spelt: str = ""


class _Namesakes(msgspec.Struct, frozen=True):
    """The first source with a name, and the number of sources with that name."""

    first: str
    count: int


class _Alike(NamedTuple):
    """Candidates for a misspelled name, by their distinguishing part, and these parts as words to compare with."""

    names: Mapping[str, str]
    words: Words


class _Fragments(NamedTuple):
    """The fragments of a page that has many, for repeated lookups: ``code`` has those that numbers of lines follow."""

    anchors: tuple[str, ...]
    known: frozenset[str]
    words: Words
    code: Words
    by_composed: Mapping[str, str]


class LinkIndex:
    """All destinations of links, by source path and by URL.

    Attributes:
        own_url: the configured URL of the site, which posts may use even if the build is for another URL.
    """

    def __init__(self, config: Config, own_url: str = "") -> None:
        """
        Args:
            config: the configuration of the site.
            own_url: the configured URL of the site.
        """
        self.own_url = own_url
        self._config = config
        # A bare path such as "/" does not identify the site: every path would begin with it.
        addresses = [decoded(base.rstrip("/")) for base in (config.base_url, own_url) if "://" in base]
        self._addresses = [*addresses, *(address.replace("https://", "http://", 1) for address in addresses)]
        paths = [decoded(urlsplit(base).path.rstrip("/")) + "/" for base in (config.base_url, own_url)]
        self._base_paths = [path for path in dict.fromkeys(paths) if path != "/"]
        self._by_source: dict[str, Destination] = {}
        self._by_url: dict[str, Destination] = {}
        self._by_name: dict[str, list[str]] = {}
        self._mounted_files: dict[str, str] = {}  # of sources and files in mounted folders, by path
        self._folded: dict[str, str] | None = None
        self._folded_names: dict[str, list[str]] | None = None
        self._namesakes: dict[str, dict[str, _Namesakes]] = {}
        self._alike: dict[tuple[str, tuple[str, ...]], _Alike] = {}
        self._fragments: dict[int, _Fragments] = {}  # by the identity of the anchors: a comparison takes long
        self._spoken: dict[str, tuple[str, ...]] = {}  # anchors in transcripts of episodes, by the path of the post

    # -- filling

    def add_page(self, parsed: Parsed, permalink: str, reason: str = "") -> None:
        """Add a page that comes from a source; `reason` says why it is not published."""
        destination = Destination(permalink, _anchors(parsed), None, reason)
        self._by_source[parsed.path] = destination
        if self._config.is_mounted(parsed.file):
            self._mounted_files[parsed.path] = parsed.file
        self._by_name.setdefault(posixpath.basename(parsed.path), []).append(parsed.path)
        folder, _, file = parsed.path.rpartition("/")
        if file.rpartition(".")[0] in ("index", "_index"):
            self._by_source.setdefault(folder, destination)
            self._by_name.setdefault(posixpath.basename(folder), []).append(parsed.path)
        self._by_url.setdefault(_url_key(permalink), destination)

    def add_url(self, permalink: str) -> None:
        """Add a page or file that devlog generates."""
        self._by_url.setdefault(_url_key(permalink), Destination(permalink))

    def add_asset(self, item: Published) -> None:
        """Add a file that is published as it is."""
        destination = Destination(item.permalink, None, item.asset.size, asset=item)
        if self._config.is_mounted(item.asset.file):
            self._mounted_files[item.asset.path] = item.asset.file
        prefix = f"{self._config.static}/" if item.folder == "static" else ""
        self._by_source.setdefault(prefix + item.asset.path, destination)
        self._by_url[_url_key(item.permalink)] = destination

    def add_refused(self, asset: Asset, permalink: str) -> None:
        """Add a file that is not published because a browser or server would run it."""
        destination = Destination(permalink, reason="active content")
        self._by_source.setdefault(asset.path, destination)
        self._by_url.setdefault(_url_key(permalink), destination)

    def with_targets(self, anchors: Mapping[str, tuple[str, ...]], urls: Iterable[str]) -> LinkIndex:
        """A copy of the index with more destinations.

        Args:
            anchors: additional fragments of pages, by the paths of their sources.
            urls: permalinks of files that devlog generates.
        """
        made = self._copied()
        made._folded = None
        made._spoken = {**self._spoken, **anchors}
        for path, some in anchors.items():
            old = made._by_source.get(path)
            if old is not None and old.anchors is not None:
                made._put(path, old, msgspec.structs.replace(old, anchors=(*old.anchors, *some)))
        for permalink in urls:
            made.add_url(permalink)
        return made

    def updated(self, sources: Iterable[Parsed]) -> LinkIndex:
        """A copy of the index after some sources were parsed again, which may have changed their fragments."""
        made = self._copied()
        for parsed in sources:
            old = made._by_source.get(parsed.path)
            if old is None:
                continue  # it is not part of the site
            anchors = _anchors(parsed)
            if anchors is not None and parsed.path in self._spoken:
                anchors = (*anchors, *self._spoken[parsed.path])
            made._put(parsed.path, old, msgspec.structs.replace(old, anchors=anchors))
        return made

    def _copied(self) -> LinkIndex:
        made = copy(self)
        made._by_source = {**self._by_source}
        made._by_url = {**self._by_url}
        made._fragments = {}
        return made

    def _put(self, path: str, old: Destination, new: Destination) -> None:
        """Replace the destination of a source under every key that refers to it."""
        for index, key in (
            (self._by_source, path),
            (self._by_source, posixpath.dirname(path)),
            (self._by_url, _url_key(old.permalink)),
        ):
            if index.get(key) is old:
                index[key] = new

    # -- lookups

    @property
    def variants(self) -> int:
        """In how many files a page may show an image: in its own, and in each width and format that is made of it."""
        images = self._config.images
        return 1 + len(images.widths) * len(images.formats) if images.enabled else 1

    def lengths(self, document: Document, permalink: str) -> UrlLengths:
        """Measures the URLs of a document on a page."""
        origin = self._config.origin
        return UrlLengths(document, origin, origin + url(self._config, permalink))

    def is_own(self, target: str) -> bool:
        """Whether a URL with a host is one of the site."""
        return "://" not in self._site_path(_split(target)[0])

    def resolve(self, ref: Ref, parsed: Parsed, permalink: str, *, suggest: bool = True) -> Landing:
        """Resolve a link.

        Args:
            ref: the link.
            parsed: the source that contains it.
            permalink: the page that contains it.
            suggest: whether to suggest a similar destination if the target does not exist. A file with the same name
                elsewhere is suggested in any case.
        """
        target = ref.target
        path, query, fragment = _split(target)
        if not path and not query:
            anchors: tuple[str, ...] | None = parsed.document.anchors
            if parsed.path in self._spoken:  # its destination has all fragments of the page, with those of a transcript
                anchors = self._by_source[parsed.path].anchors
            problem = None
            if anchors is not None:
                fragment = self._as_on_page(fragment, anchors)
                problem = self._check_anchor(ref, fragment, anchors, suggest=suggest)
            return Landing(ResolvedLink(ref.kind, ref.attribute, _with("", "", fragment)), (), problem)
        found = self._find(path, parsed.path, permalink, parsed.file)
        if found is None:
            return self._missing(ref, path, query, fragment, parsed, suggest=suggest)
        destination = found.destination
        if destination.anchors is not None:
            fragment = self._as_on_page(fragment, destination.anchors)
        if ref.kind == "image":
            link, files = self._image(ref, destination, query, fragment)
        else:
            link = ResolvedLink(
                ref.kind, ref.attribute, _with(url(self._config, destination.permalink), query, fragment)
            )
            files = (destination.asset,) if destination.asset else ()
        problem = None
        if destination.reason:
            problem = problems.link_to_unpublished(ref.span, target, destination.reason)
        elif ref.kind == "image" and (unfit := _unfit_image(ref, destination)):
            problem = unfit
        elif found.rightly_spelt and not self._may_ignore_case(path):
            right = self._as_written_in(parsed.path, found.rightly_spelt, parsed.file)
            fix = _retarget(ref, right)
            problem = problems.case_mismatch(ref.span, target, right, fix)
        elif destination.anchors is not None:
            problem = self._check_anchor(ref, fragment, destination.anchors, suggest=suggest)
        return Landing(link, files, problem)

    def _may_ignore_case(self, path: str) -> bool:
        """Whether a path names a page as wiki links do: without the ending of its file, and in any letter case."""
        return self._config.markdown.wiki_links and "." not in path.rpartition("/")[2]

    def find_named(self, ref: Ref, parsed: Parsed, permalink: str, *, suggest: bool = True) -> Landing:
        """Resolve a link in the front matter of a source, which may also be relative to the site's root, as in Hugo."""
        found = self.resolve(ref, parsed, permalink, suggest=suggest)
        if found.problem and not ref.target.startswith((".", "/")):
            rooted = msgspec.structs.replace(ref, target=f"/{ref.target}")
            other = self.resolve(rooted, parsed, permalink, suggest=False)
            return found if other.problem else other
        return found

    def _image(
        self, ref: Ref, destination: Destination, query: str, fragment: str
    ) -> tuple[ResolvedLink, tuple[Published, ...]]:
        """What fills the hole of an image, and its file; for a pair of images also the file for dark mode."""
        mode = MODES.get(fragment, "")
        files: tuple[Published, ...] = (destination.asset,) if destination.asset else ()
        dark = None
        if not mode and files and (other := self._by_url.get(_in_dark(destination.permalink))):
            dark, others = self._image(ref, other, query, "only-dark")
            files += others
        link = ResolvedLink(
            ref.kind,
            ref.attribute,
            _with(url(self._config, destination.permalink), query, "" if mode else fragment),
            None if ref.sized else destination.size,
            mode=mode,
            dark=dark,
        )
        return link, files

    def follow(
        self, target: str, span: Span, kind: RefKind = "link", *, suggest: bool = True
    ) -> tuple[str, str, Diagnostic | None]:
        """Resolve a path, relative to the site's root, that is not in the body of a source.

        Args:
            target: the path, optionally with a query and a fragment.
            span: its position.
            kind: the kind of link.
            suggest: see `resolve`.

        Returns:
            The URL as pages link to it, the permalink, and a diagnostic. Without a destination, the URL is as written
            and the permalink is empty.
        """
        path, query, fragment = _split(target)
        found = self._find(path, "", "/") or self._find(_without_dots(self._site_path(path)), "", "/")
        if found is None:
            near, _ = self._nearest(path, "", suggest=suggest)
            hint = near if near.startswith("/") or not near else f"/{near}"
            problem = problems.broken_link if kind == "link" else problems.broken_image
            return _with(self._absolute_as_written(path), query, fragment), "", problem(span, target, hint)
        destination = found.destination
        wrong = None
        if destination.reason:
            wrong = problems.link_to_unpublished(span, target, destination.reason)
        elif kind == "image" and _is_page(destination):
            return self._absolute_as_written(path), "", problems.page_as_image(span, target)
        return _with(url(self._config, destination.permalink), query, fragment), destination.permalink, wrong

    def page_of(
        self, ref: Ref, parsed: Parsed, permalink: str, *, suggest: bool = True
    ) -> tuple[str, Diagnostic | None]:
        """The permalink of the page that a link leads to, and a diagnostic if it is broken. Ignores fragments.

        So the result does not depend on the bodies of sources. The permalink is empty if the link is broken or does not
        name a page.
        """
        target = ref.target.partition("#")[0]
        path = _split(target)[0]
        if not path:
            return "", None
        landing = self.resolve(msgspec.structs.replace(ref, target=target), parsed, permalink, suggest=suggest)
        found = self._find(path, parsed.path, permalink, parsed.file)
        return found.destination.permalink if found else "", landing.problem

    def _find(self, path: str, source: str, permalink: str, file: str = "") -> _Found | None:
        path = self._site_path(path)
        sources, urls = self._candidates(path, source, permalink)
        sources = [*self._mounted(path, file), *sources]
        for candidate in sources:
            destination = self._by_source.get(candidate)
            if destination:
                return _Found(destination)
        for candidate in urls:
            destination = self._by_url.get(_url_key(candidate))
            if destination:
                return _Found(destination)
        named = self._named(path, self._by_name)
        if named:
            return _Found(self._by_source[named])
        return self._find_folded([*sources, *urls]) or self._find_folded_name(path)

    def _find_folded(self, candidates: Iterable[str]) -> _Found | None:
        """A match that differs only in letter case or Unicode normalization."""
        if self._folded is None:
            self._folded = {_fold(key): key for key in (*self._by_url, *self._by_source)}
        for candidate in candidates:
            key = self._folded.get(_fold(candidate)) or self._folded.get(_fold(_url_key(candidate)))
            if key is not None:
                return _Found(self._by_source.get(key) or self._by_url[key], key)
        return None

    def _find_folded_name(self, path: str) -> _Found | None:
        """The page in any folder whose file has a name that differs only in letter case or Unicode normalization."""
        if self._folded_names is None:
            self._folded_names = {}
            for name, paths in self._by_name.items():
                self._folded_names.setdefault(_fold(name), []).extend(paths)
        key = self._named(_fold(path), self._folded_names)
        return _Found(self._by_source[key], key) if key else None

    @staticmethod
    def _named(path: str, names: Mapping[str, list[str]]) -> str:
        """The only source with a name. Hugo's ref and Jekyll's post_url name posts by their files, in any folder."""
        if "/" in path or path.rpartition(".")[0] in ("index", "_index"):
            return ""
        endings = ("", ".md", ".markdown", ".html")
        found = next((found for end in endings if (found := names.get(path + end))), [])
        return found[0] if len(found) == 1 else ""

    def _site_path(self, path: str) -> str:
        """The path of a link without the site's own URL and without the syntax of other generators."""
        for address in self._addresses:
            if f"{path}/".lower().startswith(f"{address}/".lower()):
                return "/" + path[len(address) :].lstrip("/")
        path = re.sub(r"^\{(?:filename|static|attach)\}", "", path)
        path = re.sub(r"^link://(?:slug|filename)/", "", path)
        return "/" + path[2:] if path.startswith("@/") else path

    def _candidates(self, path: str, source: str, permalink: str) -> tuple[list[str], list[str]]:
        """The source paths and the URLs that `path` may refer to, best first."""
        content = self._config.content_prefix
        if path.startswith("/"):
            inside = path.strip("/")
            sources = [inside]
            if content and inside.startswith(content):
                sources.append(inside[len(content) :])
            urls = [path]
            for base in self._base_paths:
                if path.startswith(base):
                    without = path[len(base) - 1 :]
                    sources.insert(0, without.strip("/"))
                    urls.insert(0, without)
            urls += [f"{link.rstrip('/')}.html" for link in urls]  # hosts serve Jekyll's about.html at /about
            return [*sources, *(f"{path}.md" for path in sources)], urls
        folder = posixpath.dirname(source)
        sources = [posixpath.normpath(posixpath.join(folder, path))]
        # A path relative to the repository may point into the static folder; it then works on GitHub, too.
        in_site = posixpath.normpath(posixpath.join(content, folder, path))
        sources.append(in_site.removeprefix(content))
        static = f"{self._config.static}/"
        for hops in ("", "../", "../../"):
            if path.startswith(hops + static):
                sources.append(path[len(hops) :])
        if not path.endswith((".md", ".markdown")):
            sources.append(posixpath.normpath(posixpath.join(folder, f"{path.rstrip('/')}.md")))
        if "/" in path and not path.startswith("."):  # Hugo's ref and Pelican's {filename} may be relative to the root
            sources.append(posixpath.normpath(path))
        page = permalink if permalink.endswith("/") else posixpath.dirname(permalink) + "/"
        urls = [posixpath.join(page, path), "/" + posixpath.join(folder, path)]
        if path.startswith(("../", "./")):
            urls.append(posixpath.join(posixpath.dirname(page.rstrip("/")) + "/", path))
        return sources, [posixpath.normpath(candidate) for candidate in urls]

    def _mounted(self, path: str, file: str) -> list[str]:
        """The source paths that a link between the content and a mounted folder, as on a code host, may refer to."""
        if not self._config.mounts or path.startswith("/"):
            return []
        there = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
        content = self._config.content_prefix
        inside = there.removeprefix(content) if there.startswith(content) else ""
        readme = self._config.mounted(f"{there}/{README}")
        return [place for place in (inside, self._config.mounted(there), readme) if place]

    def _missing(self, ref: Ref, path: str, query: str, fragment: str, parsed: Parsed, *, suggest: bool) -> Landing:
        as_written = _with(self._absolute_as_written(path), query, fragment)
        link = ResolvedLink(ref.kind, ref.attribute, as_written)
        content = self._config.content_prefix
        in_root = posixpath.normpath(posixpath.join(posixpath.dirname(parsed.file), path))
        within = in_root.startswith((content, "{", "link:")) if content else not in_root.startswith("..")
        within = within or self._config.is_mounted(in_root)
        outside = not path.startswith("/") and not within
        if ref.kind == "link" and outside and not in_root.startswith(self._config.static):
            in_repository = self._config.source_path(in_root)
            is_inside = not in_repository.startswith("..")
            if self._config.source_repo and is_inside:
                shown = self._config.view_pattern.replace("{path}", quote(in_repository))
                return Landing(ResolvedLink(ref.kind, ref.attribute, _with(shown, query, fragment)))
            problem = problems.link_leaves_site(ref.span, ref.target, in_repository=is_inside)
            return Landing(link, (), problem)
        near, sure = self._nearest(path, parsed.path, suggest=suggest, file=parsed.file)
        fix = _retarget(ref, near) if sure else None
        broken = problems.broken_link if ref.kind == "link" else problems.broken_image
        return Landing(link, (), broken(ref.span, ref.target, near, fix))

    def _absolute_as_written(self, path: str) -> str:
        """The target of a broken link: as written, with the base path in front if it is absolute."""
        path = quote(rooted(self._site_path(path)), safe="/~!$&'()*,;=:@+%")
        if path.startswith("/") and not path.startswith(self._config.base_path):
            return self._config.base_path + path[1:]
        # Once decoded, the first segment may look like a scheme (RFC 3986, section 4.2).
        is_file = not path.startswith(("http:", "https:", "link:")) and has_scheme(path)
        return f"./{path}" if is_file else path

    def _nearest(self, path: str, source: str, *, suggest: bool, file: str = "") -> tuple[str, bool]:
        """The likely intended target of a broken link, written so that it works in the given source.

        The second value is whether the target is certain: exactly one file elsewhere has that name.
        """
        name = _own_name(path.rstrip("/"))
        ending = posixpath.splitext(name)[1]
        known = self._known_names(ending)
        count = known[name].count if name in known else 0
        if not count:
            alike = self._alike_names(ending, _digits(name)) if suggest else _NONE
            close = closest(_stem(name), alike.words, 0.75)
            if not close:
                return "", False
            name = alike.names[close]
        if known[name].first == posixpath.dirname(source):
            return "", False
        near = self._as_written_in(source, known[name].first, file)
        return (near, count == 1 and bool(ending)) if len(near) <= _LONGEST else ("", False)

    def _known_names(self, ending: str) -> Mapping[str, _Namesakes]:
        """The names of sources with an extension; those of all sources if it is empty."""
        if not self._namesakes:
            made: dict[str, dict[str, _Namesakes]] = {"": {}}
            for candidate in self._by_source:
                base = _own_name(candidate)
                for group in {posixpath.splitext(candidate)[1], ""}:
                    names = made.setdefault(group, {})
                    old = names.get(base)
                    names[base] = _Namesakes(old.first, old.count + 1) if old else _Namesakes(candidate, 1)
            self._namesakes = made
        return self._namesakes.get(ending, {})

    def _alike_names(self, ending: str, digits: tuple[str, ...]) -> _Alike:
        """The names of sources with an extension and with the same numbers, by their distinguishing part.

        Names with different numbers are never suggested for each other: figure4.png was not meant to be figure9.png.
        """
        if (ending, ()) not in self._alike:
            made: dict[tuple[str, ...], dict[str, str]] = {(): {}}
            for other in sorted(self._known_names(ending), reverse=True):
                made.setdefault(_digits(other), {})[_stem(other)] = other
            self._alike |= {(ending, some): _Alike(names, Words(names)) for some, names in made.items()}
        return self._alike.get((ending, digits), _NONE)

    def _check_anchor(self, ref: Ref, fragment: str, anchors: tuple[str, ...], *, suggest: bool) -> Diagnostic | None:
        if not fragment or fragment == "top" or fragment.startswith((":~:", "!")):
            return None
        many = self._fragments_of(anchors)
        known: Collection[str] = many.known if many else anchors
        if fragment in known:
            return None
        if fragment.startswith(MOMENT) and MOMENT in known and _SECONDS.fullmatch(fragment, len(MOMENT)):
            return None
        name, lines = _cut_at_lines(fragment)
        if lines and name in known:
            return None
        near = ""
        if suggest and lines:
            near = nearest(name, many.code if many else _of_code(anchors))
            near = near and near + lines
        if suggest and not near:
            near = nearest(fragment, many.words if many else _without_lines(anchors))
        return problems.broken_anchor(ref.span, ref.target, fragment, near)

    def _as_on_page(self, fragment: str, anchors: tuple[str, ...]) -> str:
        """A fragment in the Unicode normalization that the page has it in: to browsers, any other is another one."""
        if fragment.isascii():
            return fragment
        many = self._fragments_of(anchors)
        if fragment in (many.known if many else anchors):
            return fragment
        spellings = many.by_composed if many else _by_composed(anchors)
        name, lines = _cut_at_lines(fragment)
        own = spellings.get(composed(name)) if lines else None
        return own + lines if own else spellings.get(composed(fragment), fragment)

    def _fragments_of(self, anchors: tuple[str, ...]) -> _Fragments | None:
        """The fragments of a page, for repeated lookups; `None` for most pages, which have few."""
        if len(anchors) <= _FEW:
            return None
        found = self._fragments.get(id(anchors))
        if found is None:
            words = Words(dict.fromkeys(_without_lines(anchors)))
            of_code = dict.fromkeys(_of_code(anchors))
            code = Words(of_code) if of_code else _NONE.words
            found = _Fragments(anchors, frozenset(anchors), words, code, _by_composed(anchors))
            self._fragments[id(anchors)] = found
        return found

    def _as_written_in(self, source: str, key: str, file: str = "") -> str:
        """The key of an index entry as a source would write it: a URL unchanged, a file relative to the source."""
        if key.startswith("/"):
            return key
        if key.startswith(f"{self._config.static}/"):
            return "/" + key[len(self._config.static) + 1 :]
        if file and self._mounted_files:
            there = self._mounted_files.get(key) or self._config.in_content(key)
            return relative(there, posixpath.dirname(file))
        return relative(key, posixpath.dirname(source))


_NONE = _Alike({}, Words(()))


def _in_dark(permalink: str) -> str:
    """The permalink of the variant of an image for dark mode: `chart.dark.png` beside `chart.png`."""
    stem, dot, ending = permalink.rpartition(".")
    return f"{stem}.dark{dot}{ending}"


def _own_name(path: str) -> str:
    """The identifying name of a file: for an index file, a name that many folders have, it includes the folder."""
    folder, _, base = path.rpartition("/")
    if base.rpartition(".")[0] in ("index", "_index"):
        return f"{posixpath.basename(folder)}/{base}"
    return base


def _digits(name: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\d+", name))


def _stem(name: str) -> str:
    """The part that tells a name from others: all of them may end in ``.png``, or in ``/index.md``."""
    folder, _, base = name.rpartition("/")
    return folder or posixpath.splitext(base)[0]


def _retarget(ref: Ref, path: str) -> Fix | None:
    """A fix that replaces the path of a link as written in the source, and keeps the query and the fragment."""
    if ref.shown or not 0 < len(ref.target) <= ref.span.length:
        return None
    rest = ref.target[len(re.split(r"[?#]", ref.target, maxsplit=1)[0]) :]
    return Fix((Edit(ref.span, ref.target, quote(path, safe=TEXT_SAFE) + rest),))


def _anchors(parsed: Parsed) -> tuple[str, ...] | None:
    """The fragments of a source; `None` while only its front matter is parsed, or if it could not be read."""
    unread = any(problem.code in UNREAD for problem in parsed.diagnostics)
    return parsed.document.anchors if parsed.document.body and not unread else None


def _cut_at_lines(fragment: str) -> tuple[str, str]:
    """A fragment for lines of code, cut before the numbers; otherwise the second part is empty."""
    found = _LINES.fullmatch(fragment)
    return (found[1], found[2]) if found else (fragment, "")


def _without_lines(anchors: tuple[str, ...]) -> tuple[str, ...]:
    """The anchors that are whole fragments, without those to which numbers of lines are added."""
    return tuple(anchor for anchor in anchors if not anchor.endswith(_LINE))


def _by_composed(anchors: Iterable[str]) -> dict[str, str]:
    return {composed(anchor): anchor for anchor in anchors if not anchor.isascii()}


def _split(target: str) -> tuple[str, str, str]:
    """Path, query and fragment of a link; path and fragment are decoded, and the path is in NFC."""
    rest, _, fragment = target.partition("#")
    path, _, query = rest.partition("?")
    return decoded(path), query, unquote(fragment)


def _without_dots(path: str) -> str:
    """A path from the site's root as browsers request it."""
    return posixpath.normpath(f"/{path.lstrip('/')}") + ("/" if path.endswith(("/", "/.", "/..")) else "")


def _with(path: str, query: str, fragment: str) -> str:
    query = f"?{quote(query, safe=QUERY_SAFE)}" if query else ""
    return path + query + (f"#{quote(fragment, safe=FRAGMENT_SAFE)}" if fragment or not path else "")


TEXT_SAFE = "/~!$*,;=:@+"
"""Characters that have no other meaning in Markdown and in HTML attributes."""

QUERY_SAFE = "/?:@!$&'()*+,;=-._~%"
FRAGMENT_SAFE = "/?:@!$&'()*+,;=-._~"


def _url_key(path: str) -> str:
    """A URL path in the form under which pages are looked up: without a final ``index.html`` or slash."""
    path = path.removesuffix("index.html")
    return path.rstrip("/") or "/"


def _fold(path: str) -> str:
    return composed(path).casefold()


def resolve_all(index: LinkIndex, parsed: Parsed, permalink: str) -> tuple[Landing, ...]:
    """Resolve all links of a document. What is the same for equal ones is one value: they may lead to a long URL.

    Those after which their URLs are too long together get none, and one problem.
    """
    if not parsed.document.refs:
        return ()
    found: list[Landing] = []
    known: dict[Ref, Landing] = {}
    broken = 0
    limit = left = most_expanded(parsed.document.written)
    lengths = index.lengths(parsed.document, permalink)
    for number, ref in enumerate(parsed.document.refs):
        anywhere = msgspec.structs.replace(ref, span=Span("", length=ref.span.length))
        landing = known.get(anywhere)
        if landing is None:
            landing = known[anywhere] = index.resolve(ref, parsed, permalink, suggest=broken < MOST_SUGGESTIONS)
        elif landing.problem:
            landing = landing._replace(problem=_moved(landing.problem, ref.span))
        is_over = left < 0
        left -= lengths.of(number, landing.link) * (index.variants if ref.kind == "image" and landing.files else 1)
        if left < 0:
            problem = landing.problem if is_over else problems.long_urls(ref.span, limit)
            landing = Landing(ResolvedLink(ref.kind, ref.attribute, ""), landing.files, problem)
        found.append(landing)
        broken += landing.problem is not None and landing.problem.code in _BROKEN
    return tuple(found)


def _moved(problem: Diagnostic, span: Span) -> Diagnostic:
    """The same problem, and the same fix, with an equal link at another place."""
    edits = [msgspec.structs.replace(edit, span=span) for edit in problem.fix.edits] if problem.fix else ()
    return msgspec.structs.replace(problem, span=span, fix=Fix(tuple(edits)) if edits else None)


def _of_code(anchors: tuple[str, ...]) -> tuple[str, ...]:
    """The anchors to which numbers of lines are added."""
    return tuple(anchor for anchor in anchors if anchor.endswith(_LINE))
