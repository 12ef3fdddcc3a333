"""Imports sites from Jekyll: with a ``_config.yml`` (or ``.toml``), ``_posts/``, and pages anywhere in the folder."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from collections.abc import Mapping as Table
from functools import cache

from devlog.adopt.adoption import Adoption, Draft
from devlog.adopt.common import (
    add_ignored,
    base_path_of,
    base_url,
    configured_folder,
    fallback_title,
    feed_names,
    folder_of,
    literal,
    menu,
    no_static_folder,
    other_slugs,
    other_texts,
    output,
    own_theme,
    slug_is_last,
)
from devlog.adopt.foreign import EMPTY, SUFFIXES, Found, Path, get, leaves, read_head, read_tree
from devlog.adopt.protected import by_password
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.adopt.unpublished_jekyll import (
    by_defaults,
    by_exclude,
    collections_folder,
    files_of_posts,
    posts_elsewhere,
)
from devlog.disk.ignore import compile_ignore
from devlog.model.diagnostic import Diagnostic, Span
from devlog.parse.front_matter.tree import Mapping, Sequence
from devlog.report import count as counted

FILES = ("_config.yml", "_config.yaml", "_config.toml")
NAVIGATION = tuple(
    f"_data/{name}.{suffix}" for name in ("navigation", "nav", "menu") for suffix in ("yml", "yaml", "json")
)

_STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}
_TOKENS = {
    ":year": ":year",
    ":month": ":month",
    ":i_month": ":i_month",
    ":day": ":day",
    ":i_day": ":i_day",
    ":title": ":slug",
    ":slug": ":slug",
    ":categories": ":categories",
    ":slugified_categories": ":categories",
    ":output_ext": ".html",
}
_PAGE_TOKENS = {
    ":path": ":topic/:name",
    ":name": ":name",
    ":title": ":slug",
    ":slug": ":slug",
    ":basename": ":name",
    ":output_ext": ".html",
}
_TOKEN = re.compile(r":[a-z_]+")
_SLUGS = (":title", ":slug")
_LONGEST_NAME = 255
"""How long the name of a collection, and so of its folder, may be: a pattern may have it any number of times."""
_TEMPLATES = (".xml", ".json", ".txt", ".scss", ".sass", ".css", ".js", ".webmanifest", ".coffee", ".atom", ".rss")
_LIQUID = re.compile(r"\{[{%](?:(?!\{[{%]).){0,500}?[}%]\}", re.DOTALL)  # none begins in another one
_VARIABLE = re.compile(r"\bsite\.([\w-]+(?:\.[\w-]+)*)")
_KNOWN_VARIABLES = frozenset({"title", "description", "url", "baseurl"})
_ONLY_STATIC = frozenset({".htaccess", ".nojekyll", ".well-known", "_headers", "_redirects"})
"""Names that devlog publishes from the static folder, and not from the content folder as Jekyll does."""
_OWN_FOLDERS = frozenset(
    {
        "_posts",
        "_drafts",
        "_pages",
        "_layouts",
        "_includes",
        "_data",
        "_sass",
        "_plugins",
        "_site",
        "_assets",
    }
)
_INHERITED = frozenset(
    """
    author authors categories category date description draft excerpt permalink published redirect_from slug tags title
    """.split()
)
"""Keys of front matter that devlog reads."""
_PLUGINS = {
    "jekyll-feed": "feeds are part of devlog",
    "jekyll-sitemap": "the sitemap is part of devlog",
    "jekyll-seo-tag": "descriptions for search engines are part of devlog",
    "jekyll-redirect-from": "“redirect_from” and “redirect_to” are read",
    "jekyll-paginate": "long lists have pages",
    "jekyll-paginate-v2": "long lists have pages",
    "jekyll-titles-from-headings": "a first heading is the title of a post without one",
    "jekyll-optional-front-matter": "front matter may be missing in posts",
    "jekyll-readme-index": "README.md is skipped",
    "jekyll-relative-links": "links to Markdown files are resolved",
    "jemoji": "emoji are part of devlog",
    "jekyll-archives": "lists of tags are part of devlog",
    "jekyll-toc": "tables of contents are part of devlog",
    "jekyll-default-layout": "layouts are part of devlog's theme",
    "jekyll-last-modified-at": "“last_modified_at” is read from front matter only",
}
_REASONS = {
    "theme": "templates are not converted; devlog has its own theme (docs/themes.md)",
    "remote_theme": "templates are not converted; devlog has its own theme (docs/themes.md)",
    "minima": "settings of the old theme",
    "author": "sites have no author: each post names its authors",
    "markdown": "devlog renders Markdown by its own rules (docs/writing.md)",
    "kramdown": "devlog renders Markdown by its own rules (docs/writing.md)",
    "highlighter": "fenced code is always highlighted",
    "liquid": "posts are never templates",
    "sass": "style sheets come with devlog's theme",
    "incremental": "devlog always builds incrementally",
    "livereload": "devlog serve always reloads",
    "port": "settings of the old preview",
    "host": "settings of the old preview",
    "show_drafts": "drafts appear with “devlog build --drafts”",
    "future": "scheduled posts appear with “devlog build --future”",
    "unpublished": "unpublished posts stay unpublished",
    "google_analytics": "devlog's pages load nothing from other sites",
    "disqus": "comments are not adopted",
    "defaults": "front matter is not inherited",
    "analytics": "devlog's pages load nothing from other sites",
    "feed": "feeds are those of topics and tags, and have all posts",
    "jekyll-archives": "lists of tags are part of devlog, at “/tags/…/”",
    "comments": "comments are not adopted",
    "twitter": "settings of the old theme",
    "facebook": "settings of the old theme",
    "social": "settings of the old theme",
    "logo": "settings of the old theme",
    "avatar": "settings of the old theme",
    "compress_html": "settings of the old theme",
    "markdown_ext": "devlog reads *.md, *.markdown and *.html",
    "lsi": "devlog finds related posts by topic",
    "limit_posts": "all posts are published",
    "paginate_path": "long lists have pages of their own",
    "pagination": "long lists have pages of their own",
    "encoding": "files are UTF-8",
    "keep_files": "files not written by devlog stay in the output folder",
    "safe": "devlog runs no code from a site",
    "whitelist": "devlog runs no code from a site",
    "excerpt_separator": "“<!--more-->” ends an excerpt, whatever the separator",
    "timezone": "not an IANA time zone",
}


def configuration(survey: Survey) -> tuple[tuple[str, ...], Mapping, tuple[Diagnostic, ...]]:
    """The configuration of a Jekyll site: its file, its keys, and the problems if it cannot be read."""
    file = survey.first(*FILES)
    if not file:
        return (), EMPTY, ()
    tree, wrong = read_tree(survey, file)
    return (file,), tree, wrong


def adopt_jekyll(survey: Survey, files: tuple[str, ...], tree: Mapping) -> Adoption:
    """Convert the configuration of a Jekyll site to settings of devlog."""
    draft = Draft("Jekyll", files, tree)
    draft.put("dialect", "jekyll", comment="Liquid tags and kramdown's attributes are read")
    draft.text("title", ("title",), ("name",))
    fallback_title(draft, survey, survey.first("index.md", "index.markdown", "index.html"))
    draft.text("description", ("description",), ("tagline",), ("subtitle",))
    draft.language(("lang",), ("locale",), ("language",))
    draft.text("timezone", ("timezone",))
    draft.text("copyright", ("copyright",))
    path = draft.take("baseurl")
    base_url(draft, survey, draft.take("url"), path.text if path else "")
    if path and path.text.strip("/"):
        draft.done(path, "the path of base_url")
    _folders(draft, survey)
    _permalinks(draft, survey)
    _reading(draft)
    _ignored(draft, survey)
    other_texts(draft, survey, "_posts")
    by_defaults(draft, survey, _type_of)
    files_of_posts(draft, survey)
    by_password(draft, survey, "Jekyll")
    names = _feed(draft)
    if any(note.key.endswith(": jekyll-feed") for note in draft.mapped()):
        draft.put(("feeds", "ids"), "jekyll-feed", comment="feed readers identify entries by these")
        draft.put(("feeds", "limit"), 10, comment="jekyll-feed's default")
    _templates(draft, survey, names)
    feed_names(draft, survey, (), names, dict.fromkeys(names, "as before"))
    _navigation(draft, survey)
    _variables(draft, survey)
    _moved_home(draft, survey)
    return draft.finish(_REASONS)


def _moved_home(draft: Draft, survey: Survey) -> None:
    """Report a home page that only redirects: devlog has lists there."""
    content = str(draft.setting("content"))
    home = survey.first(*(folder_of(f"{content}/index{suffix}") for suffix in (*MARKDOWN, ".html")))
    key = get(read_head(survey, home), ("redirect_to",)) if home else None
    if key:
        draft.leave(key, "devlog has a home page of its own")


def _folders(draft: Draft, survey: Survey) -> None:
    source = draft.take("source")
    folder = configured_folder(draft, source)
    draft.put(
        "content",
        folder or ".",
        source if folder else None,
        "pages and files are anywhere in the site" if not folder else "",
    )
    no_static_folder(draft, survey, "Jekyll")
    destination = draft.take("destination")
    wanted = configured_folder(draft, destination)
    output(draft, survey, wanted or "_site", destination if wanted else None)
    own_theme(draft, survey, "jekyll")


def _permalinks(draft: Draft, survey: Survey) -> None:
    style = _pattern(draft, draft.take("permalink"))
    defaults = _default_permalinks(draft)
    inner = defaults.get("posts") or _pattern(draft, draft.take("collections", "posts", "permalink"))
    _posts_permalink(draft, survey, inner or style)
    _collection_permalinks(draft, survey, style.text if style else "date", defaults)
    draft.put(("permalinks", "page"), _page_pattern(style.text if style else "date"), style if inner else None)
    other_slugs(draft, survey, _sources_of(draft, survey, "pages"), "pages of Jekyll", "permalink")


def _sources_of(draft: Draft, survey: Survey, kind: str) -> list[str]:
    """The posts, or the pages."""
    content, above = str(draft.setting("content")), collections_folder(draft)
    start = 0 if content == "." else len(content) + 1
    texts = survey.below(content, (*MARKDOWN, ".html"))
    return [path for path in texts if _type_of(path[start:].removeprefix(above)) == kind]


def _pattern(draft: Draft, found: Found | None) -> Found | None:
    """A pattern of permalinks; `None`, with a note, for a value that is no text."""
    if found and not found.text:
        draft.leave(found, "it is not a pattern")
        return None
    return found


def _default_permalinks(draft: Draft) -> dict[str, Found]:
    """The permalinks in ``defaults``, by the collection that they apply to.

    Also notes the other defaults that matter to devlog, but not those that only a theme reads.
    """
    defaults = draft.take("defaults")
    chosen: dict[str, Found] = {}
    for item in defaults.items if defaults else ():
        kind, folder = get(item, ("scope", "type")), get(item, ("scope", "path"))
        of = kind.text if kind else "posts"
        everywhere = not folder or folder.text.strip("/").removeprefix(collections_folder(draft)) in ("", f"_{of}")
        values = get(item, ("values",))
        for entry in values.entries if values else ():
            found = Found(f"defaults.{entry.key.text}", entry.key.span, entry.value)
            if entry.key.text == "permalink" and of != "pages" and everywhere:
                if _pattern(draft, found):
                    chosen[of] = found
            elif entry.key.text == "published":
                continue  # see by_defaults
            elif entry.key.text in _INHERITED:
                draft.leave(found, "front matter is not inherited: add it to the posts that need it")
    return chosen


def _type_of(path: str) -> str:
    """What a source is for the scopes of ``defaults``, by its path in the content folder."""
    folders = path.split("/")[:-1]
    if "_posts" in folders or "_drafts" in folders:
        return "posts"
    return folders[0][1:] if folders and folders[0].startswith("_") else "pages"


def _posts_permalink(draft: Draft, survey: Survey, found: Found | None) -> None:
    text = found.text if found else "date"
    pattern, unknown = translate(_STYLES.get(text, text))
    if not unknown and not slug_is_last(_STYLES.get(text, text), _TOKEN, _SLUGS):
        other_slugs(draft, survey, _sources_of(draft, survey, "posts"), f"“{text}”", "permalink")
    if unknown and found:
        words = ", ".join(f"“{token}”" for token in unknown)
        draft.leave(found, f"devlog has no {words} in URLs; give posts a “permalink”")
        pattern, _ = translate(_STYLES["date"])
    why = "" if found else "Jekyll's default"
    if found and not unknown and pattern.endswith(".html") and not _STYLES.get(text, text).endswith((".html", "_ext")):
        why = "the file for a URL without an extension"
    draft.put(("permalinks", "post"), pattern, found if not unknown else None, why)
    if ":categories" in pattern:
        _without_collections_folder(draft, survey, pattern)


def _without_collections_folder(draft: Draft, survey: Survey, pattern: str) -> None:
    """Keep ``collections_dir`` out of URLs: unlike devlog, Jekyll has no category for it."""
    above, content = collections_folder(draft), str(draft.setting("content"))
    start = posixpath.join("" if content == "." else content, above)
    posts = [file for file in _sources_of(draft, survey, "posts") if above and file.startswith(start)]
    folders = sorted({re.split("(?:^|/)_(?:posts|drafts)/", file[len(start) :])[0] for file in posts})
    for folder in folders:
        topic = posixpath.join(above, folder).rstrip("/")
        categories = pattern.replace(":categories", folder.lower()).replace("//", "/")
        draft.put(("permalinks", "topics", topic), categories, comment="collections_dir is in no URL")
    named = [file for file in posts if any(get(read_head(survey, file), (key,)) for key in ("categories", "category"))]
    if named:
        draft.advise(
            f"{counted(len(named), 'file')} with categories, which are in URLs of Jekyll, but not of devlog with "
            "“collections_dir”: give such files a “permalink”",
            Span(named[0]),
        )


def translate(pattern: str, tokens: Table[str, str] = _TOKENS) -> tuple[str, list[str]]:
    """Convert a pattern of permalinks to devlog's placeholders.

    Args:
        pattern: Jekyll's pattern.
        tokens: devlog's placeholders by Jekyll's.

    Returns:
        The pattern, and the placeholders that devlog does not have.
    """
    unknown: list[str] = []

    def replace(token: re.Match[str]) -> str:
        # “:title_” is a token and an underscore.
        name = max((name for name in tokens if f"{token[0]}_".startswith(f"{name}_")), key=len, default="")
        if not name:
            unknown.append(token[0])
            return token[0]
        return tokens[name] + token[0][len(name) :]

    filled = _TOKEN.sub(replace, "/" + pattern.lstrip("/"))
    if not filled.endswith("/") and "." not in filled.rpartition("/")[2]:
        filled += ".html"  # Jekyll writes a file, which hosts serve without the extension
    return filled, unknown


def _collection_permalinks(draft: Draft, survey: Survey, style: str, defaults: dict[str, Found]) -> None:
    """Set the permalinks of collections that have pages."""
    everything = draft.take("collections")
    above = collections_folder(draft)
    content = posixpath.join(str(draft.setting("content")), above)
    # Different names may mean one folder, such as “x/../_notes”.
    has_posts = cache(lambda folder: bool(survey.below(folder, (*MARKDOWN, ".html"))))
    searched: set[str] = set()
    for entry in everything.entries if everything else ():
        name = entry.key.text
        key = Found(f"collections.{name}", entry.key.span, entry.value)
        if name == "posts":
            continue
        output = get(entry.value, ("output",))
        if not (output and output.is_on):
            draft.leave(key, "it has no pages: “output” is not set")
            continue
        if len(name) > _LONGEST_NAME:
            draft.leave(key, f"its name has more than {_LONGEST_NAME} characters")
            continue
        if not has_posts(folder_of(f"{content}/_{name}")):
            draft.leave(key, "it has no posts")
            continue
        inner = get(entry.value, ("permalink",))
        own = Found(f"{key.key}.permalink", inner.span, inner.node) if inner else None
        found = defaults.get(name) or _pattern(draft, own)
        usual = "/:collection/:path/" if _page_pattern(style).endswith("/") else "/:collection/:path:output_ext"
        written = found.text if found else usual
        pattern, unknown = translate(written.replace(":collection", name), _PAGE_TOKENS)
        if unknown:
            words = ", ".join(f"“{token}”" for token in unknown)
            draft.leave(found or key, f"devlog has no {words} in URLs; give its posts a “permalink”")
            written = usual
            pattern, _ = translate(usual.replace(":collection", name), _PAGE_TOKENS)
        why = "" if found else "Jekyll's default"
        draft.put(("permalinks", "topics", f"{above}_{name}"), pattern, key if unknown or not found else found, why)
        draft.done(Found(f"{key.key}.output", output.span, output.node), "the collection has pages")
        folder = folder_of(f"{content}/_{name}")
        if folder not in searched and not slug_is_last(written, _TOKEN, _SLUGS):
            searched.add(folder)
            other_slugs(draft, survey, survey.below(folder, (*MARKDOWN, ".html")), f"“{written}”", "permalink")


def _page_pattern(style: str) -> str:
    """The permalink pattern of pages: Jekyll takes only the ending from the pattern of posts."""
    is_pretty = style == "pretty" or style.endswith("/")
    return "/:topic/:name/" if is_pretty else "/:topic/:name.html"


def _reading(draft: Draft) -> None:
    markdown = draft.take("markdown")
    if markdown is None or "kramdown" in markdown.text.lower():
        kind = draft.take("kramdown", "input")  # the default is GitHub's Markdown
        anchors = "kramdown" if kind and kind.text.lower() == "kramdown" else "kramdown-gfm"
        draft.put(("markdown", "anchors"), anchors, kind or markdown, "" if kind or markdown else "Jekyll's default")
        smart = draft.take("kramdown", "smart_quotes")
        if smart:
            draft.leave(smart, "“typographer” in [markdown] writes the quotes of the site's language")
        else:
            draft.put(("markdown", "typographer"), True, comment="kramdown's default")
    elif markdown:
        draft.done(markdown, "heading fragments are generated as on GitHub")
    plugins = [found for key in ("plugins", "gems") if (found := draft.take(key))]
    names = [name.lower() for found in plugins for name in found.texts]
    if "jemoji" not in names:
        draft.put(("markdown", "emoji"), False, comment="Jekyll's default")
    draft.put(("markdown", "autolink"), False, comment="Jekyll's default")
    draft.put(("tags", "also"), ("categories",), comment="categories of posts are tags")
    for found in plugins:
        for name in found.texts:
            if name.lower() in _PLUGINS:
                draft.done(Found(f"{found.key}: {name}", found.span, found.node), _PLUGINS[name.lower()])
            else:
                draft.note(found.span, f"{found.key}: {name}", "Jekyll plugins are not converted")
    size = draft.take("paginate")
    if size and size.number and size.number > 0:
        draft.put("recent", size.number, size)
    separator = draft.take("excerpt_separator")
    if separator and separator.text in ("<!--more-->", "<!-- more -->", "<!-- excerpt -->", "<!--excerpt-->"):
        draft.done(separator, "devlog's default")
    elif separator:
        draft.leave(separator, "“<!--more-->” ends an excerpt, whatever the separator")


def _ignored(draft: Draft, survey: Survey) -> None:
    by_exclude(draft, survey)
    posts_elsewhere(draft, survey)
    included = draft.take("include")
    inside = [text.strip("/") for text in included.texts] if included else []
    if included:
        _included(draft, survey, included, inside)
    if survey.has_folder("_pages") and "_pages" not in inside:
        add_ignored(draft, "_pages")  # Jekyll does not read it either
    _collections(draft, survey)


def _included(draft: Draft, survey: Survey, found: Found, names: list[str]) -> None:
    """Report what becomes of files that Jekyll would skip, if they were not in ``include``."""
    content, static = str(draft.setting("content")), str(draft.setting("static") or "static")
    before = draft.setting("ignore")
    ignored, _ = compile_ignore(before if isinstance(before, tuple) else ())
    for name in names:
        path, item = folder_of(f"{content}/{name}"), Found(f"include: {name}", found.span, found.node)
        if not (survey.has(path) or survey.has_folder(path)):
            continue
        if any(glob.fullmatch(name) for glob in ignored.paths):
            draft.leave(item, "it is in “exclude”, too: remove it from “ignore” if it was published")
            continue
        if name in _ONLY_STATIC:
            draft.leave(item, f"devlog publishes such a name only from the static folder, {static}/")
        elif name == "_pages" or not name.startswith((".", "_")):
            draft.done(item, "devlog's default")
        else:
            draft.leave(item, "names that begin with . or _ are skipped")


def _collections(draft: Draft, survey: Survey) -> None:
    everything = draft.take("collections")
    listed = {entry.key.text for entry in everything.entries} if everything else set()
    listed |= set(everything.texts) if everything and isinstance(everything.node, Sequence) else set()
    above = collections_folder(draft)
    for folder in survey.folders:
        name = folder.removeprefix(above)
        if "/" in name or not name.startswith("_") or name in _OWN_FOLDERS or name[1:] in listed:
            continue
        texts = survey.below(folder, (*MARKDOWN, ".html"))
        if any(survey.head(text).startswith("---") for text in texts):
            draft.advise(
                f"{counted(len(texts), 'file')} in {folder}/ skipped: only _posts/ and _drafts/ are adopted",
                Span(texts[0]),
            )


def _feed(draft: Draft) -> dict[str, str]:
    """The names of the feeds that a plugin generates."""
    names: dict[str, str] = {}
    path = draft.take("feed", "path")
    if path and path.text:
        name = path.text.strip("/")
        if "/" in name:
            draft.leave(path, "feeds have a name, not a folder")
        else:
            names["atom"] = name
            draft.done(path, f"feeds.atom = “{name}”")
    limit = draft.take("feed", "posts_limit")
    if limit and limit.number:
        draft.put(("feeds", "limit"), limit.number, limit)
    return names


def _templates(draft: Draft, survey: Survey, names: dict[str, str]) -> None:
    """Ignore files with front matter that are neither Markdown nor HTML: Liquid templates, such as those of feeds.

    devlog generates such files itself, or has none.
    """
    content = str(draft.setting("content"))
    start = "" if content == "." else content + "/"
    found = []
    for file in survey.below(content, _TEMPLATES):
        own = file[len(start) :]
        if own.startswith("_") or "/_" in own:
            continue
        head = survey.head(file)
        if not head.startswith("---\n"):
            continue
        found.append(own)
        kind = "atom" if "<feed" in head else "rss" if "<rss" in head else ""
        if kind and "/" not in own and own.endswith((".xml", ".atom", ".rss")):
            names.setdefault(kind, own)
    if found:
        add_ignored(draft, *map(literal, found))
        draft.advise(
            f"{counted(len(found), 'file')} made of Liquid left out, such as {found[0]}: "
            "devlog generates feeds, the sitemap and style sheets itself; replace any other with Jekyll's output"
        )


def _variables(draft: Draft, survey: Survey) -> None:
    """Keep the keys that posts and pages show, such as ``{{ site.repository }}``."""
    topics = (setting[-1] for setting in draft.paths() if setting[:2] == ("permalinks", "topics"))
    collections = frozenset(posixpath.basename(str(topic)) for topic in topics)
    names = {
        name.lower()
        for file in survey.below(str(draft.setting("content")), (*MARKDOWN, ".html"))
        if all(
            part in ("_posts", "_drafts", "_pages", *collections) or not part.startswith("_")
            for part in file.split("/")[:-1]
        )
        for expression in _LIQUID.findall(survey.head(file))
        for name in _VARIABLE.findall(expression)
    }
    read = cache(lambda file: _values(survey, file))  # a post may show any number of values of one file
    for name in sorted(names):
        path = tuple(name.split("."))
        if path[0] == "data":  # always that of data files, whatever the configuration says
            _data_variable(draft, survey, path, read)
            continue
        found = draft.take(*path) if name not in _KNOWN_VARIABLES else None
        if found and found.text:
            draft.put(("params", *found.key.split(".")), found.text, found)


def _values(survey: Survey, file: str) -> dict[Path, Found]:
    """The values in a data file, by their path in lower case; of several, the first."""
    tree, _ = read_tree(survey, file)
    return dict(reversed(list(leaves(tree))))


def _data_variable(draft: Draft, survey: Survey, path: Path, read: Callable[[str], Table[Path, Found]]) -> None:
    """Keep a value from a data file, such as ``site.data.lumen.version``; `read` returns the values in a file."""
    if len(path) < 3:
        return
    start = str(draft.setting("content")) + "/" if draft.setting("content") != "." else ""
    file = survey.first(*(f"{start}_data/{path[1]}.{suffix}" for suffix in SUFFIXES))
    if file:
        found = read(file).get(path[2:])
        if found and found.text:
            origin = f"{found.key}, {found.span.path}:{found.span.line}"
            draft.put(("params", *path[:2], *found.key.split(".")), found.text, comment=origin)


def _navigation(draft: Draft, survey: Survey) -> None:
    items: list[tuple[Mapping, str]] = []
    file = survey.first(*NAVIGATION)
    if file:
        tree, wrong = _data(survey, file)
        items = [] if wrong else [(item, file) for item in tree]
    menu(draft, items, base_path_of(draft))


def _data(survey: Survey, file: str) -> tuple[list[Mapping], tuple[Diagnostic, ...]]:
    """The entries of a menu: the items of the first list in a data file, and the problems if it cannot be read."""
    tree, wrong = read_tree(survey, file)
    lists = [entry.value for entry in tree.entries if isinstance(entry.value, Sequence)]
    nodes = lists[0].items if lists else ()
    return [item for item in nodes if isinstance(item, Mapping)], wrong
