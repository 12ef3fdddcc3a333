"""Replaces Jekyll's includes and plugin tags by a figure, a video, a link, or the text passed to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

_IMAGE = re.compile(r"""[^\s"'=]+\.(?:png|jpe?g|gif|svg|webp|avif)(?:[?#][^\s"']*)?""", re.IGNORECASE)
_ARGUMENT = re.compile(
    r"""([\w-]+)\s*[=:]\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"']+))|"([^"]*)"|'([^']*)'|([^\s"']+)""",
    re.DOTALL,
)
_WATCH = re.compile(
    r"(?:youtube(?:-nocookie)?\.com/(?:embed/|watch\?v=)|youtu\.be/|(vimeo)\.com/(?:video/)?)([\w-]{1,40})",
    re.IGNORECASE,
)
_RECORDING = re.compile(r"""[^\s"'<>]+\.(?:(mp4|webm|mov|ogv|m4v)|mp3|ogg|wav|m4a|aac|flac)""", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_TAG = re.compile(r"<(/?)(\w+)([^<>]*)>")
_HREF = re.compile(r"""href\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_MARKS = {"em": "*", "i": "*", "b": "**", "strong": "**", "code": "`"}

_IMAGES = ("src", "url", "path", "image", "image_path", "image_url", "img", "file", "filename", "name", "image1")
_CAPTIONS = ("caption", "description", "title", "text", "content")
_TEXTS = ("content", "text", "caption", "body", "message", "description", "title", "html")
_FIGURES = ("figure", "image", "img", "picture", "photo", "lightbox")
_SITES = {"youtube": "https://www.youtube.com/watch?v=", "vimeo": "https://vimeo.com/"}
_FIRST_SEGMENTS = ("http:", "https:", "//", "/", ".", "data:")


class Arguments(msgspec.Struct, frozen=True):
    """The arguments of a tag: named and positional."""

    named: dict[str, str]
    positional: tuple[str, ...]


class Embed(msgspec.Struct, frozen=True):
    """The replacement of a tag.

    Attributes:
        name: the name of the include, else of the tag.
        text: Markdown, or one of devlog's shortcodes; empty if the tag is removed.
        figure: whether it is a figure, made for an include or a tag about which nothing else is known.
        known: whether the replacement has the exact meaning of the tag.
    """

    name: str
    text: str = ""
    figure: bool = False
    known: bool = False

    def written(self, lines: int) -> str:
        """The text with as many line breaks as its tag had, so that line numbers stay the same."""
        if self.text.startswith("{{<"):  # line breaks inside the shortcode do not split it
            return self.text.removesuffix(">}}") + "\n" * lines + ">}}"
        return self.text + "\n" * lines


def read_arguments(markup: str, variable: Callable[[str], str | None]) -> Arguments:
    """Parse the arguments of a tag.

    Args:
        markup: the text after the tag's name.
        variable: returns the value of a bare name, or `None`.
    """
    named: dict[str, str] = {}
    positional: list[str] = []
    for found in _ARGUMENT.finditer(markup):
        key, double, single, bare = found.group(1, 2, 3, 4)
        if key is None or (bare or "").startswith("//"):  # a URL is not a named argument
            positional.append(next((part for part in found.group(5, 6, 7) if part is not None), found[0]))
        elif bare is not None:
            named.setdefault(key.lower(), variable(bare) or bare)
        else:
            named.setdefault(key.lower(), _ESCAPE.sub(r"\1", double if double is not None else single or ""))
    return Arguments(named, tuple(positional))


def read_embed(tag: str, arguments: Arguments, resolve: Callable[[str], str]) -> Embed:
    """The replacement of a tag.

    Args:
        tag: its name.
        arguments: its arguments.
        resolve: evaluates the ``{{ … }}`` in a value.
    """
    named = {key: " ".join(resolve(value).split()) for key, value in arguments.named.items()}
    positional = [" ".join(resolve(value).split()) for value in arguments.positional]
    name = tag
    if tag.startswith("include"):
        name, positional = (positional[0] if positional else ""), positional[1:]
    stem = name.rpartition("/")[2].partition(".")[0].lower().replace("_", "-")
    video = _video(stem, named, positional) or _recording((*positional, *named.values()))
    if video:
        return Embed(name, video, known=True)
    if stem in ("gist", "tweet", "twitter", "x") and positional:
        return Embed(name, _link(stem, positional), known=True)
    if stem in ("toc", "table-of-contents"):  # the theme has its own table of contents
        return Embed(name, known=True)
    if tag == "img":
        return Embed(name, _octopress_image(positional), known=True)
    figure = _figure(stem, named, positional)
    if figure:
        return Embed(name, figure, figure=True)
    return Embed(name, next((named[key] for key in _TEXTS if named.get(key)), ""))


def _video(stem: str, named: Mapping[str, str], positional: list[str]) -> str:
    """A shortcode for a video; empty if the tag shows none."""
    site = next((site for site in _SITES if site in (named.get("provider", "").lower(), *stem.split("-"))), "")
    if not site and stem.replace("-", "") in ("youtubeplayer", "youtubevideo", "youtubeembed"):
        site = "youtube"
    identifier = named.get("id") or named.get("video-id") or named.get("video_id") or (positional or [""])[0]
    identifier = re.split(r"[/=]", identifier.rstrip("/"))[-1]
    return f'{{{{< {site} id="{identifier}" >}}}}' if site and re.fullmatch(r"[\w-]{1,40}", identifier) else ""


def _recording(values: Iterable[str]) -> str:
    """A shortcode for a URL of a video, or for a video or audio file; empty if there is neither."""
    for value in values:
        watch = _WATCH.search(value)
        if watch:
            site = "vimeo" if watch[1] else "youtube"
            return f'{{{{< {site} id="{watch[2]}" >}}}}'
        found = _RECORDING.fullmatch(value)
        if found:
            source = value if value.startswith(_FIRST_SEGMENTS) or "/" not in value else f"/{value}"
            return _shortcode("video" if found[1] else "audio", src=source)
    return ""


def _link(stem: str, positional: list[str]) -> str:
    target = positional[0]
    if stem == "gist":
        url = f"https://gist.github.com/{target}"
        return f"[Gist {target}]({url})" if re.fullmatch(r"[\w/-]+", target) else ""
    return f"<{target}>" if re.fullmatch(r"https?://[^\s<>]+", target) else ""


def _octopress_image(positional: list[str]) -> str:
    """``img [class names] /path [width [height]] [title [alt]]``."""
    index = next((index for index, part in enumerate(positional) if "/" in part), -1)
    if index < 0:
        return ""
    rest = positional[index + 1 :]
    width = rest.pop(0) if rest and rest[0].isdecimal() else ""
    if rest and rest[0].isdecimal():
        rest.pop(0)
    return _shortcode("figure", src=positional[index], alt=(rest or [""])[-1], width=width)


def _figure(stem: str, named: Mapping[str, str], positional: list[str]) -> str:
    """A shortcode for the image that a tag names; empty if it names none."""
    is_figure = any(word in stem for word in _FIGURES)
    source = next((named[key] for key in _IMAGES if _is_image(named.get(key, ""), is_figure and key != "name")), "")
    source = source or next((value for value in (*positional, *named.values()) if _IMAGE.fullmatch(value)), "")
    if not source:
        return ""
    if not source.startswith(_FIRST_SEGMENTS) and "/" in source:  # includes make such paths relative to the site
        source = f"/{source}"
    caption = next((named[key] for key in _CAPTIONS if named.get(key)), "")
    return _shortcode(
        "figure",
        src=source,
        alt=named.get("alt", ""),
        caption=_as_markdown(caption),
        width=named.get("width", "") or named.get("max-width", ""),
        height=named.get("height", ""),
        link=named.get("link", "") or named.get("href", "") or named.get("target", ""),
    )


def _is_image(value: str, is_figure: bool) -> bool:
    return bool(value) and (is_figure or _IMAGE.fullmatch(value) is not None)


def _shortcode(shortcode: str, **named: str) -> str:
    parts = []
    for name, value in named.items():
        if value:
            quoted = value.replace("\\", "\\\\").replace('"', '\\"').replace("{{", "{ {").replace("}}", "} }")
            parts.append(f'{name}="{quoted}"')
    return f"{{{{< {shortcode} {' '.join(parts)} >}}}}"


def _as_markdown(html: str) -> str:
    """Convert the links and emphasis in a caption's HTML to Markdown, and drop its other tags."""
    targets: list[str] = []

    def write(found: re.Match[str]) -> str:
        name = found[2].lower()
        if name == "a" and not found[1]:
            href = _HREF.search(found[3])
            targets.append(href[1] if href else "")
            return "[" if targets[-1] else ""
        if name == "a":
            target = targets.pop() if targets else ""
            return f"]({target})" if target else ""
        return _MARKS.get(name, " " if name == "br" else "")

    return _TAG.sub(write, html)
