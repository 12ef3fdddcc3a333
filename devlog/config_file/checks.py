"""Checks what the types of keys cannot express, and leaves out what is wrong."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from operator import attrgetter
from typing import TypeVar
from zoneinfo import ZoneInfo

import msgspec

from devlog.config import (
    FONT_USES,
    PLACEHOLDERS,
    RECORDS,
    Analytics,
    Comments,
    Config,
    Feeds,
    Fonts,
    Permalinks,
    is_address,
    is_base_url,
    is_of_plugin,
    is_url_or_path,
)
from devlog.config_file import problems
from devlog.config_file.reader import Reader
from devlog.config_file.spans import Path
from devlog.model.date_form import FORMS, unknown_placeholder
from devlog.model.date_form import PLACEHOLDERS as PLACEHOLDERS_OF_DATES
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.language import language_tag
from devlog.model.outpath import control_folder
from devlog.model.patterns import compile_pattern
from devlog.model.urls import repository_url, runs

_IGNORED_IN_PAGES = frozenset({"frame-ancestors", "report-uri", "sandbox"})
"""Directives of a content security policy that browsers only obey in an HTTP header."""

_MOUNT = re.compile(r"[a-z0-9_-]{1,60}(?:/[a-z0-9_-]{1,60}){0,7}")
_OF_THEME = ("themes", "templates", "i18n")
_RESERVED = (RECORDS, ".devlog", ".git")
"""Folders of a site with a purpose of their own; the former are in the folder for these."""

_Settings = TypeVar("_Settings", bound=msgspec.Struct)
_FEED_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}\.(?:xml|json|rss|atom)")


def checked(config: Config, reader: Reader) -> tuple[Config, tuple[Diagnostic, ...]]:
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
    config = _checked_language(config, reader)
    try:
        ZoneInfo(config.timezone)
    except (KeyError, ValueError, OSError):
        wrong.append(problems.unknown_timezone(reader.span(("timezone",)), config.timezone))
        config = msgspec.structs.replace(config, timezone="UTC")
    for name in ("content", "static", "output"):
        problem = _folder_problem(reader.span((name,)), name, getattr(config, name))
        if problem:
            wrong.append(problem)
            default = Config.__struct_defaults__[Config.__struct_fields__.index(name)]
            config = msgspec.structs.replace(config, **{name: default})
    config = _checked_static(config, reader)
    for name, pattern in config.check.patterns.items():
        try:
            compile_pattern(pattern)
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
    config = _checked_files(_without_dots(config), reader)
    config = _checked_dates(config, reader)
    config = _checked_source(config, reader)
    config = _checked_placeholders(config, reader)
    config = _checked_theme_folder(_checked_theme(config, reader), reader)
    config = _checked_mounts(config, reader)
    config = _checked_feed_names(config, reader)
    config = _checked_redirects(config, reader)
    config = _checked_refs(config, reader)
    config = _checked_links(config, reader)
    config = _checked_social(config, reader)
    _look_at_scripts(config, reader)
    config = _checked_analytics(config, reader)
    config = _checked_diagrams(config, reader)
    config = _checked_comments(config, reader)
    return config, tuple(sorted(wrong, key=lambda d: d.sort_key))


def look_at_severities(config: Config, reader: Reader, codes: frozenset[str]) -> None:
    """Report severities of unknown codes."""
    known = codes | {f"leaks.{name}" for name in config.check.patterns}
    for code in config.severity:
        if code not in known and not is_of_plugin(code):
            span = reader.span(("severity", code))
            reader.diagnostics.append(problems.unknown_config_key(span, f"severity.{code}", sorted(known), code))


def _checked_language(config: Config, reader: Reader) -> Config:
    language = language_tag(config.language)
    if not language:
        reader.diagnostics.append(problems.bad_language(reader.span(("language",)), config.language))
    return msgspec.structs.replace(config, language=language or "en")


def _without_dots(config: Config) -> Config:
    """Remove “./” from the beginning of the names of files, which name the same files without it."""

    def plain(file: str) -> str:
        return posixpath.normpath(file) if file.startswith("./") else file

    def plains(files: str | tuple[str, ...]) -> str | tuple[str, ...]:
        return plain(files) if isinstance(files, str) else tuple(map(plain, files))

    brand, cards = config.brand, config.cards
    fonts = Fonts(*(plains(getattr(brand.fonts, use)) for use in FONT_USES))
    images = {name: plain(getattr(brand, name)) for name in ("logo", "logo_dark", "favicon")}
    return msgspec.structs.replace(
        config,
        custom_css=plains(config.custom_css),
        custom_js=plains(config.custom_js),
        brand=msgspec.structs.replace(brand, **images, fonts=fonts),
        cards=msgspec.structs.replace(cards, font=plain(cards.font), background=plain(cards.background)),
    )


def _checked_dates(config: Config, reader: Reader) -> Config:
    """Check that dates can be shown in the form that is asked for."""
    form = config.date_format
    wrong = unknown_placeholder(form)
    if wrong is None:
        return config
    span = reader.span(("date_format",))
    reader.diagnostics.append(problems.bad_date_format(span, form, wrong, FORMS, PLACEHOLDERS_OF_DATES))
    return msgspec.structs.replace(config, date_format=Config().date_format)


def may_be_folder(folder: str) -> bool:
    """Whether a setting may name this folder of the site."""
    return _is_inside(folder) and not control_folder(folder)


def _is_inside(folder: str) -> bool:
    """Whether a relative path names a folder inside another one."""
    return bool(folder) and not folder.startswith(("/", "\\")) and ".." not in re.split(r"[\\/]", folder)


def _folder_problem(span: Span, key: str, folder: str, whole: str = "site") -> Diagnostic | None:
    """Why a key must not name a folder: it is outside of the site or the `whole`, or a folder of version control."""
    if not _is_inside(folder):
        return problems.bad_folder(span, key, folder, whole)
    own = control_folder(folder)
    return problems.control_folder(span, key, folder, own) if own else None


def _named_in(config: Config) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The keys that name files of the site, and ``source_checkout``, each with what it names."""
    for name in ("plugins", "custom_css", "custom_js"):
        yield (name,), getattr(config, name)
    yield ("source_checkout",), (config.source_checkout,)
    for name in ("font", "background"):
        yield ("cards", name), (getattr(config.cards, name),)
    for name in ("logo", "logo_dark", "favicon"):
        yield ("brand", name), (getattr(config.brand, name),)
    for use in FONT_USES:
        yield ("brand", "fonts", use), config.brand.fonts.of(use)


def _checked_files(config: Config, reader: Reader) -> Config:
    """Check that no key names a file in a folder of version control, or devlog's own one."""
    for path, files in _named_in(config):
        found = [(file, own) for file in files if (own := control_folder(file))]
        key = ".".join(path)
        reader.diagnostics += [problems.control_folder(reader.span(path), key, file, own) for file, own in found]
        if found:
            config = _with_default(config, path)
    return config


def _with_default(settings: _Settings, path: tuple[str, ...]) -> _Settings:
    """Settings in which one key has its default."""
    name, *rest = path
    value = _with_default(getattr(settings, name), tuple(rest)) if rest else getattr(type(settings)(), name)
    return msgspec.structs.replace(settings, **{name: value})


_BRANCH = re.compile(r"[\w.+#@-]+(?:/[\w.+#@-]+)*")


def _checked_source(config: Config, reader: Reader) -> Config:
    """Check the URL and the branch of the site's repository, and that the site's folder is inside it."""
    if config.source_branch and not _BRANCH.fullmatch(config.source_branch):
        reader.diagnostics.append(problems.bad_branch(reader.span(("source_branch",)), config.source_branch))
        config = msgspec.structs.replace(config, source_branch="")
    repo = config.source_repo
    if repo and not runs(repo) and not ("://" in repo and is_url_or_path(repo)):
        reader.diagnostics.append(problems.bad_refs(reader.span(("source_repo",)), repo))
        config = msgspec.structs.replace(config, source_repo="")
    folder, span = config.source_folder, reader.span(("source_folder",))
    problem = _folder_problem(span, "source_folder", folder, "repository") if folder else None
    if problem:
        reader.diagnostics.append(problem)
        config = msgspec.structs.replace(config, source_folder="")
    return config


_FILLED = {("edit_url",): ("{path}",), ("serve", "editor"): ("{path}", "{line}")}
"""The keys with URLs of files, and what is filled in there. Without a path, `edit_url` gets it at its end."""


def _checked_placeholders(config: Config, reader: Reader) -> Config:
    """Check that the URLs at which files are edited have only placeholders that are filled in."""
    for path, known in _FILLED.items():
        url = attrgetter(".".join(path))(config)
        if not isinstance(url, str) or not url:
            continue
        span, unknown = reader.span(path), sorted({*re.findall(r"\{[^{}]*\}", url)} - {*known})
        if unknown:
            reader.diagnostics.append(problems.unknown_placeholder(span, ".".join(path), unknown[0], known))
        elif path != ("edit_url",) and "{path}" not in url:
            reader.diagnostics.append(problems.missing_placeholder(span, ".".join(path), url))
        else:
            continue
        config = _with_default(config, path)
    return config


def _checked_theme(config: Config, reader: Reader) -> Config:
    """Check that the theme has a name."""
    if config.theme:
        return config
    reader.diagnostics.append(problems.no_theme(reader.span(("theme",))))
    return _with_default(config, ("theme",))


def _ignored_in_pages(policy: bool | str) -> list[str]:
    """The directives of a content security policy that have no effect in a page."""
    parts = policy.split(";") if isinstance(policy, str) else []
    return sorted({part.split()[0].lower() for part in parts if part.split()} & _IGNORED_IN_PAGES)


def _checked_feed_names(config: Config, reader: Reader) -> Config:
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


def _checked_static(config: Config, reader: Reader) -> Config:
    """Check that the static folder, all files of which are published, does not contain the content."""
    static, content = posixpath.normpath(config.static), posixpath.normpath(config.content)
    if static not in (".", content) and not content.startswith(f"{static}/"):
        return config
    reader.diagnostics.append(problems.static_holds_content(reader.span(("static",)), config.static, content))
    return msgspec.structs.replace(config, static=Config().static)


def _checked_theme_folder(config: Config, reader: Reader) -> Config:
    """Check that the folder of what is trusted as a part of the theme is in none whose files are not trusted."""
    span = reader.span(("theme_folder",))
    if not config.theme_folder:
        return config
    problem = _folder_problem(span, "theme_folder", config.theme_folder)
    for name in filter(None, (config.content_prefix, config.static, config.output)):
        if f"{config.in_theme_folder()}/".startswith(f"{posixpath.normpath(name)}/"):
            problem = problem or problems.theme_folder_in_use(span, config.theme_folder, posixpath.normpath(name))
    if problem is None:
        return config
    reader.diagnostics.append(problem)
    return msgspec.structs.replace(config, theme_folder="")


def _checked_mounts(config: Config, reader: Reader) -> Config:
    """Check that mounts lead from a path to a folder of the site that has no other purpose."""
    good: dict[str, str] = {}
    own = [posixpath.normpath(name) for name in (config.content, config.static, config.output, *_RESERVED)]
    own += map(config.in_theme_folder, _OF_THEME)
    for place, folder in config.mounts.items():
        span, path = reader.span(("mounts", place)), posixpath.normpath(folder)
        other = next((name for name in (*own, *good.values()) if _overlap(path, name)), "")
        if not _MOUNT.fullmatch(place):
            reader.diagnostics.append(problems.bad_mount(span, place))
        elif not folder or path == "." or path.startswith(("/", "..")) or "\\" in folder:
            reader.diagnostics.append(problems.bad_folder(span, f"mounts.{place}", folder))
        elif own_name := control_folder(path):
            reader.diagnostics.append(problems.control_folder(span, f"mounts.{place}", folder, own_name))
        elif other or any(_overlap(place, known) for known in good):
            reader.diagnostics.append(problems.mount_in_use(span, folder, other or place))
        else:
            good[place] = path
    return msgspec.structs.replace(config, mounts=good) if config.mounts else config


def _overlap(one: str, other: str) -> bool:
    """Whether a folder is another one, or inside it, or the other way round."""
    return other == "." or f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _checked_redirects(config: Config, reader: Reader) -> Config:
    """Check that redirects lead from a path to another path or a URL."""
    good = {}
    for path, target in config.redirects.items():
        plain = f"{path}{target}".isprintable() and not any(map(str.isspace, path + target))
        plain = plain and "?" not in path  # the file for a path with a query would redirect any query
        if plain and _is_path(path) and (_is_path(target) or ("://" in target and is_url_or_path(target))):
            good[path] = target
        else:
            span = reader.span(("redirects", path))
            reader.diagnostics.append(problems.bad_redirect(span, path, target))
    return msgspec.structs.replace(config, redirects=good)


_LANGUAGE = re.compile(r"[a-z0-9][a-z0-9_+#-]{0,30}")


def _checked_diagrams(config: Config, reader: Reader) -> Config:
    """Check that diagrams are drawn by a program, or by a script with a valid URL; others stay text."""
    good = {}
    for language, diagram in config.diagrams.items():
        span, script = reader.span(("diagrams", language)), diagram.script
        if not _LANGUAGE.fullmatch(language):
            reader.diagnostics.append(problems.bad_diagram_language(span, language))
        elif diagram.command and not diagram.command[0].strip():
            reader.diagnostics.append(problems.bad_diagram_command(span, language))
        elif script and not (_is_path(script) or (is_address(script) and is_url_or_path(script))):
            span = reader.span(("diagrams", language, "script"))
            reader.diagnostics.append(problems.bad_diagram_script(span, script))
        else:
            good[language] = diagram
    return config if len(good) == len(config.diagrams) else msgspec.structs.replace(config, diagrams=good)


def _checked_refs(config: Config, reader: Reader) -> Config:
    """Check that the repository of source references has a valid URL."""
    repo = config.refs.repo
    if not repo or repository_url(repo):
        return config
    reader.diagnostics.append(problems.bad_refs(reader.span(("refs", "repo")), repo))
    return msgspec.structs.replace(config, refs=msgspec.structs.replace(config.refs, repo="", enabled=False))


def _checked_links(config: Config, reader: Reader) -> Config:
    """Check that the URLs and links of authors lead to web pages and email addresses."""
    authors = {}
    for handle, author in config.authors.items():
        for title, address in author.links.items():
            if not is_address(address):
                span = reader.span(("authors", handle, "links", title))
                reader.diagnostics.append(problems.bad_author_link(span, address))
        good = {title: address for title, address in author.links.items() if is_address(address)}
        url = author.url if is_address(author.url) else ""
        if url != author.url:
            span = reader.span(("authors", handle, "url"))
            reader.diagnostics.append(problems.bad_author_link(span, author.url, titled=False))
        authors[handle] = msgspec.structs.replace(author, url=url, links=good)
    return msgspec.structs.replace(config, authors=authors) if authors else config


def _checked_social(config: Config, reader: Reader) -> Config:
    """Check that the profiles in the footer are web pages or email addresses, and leave out the others."""
    good = {}
    for name, address in config.footer.social.items():
        if is_address(address):
            good[name] = address
        else:
            reader.diagnostics.append(problems.bad_social(reader.span(("footer", "social", name)), name, address))
    return msgspec.structs.replace(config, footer=msgspec.structs.replace(config.footer, social=good))


def _look_at_scripts(config: Config, reader: Reader) -> None:
    """Report URLs that pages would link to and that run a script, such as one that was copied from a bookmarklet."""
    urls: dict[Path, str] = {("menu", at, "url"): item.url for at, item in enumerate(config.menu)}
    urls |= {("footer", "links", at, "url"): item.url for at, item in enumerate(config.footer.links)}
    urls |= {("source_repo",): config.source_repo, ("edit_url",): str(config.edit_url)}
    reader.diagnostics += [problems.script_url(reader.span(path), url) for path, url in urls.items() if runs(url)]


_COUNTED = {
    "plausible": ("site", "lumen.example.org"),
    "goatcounter": ("site", "lumen"),
    "umami": ("site", "the website's ID"),
    "script": ("url", "/js/count.js"),
}
"""The key of ``[analytics]`` that each provider needs, with an example."""


def _checked_analytics(config: Config, reader: Reader) -> Config:
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
    if analytics.url and not own and not (is_address(analytics.url) and is_url_or_path(analytics.url)):
        span = reader.span(("analytics", "url"))
        wrong.append(problems.bad_analytics(span, analytics.url, "the URL of a script, such as “https://…/script.js”"))
    for address in analytics.connect:
        if not (is_address(address) and is_url_or_path(address)):
            span = reader.span(("analytics", "connect"))
            wrong.append(problems.bad_analytics(span, address, "URLs, such as “https://stats.example.org”"))
    reader.diagnostics += wrong
    return msgspec.structs.replace(config, analytics=Analytics()) if wrong else config


_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")

NEEDED = {"giscus": ("repo", "repo_id", "category", "category_id"), "discourse": ("url",)}
"""The keys of ``[comments]`` that each provider needs."""


def _checked_comments(config: Config, reader: Reader) -> Config:
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
    if comments.url and not (is_address(comments.url) and is_url_or_path(comments.url)):
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
