"""Imports sites from Zola: with a ``zola.toml``, or a ``config.toml`` with a ``base_url``."""

from __future__ import annotations

from devlog.adopt.adoption import Adoption, Draft
from devlog.adopt.common import (
    add_ignored,
    base_url,
    configured_folder,
    fallback_title,
    feed_names,
    literal,
    other_texts,
    output,
    own_theme,
    without_braces,
)
from devlog.adopt.foreign import EMPTY, Found, get, read_tree
from devlog.adopt.hugo_heads import unread_heads
from devlog.adopt.protected import by_password
from devlog.adopt.survey import Survey
from devlog.adopt.unpublished import by_render_of_sections, draft_sections
from devlog.model.diagnostic import Diagnostic
from devlog.parse.front_matter.tree import Mapping, Scalar

FILES = ("zola.toml", "config.toml")

_REASONS = {
    "theme": "templates are not converted; devlog has its own theme (docs/themes.md)",
    "extra": "settings of the old theme",
    "compile_sass": "style sheets come with devlog's theme",
    "minify_html": "pages are small already",
    "build_search_index": "search is configured in [search]",
    "search": "search is configured in [search]",
    "markdown": "devlog renders Markdown by its own rules (docs/writing.md)",
    "markdown.highlighting": "code colors are part of devlog's theme",
    "markdown.highlight_code": "fenced code is always highlighted",
    "markdown.highlight_theme": "code colors are part of devlog's theme",
    "markdown.insert_anchor_links": "headings always link to themselves",
    "markdown.bottom_footnotes": "footnotes are always at the end",
    "markdown.smart_punctuation": "devlog keeps quotes and dashes as written",
    "link_checker": "“devlog check --external” checks external links",
    "translations": "labels of Zola's theme; “devlog theme translate” changes those of devlog's",
    "languages": "a site has one language; posts in others are skipped",
    "slugify": "other parts of URLs follow devlog's rules",
    "ignored_static": "only static files whose names begin with a dot are skipped",
    "author": "sites have no author: each post names its authors",
    "hard_link_static": "unchanged files are never copied",
    "skip_content_templating": "posts are never templates",
    "generate_sitemap": "the sitemap is always written",
    "generate_robots_txt": "robots.txt is always written",
    "skip_anchor_prefixes": "settings of the link checker",
}


def configuration(survey: Survey) -> tuple[tuple[str, ...], Mapping, tuple[Diagnostic, ...]]:
    """The configuration of a Zola site: its file, its keys, and the problems if it cannot be read."""
    file = survey.first(*FILES)
    tree, wrong = read_tree(survey, file) if file else (EMPTY, ())
    return ((file,) if file else ()), tree, wrong


def adopt_zola(survey: Survey, files: tuple[str, ...], tree: Mapping) -> Adoption:
    """Convert the configuration of a Zola site to settings of devlog."""
    draft = Draft("Zola", files, tree)
    draft.put("dialect", "zola", comment="dates in file names are not part of URLs")
    draft.text("title", ("title",))
    fallback_title(draft, survey, "content/_index.md")
    draft.text("description", ("description",))
    draft.language(("default_language",))
    base_url(draft, survey, draft.take("base_url"))
    folder = draft.take("output_dir")
    wanted = configured_folder(draft, folder)
    output(draft, survey, wanted or "public", folder if wanted else None)
    own_theme(draft, survey, "zola")
    _addresses(draft)
    _reading(draft, survey)
    draft_sections(draft, survey)
    by_render_of_sections(draft, survey, "", (("render",),))
    unread_heads(draft, survey)
    by_password(draft, survey, "Zola")
    other_texts(draft, survey, "content")
    _feeds(draft, survey)
    _taxonomies(draft)
    return draft.finish(_REASONS)


def _addresses(draft: Draft) -> None:
    keep = draft.take("slugify", "paths_keep_dates")
    name = ":name" if keep and keep.is_on else ":slug"
    draft.put(("permalinks", "post"), f"/:topic/{name}/", keep, "" if keep else "Zola's default")
    draft.put(("permalinks", "page"), f"/:topic/{name}/")
    paths = draft.take("slugify", "paths")
    if paths and paths.text != "on":
        draft.leave(paths, "URLs are lowercase, without spaces; give other posts a “path”")
    elif paths:
        draft.done(paths, "devlog's default")
    anchors = draft.take("slugify", "anchors")
    if anchors and anchors.text == "off":
        draft.leave(anchors, "heading fragments are lowercase, without spaces")
    draft.put(("markdown", "anchors"), "zola", anchors if anchors and anchors.text == "on" else None)


def _reading(draft: Draft, survey: Survey) -> None:
    emoji = draft.take("markdown", "render_emoji")
    if not (emoji and emoji.is_on):
        draft.put(("markdown", "emoji"), False, emoji, "" if emoji else "Zola's default")
    draft.put(("markdown", "autolink"), False, comment="Zola's default")
    smart = draft.take("markdown", "smart_punctuation")
    if smart and smart.is_on:
        draft.put(("markdown", "typographer"), True, smart)
    ignored = draft.take("ignored_content")
    if ignored and ignored.texts:
        draft.put(
            "ignore", tuple(dict.fromkeys(glob for text in ignored.texts for glob in without_braces(text))), ignored
        )
    languages = draft.take("languages")
    others = languages.entries if languages else ()
    add_ignored(draft, *(f"*.{literal(entry.key.text)}.md" for entry in others))
    for entry in others:
        draft.note(entry.key.span, f"languages.{entry.key.text}", "a site has one language; its posts are skipped")
    if survey.has_folder("templates/shortcodes"):
        draft.advise("custom shortcodes show their inner text")


def _feeds(draft: Draft, survey: Survey) -> None:
    names: dict[str, str] = {}
    why: dict[str, str] = {}
    limit = draft.take("feed_limit")
    if limit and limit.number:
        draft.put(("feeds", "limit"), limit.number, limit)
    wanted = draft.take("generate_feeds") or draft.take("generate_feed")
    files = draft.take("feed_filenames") or draft.take("feed_filename")
    if wanted and wanted.is_on:
        draft.done(wanted, "devlog's default")
        for name in files.texts if files else ("atom.xml",):
            _feed_name(draft, name, files, names, why)
        if not files:
            why["atom"] = "Zola's default"
    elif files:
        draft.leave(files, "the old site has no feeds")
    feed_names(draft, survey, ("static",), names, why)


def _feed_name(draft: Draft, name: str, files: Found | None, names: dict[str, str], why: dict[str, str]) -> None:
    kind = "rss" if "rss" in name else "atom" if name.endswith(".xml") else ""
    if kind in names or not kind:
        if files:
            draft.note(files.span, f"{files.key}: {name}", "it is generated by a template of the site")
        return
    names[kind] = name
    if files:
        why[kind] = f"{files.key}, {files.span.path}:{files.span.line}"
        draft.done(Found(f"{files.key}: {name}", files.span, files.node), f"feeds.{kind} = “{name}”")


def _taxonomies(draft: Draft) -> None:
    found = draft.take("taxonomies")
    names = [(name, item.span) for item in found.items if (name := _name(item))] if found else []
    if any(name == "categories" for name, _ in names) and found:
        draft.put(("tags", "also"), ("categories",), found)
    for name, span in names:
        if name == "authors":
            draft.note(span, "taxonomies: authors", "devlog finds authors itself")
        elif name not in ("tags", "categories"):
            draft.note(span, f"taxonomies: {name}", "only tags have lists")


def _name(item: object) -> str:
    found = get(item, ("name",)) if isinstance(item, Mapping) else None
    if isinstance(item, Scalar):
        return item.text
    return found.text if found else ""
