"""Assembles parsed files into a site: decides what each file is, who wrote it, when, and where it is published."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import msgspec

from devlog.assemble import problems
from devlog.assemble.authors import NO_ENTRIES, AuthorEntries, Directory
from devlog.assemble.comments import shared_discussions
from devlog.assemble.dates import begin_of, in_zone, moment, state_of
from devlog.assemble.layout import (
    Placement,
    bundles_of,
    collections_of,
    file_in_collection,
    homes_of,
    in_drafts,
    in_jekyll_folder,
    is_index_page,
    name_of,
    own_pattern,
    seat,
    without_special_folders,
)
from devlog.assemble.redirects import redirects_of
from devlog.assemble.series import wrong_parts
from devlog.assemble.urls import NAMINGS, VERBATIM, Address, permalink, topic_permalink
from devlog.config import Config
from devlog.model.active import active_by_name, obeyed_at_root
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Date, FrontMatter, Parsed
from devlog.model.git_dates import GitDates
from devlog.model.outpath import collision_key
from devlog.model.short_texts import cache_of_short
from devlog.model.site import Credit, Post, Published, Site, Skipped, Topic
from devlog.model.slug import humanize, slug, slug_of_key
from devlog.model.source import Asset


class Visibility(msgspec.Struct, frozen=True):
    """Which unpublished posts to show anyway, and the current time (with a time zone)."""

    now: datetime
    drafts: bool = False
    future: bool = False
    expired: bool = False

    def shows(self, state: str) -> bool:
        """Whether a post in this state is shown."""
        return {"": True, "draft": self.drafts, "future": self.future, "expired": self.expired}[state]


class Unpublished(msgspec.Struct, frozen=True):
    """A post without a page: its permalink if it had one, and the reason; empty if a redirect is there instead."""

    parsed: Parsed
    permalink: str
    reason: str


class SiteFiles(msgspec.Struct, frozen=True):
    """The files of a site.

    Attributes:
        parsed: the parsed sources of the content folder.
        content: all other files of that folder.
        static: the files of the static folder.
    """

    parsed: Sequence[Parsed]
    content: Sequence[Asset] = ()
    static: Sequence[Asset] = ()


class ConfiguredSpans(msgspec.Struct, frozen=True):
    """Where the configuration sets what problems of the assembled site are about.

    Attributes:
        redirects: the span of each redirect, by path.
        named: the spans of the keys that name files of the site, by dotted name.
    """

    redirects: Mapping[str, Span] = {}
    named: Mapping[str, Span] = {}


NO_SPANS = ConfiguredSpans()


class Assembled(msgspec.Struct, frozen=True):
    """A site, what was left out of it, and its diagnostics.

    Attributes:
        refused: files that are not published because a browser or server would run them.
        named_spans: where the configuration sets the keys that name files of the site, by dotted name.
    """

    site: Site
    unpublished: tuple[Unpublished, ...]
    diagnostics: tuple[Diagnostic, ...]
    refused: tuple[Published, ...] = ()
    named_spans: Mapping[str, Span] = {}

    def without_refusals(self, files: frozenset[str]) -> Assembled:
        """The same without the messages that some files are not published: it is enough that posts show them."""
        kept = (item for item in self.diagnostics if item.code != "active-content" or item.span.path not in files)
        return msgspec.structs.replace(self, diagnostics=tuple(kept))


def needs_git_date(parsed: Parsed) -> bool:
    """Whether the date of a source can only come from the history of the repository."""
    return parsed.front_matter.date is None and parsed.name_date is None and not _is_index(parsed.path)


def assemble(
    config: Config,
    files: SiteFiles,
    git_dates: GitDates,
    visibility: Visibility,
    author_entries: AuthorEntries = NO_ENTRIES,
    spans: ConfiguredSpans = NO_SPANS,
) -> Assembled:
    """Assemble parsed files into a site.

    Args:
        config: the configuration of the site.
        files: the files of the site.
        git_dates: dates of sources from the history of the repository.
        visibility: which posts are shown.
        author_entries: known authors.
        spans: where the configuration sets what problems are about.
    """
    found = _Assembler(config, visibility, git_dates, author_entries, spans).assemble(files)
    return msgspec.structs.replace(found, named_spans=spans.named)


def _is_index(path: str) -> bool:
    return posixpath.basename(path).rpartition(".")[0] == "_index"


def _says_page(front_matter: FrontMatter) -> bool:
    """Whether front matter declares its source a plain page, in the way of other generators."""
    params = msgspec.json.decode(front_matter.params)
    return isinstance(params, dict) and "page" in (params.get("type"), params.get("layout"))


_MANY = 5  # up to this number, refused files are reported one by one


def _why_refused(item: Published, content: str) -> str:
    """Why a file of the content folder is not published: its content, or the path at which its post publishes it."""
    path = item.permalink[1:]
    at_root = obeyed_at_root(path) if content != "." else ""
    return item.asset.active or at_root or (active_by_name(path) if path != item.asset.path else "")


def _refusals(refused: Sequence[tuple[Published, str]], content: str) -> Iterator[Diagnostic]:
    """The diagnostics about refused files; if there are many, one for each top-level folder of the content folder."""
    if len(refused) <= _MANY:
        yield from (problems.active_content(item.asset.file, reason) for item, reason in refused)
        return
    folders: dict[str, list[tuple[Published, str]]] = {}
    for item, reason in refused:
        folders.setdefault(item.asset.path.rpartition("/")[0].partition("/")[0], []).append((item, reason))
    for folder, found in folders.items():
        if len(found) == 1:
            yield problems.active_content(found[0][0].asset.file, found[0][1])
        else:
            files = sorted((item.asset.path.removeprefix(f"{folder}/"), reason) for item, reason in found)
            yield problems.active_folder(Span(posixpath.normpath(posixpath.join(content, folder))), files)


class _Draft(msgspec.Struct):
    """A post whose authors are not resolved yet."""

    parsed: Parsed
    title: str
    permalink: str
    date: datetime | None
    day_only: bool
    topic: str
    state: str
    reason: str
    is_page: bool
    in_menu: bool


class _Assembler:
    def __init__(
        self,
        config: Config,
        visibility: Visibility,
        git_dates: GitDates,
        author_entries: AuthorEntries,
        spans: ConfiguredSpans,
    ) -> None:
        self._config = config
        self._author_entries = author_entries
        self._spans = spans
        self._visibility = visibility
        self._git_dates = git_dates
        self._zone = ZoneInfo(config.timezone)
        self._dialect = config.conventions
        self._naming = NAMINGS[config.dialect]
        self._tags: dict[str, str] = {}  # the path of each tag, by collision key: some systems take two for one
        self._verbatim_topics = config.conventions.verbatim_topics
        self._patterns = {topic.strip("/"): pattern for topic, pattern in config.permalinks.topics.items()}
        self._collections = collections_of(config)
        self._diagnostics: list[Diagnostic] = []
        self._unpublished: list[Unpublished] = []
        self._indexes: dict[str, Parsed] = {}
        self._topic_links: dict[str, str] = {"": "/"}
        lists = (*RESERVED, *map(slug, config.tags.also))
        self._own_pages = {"/", "/404.html", *(f"/{name}/" for name in lists)}  # that devlog generates
        self._spellings: dict[str, str] = {}  # of topics that only exist as categories

    def assemble(self, files: SiteFiles) -> Assembled:
        parsed = sorted(files.parsed, key=lambda item: item.path)
        bundles = bundles_of([item.path for item in parsed], self._dialect)
        if self._dialect.underscored:
            found = {seat(item, bundles, self._dialect).topic for item in parsed if in_jekyll_folder(item.path)}
            self._own_pages |= {self._topic_link(path) for topic in found for path in (topic, *parents(topic))}
        self._indexes, sources = self._with_readmes(*self._sort_out(parsed, bundles), bundles)
        hidden = self._hidden(self._indexes)
        indexes = {folder: index for folder, index in self._indexes.items() if folder not in hidden}
        drafts = [draft for item in sources if (draft := self._draft(item, bundles))]
        posts, pages, directory, tags = self._complete(drafts)
        self._diagnostics += (*wrong_parts(posts), *shared_discussions(self._config, posts))
        if self._git_dates.failure:
            self._diagnostics.append(problems.git_dates_unknown(self._git_dates.failure))
        topics = self._topics(indexes, posts, hidden)
        homes = homes_of((draft.parsed.path, draft.permalink) for draft in drafts)
        assets = [Published(asset, f"/{asset.path}", "static") for asset in files.static]
        moved = [(item.parsed, item.permalink) for item in self._unpublished if not item.reason]
        left_out = {posixpath.dirname(item.parsed.path) for item in self._unpublished if item.reason} & bundles
        hides_drafts = self._dialect.underscored and not self._visibility.shows("draft")
        own = [
            self._attached(asset, bundles, homes)
            for asset in files.content
            if left_out.isdisjoint(parents(asset.path)) and not (hides_drafts and in_drafts(asset.path))
        ]
        links = {draft.parsed.path: draft.permalink for draft in drafts if draft.parsed.files}
        unpublished = {item.parsed.path for item in self._unpublished}
        for item in (*sources, *indexes.values()):
            if item.files and item.path not in unpublished:
                link = links.get(item.path, "")
                own += [self._contained(asset, link, bundles, homes) for asset in item.files]
        judged = [
            (item, "" if self._config.html == "trusted" else _why_refused(item, self._config.content)) for item in own
        ]
        refused = [(item, reason) for item, reason in judged if reason]
        self._diagnostics += _refusals(refused, self._config.content)
        assets += [item for item, reason in judged if not reason]
        site = Site(
            posts=posts,
            pages=pages,
            topics=topics,
            authors=directory.authors(),
            tags=tags,
            assets=tuple(assets),
            redirects=redirects_of(self._config, (*posts, *pages), topics, moved, self._spans.redirects),
            home=indexes.get(""),
            skipped=tuple(
                sorted(
                    (Skipped(item.parsed.file, item.reason) for item in self._unpublished if item.reason),
                    key=lambda item: item.path,
                )
            ),
        )
        return Assembled(site, tuple(self._unpublished), tuple(self._diagnostics), tuple(item for item, _ in refused))

    def _sort_out(self, parsed: list[Parsed], bundles: set[str]) -> tuple[dict[str, Parsed], list[Parsed]]:
        """The index sources of topics by folder (that of the home page under ""), and all other sources."""
        indexes: dict[str, Parsed] = {}
        sources: list[Parsed] = []
        for item in parsed:
            folder, _, name = item.path.rpartition("/")
            stem = name.rpartition(".")[0]
            bundle = next((path for path in parents(item.path) if path in bundles), None) if bundles else None
            is_home = self._is_home(item) and "" not in indexes
            if is_home and self._is_replaced(item, "/"):
                continue
            if stem == "_index" or is_home:
                indexes.setdefault("" if is_home else folder, item)
            elif bundle is not None and not (stem == "index" and folder == bundle):
                self._diagnostics.append(problems.inside_bundle(Span(item.file), bundle))
            else:
                sources.append(item)
        return indexes, sources

    def _with_readmes(
        self, indexes: dict[str, Parsed], sources: list[Parsed], bundles: set[str]
    ) -> tuple[dict[str, Parsed], list[Parsed]]:
        """The same where the pages of mounted folders with posts are the index sources of these topics."""
        if not self._config.mounts or self._dialect.is_foreign:
            return indexes, sources
        places = [(item, seat(item, bundles, self._dialect)) for item in sources]
        of_posts = {place.topic for item, place in places if not self._is_page(item, place, self._date(item)[0])}
        topics = {folder for topic in of_posts for folder in (topic, *parents(topic))}
        found = {item.path.rpartition(".")[0]: item for item in sources if self._config.is_readme(item.file)}
        found = {folder: item for folder, item in found.items() if folder in topics and folder not in indexes}
        taken = {item.path for item in found.values()}
        return {**indexes, **found}, [item for item in sources if item.path not in taken]

    def _is_home(self, parsed: Parsed) -> bool:
        """Whether a source is the home page. In Jekyll, the permalink of any page can make it the home page."""
        folder, _, name = parsed.path.rpartition("/")
        if not folder and name.rpartition(".")[0] == "index":
            return True
        if not self._dialect.underscored or parsed.front_matter.draft or in_jekyll_folder(parsed.path):
            return False
        return parsed.front_matter.url in ("/", "/index.html")

    def _is_replaced(self, parsed: Parsed, link: str) -> bool:
        """Whether a Jekyll page that is a template is left out because devlog generates a page at its permalink."""
        if (
            not (self._dialect.liquid and parsed.is_template)
            or in_jekyll_folder(parsed.path)
            or not self._is_own_page(link)
        ):
            return False
        self._diagnostics.append(problems.replaced_page(Span(parsed.file), link))
        return True

    def _is_own_page(self, link: str) -> bool:
        """Whether devlog generates the page at a permalink."""
        return link in self._own_pages or link.removesuffix(".html") + "/" in self._own_pages

    def _topic_link(self, path: str) -> str:
        """The permalink of a folder: ``slug`` in its ``_index.md`` replaces its name, also in the URLs below it."""
        link = self._topic_links.get(path)
        if link is None:
            above, _, name = path.rpartition("/")
            index = self._indexes.get(path)
            own = slug_of_key(index.front_matter.slug) if index else ""
            segment = own + "/" if own else name + "/" if self._verbatim_topics and name else topic_permalink(name)[1:]
            link = self._topic_links[path] = self._topic_link(above) + segment
        return link

    def _topic_page(self, path: str) -> str:
        """The permalink of a topic's own page, which ``url`` in its ``_index.md`` may change."""
        index = self._indexes.get(path)
        if index is None or not index.front_matter.url:
            return self._topic_link(path)
        return permalink(index.front_matter, Address("/", "", "", "", "", None))

    def _hidden(self, indexes: Mapping[str, Parsed]) -> set[str]:
        """The folders whose index sources are not published; they are also recorded as unpublished."""
        hidden = set()
        for folder, item in indexes.items():
            state, reason = state_of(item.front_matter, None, self._visibility.now, self._zone)
            if not self._visibility.shows(state):
                hidden.add(folder)
                self._unpublished.append(Unpublished(item, self._topic_page(folder), reason))
        return hidden

    def _draft(self, parsed: Parsed, bundles: set[str]) -> _Draft | None:
        """The kind, place and state of a source; `None` if it is left out."""
        front_matter = parsed.front_matter
        place = seat(parsed, bundles, self._dialect, self._collections)
        date, day_only = self._date(parsed)
        is_page = self._is_page(parsed, place, date)
        title = front_matter.title or parsed.document.title or humanize(parsed.name_slug or parsed.name)
        link = permalink(front_matter, self._address(parsed, place, title, date, is_page=is_page))
        if self._is_replaced(parsed, link):
            return None
        # Jekyll holds back posts and documents of collections with a future date, but not its plain pages.
        timeless = is_page and place.kind == "page" and not place.collection
        written = None if timeless else front_matter.date or parsed.name_date
        state, reason = state_of(front_matter, written, self._visibility.now, self._zone)
        if place.draft and not state:
            state = reason = "draft"
        if place.spelling:
            self._spellings.setdefault(place.topic, place.spelling)
        left_out = place.reason or self._without_page(parsed) or ("" if self._visibility.shows(state) else reason)
        if left_out or front_matter.redirect:
            self._unpublished.append(Unpublished(parsed, link, left_out))
            return None
        # After an error in the front matter, keys may only seem to be missing.
        intact = not any(diagnostic.severity == "error" for diagnostic in parsed.diagnostics)
        if intact and not (front_matter.title or parsed.document.title):
            self._diagnostics.append(problems.missing_title(Span(parsed.file, 1), title))
        is_told = any(diagnostic.code == "impossible-date" for diagnostic in parsed.diagnostics)
        if intact and date is None and not is_page and not place.draft and not is_told:
            self._diagnostics.append(problems.missing_date(Span(parsed.file, 1)))
        return _Draft(
            parsed=parsed,
            title=title,
            permalink=link,
            date=None if is_page else date,
            day_only=day_only,
            topic=place.topic,
            state=state,
            reason=reason,
            is_page=is_page or not front_matter.listed,
            in_menu=is_page and front_matter.listed and not place.topic and not place.collection,
        )

    def _is_page(self, parsed: Parsed, place: Placement, date: datetime | None) -> bool:
        """Whether a source is a plain page."""
        return place.kind == "page" or (
            place.kind == "text"
            and (not place.topic or self._config.is_mounted(parsed.file))
            and (self._is_undated_page(parsed, date) or _says_page(parsed.front_matter))
        )

    def _is_undated_page(self, parsed: Parsed, date: datetime | None) -> bool:
        """Whether a source outside of topics, or in a mounted folder, is a page because it has no date of its own."""
        if self._config.is_mounted(parsed.file):
            return date is None
        return self._config.undated == "pages" and (date is None or parsed.path in self._git_dates.added)

    def _without_page(self, parsed: Parsed) -> str:
        """Why a source has no page whatever its state, in words for its author; empty if it has one."""
        if not parsed.front_matter.render:
            return "its front matter turns its page off"
        if self._dialect.template_pages and parsed.is_template:
            return "it has no content, only a Zola template"
        return ""

    def _address(
        self, parsed: Parsed, place: Placement, title: str, date: datetime | None, *, is_page: bool
    ) -> Address:
        """The parts from which the URL of a source is built."""
        dialect, links = self._dialect, self._config.permalinks
        name, name_slug = name_of(parsed, dialect)
        above = (place.topic, *parents(place.topic))
        pattern = links.page if is_page else next((p for t in above if (p := self._patterns.get(t))), links.post)
        if place.collection:
            pattern, name_slug = self._patterns[place.collection], self._naming.file(name_slug)
        verbatim = dialect.dated_folders and is_page
        pattern = (dialect.dated_folders and own_pattern(parsed.front_matter)) or pattern
        return Address(
            pattern="/:topic/" if is_index_page(parsed, dialect) and not place.collection else pattern,
            topic=f"/{place.topic}/" if verbatim else self._topic_link(place.topic),
            name=name,
            name_slug=name_slug,
            title=title,
            # In Jekyll, the day in a URL is in the time zone of the site, not in that of the author.
            date=in_zone(date, self._zone) if date and dialect.dated_folders else date,
            categories=place.categories,
            naming=VERBATIM if verbatim else self._naming,
            ending=dialect.page_ending,
        )

    def _date(self, parsed: Parsed) -> tuple[datetime | None, bool]:
        date: Date | None = parsed.front_matter.date or parsed.name_date
        if date:
            return moment(date, self._zone), date.day_only
        from_git = self._git_dates.added.get(parsed.path)
        return (from_git.astimezone(self._zone), True) if from_git else (None, True)

    def _updated(self, draft: _Draft) -> tuple[datetime | None, bool]:
        """When a source was last changed, as it says itself, or else as git does for another day than its own."""
        front_matter, day = draft.parsed.front_matter, draft.date and in_zone(draft.date, self._zone).date()
        if own := front_matter.updated:
            if not draft.state and begin_of(own, self._zone) > self._visibility.now:
                self._diagnostics.append(problems.updated_too_late(front_matter.span("updated", draft.parsed.file)))
                return None, False
            changed = moment(own, self._zone)
            if not day or in_zone(changed, self._zone).date() >= day:
                return changed, own.day_only
            self._diagnostics.append(problems.updated_too_early(front_matter.span("updated", draft.parsed.file)))
            return None, False
        from_git = self._git_dates.changed.get(draft.parsed.path)
        if not from_git:
            return None, False
        changed = from_git.astimezone(self._zone)
        return (None, False) if day and changed.date() <= day else (changed, True)

    def _complete(
        self, drafts: list[_Draft]
    ) -> tuple[tuple[Post, ...], tuple[Post, ...], Directory, tuple[tuple[str, str], ...]]:
        """Posts and pages with authors and tags. The spelling of both comes from the oldest post."""
        drafts.sort(key=lambda draft: (draft.date or NEVER, draft.parsed.path))
        bylines = (byline for draft in drafts for byline in draft.parsed.front_matter.authors)
        directory = Directory(bylines, self._author_entries)
        spellings: dict[str, str] = {}
        done = [self._post(draft, directory, spellings) for draft in drafts]
        dated = [post for post in done if not post.is_page and post.date]
        undated = [post for post in done if not post.is_page and not post.date]
        dated.sort(key=lambda post: post.id)
        dated.sort(key=lambda post: post.date or NEVER, reverse=True)
        pages = sorted((post for post in done if post.is_page), key=lambda post: post.id)
        return (*dated, *undated), tuple(pages), directory, tuple(sorted(spellings.items()))

    def _post(self, draft: _Draft, directory: Directory, spellings: dict[str, str]) -> Post:
        front_matter = draft.parsed.front_matter
        tags: list[str] = []
        for tag in front_matter.tags:
            path = self._naming.tag(tag.name)
            key = self._tags.setdefault(collision_key(path), path)
            if not key:
                self._diagnostics.append(problems.bad_tag(tag.span, tag.name))
            elif key not in tags and not draft.is_page:  # lists of tags hold posts only
                tags.append(key)
                spellings.setdefault(key, tag.name)
        credits_: dict[str, Credit] = {}
        for byline in front_matter.authors:
            credit = directory.credit(byline)
            credits_.setdefault(credit.author, credit)
        updated, updated_day_only = self._updated(draft)
        return Post(
            parsed=draft.parsed,
            title=draft.title,
            permalink=draft.permalink,
            date=draft.date,
            day_only=draft.day_only,
            updated=updated,
            updated_day_only=updated_day_only,
            topic="" if draft.is_page else draft.topic,
            credits=tuple(credits_.values()),
            tags=tuple(tags),
            excerpt=draft.parsed.document.excerpt or front_matter.description,
            state=draft.state,
            reason=draft.reason,
            is_page=draft.is_page,
            in_menu=draft.in_menu,
        )

    def _topics(self, indexes: dict[str, Parsed], posts: tuple[Post, ...], hidden: set[str]) -> tuple[Topic, ...]:
        """Every folder with posts or an ``_index.md``, and the folders above them.

        Folders in `hidden` have an ``_index.md`` that is not published. The lists that devlog generates are not topics.
        """
        paths = {path for path in indexes if path}
        paths.update(post.topic for post in posts if post.topic)
        for path in tuple(paths):
            paths.update(parent for parent in parents(path) if parent)
        topics = []
        used = {folder for post in posts for folder in (post.topic, *parents(post.topic))}
        for path in sorted(path for path in paths - used if path.partition("/")[0] in RESERVED):
            paths.remove(path)
            if path in indexes:
                self._diagnostics.append(problems.reserved_topic(Span(indexes[path].file), path))
        in_use = {folder for post in posts for folder in parents(post.parsed.file)} if self._config.mounts else set()
        for path in sorted(paths):
            index = indexes.get(path)
            folder = posixpath.dirname(index.file) if index else self._folder(path, in_use)
            front_matter = index.front_matter if index else None
            title = (front_matter.title or (index.document.title if index else "")) if front_matter else ""
            title = title or self._spellings.get(path) or humanize(posixpath.basename(path))
            if index is None and path not in hidden and not self._dialect.underscored:
                self._diagnostics.append(problems.missing_index(Span(folder), title))
            topics.append(
                Topic(
                    path=path,
                    title=title,
                    description=(front_matter.description or front_matter.summary) if front_matter else "",
                    permalink=self._topic_page(path),
                    index=index,
                    weight=front_matter.weight if front_matter else 0,
                    redirect=front_matter.redirect if front_matter else "",
                    folder=folder,
                )
            )
        return tuple(sorted(topics, key=lambda topic: (topic.weight, topic.title.casefold(), topic.path)))

    def _folder(self, path: str, in_use: set[str]) -> str:
        """The folder of a topic without an index, relative to the site's: a mounted one if only that has its posts."""
        own, mounted = self._config.in_content(path), self._config.folder_of(path)
        return mounted if mounted in in_use and own not in in_use else own

    def _contained(self, asset: Asset, home: str, bundles: set[str], homes: Mapping[str, str]) -> Published:
        """A file that a source contains, which is published below the page of the source, at `home`, if it has one."""
        if not home:
            return self._attached(asset, bundles, homes)
        folder = home if home.endswith("/") else posixpath.splitext(home)[0] + "/"
        return Published(asset, folder + asset.inside, "content", home)

    def _attached(self, asset: Asset, bundles: set[str], homes: Mapping[str, str]) -> Published:
        """A file of the content. One of a post is published beside the post; any other file keeps its folder.

        Args:
            asset: the file.
            bundles: the folders that are one post with files beside it.
            homes: the permalinks of their posts, if these are published.
        """
        path = asset.path
        for parent in parents(path):
            if parent in bundles:
                home = homes.get(parent)
                if home:
                    folder = home if home.endswith("/") else posixpath.dirname(home).rstrip("/") + "/"
                    return Published(asset, folder + path[len(parent) + 1 :], "content", home)
        return Published(asset, self._in_folder(path), "content")

    def _in_folder(self, path: str) -> str:
        """The permalink of a file that belongs to no post."""
        if self._dialect.underscored:
            patterns = {folder: self._patterns[folder] for folder in self._collections}
            return file_in_collection(path, patterns) or "/" + without_special_folders(path)
        # As in Hugo, a file belongs to the nearest folder that is a topic; its path below that stays unchanged.
        above = parents(path)
        topic = next((folder for folder in above if folder in self._indexes), above[-1] if above else "")
        return self._topic_link(topic) + path[len(topic) :].lstrip("/")


RESERVED = frozenset({"archive", "authors", "tags"})
"""Folders whose pages are lists that devlog generates."""

NEVER = datetime.max.replace(tzinfo=UTC)
"""The date that sorts undated posts after all others when the oldest come first."""


@cache_of_short(1024)  # many posts share few topics
def parents(path: str) -> tuple[str, ...]:
    """The folders above a path, nearest first, without the content folder itself."""
    found = []
    while path := posixpath.dirname(path):
        found.append(path)
    return tuple(found)
