"""The site's configuration: ``devlog.toml``, or ``[tool.devlog]`` in ``pyproject.toml``, as a typed value."""

from __future__ import annotations

import posixpath
import re
import types
import typing
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import msgspec

from devlog import problems
from devlog.model.date_form import FORMS, unknown_placeholder
from devlog.model.date_form import PLACEHOLDERS as PLACEHOLDERS_OF_DATES
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.dialect import DIALECTS, Dialect
from devlog.model.forges import edit_pattern
from devlog.model.problems import nearest
from devlog.model.toml import TomlError, load_toml, toml_entries
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

    @property
    def extensions(self) -> tuple[str, ...]:
        """The names of the extensions that are off by default, and are on in this site."""
        names = ("typographer", "mark", "superscript", "subscript", "admonitions")
        return tuple(name for name in names if getattr(self, name))


class Excerpts(msgspec.Struct, frozen=True):
    """How long an automatic excerpt is: it ends at a word once it has ``words`` words."""

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
        """The files of the site that the command names, as whole arguments or inside them."""
        whole = [part.removeprefix(_IN_SITE) for part in self.command if part.startswith(_IN_SITE)]
        return tuple(dict.fromkeys([*whole, *(name for part in self.command for name in _IN_ARGUMENT.findall(part))]))


class Images(msgspec.Struct, frozen=True):
    """Additional sizes and formats of images: see ``docs/configuration.md``."""

    enabled: bool = True
    widths: tuple[Count, ...] = (800, 1200, 1600)
    formats: tuple[Literal["avif", "webp"], ...] = ("webp",)
    quality: Percent = 75
    strip: bool = True


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
    period: Literal["day", "week"] = "day"
    project: str = ""
    template: str = ""
    writer: tuple[str, ...] = ()
    ai: str = ""
    author: str = ""
    tags: tuple[str, ...] = ()
    draft: bool = True
    forge: bool | str = False
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
    dialect: DialectName = "devlog"
    undated: Literal["pages", "posts"] = "pages"
    recent: Count = 10
    topic_recent: Count = 5
    page_size: Count = 100
    source_repo: str = ""
    source_branch: str = ""
    source_checkout: str = ""
    edit_url: bool | str = True
    ignore: tuple[str, ...] = ()
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
        """The files that the configuration names, anywhere in the site, as sorted paths relative to its folder."""
        drawing = (program for diagram in self.diagrams.values() for program in diagram.programs)
        cards = filter(None, (self.cards.font, self.cards.background))
        return tuple(sorted({*self.plugins, *drawing, *cards, *self.brand.files}))

    @property
    def edit_pattern(self) -> str:
        """The URL at which a file of the site is edited, with ``{path}`` for its path; empty if it is not known."""
        if isinstance(self.edit_url, str):
            pattern = self.edit_url
            return pattern if not pattern or "{path}" in pattern else pattern.rstrip("/") + "/{path}"
        repository = repository_url(self.source_repo) if self.edit_url else ""
        configured = "" if self.refs.repo else self.refs.forge  # that of another repository says nothing about this one
        return edit_pattern(repository, configured, self.source_branch) if repository else ""

    @property
    def conventions(self) -> Dialect:
        """The conventions of the site's dialect."""
        return DIALECTS[self.dialect]

    def without_search(self) -> Config:
        """The same configuration without the site search."""
        return msgspec.structs.replace(self, search=msgspec.structs.replace(self.search, enabled=False))


def is_base_url(text: str) -> bool:
    """Whether a text is an absolute URL of the web, or a path from its root."""
    try:
        parts = urlsplit(text)
    except ValueError:  # brackets without an IP address in them
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
    return "://" in text and is_base_url(text)


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


Path = tuple[str | int, ...]


def read_config(text: str, file: str, codes: frozenset[str] | None = None) -> tuple[Config, tuple[Diagnostic, ...]]:
    """Read a configuration file.

    Args:
        text: the file's text; of a ``pyproject.toml`` only ``[tool.devlog]`` is read.
        file: its name in messages.
        codes: the existing codes, which the configuration may name; `None` to accept any.

    Returns:
        The configuration, with defaults for invalid values, and the problems.
    """
    try:
        tree: dict[str, Any] = load_toml(text)
    except TomlError as error:
        reason = str(error).rpartition(" (at ")[0] or str(error)
        return Config(), (problems.invalid_toml(toml_error_span(str(error), file, text), reason),)
    prefix = _prefix(file)
    for part in prefix:
        inner = tree.get(part, {})
        if not isinstance(inner, dict):
            return Config(), (problems.wrong_config_type(Span(file, 1), part, "a table", ""),)
        tree = inner
    reader = _Reader(_spans(text), file, prefix)
    config = reader.struct(Config, tree, ())
    assert isinstance(config, Config)
    if codes is not None:
        _look_at_severities(config, reader, codes)
    return _checked(config, reader)


def key_span(text: str, file: str, *path: str) -> Span:
    """Where a configuration file sets a key; the whole file if it does not."""
    span = _spans(text).get((*_prefix(file), *path))
    return Span(file, span[0], span[1], len(path[-1])) if span else Span(file)


def key_spans(text: str, file: str) -> dict[str, Span]:
    """Where a configuration file sets its keys and tables, by their dotted names, such as ``menu.0.url``."""
    prefix = _prefix(file)
    found = {}
    for path, (line, column) in _spans(text).items():
        if path[: len(prefix)] == prefix and len(path) > len(prefix):
            found[_dotted(path[len(prefix) :])] = Span(file, line, column, len(str(path[-1])))
    return found


def _prefix(file: str) -> tuple[str, ...]:
    """The table of a configuration file that belongs to devlog."""
    return ("tool", "devlog") if file.endswith("pyproject.toml") else ()


def toml_error_span(message: str, file: str, text: str) -> Span:
    """The location of a syntax error in TOML, taken from the message of a `TomlError`."""
    found = re.search(r"at line (\d+), column (\d+)", message)
    if found:
        return Span(file, int(found[1]), int(found[2]), 1)
    return Span(file, text.count("\n") + 1, 1)


FORMER: dict[Path, str] = {("llms", "twins"): "markdown"}
"""Former names of keys, which are still read."""


class _Reader:
    """Turns a TOML tree into structs, key by key, so that one mistake does not hide the next."""

    def __init__(self, spans: dict[Path, tuple[int, int]], file: str, prefix: Path) -> None:
        self._spans = spans
        self._file = file
        self._prefix = prefix
        self.diagnostics: list[Diagnostic] = []

    def span(self, path: Path) -> Span:
        """The span of the key `path`, or else of the nearest table around it."""
        for end in range(len(path), 0, -1):
            span = self._spans.get(self._prefix + path[:end])
            if span:
                return Span(self._file, span[0], span[1], len(str(path[end - 1])))
        return Span(self._file, 1)

    def struct(self, kind: type[msgspec.Struct], tree: dict[str, Any], path: Path) -> msgspec.Struct:
        hints = _hints(kind)
        values: dict[str, Any] = {}
        for written, value in tree.items():
            key = FORMER.get((*path, written), written)
            if key not in hints:
                self.diagnostics.append(self._unknown(kind, key, path))
                continue
            converted = self._value(hints[key], value, (*path, written))
            if converted is not msgspec.UNSET:
                values[key] = converted
        try:
            return kind(**values)
        except TypeError:  # a required key is missing
            required = [field.name for field in msgspec.structs.fields(kind) if field.required]
            missing = [name for name in required if name not in values]
            self.diagnostics.append(problems.missing_config_key(self.span(path), missing, _dotted(path)))
            return kind(**{**dict.fromkeys(required, ""), **values})

    def _value(self, hint: Any, value: Any, path: Path) -> Any:
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and isinstance(value, dict):
            return self.struct(hint, value, path)
        arguments = typing.get_args(hint)
        inner = arguments[-1] if typing.get_origin(hint) is dict else arguments[0] if arguments else None
        holds_structs = isinstance(inner, type) and issubclass(inner, msgspec.Struct)
        if holds_structs and isinstance(value, list) and typing.get_origin(hint) is tuple:
            return tuple(self._value(inner, v, (*path, i)) for i, v in enumerate(value))
        if isinstance(value, dict) and typing.get_origin(hint) is dict and inner is not Any and not _has_nul([*value]):
            read = {key: self._value(inner, item, (*path, key)) for key, item in value.items()}
            return {key: item for key, item in read.items() if item is not msgspec.UNSET}
        if _has_nul(value):
            reason = "it contains the character U+0000, which no name or text has"
            self.diagnostics.append(problems.wrong_config_type(self.span(path), _dotted(path), _expected(hint), reason))
            return msgspec.UNSET
        try:
            return msgspec.convert(value, hint)
        except msgspec.ValidationError as error:
            dotted = path[0] == "severity" and isinstance(value, dict)
            reason = "a code with a dot stands in quotes" if dotted else str(error)
            self.diagnostics.append(problems.wrong_config_type(self.span(path), _dotted(path), _expected(hint), reason))
            return msgspec.UNSET

    def _unknown(self, kind: type[msgspec.Struct], key: str, path: Path) -> Diagnostic:
        span = self.span((*path, key))
        known = [field.name for field in msgspec.structs.fields(kind)]
        home = next((table for table in _homes(key) if table != path), None)
        if home is not None and not nearest(key, known):
            return problems.misplaced_config_key(span, _dotted((*path, key)), _dotted(home))
        return problems.unknown_config_key(span, _dotted((*path, key)), known, key)


def _has_nul(value: Any) -> bool:
    """Whether a value contains a NUL, which neither file names nor arguments of programs can contain."""
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    return any(map(_has_nul, value)) if isinstance(value, list) else isinstance(value, str) and "\0" in value


def _homes(key: str) -> Iterator[Path]:
    """The tables in which `key` has a meaning."""
    if key in Config.__struct_fields__:
        yield ()
    for field in msgspec.structs.fields(Config):
        if isinstance(field.default, msgspec.Struct) and key in field.default.__struct_fields__:
            yield (field.name,)


def _dotted(path: Path) -> str:
    return ".".join(str(part) for part in path)


def _expected(hint: Any) -> str:
    """The type that a key expects, in words."""
    origin = typing.get_origin(hint)
    if origin is Literal:
        return "one of " + ", ".join(f"“{choice}”" for choice in typing.get_args(hint))
    if origin is typing.Annotated:
        limits = typing.get_args(hint)[1]
        return f"a number of at least {limits.ge}" if limits.le is None else f"a number from {limits.ge} to {limits.le}"
    if origin is tuple:
        return f"a list of {_many(typing.get_args(hint)[0])}"
    if origin is dict:
        inner = typing.get_args(hint)[-1]
        return "a table" if inner is Any else f"a table of {_many(inner)}"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_expected(choice) for choice in typing.get_args(hint))
    names = {str: "a string", int: "a whole number", bool: "true or false", float: "a number"}
    return names.get(hint, "a table")


def _many(hint: Any) -> str:
    """The type that a list expects of its values, in the plural, in words."""
    if hint is str:
        return "strings"
    if hint is Count:
        return "numbers of at least 1"
    return _expected(hint)


def _checked(config: Config, reader: _Reader) -> tuple[Config, tuple[Diagnostic, ...]]:
    """Check what types cannot express, and normalize the base URL."""
    wrong = reader.diagnostics
    if config.base_url and not is_base_url(config.base_url):
        wrong.append(problems.bad_base_url(reader.span(("base_url",)), config.base_url))
        config = msgspec.structs.replace(config, base_url="")
    elif mark := re.search("[?#]", config.base_url):
        wrong.append(problems.base_url_with_query(reader.span(("base_url",)), config.base_url, mark[0]))
        config = msgspec.structs.replace(config, base_url="")
    elif config.base_url:
        config = msgspec.structs.replace(config, base_url=config.base_url.rstrip("/") + "/")
    if "_" in config.language:  # as locales are written, but not the tags of web pages
        config = msgspec.structs.replace(config, language=config.language.replace("_", "-"))
    try:
        ZoneInfo(config.timezone)
    except (KeyError, ValueError, OSError):
        wrong.append(problems.unknown_timezone(reader.span(("timezone",)), config.timezone))
        config = msgspec.structs.replace(config, timezone="UTC")
    for name in ("content", "static", "output"):
        folder = getattr(config, name)
        if not folder or folder.startswith(("/", "\\")) or ".." in re.split(r"[\\/]", folder):
            wrong.append(problems.bad_folder(reader.span((name,)), name, folder))
            default = Config.__struct_defaults__[Config.__struct_fields__.index(name)]
            config = msgspec.structs.replace(config, **{name: default})
    for name, pattern in config.check.patterns.items():
        try:
            re.compile(pattern)
        except re.error as error:
            wrong.append(problems.bad_pattern(reader.span(("check", "patterns", name)), pattern, str(error)))
            patterns_left = {other: text for other, text in config.check.patterns.items() if other != name}
            config = msgspec.structs.replace(
                config, check=msgspec.structs.replace(config.check, patterns=patterns_left)
            )
    patterns: dict[Path, str] = {(name,): getattr(config.permalinks, name) for name in ("post", "page")}
    patterns.update({("topics", topic): pattern for topic, pattern in config.permalinks.topics.items()})
    for path, pattern in patterns.items():
        unknown = [p for p in re.findall(r":[a-z_]+", pattern) if p not in PLACEHOLDERS]
        if unknown or not pattern.startswith("/"):
            wrong.append(problems.bad_permalink(reader.span(("permalinks", *path)), pattern, PLACEHOLDERS))
            config = msgspec.structs.replace(config, permalinks=Permalinks())
    wrong += [
        problems.policy_in_page(reader.span(("content_security_policy",)), name)
        for name in _ignored_in_pages(config.content_security_policy)
    ]
    config = _checked_dates(config, reader)
    config = _checked_branch(config, reader)
    config = _checked_mounts(config, reader)
    config = _checked_feed_names(config, reader)
    config = _checked_redirects(config, reader)
    config = _checked_refs(config, reader)
    config = _checked_links(config, reader)
    config = _checked_social(config, reader)
    config = _checked_analytics(config, reader)
    config = _checked_diagrams(config, reader)
    config = _checked_brand(config, reader)
    config = _checked_comments(config, reader)
    config = _checked_speak(config, reader)
    return config, tuple(sorted(wrong, key=lambda d: d.sort_key))


def _look_at_severities(config: Config, reader: _Reader, codes: frozenset[str]) -> None:
    """Report severities of unknown codes."""
    known = codes | {f"leaks.{name}" for name in config.check.patterns}
    for code in config.severity:
        if code not in known and not is_of_plugin(code):
            span = reader.span(("severity", code))
            reader.diagnostics.append(problems.unknown_config_key(span, f"severity.{code}", sorted(known), code))


def _checked_dates(config: Config, reader: _Reader) -> Config:
    """Check that dates can be shown in the form that is asked for."""
    form = config.date_format
    wrong = unknown_placeholder(form)
    if wrong is None:
        return config
    span = reader.span(("date_format",))
    reader.diagnostics.append(problems.bad_date_format(span, form, wrong, FORMS, PLACEHOLDERS_OF_DATES))
    return msgspec.structs.replace(config, date_format=Config().date_format)


_BRANCH = re.compile(r"[\w.+#@-]+(?:/[\w.+#@-]+)*")


def _checked_branch(config: Config, reader: _Reader) -> Config:
    """Check that the branch of the site's repository can be one."""
    if not config.source_branch or _BRANCH.fullmatch(config.source_branch):
        return config
    reader.diagnostics.append(problems.bad_branch(reader.span(("source_branch",)), config.source_branch))
    return msgspec.structs.replace(config, source_branch="")


def _ignored_in_pages(policy: bool | str) -> list[str]:
    """The directives of a content security policy that have no effect in a page."""
    parts = policy.split(";") if isinstance(policy, str) else []
    return sorted({part.split()[0].lower() for part in parts if part.split()} & _IGNORED_IN_PAGES)


def _checked_feed_names(config: Config, reader: _Reader) -> Config:
    """Check that the file names of feeds are plain, and that no two are the same."""
    names = {kind: getattr(config.feeds, kind) for kind in ("rss", "atom", "json")}
    taken: set[str] = set()
    for kind, name in names.items():
        if not _FEED_NAME.fullmatch(name) or name.lower() in taken:
            reader.diagnostics.append(problems.bad_feed_name(reader.span(("feeds", kind)), name))
        taken.add(name.lower())
    if any(item.code == "bad-feed-name" for item in reader.diagnostics):
        usual = {kind: getattr(Feeds(), kind) for kind in names}
        config = msgspec.structs.replace(config, feeds=msgspec.structs.replace(config.feeds, **usual))
    return config


def _checked_mounts(config: Config, reader: _Reader) -> Config:
    """Check that mounts lead from a path to a folder of the site that has no other purpose."""
    good: dict[str, str] = {}
    own = [posixpath.normpath(name) for name in (config.content, config.static, config.output, *_RESERVED)]
    for place, folder in config.mounts.items():
        span, path = reader.span(("mounts", place)), posixpath.normpath(folder)
        other = next((name for name in (*own, *good.values()) if _overlap(path, name)), "")
        if not _MOUNT.fullmatch(place):
            reader.diagnostics.append(problems.bad_mount(span, place))
        elif not folder or path == "." or path.startswith(("/", "..")) or "\\" in folder:
            reader.diagnostics.append(problems.bad_folder(span, f"mounts.{place}", folder))
        elif other or any(_overlap(place, known) for known in good):
            reader.diagnostics.append(problems.mount_in_use(span, folder, other or place))
        else:
            good[place] = path
    return msgspec.structs.replace(config, mounts=good) if config.mounts else config


def _overlap(one: str, other: str) -> bool:
    """Whether a folder is another one, or inside it, or the other way round."""
    return other == "." or f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _checked_redirects(config: Config, reader: _Reader) -> Config:
    """Check that redirects lead from a path to another path or a URL."""
    good = {}
    for path, target in config.redirects.items():
        plain = f"{path}{target}".isprintable() and not any(map(str.isspace, path + target))
        if plain and _is_path(path) and (_is_path(target) or ("://" in target and is_base_url(target))):
            good[path] = target
        else:
            span = reader.span(("redirects", path))
            reader.diagnostics.append(problems.bad_redirect(span, path, target))
    return msgspec.structs.replace(config, redirects=good)


_LANGUAGE = re.compile(r"[a-z0-9][a-z0-9_+#-]{0,30}")


def _checked_diagrams(config: Config, reader: _Reader) -> Config:
    """Check that diagrams are drawn by a program, or by a script with a valid URL; others stay text."""
    good = {}
    for language, diagram in config.diagrams.items():
        span, script = reader.span(("diagrams", language)), diagram.script
        if not _LANGUAGE.fullmatch(language):
            reader.diagnostics.append(problems.bad_diagram_language(span, language))
        elif diagram.command and not diagram.command[0].strip():
            reader.diagnostics.append(problems.bad_diagram_command(span, language))
        elif script and not (_is_path(script) or (is_address(script) and is_base_url(script))):
            span = reader.span(("diagrams", language, "script"))
            reader.diagnostics.append(problems.bad_diagram_script(span, script))
        else:
            good[language] = diagram
    return config if len(good) == len(config.diagrams) else msgspec.structs.replace(config, diagrams=good)


_IMAGES = (".svg", ".png")
_FONTS = (".woff2", ".woff", ".ttf", ".otf")


def _checked_brand(config: Config, reader: _Reader) -> Config:
    """Check the colors and the types of the files of a brand; what is wrong is left out of it."""
    brand, wrong = config.brand, reader.diagnostics
    if brand == Brand():
        return config
    from devlog.model.css_color import read_color
    from devlog.model.palette import ROLES, faint

    left_out: dict[str, Any] = {}
    for name in ("logo", "logo_dark", "favicon"):
        file = getattr(brand, name)
        if file and not file.lower().endswith(_IMAGES):
            wrong.append(problems.bad_brand_file(reader.span(("brand", name)), file, _IMAGES))
            left_out[name] = ""
    if brand.logo_dark and not brand.logo:
        wrong.append(problems.missing_config_key(reader.span(("brand", "logo_dark")), ["logo"], "brand"))
        left_out["logo_dark"] = ""
    for use in FONT_USES:
        for file in brand.fonts.of(use):
            if not file.lower().endswith(_FONTS):
                wrong.append(problems.bad_brand_file(reader.span(("brand", "fonts", use)), file, _FONTS))
                left_out["fonts"] = Fonts()
    for role in ROLES:
        given = getattr(brand, role)
        texts = {"": given} if isinstance(given, str) else msgspec.structs.asdict(given)
        for mode, text in texts.items():
            if text and not read_color(text):
                span = reader.span(("brand", role, mode) if mode else ("brand", role))
                wrong.append(problems.bad_color(span, f"brand.{role}" + (f".{mode}" if mode else ""), text))
                left_out[role] = ""
    brand = msgspec.structs.replace(brand, **left_out)
    is_usual = config.theme == Config().theme
    topics = is_usual and config.settings.get("topic_colors", True) is not False
    for found in faint(brand.palette, topics=topics, theme=is_usual):
        path: Path = ("brand", found.role)
        path += () if isinstance(getattr(brand, found.role), str) else (found.mode,)
        wrong.append(problems.low_contrast(reader.span(path), found))
    return msgspec.structs.replace(config, brand=brand)


def _checked_speak(config: Config, reader: _Reader) -> Config:
    """Check that commands that make audio name a program, and the files that they need."""
    speak, wrong = config.speak, []
    if speak.command and not speak.command[0].strip():
        wrong.append(problems.bad_speak_command(reader.span(("speak", "command")), "command", "a program"))
    if speak.encode:
        needed = {"a program": speak.encode[0].strip(), "“{output}”": any("{output}" in part for part in speak.encode)}
        missing = next((what for what, there in needed.items() if not there), "")
        if missing:
            wrong.append(problems.bad_speak_command(reader.span(("speak", "encode")), "encode", missing))
    for key in ("greeting", "farewell"):
        for placeholder in re.findall(r"\{\w+\}", getattr(speak, key)):
            if placeholder not in SPOKEN:
                span = reader.span(("speak", key))
                wrong.append(problems.bad_speak_placeholder(span, key, placeholder, SPOKEN))
    reader.diagnostics += wrong
    return msgspec.structs.replace(config, speak=Speak()) if wrong else config


def _checked_refs(config: Config, reader: _Reader) -> Config:
    """Check that the repository of source references has a valid URL."""
    repo = config.refs.repo
    if not repo or repository_url(repo):
        return config
    reader.diagnostics.append(problems.bad_refs(reader.span(("refs", "repo")), repo))
    return msgspec.structs.replace(config, refs=msgspec.structs.replace(config.refs, repo="", enabled=False))


def _checked_links(config: Config, reader: _Reader) -> Config:
    """Check that the links of authors lead to web pages and email addresses."""
    authors = {}
    for handle, author in config.authors.items():
        for title, address in author.links.items():
            if not is_address(address):
                span = reader.span(("authors", handle, "links", title))
                reader.diagnostics.append(problems.bad_author_link(span, address))
        good = {title: address for title, address in author.links.items() if is_address(address)}
        authors[handle] = msgspec.structs.replace(author, links=good)
    return msgspec.structs.replace(config, authors=authors) if authors else config


def _checked_social(config: Config, reader: _Reader) -> Config:
    """Check that the profiles in the footer are web pages or email addresses, and leave out the others."""
    good = {}
    for name, address in config.footer.social.items():
        if is_address(address):
            good[name] = address
        else:
            reader.diagnostics.append(problems.bad_social(reader.span(("footer", "social", name)), name, address))
    return msgspec.structs.replace(config, footer=msgspec.structs.replace(config.footer, social=good))


_COUNTED = {
    "plausible": ("site", "lumen.example.org"),
    "goatcounter": ("site", "lumen"),
    "umami": ("site", "the website's ID"),
    "script": ("url", "/js/count.js"),
}
"""The key of ``[analytics]`` that each provider needs, with an example."""


def _checked_analytics(config: Config, reader: _Reader) -> Config:
    """Check that the service that counts visits has all that it needs; if not, turn it off."""
    analytics, wrong = config.analytics, []
    if analytics == Analytics():
        return config
    needed, example = _COUNTED.get(analytics.provider, ("provider", "plausible"))
    has_own = analytics.provider == "goatcounter" and analytics.url
    if not getattr(analytics, needed) and not has_own:
        wrong.append(problems.missing_config_key(reader.span(("analytics",)), [needed], "analytics"))
    if analytics.provider == "goatcounter" and analytics.site and not re.fullmatch(r"[a-z0-9-]{1,60}", analytics.site):
        span = reader.span(("analytics", "site"))
        wrong.append(problems.bad_analytics(span, analytics.site, f"the code of the site, such as “{example}”"))
    own = _is_path(analytics.url) and analytics.provider == "script"
    if analytics.url and not own and not (is_address(analytics.url) and is_base_url(analytics.url)):
        span = reader.span(("analytics", "url"))
        wrong.append(problems.bad_analytics(span, analytics.url, "the URL of a script, such as “https://…/script.js”"))
    for address in analytics.connect:
        if not (is_address(address) and is_base_url(address)):
            span = reader.span(("analytics", "connect"))
            wrong.append(problems.bad_analytics(span, address, "URLs, such as “https://stats.example.org”"))
    reader.diagnostics += wrong
    return msgspec.structs.replace(config, analytics=Analytics()) if wrong else config


_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")

NEEDED = {"giscus": ("repo", "repo_id", "category", "category_id"), "discourse": ("url",)}
"""The keys of ``[comments]`` that each provider needs."""


def _checked_comments(config: Config, reader: _Reader) -> Config:
    """Check that the provider of comments has all that it needs; if not, turn comments off."""
    comments, wrong = config.comments, []
    if comments == Comments():
        return config
    if not comments.provider:
        wrong.append(problems.missing_config_key(reader.span(("comments",)), ["provider"], "comments"))
    missing = [key for key in NEEDED.get(comments.provider, ()) if not getattr(comments, key)]
    if missing:
        wrong.append(problems.missing_config_key(reader.span(("comments",)), missing, "comments"))
    if comments.repo and not _REPOSITORY.fullmatch(comments.repo):
        wrong.append(problems.bad_comments(reader.span(("comments", "repo")), comments.repo, "owner/name"))
    if comments.url and not (is_address(comments.url) and is_base_url(comments.url)):
        wrong.append(
            problems.bad_comments(reader.span(("comments", "url")), comments.url, "https://forum.example.org/")
        )
    if comments.provider == "discourse" and comments.url and not config.origin:
        wrong.append(problems.comments_need_address(reader.span(("comments",))))
    reader.diagnostics += wrong
    return msgspec.structs.replace(config, comments=Comments()) if wrong else config


def _is_path(text: str) -> bool:
    """Whether a text is a path from the root; after two slashes there would be a host."""
    return text.startswith("/") and not text.startswith("//")


_IGNORED_IN_PAGES = frozenset({"frame-ancestors", "report-uri", "sandbox"})
"""Directives of a content security policy that browsers only obey in an HTTP header."""

_MOUNT = re.compile(r"[a-z0-9_-]{1,60}(?:/[a-z0-9_-]{1,60}){0,7}")
_RESERVED = ("themes", "templates", "i18n", RECORDS, ".devlog", ".git")
"""Folders of a site with a purpose of their own."""

_FEED_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}\.(?:xml|json|rss|atom)")

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


@lru_cache
def _hints(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The types of a struct's fields, which take longer to find than its values to convert."""
    return typing.get_type_hints(kind, include_extras=True)


def _spans(text: str) -> dict[Path, tuple[int, int]]:
    """The line and column of each key and table of a valid TOML text, except of keys inside inline tables."""
    found: dict[Path, tuple[int, int]] = {}
    line = start = 0
    for entry in toml_entries(text):
        line += text.count("\n", start, entry.start)
        start = entry.start
        found.setdefault(entry.path, (line + 1, start - text.rfind("\n", 0, start)))
    return found
