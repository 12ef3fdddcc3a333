"""Renders shortcodes: figures, and links to content on other sites. No page loads anything from another site."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from html import escape
from typing import Any

from devlog import sanitize
from devlog.model.catalog import Catalog
from devlog.model.character_references import unescape
from devlog.model.included import is_inclusion
from devlog.model.media import media_type
from devlog.model.players import SITES, frame_of
from devlog.model.shortcode_tag import LONGEST, Shortcode
from devlog.parse.code.highlight import read_info, render_code
from devlog.parse.markdown.attributes import ALIGNMENTS
from devlog.parse.markdown.body import BodyWriter
from devlog.parse.shortcodes import paired, problems
from devlog.parse.shortcodes.block_arguments import FIGURES, PLAYERS, block_arguments
from devlog.parse.shortcodes.inclusion import Doubt, Extract, counted_html, extract_of, link_to, report
from devlog.parse.words import ALERTS

Inline = Callable[[str], str]
"""Renders one line of Markdown to HTML."""

_REFERENCES = frozenset({"ref", "relref"})
_SOURCES = ("src", "path", "url", "href", "file")
_PLAIN = re.compile(r"[\w./@-]{1,120}", re.ASCII)


def attribute(name: str, value: str) -> str:
    """An HTML attribute; an empty string for an empty value."""
    return f' {name}="{escape(value)}"' if value else ""


def write_image(writer: BodyWriter, src: str, alt: str, attributes: Mapping[str, str]) -> str:
    """The HTML of an image, with a hole for a source inside the site; a player for a video or audio file.

    Args:
        writer: the document that is being written.
        src: the URL of the file.
        alt: a description of the content.
        attributes: other attributes: ``title``, ``width``, ``height``, ``class``.
    """
    player = player_of(src)
    if player:
        return write_player(writer, player, src, alt, attributes)
    title, width, height, css = (attributes.get(name, "") for name in ("title", "width", "height", "class"))
    sized = bool(width or height)
    tag = writer.framed(
        f'<img{writer.image(src, alt, sized=sized)} alt="{escape(alt)}"{attribute("title", title)}'
        f"{_size({'width': width, 'height': height})}{attribute('class', css)}>"
    )
    return writer.in_mode(src, tag) if "#" in src else tag


def player_of(url: str) -> str:
    """The element that plays a file: ``video`` or ``audio``; empty for an image or any other file."""
    return PLAYERS.get(media_type(re.split("[?#]", url, maxsplit=1)[0]).partition("/")[0], "")


def write_player(writer: BodyWriter, player: str, src: str, alt: str, attributes: Mapping[str, str]) -> str:
    """The HTML of a video or audio file, which preloads at most metadata: its duration and size.

    Args:
        writer: the document that is being written.
        player: ``video`` or ``audio``.
        src: the URL of the file.
        alt: a description of the content.
        attributes: other attributes: ``title``, ``width``, ``height``, ``class``, ``poster``, ``loop``, ``muted``.
    """
    poster = writer.media("poster", attributes["poster"]) if player == "video" and attributes.get("poster") else ""
    elsewhere = "://" in src or src.startswith("//")  # no page loads anything from another site
    preload = "none" if poster or elsewhere or player == "audio" else "metadata"
    size = _size({name: attributes.get(name, "") for name in ("width", "height")}) if player == "video" else ""
    flags = "".join(
        f" {name}" for name in ("loop", "muted") if attributes.get(name, "false").lower() not in ("false", "no", "0")
    )
    inline = " playsinline" if player == "video" else ""
    return (
        f'<{player}{writer.media("src", src)} controls preload="{preload}"{inline}{flags}{poster}{size}'
        f"{attribute('class', attributes.get('class', ''))}"
        f"{attribute('aria-label', alt)}{attribute('title', attributes.get('title', ''))}></{player}>"
    )


def _size(lengths: Mapping[str, str]) -> str:
    """Width and height in HTML: pixels as attributes, other units together as a style."""
    pixels, styles = "", list[str]()
    for name, written in lengths.items():
        value = written.strip().removesuffix("px")
        if value.isdecimal():
            pixels += f' {name}="{value}"'
        elif re.fullmatch(r"\d{1,4}(\.\d{1,3})?(%|em|rem|vw|ch)", value):
            styles.append(f"{name}:{value}")
    return pixels + attribute("style", ";".join(styles))


# -- content on other sites


def _identifier(shortcode: Shortcode, *keys: str) -> str:
    found = next((shortcode.named[key] for key in (*keys, "url", "link") if shortcode.named.get(key)), "")
    return (found or " ".join(shortcode.positional[:1])).strip()


def _of_player(shortcode: Shortcode, t: Catalog) -> tuple[str, str]:
    site = SITES[shortcode.name.removesuffix("_simple")]
    found = _identifier(shortcode, "id", "video")
    return site.page.format(found) if found else "", t("watch_on", site=site.title)


def _streamable(shortcode: Shortcode, t: Catalog) -> tuple[str, str]:
    found = _identifier(shortcode, "id")
    return f"https://streamable.com/{found}" if found else "", t("watch_on", site="Streamable")


def _gist(shortcode: Shortcode, t: Catalog) -> tuple[str, str]:
    words = [word.strip() for word in shortcode.positional]
    path = shortcode.named.get("url") or "/".join(words[:2])
    file = shortcode.named.get("file") or " ".join(words[2:3])
    if "://" not in path:
        path = f"https://gist.github.com/{path}" if path else ""
    fragment = f"#file-{re.sub(r'[^a-z0-9]+', '-', file.lower())}" if path and file else ""
    site = "GitHub Gist"
    return path + fragment, t("see_file_on", file=file, site=site) if file else t("see_code_on", site=site)


def _tweet(shortcode: Shortcode, t: Catalog) -> tuple[str, str]:
    found = _identifier(shortcode, "id")
    user = shortcode.named.get("user", "").lstrip("@")
    title = t("see_post_by_on", author=f"@{user}", site="X") if user else t("see_post_on", site="X")
    return f"https://x.com/{user or 'i'}/status/{found}" if found else "", title


def _instagram(shortcode: Shortcode, t: Catalog) -> tuple[str, str]:
    found = _identifier(shortcode, "id")
    return f"https://www.instagram.com/p/{found}/" if found else "", t("see_post_on", site="Instagram")


_EMBEDS: dict[str, Callable[[Shortcode, Catalog], tuple[str, str]]] = {
    **dict.fromkeys(SITES, _of_player),
    "streamable": _streamable,
    "gist": _gist,
    "tweet": _tweet,
    "twitter": _tweet,
    "x": _tweet,
    "instagram": _instagram,
}
_EMBEDS.update({f"{name}_simple": _EMBEDS[name] for name in ("vimeo", "twitter", "tweet", "instagram")})

KNOWN = tuple(sorted({*FIGURES, "audio", "video", *_REFERENCES, *_EMBEDS, *paired.NAMES, "param"}))
"""The names of all shortcodes."""


def _embed(writer: BodyWriter, shortcode: Shortcode, *, block: bool) -> str:
    """A link to content that another generator would embed in a frame; empty if the shortcode is incomplete."""
    url, label = _EMBEDS[shortcode.name](shortcode, writer.t)
    given = _identifier(shortcode, "id", "video")
    if re.match("https?://", given):
        url = given
    elif not url or not _PLAIN.fullmatch(url.partition("://")[2].partition("#")[0].replace("watch?v=", "")):
        return ""
    title = shortcode.named.get("title", "").strip()
    text = escape(f"{label}: {title}" if title else label)
    name = shortcode.name.partition("_")[0]
    href = writer.link("href", url)
    if not block or not href:
        return f"<a{href}>{text}</a>"
    frame = attribute("data-frame", frame_of(name, given, shortcode.named.get("start", "")))
    if frame:
        writer.players.add(name)
    poster = shortcode.named.get("poster", "").strip()
    if not poster:
        return writer.trusted(f'<p class="embed embed-{name}"><a{href}{frame}>{text}</a></p>\n')
    image = writer.framed(f'<img{writer.image(poster, label, sized=False)} alt="">')  # the words are beside it
    return writer.trusted(f'<p class="embed embed-{name} poster"><a{href}{frame}>{image}<span>{text}</span></a></p>\n')


# -- writing


def write_shortcode(
    writer: BodyWriter, shortcode: Shortcode, inline: Inline, *, block: bool, inside: bool = False
) -> str:
    """The HTML of a shortcode's tag.

    An unknown shortcode stays as text, or only its content is shown; both with a warning.

    Args:
        writer: the document that is being written.
        shortcode: the tag to render.
        inline: renders captions.
        block: whether the tag is a block of its own.
        inside: whether the shortcode's content is rendered next, and its closing tag is dropped.
    """
    if shortcode.is_long:
        span = writer.finder.find(shortcode.text.partition("\n")[0], writer.block)
        writer.diagnostics.append(problems.long_shortcode(span, shortcode.name, LONGEST))
        return as_text(shortcode, block=block)
    if inside and paired.kind_of(shortcode.name):
        if not block:
            _report_lost(writer, shortcode)
        return ""
    if is_inclusion(shortcode) and not inside:
        html = _included(writer, shortcode, block=block)
    else:
        html = None if shortcode.role == "close" else _known(writer, shortcode, inline, block=block)
    if html is not None:
        return html
    span = writer.finder.find(shortcode.text.partition("\n")[0], writer.block)
    if shortcode.role == "close" or (paired.kind_of(shortcode.name) and shortcode.role == "open"):
        problem = problems.unpaired_shortcode(span, " ".join(shortcode.text.split()), closing=shortcode.role == "close")
    elif shortcode.name == "param" and (target := _target(shortcode)):
        problem = problems.no_value(span, target)
    elif shortcode.name in KNOWN:
        problem = problems.incomplete_shortcode(span, shortcode.name)
    else:
        own = "" if inside else _own_text(writer, shortcode, inline)
        shown = "its inside" if inside else "its text" if own else ""
        writer.diagnostics.append(
            problems.unknown_shortcode(
                span, shortcode.name, (*KNOWN, *writer.shortcodes), _escaped(shortcode), shown=shown
            )
        )
        return f"<p>{own}</p>\n" if own and block else own if own or inside else as_text(shortcode, block=block)
    writer.diagnostics.append(problem)
    return "" if inside else as_text(shortcode, block=block)


def _report_lost(writer: BodyWriter, shortcode: Shortcode) -> None:
    """Report what a shortcode in a line of text does not show."""
    for text in block_arguments(shortcode):
        span = writer.finder.find(text.partition("\n")[0], writer.block)
        writer.diagnostics.append(problems.lost_argument(span, shortcode.name, " ".join(text.split())))


def _own_text(writer: BodyWriter, shortcode: Shortcode, inline: Inline) -> str:
    """The text that a shortcode without content has in an argument; a link, if another argument has a URL."""
    text = inline(" ".join(paired.own_text(shortcode).split()))
    target = next((shortcode.named[key] for key in ("href", "url", "link") if shortcode.named.get(key)), "")
    return f"<a{writer.link('href', target)}>{text}</a>" if text and target and "<a" not in text else text


def as_text(shortcode: Shortcode, *, block: bool) -> str:
    """A tag as text, as it is written."""
    text = escape(shortcode.text, quote=False)
    return f"<p>{text}</p>\n" if block else text


def _escaped(shortcode: Shortcode) -> str:
    """How to escape a tag of this kind, so that it is shown as text."""
    text = shortcode.text
    return "{{</* … */>}}" if text.startswith(("{{<", "{{%")) else f"{text[:2]}/* … */{text[-2:]}"


def _known(writer: BodyWriter, shortcode: Shortcode, inline: Inline, *, block: bool) -> str | None:
    """The HTML of a known shortcode without content; `None` if it is unknown, or required arguments are missing."""
    name = shortcode.name
    if name in FIGURES or name in PLAYERS:
        return _figure(writer, shortcode, inline, block=block)
    if name in _EMBEDS:
        return _embed(writer, shortcode, block=block) or None
    target = _target(shortcode)
    if name in _REFERENCES and target:
        span = writer.finder.find(shortcode.text.partition("\n")[0], writer.block)
        url = writer.bare_link(target, span)
        return f"<p>{url}</p>\n" if block else url
    if name == "param" and target:
        value = _param(writer.params, target)
        if value is None:
            return None
        writer.allowance.take(len(value), writer.finder.find(shortcode.text.partition("\n")[0], writer.block))
        return f"<p>{escape(value)}</p>\n" if block else escape(value)
    return None


def _included(writer: BodyWriter, shortcode: Shortcode, *, block: bool) -> str | None:
    """The part of a file that a tag in raw HTML shows; in Markdown it is a fence already, unless it cannot be shown.

    Then it is the tag as text, with a message; `None` if the file was not looked for.
    """
    take = partial(writer.inclusion.take, span=writer.finder.find("", writer.block))
    extract = extract_of(shortcode, writer.included, take)
    if isinstance(extract, Extract) and block:
        report(writer, extract.doubts, writer.block)
        link = link_to(writer, extract, {})
        html = render_code(extract.content, extract.fence, link, writer.highlighter.highlight)
        return writer.trusted(counted_html(writer, extract, html, writer.block))
    if isinstance(extract, Extract):
        extract = Doubt(shortcode.text, partial(problems.inline_inclusion, name=shortcode.named["file"]))
    if extract:
        report(writer, [extract], writer.block)
    return as_text(shortcode, block=block) if extract else None


def _target(shortcode: Shortcode) -> str:
    """What a reference or `param` names."""
    return shortcode.named.get("path") or " ".join(shortcode.positional)


def _param(params: Iterable[str], path: str) -> str | None:
    """A parameter of the front matter, or else of the site, by name or by a dotted path of names."""
    for one in params:
        value: Any = json.loads(one)
        for name in path.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str | int | float):
            return str(value)
    return None


def _figure(writer: BodyWriter, shortcode: Shortcode, inline: Inline, *, block: bool) -> str | None:
    named = shortcode.named
    source = next((named[key] for key in _SOURCES if named.get(key)), "") or " ".join(shortcode.positional[:1])
    if not source and media_type(named.get("link", "")).startswith("image/"):
        source = named["link"]
    if not source:
        return None
    texts = (named.get(name, "").strip() for name in ("caption", "title", "attr"))
    caption, title, credit = (inline(text) if block else "" for text in texts)
    if credit and named.get("attrlink"):
        credit = f"<a{writer.link('href', named['attrlink'])}>{credit}</a>"
    alt = named.get("alt") or re.sub(r"[*_`]|\[|\]\([^)]*\)", "", named.get("caption", ""))
    if shortcode.name in PLAYERS:
        said = {key: value for key, value in named.items() if key in ("width", "height", "poster", "loop", "muted")}
        image = write_player(writer, shortcode.name, source, alt, said)
    else:
        image = write_image(writer, source, alt, {name: named.get(name, "") for name in ("width", "height")})
    if named.get("link"):
        image = f"<a{writer.link('href', named['link'])}>{image}</a>"
    if not block:  # a paragraph cannot contain a figure
        _report_lost(writer, shortcode)
        return image
    wanted = (*named.get("class", "").split(), *(name for name in [named.get("align", "")] if name in ALIGNMENTS))
    classes = [name for name in dict.fromkeys(wanted) if name in sanitize.CLASSES]
    css = " ".join(["figure", *classes])
    heading = f"<strong>{title}</strong> " if title else ""
    text = " ".join(part for part in (f"{heading}{caption}".strip(), credit) if part)
    return f'<figure class="{css}">{image}{f"<figcaption>{text}</figcaption>" if text else ""}</figure>\n'


# -- in raw HTML


def write_in_html(
    writer: BodyWriter, shortcode: Shortcode, inside: str | None, inline: Inline
) -> tuple[str, str | None]:
    """Replacements of a shortcode's tags in raw HTML; its content is HTML and stays: see `matching.Write`."""
    if inside is None:
        return write_shortcode(writer, shortcode, inline, block=True), ""
    kind = paired.kind_of(shortcode.name)
    if kind == "comment":
        return "", None
    if kind == "code":
        code = unescape(inside).removeprefix("\n").rstrip() + "\n"
        fence = read_info(paired.code_info(shortcode))
        return writer.trusted(render_code(code, fence, highlight=writer.highlighter.highlight)), None
    if kind is None or kind == "html":
        return write_shortcode(writer, shortcode, inline, block=True, inside=True), ""
    return _tags(shortcode, kind, inline, writer.t)


def _tags(shortcode: Shortcode, kind: str, inline: Inline, t: Catalog) -> tuple[str, str]:
    """The HTML before and after the content of a shortcode that wraps it."""
    if kind == "alert":
        alert = paired.alert_of(shortcode)
        shown = inline(alert.title) if alert.title else escape(t(ALERTS[alert.kind]))
        title = f'<p class="markdown-alert-title">{shown}</p>'
        return f'<div class="markdown-alert markdown-alert-{alert.kind}">\n{title}', "</div>"
    if kind == "details":
        opened = " open" if paired.is_open(shortcode) else ""
        summary = paired.summary_of(shortcode)
        shown = inline(summary) if summary else escape(t("details"))
        return f"<details{opened}><summary>{shown}</summary>", "</details>"
    if kind == "quote":
        credit = paired.credit_of(shortcode)
        return "<blockquote>", f"<p>{inline(credit)}</p></blockquote>" if credit else "</blockquote>"
    title = escape(paired.tab_title(shortcode)) if kind == "tab" else ""
    name = f'<p class="tab-title"><strong>{title}</strong></p>' if title else ""
    return "<div>" if kind == "tab" and not title else f'<div class="{kind}">{name}', "</div>"
