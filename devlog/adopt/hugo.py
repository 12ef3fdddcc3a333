"""Imports sites from Hugo: with a ``hugo.toml``, ``config.toml`` or ``config/_default/`` in TOML, YAML or JSON."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import chain

from devlog.adopt.adoption import Adoption, Draft
from devlog.adopt.common import (
    add_ignored,
    as_patterns,
    authors_file,
    base_path_of,
    base_url,
    configured_folder,
    fallback_title,
    feed_names,
    folder_of,
    literal,
    menu,
    other_slugs,
    other_texts,
    output,
    own_theme,
    slug_is_last,
)
from devlog.adopt.file_tree import folders_above
from devlog.adopt.foreign import EMPTY, SUFFIXES, Found, Path, get, merged, read_tree, under, within
from devlog.adopt.hugo_heads import unread_heads
from devlog.adopt.protected import by_password
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.adopt.unpublished import adapters, by_dates, by_render_of_sections, cascades, mount_filters
from devlog.engine.work import time_limit
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.language import language_tag, likely_tag
from devlog.model.patterns import compile_pattern
from devlog.out_of_time import OutOfTimeError
from devlog.parse.front_matter.tree import Mapping, Scalar, Sequence
from devlog.report import count

FILES = tuple(f"{name}.{suffix}" for name in ("hugo", "config") for suffix in SUFFIXES)
FOLDER = "config/_default"

_LONGEST_CODE = 100
"""How long the code of a language may be: all URLs of a site may have it."""

_OF_A_LANGUAGE = ("menu", "menus", "params")
"""The tables that have files per language, such as ``menus.en.toml``; ``languages.en.toml`` has all of a language."""

_TOKENS = {
    ":year": ":year",
    ":2006": ":year",
    ":month": ":month",
    ":01": ":month",
    ":day": ":day",
    ":02": ":day",
    ":section": ":section",
    ":sections": ":topic",
    ":title": ":title",
    ":slug": ":title",
    ":filename": ":name",
    ":contentbasename": ":name",
    ":slugorfilename": ":name",
    ":slugorcontentbasename": ":name",
}
_SLUGS = (":slug", ":slugorfilename", ":slugorcontentbasename")
_PAGE_SIZES: tuple[Path, ...] = (("pagination", "pagerSize"), ("paginate",))
_FEED_LIMITS: tuple[Path, ...] = (("services", "rss", "limit"), ("rssLimit",))
_TOKEN = re.compile(r":[a-z0-9]+(?:\[[^\[\]]*\])?")
# In an expression of Go, an escaped character or a set; in a set, an escaped character or a class. A set without an
# end, which no Python compiles, takes all that follows, so that nothing is read twice.
_SET_OR_ESCAPE = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]?", re.DOTALL)
_CLASS = re.compile(r"\\.|\[:(\^?[a-z]+):\]", re.DOTALL)
_SECONDS = 5.0
"""How long an expression of the old site may take for the names of all files, and all together to be compiled."""
_SLOW = "takes too long as a Python regular expression"
_MOST_SLOW = 3
"""After so many that take longer, all others are left out too."""
_MOST_SEARCHES, _FEW = 1_000_000, 50
"""How many names are searched, for all expressions together; the first few of these are searched in any case."""
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "word": r"0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
"""The characters of the classes in Go's expressions, which Python lacks."""
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_PARAM = re.compile(r"""\{\{[<%]\s*param\s+["'`]?([\w-]+(?:\.[\w-]+)*)["'`]?\s*[>%]\}\}""")
_MENU = re.compile(r"(?:---|\+\+\+)\n(?:(?!---|\+\+\+).*\n)*?(?:menus?[ \t]*[:=.]|\[+menus?[.\]])")

_REASONS = {
    "params": "settings of the old theme",
    "themesdir": "templates are not converted; devlog has its own theme (docs/themes.md)",
    "theme": "templates are not converted; devlog has its own theme (docs/themes.md)",
    "module": "Hugo modules are not converted",
    "security": "permissions of Hugo templates",
    "markup": "devlog renders Markdown by its own rules (docs/writing.md)",
    "markup.highlight": "code colors are part of devlog's theme",
    "markup.tableofcontents": "“toc” in [settings] turns tables of contents on and off",
    "imaging": "images are published as is",
    "minify": "pages are small already",
    "outputs": "devlog writes a page, feeds and a sitemap",
    "outputformats": "devlog writes a page, feeds and a sitemap",
    "mediatypes": "devlog writes a page, feeds and a sitemap",
    "privacy": "devlog's pages load nothing from other sites",
    "services": "devlog's pages load nothing from other sites",
    "googleanalytics": "devlog's pages load nothing from other sites",
    "disqusshortname": "comments are not adopted",
    "related": "devlog finds related posts by topic",
    "sitemap": "the sitemap is always written",
    "caches": "devlog keeps its cache in .devlog/",
    "server": "settings of the old preview",
    "deployment": "deployment is configured in [deploy]",
    "frontmatter": "dates come from the front matter, or else from the file name",
    "canonifyurls": "feeds always have absolute links",
    "relativeurls": "links start at the site's root",
    "pygmentsstyle": "code colors are part of devlog's theme",
    "pygmentscodefences": "fenced code is always highlighted",
    "pygmentsusesclassic": "fenced code is always highlighted",
    "hascjklanguage": "Chinese, Japanese and Korean words are always counted",
    "enablegitinfo": "dates from git are used where a post has none; “updated_from_git” shows later changes",
    "disablehugogeneratorinject": "devlog adds no such tag",
    "archetypedir": "archetypes are Hugo templates",
    "layoutdir": "templates are not converted",
    "refLinksErrorLevel".lower(): "set “broken-link” in [severity]",
    "environment": "there are no environments",
    "titlecasestyle": "titles are shown as written",
    "pluralizelisttitles": "titles are shown as written",
    "capitalizelisttitles": "titles are shown as written",
    "enableinlineshortcodes": "posts are never templates",
    "build": "Hugo build settings",
    "buildfuture": "scheduled posts appear with “devlog build --future”",
    "builddrafts": "drafts appear with “devlog build --drafts”",
    "buildexpired": "expired posts appear with “devlog build --expired”",
    "menu": "only the menu “main” is adopted",
    "menus": "only the menu “main” is adopted",
    "languages": "a site has one language",
    "languagename": "a site has one language",
    "languagedirection": "a site has one language",
    "disablelanguages": "a site has one language",
    "i18ndir": "labels of Hugo's theme; “devlog theme translate” changes those of devlog's",
    "timeout": "Hugo build settings",
    "disablebrowsererror": "settings of the old preview",
    "assetdir": "it belongs to Hugo's templates and is not published",
    "metadataformat": "Hugo build settings",
    "pygmentsuseclasses": "code colors are part of devlog's theme",
    "weight": "a site has one language",
    "disablealiases": "redirect pages are always written",
    "ignoreerrors": "set severities in [severity]",
    "ignorelogs": "set severities in [severity]",
    "social": "settings of the old theme",
    "author": "sites have no author: each post names its authors",
}


def configuration(survey: Survey) -> tuple[tuple[str, ...], Mapping, tuple[Diagnostic, ...]]:
    """The configuration of a Hugo site.

    Returns:
        Its files, their keys as one tree, and the problems if a file cannot be read.
    """
    root = survey.first(*FILES)
    files = [root] if root else []
    files += survey.below(FOLDER, tuple(f".{suffix}" for suffix in SUFFIXES))
    trees: list[Mapping] = []
    for file in files:
        read, wrong = read_tree(survey, file)
        if wrong:
            return tuple(files), EMPTY, wrong
        trees.append(_placed(read, file))
    return tuple(files), merged(*trees), ()


def _placed(tree: Mapping, file: str) -> Mapping:
    """The keys of a configuration file; the name of a file in ``config/_default/`` is the key of its table."""
    if not file.startswith(FOLDER):
        return tree
    stem, _, language = file.rpartition("/")[2].rpartition(".")[0].partition(".")
    if stem in ("hugo", "config"):
        return tree
    if not language:
        return under((stem,), tree, file)
    return under(("languages", language, *([stem] if stem in _OF_A_LANGUAGE else [])), tree, file)


def adopt_hugo(survey: Survey, files: tuple[str, ...], tree: Mapping, now: datetime) -> Adoption:
    """Convert the configuration of a Hugo site to settings of devlog.

    Args:
        survey: the files of the site.
        files: the configuration files that were read.
        tree: the keys in these files.
        now: the current time, which determines the scheduled and expired posts.
    """
    language = get(tree, ("defaultContentLanguage",))
    code = language.text if language and 0 < len(language.text) <= _LONGEST_CODE else "en"
    own = get(tree, ("languages", code))
    if own and isinstance(own.node, Mapping):  # the default language's settings apply to the site
        tree = merged(tree, own.node)
    draft = Draft("Hugo", files, tree)
    _names(draft, code)
    base_url(draft, survey, draft.take("baseURL"))
    _reading(draft)
    _folders(draft, survey, code)
    own_theme(draft, survey)
    _relocate_ignored(draft, survey)
    mount_filters(draft, survey, code)
    cascades(draft, survey, code)
    by_render_of_sections(draft, survey, code, (("build", "render"), ("_build", "render")))
    by_dates(draft, survey, code, now)
    adapters(draft, survey)
    unread_heads(draft, survey)
    by_password(draft, survey, "Hugo")
    _inside_bundles(draft, survey)
    fallback_title(draft, survey, f"{_content(draft)}/_index.md")
    _languages(draft, survey, code, own)
    _taxonomies(draft, survey)
    _lists(draft)
    _permalinks(draft, survey, code)
    _menus(draft)
    _feeds(draft, survey)
    authors_file(draft, survey, _author_files(survey))
    _shown_params(draft, survey)
    _remarks(draft, survey)
    return draft.finish(_REASONS)


def _names(draft: Draft, code: str) -> None:
    draft.text("title", ("title",))
    draft.text(
        "description", ("params", "description"), ("description",), ("params", "subtitle"), ("params", "tagline")
    )
    description = draft.setting("description")
    if isinstance(description, str) and "<" in description:
        draft.replace("description", " ".join(_TAG.sub("", description).split()))
    draft.language(("locale",), ("languageCode",), ("defaultContentLanguage",))
    chosen = draft.peek("defaultContentLanguage")
    if chosen and chosen.text and chosen.span not in [note.span for note in draft.mapped()]:
        draft.done(chosen, "the language whose content is adopted")
    tag = language_tag(code) or likely_tag(code)
    if draft.setting("language") is None and tag not in ("", "en"):
        draft.put("language", tag)
    draft.text("timezone", ("timeZone",))
    draft.text("copyright", ("copyright",))


def _mounted(draft: Draft, code: str) -> Found | None:
    """The folder mounted as the content folder of the site's language; notes other mounts."""
    mounts = draft.take("module", "mounts")
    first: Found | None = None
    for mount in mounts.items if mounts else ():
        source, target, language = (get(mount, (key,)) for key in ("source", "target", "lang"))
        if language and language.text.lower() != code.lower():
            continue  # its language is reported as skipped
        key = (
            Found("module.mounts.source", source.span, source.node)
            if source
            else Found("module.mounts", mount.span, mount)
        )
        place = folder_of(target.text) if target else ""
        if place == "content" and source and first is None:
            first = key
        elif not source or folder_of(source.text) != place:
            draft.leave(key, "Hugo modules are not converted, and mounts only for the content folder")
    return first


def _folders(draft: Draft, survey: Survey, code: str) -> None:
    content = draft.take("contentDir") or _mounted(draft, code)
    if content and content.text:
        _folder(draft, "content", content, content.text)
    static = draft.take("staticDir")
    if static and static.texts:
        _folder(draft, "static", static, static.texts[0])
        if len(static.texts) > 1:
            draft.leave(static, f"there is one static folder: “{'”, “'.join(static.texts[1:])}” left out")
    publish = draft.take("publishDir")
    wanted = configured_folder(draft, publish)
    output(draft, survey, wanted or "public", publish if wanted else None)
    other_texts(draft, survey, _content(draft))


def _folder(draft: Draft, key: str, found: Found, text: str) -> None:
    """Set a folder to that of an old key. Hugo's others are in the site's own folder, so that it cannot be that."""
    if folder_of(text):
        if folder := configured_folder(draft, found, text):
            draft.put(key, folder, found)
    else:
        draft.leave(found, "the site's own folder contains more than that")


def _content(draft: Draft) -> str:
    return str(draft.setting("content") or "content")


def _languages(draft: Draft, survey: Survey, code: str, own: Found | None) -> None:
    """Ignore the posts in other languages, since a site of devlog has only one."""
    everything = draft.take("languages")
    if own:
        draft.done(own, "the language of the site")
    others = [entry.key for entry in everything.entries if entry.key.text.lower() != code.lower()] if everything else []
    endings = {key.text: [f".{key.text}{suffix}" for suffix in (*MARKDOWN, ".html")] for key in others}
    used = survey.endings(_content(draft), {end.lower() for ends in endings.values() for end in ends})
    ignored: list[str] = []
    for key in others:
        draft.note(key.span, f"languages.{key.text}", "a site has one language; its posts are skipped")
        folder = get(everything.node, (key.text, "contentDir")) if everything else None
        inside = folder_of(folder.text) if folder else ""
        if inside.startswith(_content(draft) + "/"):
            ignored.append(literal(inside[len(_content(draft)) + 1 :]))
        ignored += (f"*{literal(end)}" for end in endings[key.text] if end.lower() in used)
    add_ignored(draft, *ignored)
    suffixed = survey.below(_content(draft), (f".{code}.md", f".{code}.html"))
    if suffixed:
        draft.advise(
            f"{count(len(suffixed), 'name')} with “.{code}” before the extension, which becomes part of the URL",
            Span(suffixed[0]),
        )
    nested = _in_subfolder(draft)
    if nested:
        draft.leave(nested, f"posts keep it in their URLs, and lists are published without “/{code}/”")
    elif others and not survey.has_folder(f"{_content(draft)}/{code}"):
        draft.put(("redirects", f"/{code}/"), "/", comment="the URL that Hugo redirects from")


def _in_subfolder(draft: Draft) -> Found | None:
    """The key that publishes the default language in a subfolder, if it is on."""
    nested = draft.take("defaultContentLanguageInSubdir")
    return nested if nested and nested.is_on else None


def _relocate_ignored(draft: Draft, survey: Survey) -> None:
    """Replace patterns of ``ignoreFiles`` that would ignore other files than those that Hugo ignores.

    Hugo searches them in absolute paths, devlog in paths below the content folder. Those that take Python too long are
    left out: Hugo needs linear time for any expression, and nobody has looked at those of the old site yet. So are
    those behind the first `_MOST_SEARCHES`.
    """
    ignored = draft.setting("ignore")
    if isinstance(ignored, tuple):
        content = _content(draft)
        files = survey.below(content)
        relocated = partial(_relocated, content=content, files=files, site=survey.absolute)
        written = draft.peek("ignoreFiles")
        expressions = [pattern for pattern in dict.fromkeys(map(str, ignored)) if pattern.startswith("re:")]
        rest = frozenset(expressions[max(_FEW, _MOST_SEARCHES // max(len(files), 1)) :])
        if rest and written:
            draft.leave(written, f"its last {count(len(rest), 'expression')}: too many for so many files")
        tried = tuple(pattern for pattern in map(str, ignored) if pattern not in rest)
        found = list(_in_time(tried, relocated))
        for pattern in (old for new, old in zip(found, tried, strict=True) if new is None):
            if written:
                draft.leave(written, f"“{pattern[3:]}” {_SLOW}")
        if rest or any(new != (old,) for new, old in zip(found, tried, strict=True)):
            draft.replace("ignore", tuple(dict.fromkeys(chain.from_iterable(filter(None, found)))))


def _in_time(patterns: Iterable[str], relocated: Callable[[str], tuple[str, ...]]) -> Iterator[tuple[str, ...] | None]:
    """What becomes of each pattern; `None` for those that take too long, and for all behind the first few of these."""
    slow = 0
    for pattern in patterns:
        if slow == _MOST_SLOW:
            yield None
            continue
        try:
            with time_limit(_SECONDS):
                found = relocated(pattern)
        except OutOfTimeError:
            slow += 1
            yield None
        else:
            yield found


def _relocated(pattern: str, content: str, files: list[str], site: str) -> tuple[str, ...]:
    """A pattern that ignores what Hugo ignores because of it; if none does, the paths of these files.

    Args:
        pattern: the pattern.
        content: the content folder.
        files: the files in it.
        site: the absolute path of the site.
    """
    if not pattern.startswith("re:"):
        return (pattern,)
    written, folder = pattern.removeprefix("re:"), "" if content == "." else f"{content}/"
    search = re.compile(written).search
    wanted = [file for file in files if search(f"{site}/{file}")]
    # A slash at the beginning usually stands for that of any folder, also of one at the top.
    for same in (written, re.sub("^/", "(?:^|/)", written)):
        in_content = re.compile(same).search
        if wanted == [file for file in files if in_content(file.removeprefix(folder))]:
            return (f"re:{same}",)
    return as_patterns(wanted, content)


def _inside_bundles(draft: Draft, survey: Survey) -> None:
    """Ignore each ``index.md`` inside the folder of another post: it is a post in devlog, and none in Hugo."""
    content = _content(draft)
    stems = {file: posixpath.splitext(posixpath.basename(file))[0] for file in _texts(draft, survey)}
    indexes = [file for file, stem in stems.items() if stem in ("index", "_index")]
    bundles = {posixpath.dirname(file) for file in indexes if stems[file] == "index"} - {
        "" if content == "." else content
    }
    inside = [file for file in indexes if not bundles.isdisjoint(folders_above(posixpath.dirname(file)))]
    add_ignored(draft, *as_patterns(inside, content))
    if inside:
        draft.advise(
            f"{count(len(inside), 'file')} ignored, as by Hugo: an index inside the folder of a post", Span(inside[0])
        )


def _ignored(draft: Draft) -> None:
    ignored = draft.take("ignoreFiles")
    if ignored and ignored.texts:
        found = _all_in_python(ignored.texts)
        draft.put("ignore", tuple(f"re:{pattern}" for pattern in found if pattern), ignored)
        for pattern, converted in zip(ignored.texts, found, strict=True):
            if converted is None:
                draft.leave(ignored, f"“{pattern}” {_SLOW}")
            elif not converted:
                draft.leave(ignored, f"“{pattern}” is not a Python regular expression")


def _reading(draft: Draft) -> None:
    _ignored(draft)
    emoji = draft.take("enableEmoji")
    if not (emoji and emoji.is_on):
        draft.put(("markdown", "emoji"), False, emoji, "" if emoji else "Hugo's default")
    else:
        draft.done(emoji, "devlog's default")
    unsafe = draft.take("markup", "goldmark", "renderer", "unsafe")
    if unsafe and unsafe.is_on:
        draft.leave(unsafe, 'raw HTML is sanitized; “html = "trusted"” allows any HTML')
    linkify = draft.take("markup", "goldmark", "extensions", "linkify")
    if linkify and linkify.text == "false":
        draft.put(("markdown", "autolink"), False, linkify)
    anchors = draft.take("markup", "goldmark", "parser", "autoHeadingIDType") or draft.take(
        "markup", "goldmark", "parser", "autoIDType"
    )
    if anchors and anchors.text == "blackfriday":
        draft.put(("markdown", "anchors"), "blackfriday", anchors)
    elif anchors and anchors.text != "github":
        draft.leave(anchors, "heading fragments are generated as on GitHub")
    elif not _leaves_dashes(draft):
        draft.put(("markdown", "anchors"), "hugo", anchors, "" if anchors else "Hugo's default")
    elif anchors:
        draft.done(anchors, "devlog's default")
    _extensions(draft)
    lower = draft.take("disablePathToLower")
    if lower and lower.is_on:
        draft.leave(lower, "URLs are lowercase; give posts with capitals a “url”")


def _extensions(draft: Draft) -> None:
    """Enable the extensions of Hugo's Markdown that are on."""
    for name in ("mark", "superscript", "subscript"):
        extra = draft.take("markup", "goldmark", "extensions", "extras", name, "enable")
        if extra and extra.is_on:
            draft.put(("markdown", name), True, extra)
    leaves_dashes = _leaves_dashes(draft)
    typographer = draft.take("markup", "goldmark", "extensions", "typographer")
    if not leaves_dashes:
        draft.put(("markdown", "typographer"), True, typographer, "" if typographer else "Hugo's default")
    elif typographer:
        draft.done(typographer, "devlog's default")


def _leaves_dashes(draft: Draft) -> bool:
    """Whether Hugo's typographer is off, which would otherwise turn ``--`` into dashes."""
    key = ("markup", "goldmark", "extensions", "typographer")
    switch, disable = draft.peek(*key), draft.peek(*key, "disable")
    return bool((switch and switch.text == "false") or (disable and disable.is_on))


def _all_in_python(patterns: tuple[str, ...]) -> list[str | None]:
    """Regular expressions of Go in Python's syntax, as in `_in_python`; `None` once all together take too long."""
    found: list[str | None] = []
    with suppress(OutOfTimeError), time_limit(_SECONDS):
        for pattern in patterns:
            found.append(_in_python(pattern))  # noqa: PERF401 - what is done stays
    return found + [None] * (len(patterns) - len(found))


def _in_python(pattern: str) -> str:
    """A regular expression of Go in Python's syntax; empty if it cannot be converted."""
    converted = _SET_OR_ESCAPE.sub(lambda found: found[0][0] + _CLASS.sub(_characters, found[0][1:]), pattern)
    try:
        compile_pattern(converted)
    except (re.error, OverflowError, RecursionError):
        return ""
    return converted


def _characters(found: re.Match[str]) -> str:
    """The characters of a class such as ``[:digit:]``; what no Python compiles if it is unknown or negated."""
    return _CLASSES.get(found[1], r"\q") if found[1] else found[0]


def _taxonomies(draft: Draft, survey: Survey) -> None:
    kinds = draft.take("disableKinds")
    disabled = {text.lower() for text in kinds.texts} if kinds else set()
    if kinds and {"taxonomy", "term"} & disabled:
        draft.leave(kinds, "tag pages are always written")
    elif kinds:
        draft.leave(kinds, "devlog generates all its lists")
    if "term" in disabled or "taxonomyterm" in disabled:
        return
    found = draft.take("taxonomies")
    names = [entry.value.text for entry in found.entries if isinstance(entry.value, Scalar)] if found else []
    if found is None or "categories" in names:
        draft.put(("tags", "also"), ("categories",), found, "Hugo's default" if found is None else "")
        if "taxonomy" not in disabled and not survey.has_folder(f"{_content(draft)}/categories"):
            draft.put(("redirects", "/categories/"), "/tags/", comment="the list of categories")
    elif found:
        draft.done(found, "devlog's default")
    for name in names:
        if found and name not in ("tags", "categories"):
            reason = "devlog finds authors itself" if name.startswith("author") else "only tags have lists"
            draft.note(found.span, f"taxonomies: {name}", reason)


def _lists(draft: Draft) -> None:
    summary = draft.take("summaryLength")
    if summary and summary.number and summary.number > 0:
        draft.put(("excerpt", "words"), summary.number, summary)
    for path in _PAGE_SIZES:
        size = draft.take(*path)
        if size and size.number and size.number > 0:
            draft.put("recent", size.number, size)
    for path in _FEED_LIMITS:
        limit = draft.take(*path)
        if limit and limit.number is not None:
            draft.put(("feeds", "limit"), limit.number if limit.number > 0 else 1000, limit)
    robots = draft.take("enableRobotsTXT")
    if robots:
        draft.done(robots, "devlog's default")


def _permalinks(draft: Draft, survey: Survey, code: str) -> None:
    ugly = draft.take("uglyURLs")
    ending = ".html" if ugly and ugly.is_on else "/"
    entries = ugly.entries if ugly else ()
    sections = {entry.key.text: entry for entry in entries if Found("", entry.key.span, entry.value).is_on}
    last = ":slug" if _dates_from_names(draft) else ":name"
    start = f"/{code}" if _in_subfolder(draft) else ""
    if ending != "/" or last != ":name" or start:
        draft.put(("permalinks", "post"), f"{start}/:topic/{last}{ending}", ugly)
        draft.put(("permalinks", "page"), f"{start}/:topic/:name{ending}", ugly)
    searched: set[str] = set()  # any number of keys may name one folder, such as “x/../posts”
    for section, found in _patterns(draft):
        if not found.text:
            draft.leave(found, "it is not a pattern")
            continue
        pattern, unknown = translate(found.text, ".html" if section in sections else ending)
        if unknown:
            draft.leave(found, f"devlog has no {', '.join(f'“{token}”' for token in unknown)} in addresses")
            continue
        folder = folder_of(f"{_content(draft)}/{section}")
        if folder not in searched and not slug_is_last(found.text, _TOKEN, _SLUGS):
            searched.add(folder)
            files = survey.below(folder, (*MARKDOWN, ".html"))
            if section == "/":
                files = [file for file in files if posixpath.dirname(file) == folder]
            other_slugs(draft, survey, files, f"“{found.text}”")
        if section == "/":
            draft.put(("permalinks", "page"), start + pattern, found)
        else:
            draft.put(("permalinks", "topics", section.strip("/")), start + pattern, found)
    for section, entry in sections.items():
        key = Found(f"uglyURLs.{section}", entry.key.span, entry.value)
        if draft.setting(("permalinks", "topics", section)):
            draft.done(key, "URLs of that section end in “.html”")
        else:
            draft.put(("permalinks", "topics", section), f"{start}/:topic/{last}.html", key)


def _dates_from_names(draft: Draft) -> bool:
    """Whether file names contain dates: then Hugo uses the rest of the name as the slug."""
    order = draft.take("frontmatter", "date")
    uses = bool(order and any(":filename" in text.lower() for text in order.texts))
    if order and uses:
        draft.done(order, "the date in a file name is used, and is not part of the URL")
    return uses


def _patterns(draft: Draft) -> Iterator[tuple[str, Found]]:
    found = draft.take("permalinks")
    if found and isinstance(found.node, Sequence):
        draft.leave(found, "only a table with the patterns of sections is read")
    for entry in found.entries if found else ():
        inner = Found(f"permalinks.{entry.key.text}", entry.key.span, entry.value)
        if entry.key.text.lower() == "page" and isinstance(entry.value, Mapping):
            for page in entry.value.entries:
                yield page.key.text, Found(f"{inner.key}.{page.key.text}", page.key.span, page.value)
        elif isinstance(entry.value, Mapping):
            for other in entry.value.entries:
                key = within(inner.key, other.key.text)
                draft.note(other.key.span, key, "lists are at the path of their folder or tag")
        else:
            yield entry.key.text, inner


def translate(pattern: str, ending: str = "/") -> tuple[str, list[str]]:
    """Convert a pattern of permalinks to devlog's placeholders.

    Args:
        pattern: Hugo's pattern.
        ending: the ending of URLs.

    Returns:
        The pattern, and the placeholders that devlog does not have.
    """
    unknown: list[str] = []

    def replace(token: re.Match[str]) -> str:
        known = _TOKENS.get(token[0].lower())
        if known is None:
            unknown.append(token[0])
        return known or token[0]

    filled = _TOKEN.sub(replace, "/" + pattern.strip("/"))
    return filled + (ending if not re.search(r"\.[a-z]+$", filled) else ""), unknown


def _menus(draft: Draft) -> None:
    items: list[tuple[Mapping, str]] = []
    for name in ("menu", "menus"):
        found = draft.take(name, "main")
        if found and isinstance(found.node, Sequence):
            items += [(item, found.key) for item in found.node.items if isinstance(item, Mapping)]
    menu(draft, items, base_path_of(draft))


def _feeds(draft: Draft, survey: Survey) -> None:
    names: dict[str, str] = {}
    why: dict[str, str] = {}
    for kind, format_name in (("rss", "RSS"), ("atom", "Atom"), ("json", "JSONFeed")):
        base = draft.take("outputFormats", format_name, "baseName")
        if base and base.text:
            suffix = "json" if kind == "json" else "xml"
            names[kind] = f"{base.text}.{suffix}"
            why[kind] = f"{base.key}, {base.span.path}:{base.span.line}"
            draft.done(base, f"feeds.{kind} = “{names[kind]}”")
    feed_names(draft, survey, (str(draft.setting("static") or "static"),), {"rss": "index.xml", **names}, why)


def _shown_params(draft: Draft, survey: Survey) -> None:
    """Keep the parameters that posts and pages show with the shortcode ``param``."""
    names = {name for file in _texts(draft, survey) for name in _PARAM.findall(survey.head(file))}
    for name in sorted(names):
        found = draft.take("params", *name.split("."))
        if found and found.text:
            draft.put(("params", *name.split(".")), found.text, found)


def _texts(draft: Draft, survey: Survey) -> list[str]:
    return survey.below(_content(draft), (*MARKDOWN, ".html"))


def _author_files(survey: Survey) -> Iterable[str]:
    suffixes = tuple(f".{suffix}" for suffix in SUFFIXES)
    whole = [f"data/authors{suffix}" for suffix in suffixes]
    return [file for file in whole if survey.has(file)] or survey.below("data/authors", suffixes)


def _remarks(draft: Draft, survey: Survey) -> None:
    listed = [file for file in _texts(draft, survey) if _MENU.match(survey.head(file))]
    if listed:
        draft.advise(
            f"{count(len(listed), 'post')} in a menu by front matter, which is not supported: add them to [[menu]]",
            Span(listed[0]),
        )
    if survey.below("assets"):
        draft.advise("assets/ belongs to Hugo's templates and is not published")
    if survey.below("layouts/shortcodes") or survey.below("layouts/_shortcodes"):
        draft.advise("custom shortcodes show their inner text; devlog has Hugo's built-in ones")
    elif survey.has_folder("layouts"):
        draft.advise("Hugo's layouts/ are not used: devlog has its own theme (docs/themes.md)")
    others = [file for file in survey.below("config") if not file.startswith(f"{FOLDER}/")]
    if others:
        draft.advise("settings of single environments are not read: see what they change", Span(others[0]))
    if survey.has("_config.yml"):
        draft.advise("the site is also one of Jekyll, whose configuration is not read", Span("_config.yml"))
