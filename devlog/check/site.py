"""Rules about the site as a whole, in particular its configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import nearest
from devlog.model.site import Published
from devlog.model.urls import decoded
from devlog.model.visible import is_visible


def useless_key(evidence: Evidence) -> Iterator[Diagnostic]:
    """A key has no effect: of the configuration, because the thing that it refers to does not exist; or in an
    `_index.md`, because every topic has a page, which lists show.
    """
    config = evidence.config
    topics = {topic.path for topic in evidence.site.topics}
    for topic in config.permalinks.topics:
        folder = topic.strip("/")
        is_collection = folder.startswith("_") and config.conventions.underscored
        if is_collection and any(text.parsed.path.startswith(f"{folder}/") for text in evidence.sources):
            continue
        if folder not in topics:
            key = f"permalinks.topics.{topic}"
            yield problems.useless_key(evidence.config_span(key), key, f"unknown topic “{topic}”")
    for name in ("rss", "atom", "json"):
        if name not in config.feeds.formats and f"feeds.{name}" in evidence.config_spans:
            key = f"feeds.{name}"
            yield problems.useless_key(evidence.config_span(key), key, f"“{name}” is not among the “formats”")
    for index in (topic.index for topic in evidence.site.topics if topic.index):
        front_matter = index.front_matter
        for field, is_set in (("render", not front_matter.render), ("listed", not front_matter.listed)):
            if is_set:
                yield problems.useless_in_index(front_matter.span(field, index.file))


_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def broken_menu(evidence: Evidence) -> Iterator[Diagnostic]:
    """The target of an entry of the menu, or of a link of the footer, does not exist, depends on the page, or begins
    with `//`, which names another host; or the entry has no name to click.
    """
    base = decoded(evidence.config.base_path)
    config = evidence.config
    entries = [(f"menu.{number}", item.name, item.url) for number, item in enumerate(config.menu)]
    entries += [(f"footer.links.{number}", item.name, item.url) for number, item in enumerate(config.footer.links)]
    for entry, name, url in entries:
        key = f"{entry}.url"
        if not is_visible(name):
            yield problems.nameless_menu(evidence.config_span(f"{entry}.name"), url)
        path = decoded(url.partition("#")[0].partition("?")[0])
        if url.startswith("//"):
            yield problems.menu_of_host(evidence.config_span(key), url)
        if _OUTSIDE.match(path) or (url and not path):
            continue
        if not path.startswith("/"):
            yield problems.relative_menu(evidence.config_span(key), url)
            continue
        inside = "/" + path.removeprefix(base).lstrip("/") if path.startswith(base) else "/" + path.lstrip("/")
        if not {inside, f"{inside.rstrip('/')}/"} & evidence.outputs:
            yield problems.broken_menu(evidence.config_span(key), url)


def no_base_url(evidence: Evidence) -> Iterator[Diagnostic]:
    """There are feeds, but `base_url` has no host: links and images in the feeds do not work in feed readers."""
    if evidence.config.feeds.formats and evidence.site.posts and not evidence.config.origin:
        yield problems.no_base_url(evidence.config_span("base_url"))


def placeholder_base_url(evidence: Evidence) -> Iterator[Diagnostic]:
    """`base_url` still has the host of a new site: feeds, the sitemap and social cards have URLs that cannot exist."""
    config = evidence.config
    if config.has_placeholder_url:
        yield problems.placeholder_base_url(evidence.config_span("base_url"), config.base_url, publishing=False)


def misplaced_post(evidence: Evidence) -> Iterator[Diagnostic]:
    """A Markdown file with the front matter of a post, a title and a date, is outside the content folder.

    Only the content folder is published. Files up to three folders below the site's folder are found, except in other
    sites, in themes and in folders whose names begin with `.` or `_`.
    """
    for file in evidence.strays:
        yield problems.misplaced_post(Span(file), evidence.config.content)


def unused_template(evidence: Evidence) -> Iterator[Diagnostic]:
    """A file in `templates/` replaces no template of the theme, and no other template includes, imports or extends it.

    Its name may be misspelled: a file replaces the theme's template of exactly the same name.
    """
    folder = f"{evidence.config.in_theme_folder('templates')}/"
    own = [template for template in evidence.templates if template.file.startswith(folder)]
    replaced = {template.file.partition("/templates/")[2] for template in evidence.templates if template.is_replaced}
    for template in own:
        known = replaced | evidence.theme_names
        if template.name in known:
            continue
        if not any(template.name in other.text for other in evidence.templates if other is not template):
            folder, _, name = template.name.rpartition("/")
            beside = {other.rpartition("/")[2].partition(".")[0]: other for other in known if _is_in(other, folder)}
            near = beside.get(nearest(name.partition(".")[0], beside), "")
            yield problems.unused_template(Span(template.file), template.name, near)


def _is_in(name: str, folder: str) -> bool:
    return name.rpartition("/")[0] == folder


def active_static(evidence: Evidence) -> Iterator[Diagnostic]:
    """A file of the static folder runs in browsers or is obeyed by web servers, and no template names it.

    Such files are published unchanged: scripts, pages, drawings that contain scripts, `.htaccess` and the like.
    """
    found = sorted(item.asset.file for item in evidence.site.assets if _is_active(item, evidence))
    if found:
        yield problems.active_static(Span(evidence.config.static), found)


def _is_active(item: Published, evidence: Evidence) -> bool:
    is_own = item.folder == "static" and evidence.config.html != "trusted"
    return is_own and bool(item.asset.active) and item.asset.path not in evidence.scripts


RULES = (active_static, misplaced_post, unused_template, useless_key, broken_menu, no_base_url, placeholder_base_url)
