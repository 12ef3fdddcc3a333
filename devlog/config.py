"""The keys of the site's configuration, with their types and defaults; `devlog.config_file` reads them."""

from __future__ import annotations

import posixpath
import re
import typing
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlsplit

import msgspec

from devlog.model.dialect import DIALECTS, Dialect
from devlog.model.forges import edit_pattern, view_pattern
from devlog.model.urls import repository_url

if TYPE_CHECKING:  # few sites set colors
    from devlog.model.css_color import Color
    from devlog.model.palette import Mode, Palette

FeedFormat = Literal["rss", "atom", "json"]
FeedContent = Literal["full", "summary"]
HtmlMode = Literal["safe", "trusted", "escape"]
DialectName = Literal["devlog", "jekyll", "zola"]
Anchors = Literal["github", "hugo", "blackfriday", "zola", "kramdown", "kramdown-gfm", "python-markdown"]
Count = typing.Annotated[int, msgspec.Meta(ge=1)]
Percent = typing.Annotated[int, msgspec.Meta(ge=1, le=100)]
Loudness = typing.Annotated[float, msgspec.Meta(ge=-40, le=0)]


class MenuItem(msgspec.Struct, frozen=True):
    """An entry of the menu; ``url`` is absolute, or starts at the site's base path."""

    name: str
    url: str
    weight: int = 0


class Feeds(msgspec.Struct, frozen=True):
    """Which feeds are written, the names of their files, and what their entries contain."""

    formats: tuple[FeedFormat, ...] = ("rss", "atom", "json")
    rss: str = "index.xml"
    atom: str = "feed.xml"
    json: str = "feed.json"
    limit: Count = 20
    ids: Literal["url", "jekyll-feed"] = "url"
    site: FeedContent = "full"
    topics: FeedContent = "full"
    authors: FeedContent = "summary"
    tags: FeedContent = "summary"


class Permalinks(msgspec.Struct, frozen=True):
    """Patterns of URLs, whose placeholders stand for values of a post: see `PLACEHOLDERS`.

    ``topics`` has patterns for the posts of single topics and of those below them, by the path of the topic.
    """

    post: str = "/:topic/:name/"
    page: str = "/:topic/:name/"
    topics: dict[str, str] = {}


class Tags(msgspec.Struct, frozen=True):
    """The allowed tags (any, if the list is empty), and other front matter keys that contain tags too."""

    allowed: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


class MarkdownOptions(msgspec.Struct, frozen=True):
    """Extensions of Markdown that change how source files are parsed."""

    emoji: bool = True
    autolink: bool = True
    anchors: Anchors = "github"
    math: bool = True
    typographer: bool = False
    mark: bool = False
    superscript: bool = False
    subscript: bool = False
    admonitions: bool = False
    wiki_links: bool = False

    @property
    def extensions(self) -> tuple[str, ...]:
        """The names of the extensions that are off by default, and are on in this site."""
        names = ("typographer", "mark", "superscript", "subscript", "admonitions", "wiki_links")
        return tuple(name for name in names if getattr(self, name))


class Excerpts(msgspec.Struct, frozen=True):
    """How long an automatic excerpt is: it ends with the last sentence within ``words`` words."""

    words: Count = 60


class Serve(msgspec.Struct, frozen=True):
    """Settings of the preview: see ``docs/configuration.md``."""

    editor: str = ""
    scroll: bool = True
    content_security_policy: str = ""


class Check(msgspec.Struct, frozen=True):
    """Settings of ``devlog check``: see ``docs/configuration.md``."""

    image_budget: Count = 1000
    placeholders: tuple[str, ...] = ("TODO", "FIXME", "TBD", "lorem ipsum")
    hosts: tuple[str, ...] = ()
    patterns: dict[str, str] = {}
    external_ignore: tuple[str, ...] = ()


ROOT = "{root}"
"""The placeholder for the site's folder in commands."""
_IN_SITE = f"{ROOT}/"
_IN_ARGUMENT = re.compile(re.escape(_IN_SITE) + r"""([^\s"'`:;,|&<>()]+)""")


class Diagram(msgspec.Struct, frozen=True):
    """How the code blocks of one language become images: by a command, or by a script in the browser."""

    command: tuple[str, ...] = ()
    script: str = ""
    paper: bool = False

    @property
    def names_root(self) -> bool:
        """Whether the command contains the path of the site."""
        return any(ROOT in part for part in self.command)

    @property
    def programs(self) -> tuple[str, ...]:
        """The files that the command names.

        An argument may end with a path that contains spaces, or contain several paths: both readings are returned, so
        that some do not exist.
        """
        ends = [part.partition(_IN_SITE)[2] for part in self.command if part.count(_IN_SITE) == 1]
        inside = [name for part in self.command for name in _IN_ARGUMENT.findall(part)]
        names = (name.lstrip("/") for name in (*ends, *inside))
        return tuple(dict.fromkeys(name for name in names if name))


class Images(msgspec.Struct, frozen=True):
    """Additional sizes and formats of images: see ``docs/configuration.md``."""

    enabled: bool = True
    widths: tuple[Count, ...] = (800, 1200, 1600)
    formats: tuple[Literal["avif", "webp"], ...] = ("webp",)
    quality: Percent = 75
    strip: bool = True


class Avatars(msgspec.Struct, frozen=True):
    """Avatars that a build fetches from other hosts: see ``docs/configuration.md``.

    ``url`` is where the avatar of an author with a handle is; in it, ``{handle}`` stands for the handle.
    """

    fetch: bool = False
    url: str = "https://github.com/{handle}.png?size=192"


class BothModes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A color for light mode and one for dark mode; the theme's own for a mode whose color is empty."""

    light: str = ""
    dark: str = ""


class Fonts(msgspec.Struct, frozen=True):
    """The font files of a brand: each key has one file, or one for each weight and style."""

    text: str | tuple[str, ...] = ()
    headings: str | tuple[str, ...] = ()
    code: str | tuple[str, ...] = ()

    def of(self, use: str) -> tuple[str, ...]:
        """The files for ``text``, ``headings`` or ``code``."""
        files: str | tuple[str, ...] = getattr(self, use)
        return tuple(filter(None, (files,) if isinstance(files, str) else files))

    @property
    def files(self) -> tuple[str, ...]:
        """All files, each once."""
        return tuple(dict.fromkeys(file for use in FONT_USES for file in self.of(use)))


FONT_USES = ("text", "headings", "code")


class Brand(msgspec.Struct, frozen=True):
    """The site's own logo, icon, colors and fonts: see ``docs/configuration.md``."""

    logo: str = ""
    logo_dark: str = ""
    wordmark: bool = False
    favicon: str = ""
    accent: str | BothModes = ""
    background: str | BothModes = ""
    text: str | BothModes = ""
    code: str | BothModes = ""
    fonts: Fonts = Fonts()

    @property
    def palette(self) -> Palette:
        """The colors by mode; colors that cannot be read are those of the theme."""
        from devlog.model.palette import ROLES, Palette, palette

        colors = {role: self._of_role(role) for role in ROLES if getattr(self, role)}
        return palette(colors) if colors else Palette()

    def _of_role(self, role: str) -> dict[Mode, Color]:
        from devlog.model.css_color import read_color
        from devlog.model.palette import MODES

        given: str | BothModes = getattr(self, role)
        texts = {mode: given if isinstance(given, str) else str(getattr(given, mode)) for mode in MODES}
        return {mode: color for mode, text in texts.items() if (color := read_color(text))}

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it names, each once."""
        return tuple(filter(None, dict.fromkeys((self.logo, self.logo_dark, self.favicon, *self.fonts.files))))


class Cards(msgspec.Struct, frozen=True):
    """The appearance of social cards, the images of link previews."""

    enabled: bool = True
    font: str = ""
    background: str = ""


class Comments(msgspec.Struct, frozen=True):
    """Where readers discuss posts: in GitHub Discussions through giscus, or in a topic of a Discourse forum."""

    provider: Literal["", "giscus", "discourse"] = ""
    repo: str = ""
    repo_id: str = ""
    category: str = ""
    category_id: str = ""
    mapping: Literal["id", "pathname"] = "id"
    url: str = ""
    load: Literal["click", "scroll"] = "click"

    @property
    def frame_url(self) -> str:
        """The prefix of the URLs of the provider's pages; empty without comments."""
        url = self.url or ("https://giscus.app" if self.provider == "giscus" else "")
        return url.rstrip("/") if self.provider else ""

    @property
    def origin(self) -> str:
        """The scheme and host of the frame that shows comments; empty without comments."""
        parts = urlsplit(self.frame_url)
        return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


class Search(msgspec.Struct, frozen=True):
    """Whether readers can search the site."""

    enabled: bool = True


SPOKEN = ("{title}", "{author}", "{show}", "{date}", "{year}")
"""The placeholders of a greeting and a farewell."""


class Speak(msgspec.Struct, frozen=True):
    """How a post is turned into audio: a command that speaks a text, one that encodes the speech, the format, the
    integrated loudness in LUFS (0 to leave it), the name of the voice, what is said first and last, and how words are
    spelled for the voice.
    """

    command: tuple[str, ...] = ()
    encode: tuple[str, ...] = ()
    format: Literal["mp3", "m4a", "ogg", "opus"] = "mp3"
    loudness: Loudness = -16.0
    voice: str = ""
    greeting: str = ""
    farewell: str = ""
    lexicon: dict[str, str] = {}


README = "readme.md"
"""The name, in lower case, of the file that describes its folder on code hosts."""

RECORDS = "digests"
"""The folder of a site in which ``devlog digest`` keeps what its posts were written from."""


class Digest(msgspec.Struct, frozen=True):
    """A series of digests, posts about what happened in a repository: see ``docs/digests.md``."""

    source: str = ""
    topic: str = ""
    period: Literal["day", "week", "release"] = "day"
    project: str = ""
    template: str = ""
    writer: tuple[str, ...] = ()
    ai: str = ""
    author: str = ""
    tags: tuple[str, ...] = ()
    draft: bool = True
    forge: bool | str = False
    gaps: bool = False
    labels: dict[str, str] = {}
    areas: dict[str, tuple[str, ...]] = {}
    bots: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()


class Llms(msgspec.Struct, frozen=True):
    """Files for language models: ``llms.txt``, Markdown versions of pages, and the maximum size of the longest file."""

    enabled: bool = True
    markdown: bool = True
    full_bytes: Count = 500_000


class Refs(msgspec.Struct, frozen=True):
    """Whether source references in posts become links and an index: see ``docs/references.md``.

    ``repo`` is the repository that they refer to, if that is not ``source_repo``. ``forge`` is the software of its
    host, if the host's name does not tell. ``digits`` is the minimum number of digits of a number on its own, as in
    ``#12``.
    """

    enabled: bool = True
    repo: str = ""
    forge: Literal["", "github", "gitlab", "forgejo"] = ""
    digits: Count = 2


class Home(msgspec.Struct, frozen=True):
    """What the home page shows besides the text of ``content/_index.md``: see ``docs/configuration.md``."""

    hero: str = ""
    image: str = ""
    image_alt: str = ""
    pinned: tuple[str, ...] = ()
    layout: Literal["list", "cards"] = "list"
    topics: Literal["beside", "below"] = "beside"


class Header(msgspec.Struct, frozen=True):
    """The header of pages: with ``full_width``, it spans the window on a ground of its own."""

    full_width: bool = False


class FooterLink(msgspec.Struct, frozen=True):
    """A link of the footer; ``url`` is absolute, or starts at the site's base path."""

    name: str
    url: str


class Footer(msgspec.Struct, frozen=True):
    """The footer of pages: links, and profiles of the site's makers elsewhere, by the name of the service."""

    links: tuple[FooterLink, ...] = ()
    social: dict[str, str] = {}


class Analytics(msgspec.Struct, frozen=True):
    """The service that counts visits: its script is loaded from ``url``, and sends what it counts to that host too.

    ``site`` is the name under which the service knows the site. ``connect`` are further hosts that the script sends to.
    """

    provider: Literal["", "plausible", "goatcounter", "umami", "script"] = ""
    site: str = ""
    url: str = ""
    connect: tuple[str, ...] = ()

    @property
    def script(self) -> str:
        """The URL or path of the script; empty without a service."""
        match self.provider:
            case "plausible":
                return self.url or "https://plausible.io/js/script.js"
            case "goatcounter":  # a server of one's own has the script beside the address that counts
                return f"{self.url.rstrip('/')}.js" if self.url else "https://gc.zgo.at/count.js"
            case "umami":
                return self.url or "https://cloud.umami.is/script.js"
            case _:
                return self.url if self.provider else ""

    @property
    def attribute(self) -> tuple[str, str]:
        """The attribute by which the script knows the site; empty if it needs none."""
        match self.provider:
            case "plausible":
                return "data-domain", self.site
            case "goatcounter":
                return "data-goatcounter", self.url or f"https://{self.site}.goatcounter.com/count"
            case "umami":
                return "data-website-id", self.site
            case _:
                return "", ""

    @property
    def receivers(self) -> tuple[str, ...]:
        """The URLs that the script may send to, besides those of the site."""
        if not self.provider:
            return ()
        counts = self.attribute[1] if self.provider == "goatcounter" else self.script
        # Umami's own cloud receives elsewhere than it keeps the script.
        cloud = ("https://api-gateway.umami.dev",) if self.provider == "umami" and not self.url else ()
        return tuple(url for url in (counts, *cloud, *self.connect) if "://" in url)


class AuthorEntry(msgspec.Struct, frozen=True):
    """An author in the authors file or the configuration; ``aliases`` are other spellings of the name or handle."""

    name: str = ""
    url: str = ""
    bio: str = ""
    avatar: str = ""
    affiliation: str = ""
    title: str = ""
    image_url: str = ""
    aliases: tuple[str, ...] = ()
    team: bool = False
    links: dict[str, str] = {}


class Config(msgspec.Struct, frozen=True):
    """The configuration of a site. `docs/configuration.md` describes each key."""

    title: str = "DevLog"
    description: str = ""
    base_url: str = ""
    language: str = "en"
    timezone: str = "UTC"
    date_format: str = "short"
    copyright: str = ""
    content: str = "content"
    static: str = "static"
    mounts: dict[str, str] = {}
    output: str = "public"
    theme: str = "default"
    theme_folder: str = ""
    dialect: DialectName = "devlog"
    undated: Literal["pages", "posts"] = "pages"
    recent: Count = 10
    topic_recent: Count = 5
    page_size: Count = 100
    source_repo: str = ""
    source_branch: str = ""
    source_folder: str = ""
    source_checkout: str = ""
    edit_url: bool | str = True
    updated_from_git: bool = False
    ignore: tuple[str, ...] = ()
    ignore_static: tuple[str, ...] = ()
    html: HtmlMode = "safe"
    content_security_policy: bool | str = False
    page_width: Literal["narrow", "normal", "wide", "full"] = "normal"
    menu: tuple[MenuItem, ...] = ()
    home: Home = Home()
    header: Header = Header()
    footer: Footer = Footer()
    custom_css: tuple[str, ...] = ()
    custom_js: tuple[str, ...] = ()
    analytics: Analytics = Analytics()
    feeds: Feeds = Feeds()
    permalinks: Permalinks = Permalinks()
    redirects: dict[str, str] = {}
    tags: Tags = Tags()
    markdown: MarkdownOptions = MarkdownOptions()
    excerpt: Excerpts = Excerpts()
    serve: Serve = Serve()
    check: Check = Check()
    plugins: tuple[str, ...] = ()
    diagrams: dict[str, Diagram] = {}
    images: Images = Images()
    avatars: Avatars = Avatars()
    brand: Brand = Brand()
    cards: Cards = Cards()
    comments: Comments = Comments()
    search: Search = Search()
    refs: Refs = Refs()
    speak: Speak = Speak()
    digest: dict[str, Digest] = {}
    llms: Llms = Llms()
    deploy: dict[str, dict[str, Any]] = {}
    authors: dict[str, AuthorEntry] = {}
    settings: dict[str, str | int | float | bool] = {}
    severity: dict[str, Literal["error", "warning", "info", "off"]] = {}
    params: dict[str, Any] = {}

    @property
    def content_prefix(self) -> str:
        """The prefix of the names of files in the content folder; empty if that is the site's own folder."""
        folder = posixpath.normpath(self.content)
        return "" if folder == "." else f"{folder}/"

    def in_content(self, path: str) -> str:
        """The path, relative to the site's folder, of a file or folder of the content folder."""
        return self.content_prefix + path

    def in_theme_folder(self, path: str = "") -> str:
        """The path, relative to the site's folder, of what is trusted as a part of the theme."""
        return posixpath.normpath(posixpath.join(self.theme_folder or self.conventions.theme_folder, path))

    def mounted(self, file: str) -> str:
        """The path in the content of a file in a mounted folder; empty for other files.

        Args:
            file: the path of the file, relative to the site's folder. A ``README.md`` or ``index.md`` becomes the page
                of its folder.
        """
        for place, folder in self.mounts.items():
            if file.startswith(f"{folder}/"):
                path = place + file[len(folder) :]
                above, _, name = path.rpartition("/")
                return f"{above}.md" if name.lower() in (README, "index.md") else path
        return ""

    def is_readme(self, file: str) -> bool:
        """Whether a file, by its path relative to the site's folder, is the page of a mounted folder."""
        return self.is_mounted(file) and file.rpartition("/")[2].lower() in (README, "index.md")

    def folder_of(self, path: str) -> str:
        """The folder of a topic, relative to the site's folder: in the content folder, or in a mounted one."""
        for place, folder in self.mounts.items():
            if f"{path}/".startswith(f"{place}/"):
                return folder + path[len(place) :]
        return self.in_content(path)

    def is_mounted(self, file: str) -> bool:
        """Whether a file, by its path relative to the site's folder, is in a mounted folder."""
        return any(file.startswith(f"{folder}/") for folder in self.mounts.values())

    @property
    def base_path(self) -> str:
        """The path of the site on its host, with a slash at both ends."""
        return _base_path(self.base_url)

    @property
    def origin(self) -> str:
        """The scheme and host, such as ``https://docs.example.org``; empty if no absolute URL is configured."""
        return _origin(self.base_url)

    @property
    def has_placeholder_url(self) -> bool:
        """Whether `base_url` has a host that cannot exist: ``.example`` is reserved for documentation (RFC 2606)."""
        return (urlsplit(self.base_url).hostname or "").endswith(".example")

    @property
    def public_url(self) -> str:
        """`base_url` if it works from anywhere; empty if it is a placeholder, a local URL or a path."""
        host = urlsplit(self.base_url).hostname or ""
        local = "." not in host or host.startswith("127.")
        return "" if local or self.has_placeholder_url else self.base_url.rstrip("/")

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the site that the configuration names, without `programs`, as sorted paths relative to it."""
        cards = filter(None, (self.cards.font, self.cards.background))
        return tuple(sorted({*self.plugins, *cards, *self.brand.files}))

    @property
    def programs(self) -> tuple[str, ...]:
        """The files that commands name, each once. They are trusted, so symbolic links are followed."""
        return tuple(dict.fromkeys(file for diagram in self.diagrams.values() for file in diagram.programs))

    @property
    def edit_pattern(self) -> str:
        """The URL at which a file of the site is edited, with ``{path}`` for its path; empty if it is not known."""
        if isinstance(self.edit_url, str):
            pattern = self.edit_url
            return pattern if not pattern or "{path}" in pattern else pattern.rstrip("/") + "/{path}"
        repository = repository_url(self.source_repo) if self.edit_url else ""
        pattern = edit_pattern(repository, self._own_forge, self.source_branch) if repository else ""
        above = self.source_path(".")
        return pattern if above == "." else pattern.replace("{path}", f"{quote(above)}/{{path}}")

    @property
    def view_pattern(self) -> str:
        """The URL at which a file of ``source_repo`` is shown, with ``{path}`` for its path; empty without one."""
        repository = repository_url(self.source_repo)
        if not repository:  # of a host with other URLs
            return f"{self.source_repo.rstrip('/')}/blob/HEAD/{{path}}" if self.source_repo else ""
        return view_pattern(repository, self._own_forge, self.source_branch)

    @property
    def _own_forge(self) -> str:
        """The configured software of the host of ``source_repo``; that of another repository says nothing about it."""
        return "" if self.refs.repo else self.refs.forge

    def source_path(self, file: str) -> str:
        """The path in ``source_repo`` of a path below the site's folder; it starts with ``..`` outside of it."""
        return posixpath.normpath(posixpath.join(self.source_folder, file))

    @property
    def conventions(self) -> Dialect:
        """The conventions of the site's dialect."""
        return DIALECTS[self.dialect]

    def without_search(self) -> Config:
        """The same configuration without the site search."""
        return msgspec.structs.replace(self, search=msgspec.structs.replace(self.search, enabled=False))


NEVER_IN_URLS = re.compile(r'[\s<>"\\^`{|}]|%(?![0-9A-Fa-f]{2})')
"""The printable ASCII that no URL contains as it is; square brackets may, around an IP address."""
LONGEST_URL = 4_000
"""The maximum length of a URL: `urlsplit` takes the square of the number of accents in a host."""


def is_base_url(text: str) -> bool:
    """Whether a text is an absolute URL of the web, or a path from its root, with characters that RFC 3986 allows.

    Feeds, the sitemap and canonical links begin with it as it is written.
    """
    return text.isascii() and is_url_or_path(text)


def is_url_or_path(text: str) -> bool:
    """Whether a text is an absolute URL of the web, or a path from its root; letters may be outside of ASCII."""
    if len(text) > LONGEST_URL or not text.isprintable() or NEVER_IN_URLS.search(text):
        return False
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:  # brackets without an IP address in them, or a port that cannot be
        return False
    if ".." in parts.path.split("/"):
        return False
    if parts.scheme or parts.netloc:
        return parts.scheme in ("http", "https") and bool(parts.netloc)
    return text.startswith("/")


def is_address(text: str) -> bool:
    """Whether a text is a URL that links may have: that of a web page, or a ``mailto:`` URL."""
    if not text.isprintable() or " " in text:
        return False
    if text.startswith("mailto:"):
        return "@" in text
    return "://" in text and is_url_or_path(text)


def shown_address(address: str) -> str:
    """A URL as people write it: without its scheme, without ``www.``, and without a trailing slash."""
    return re.sub(r"^(?:https?://(?:www\.)?|mailto:)", "", address).rstrip("/")


def is_of_plugin(code: str) -> bool:
    """Whether a code looks like that of a plugin. This module does not know which of them exist."""
    return "." in code and not code.startswith("leaks.")


DEPLOYERS = frozenset({"branch", "folder"})
"""The names of the built-in deployers."""


@lru_cache(maxsize=8)
def _origin(base_url: str) -> str:
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


@lru_cache(maxsize=8)
def _base_path(base_url: str) -> str:
    path = urlsplit(base_url).path.strip("/")
    return f"/{path}/" if path else "/"


PLACEHOLDERS = (
    ":topic",
    ":section",
    ":categories",
    ":name",
    ":slug",
    ":title",
    ":year",
    ":month",
    ":day",
    ":i_month",
    ":i_day",
)
"""The placeholders that a URL pattern may use: docs/configuration.md says what each stands for."""
