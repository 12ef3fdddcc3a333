"""Replaces the tags of Hexo for posts and the files beside them by links and images of Markdown, line by line."""

from __future__ import annotations

import posixpath
import re
from html import escape
from urllib.parse import quote

from devlog.model.slug import humanize
from devlog.parse.code.find_code import CodeRanges
from devlog.parse.dialects.liquid import MAX_FILLED, Filled

_TAG = re.compile(
    r"\{%-?[ \t]{0,9}(?P<name>asset_(?:img|link|path)|post_(?:link|path))[ \t](?P<rest>(?:(?!%\})[^\n]){1,1000})%\}"
)
_WORD = re.compile(r""""([^"]*)"|'([^']*)'|([^\s"']\S*)""")
_IMAGE = re.compile(r"[^?#]+\.(?:png|jpe?g|gif|svg|webp|avif)(?:[?#].*)?", re.IGNORECASE)
_USUAL = re.compile(r"(?:\d{4}-\d{1,2}-\d{1,2}-)?(.+?)(?:\.md|\.markdown|\.html)?", re.ASCII)
"""The name of the file of a post, and what of it is a title."""
_MARKS = re.compile(r"([\\`*_~$:@#&\[\]<>{}()!])")


def fill_tags(text: str, path: str) -> Filled | None:
    """A text with its tags replaced, but for those in code; `None` if it has none.

    Hexo has the files of a post in a folder with the name of the post.

    Args:
        text: Markdown.
        path: the path of the post.
    """
    if "{%" not in text or not _TAG.search(text):
        return None
    code, folder, left = CodeRanges(text), posixpath.splitext(posixpath.basename(path))[0], MAX_FILLED

    def written(found: re.Match[str]) -> str:
        nonlocal left
        words = [one or two or three for one, two, three in _WORD.findall(found["rest"].rstrip().removesuffix("-"))]
        if found.start() in code or not any(words):
            return found[0]
        made = _written(found["name"], list(filter(None, words)), folder)
        left -= len(made)  # a short tag becomes a path with a name that may be long
        return made if left >= 0 else found[0]

    return Filled(_TAG.sub(written, text))


def _written(name: str, words: list[str], folder: str) -> str:
    """The Markdown for a tag with its arguments."""
    if name == "asset_img":
        return _image(words, folder)
    target, *rest = words
    url = _url_of_post(target) if name.startswith("post_") else f"{quote(folder)}/{quote(target, safe='/%#?=&')}"
    if name.endswith("_path"):
        return url
    if rest and rest[-1] in ("true", "false"):  # whether Hexo escapes the title
        rest.pop()
    titled = _USUAL.fullmatch(posixpath.basename(target.partition("#")[0])) if name == "post_link" else None
    usual = humanize(titled[1]) if titled else target
    return f"[{_plain(' '.join(rest) or usual)}]({url})"


def _url_of_post(target: str) -> str:
    """The path of the file of a post, which Hexo names without its extension, in the folder of posts or by itself."""
    file, mark, fragment = target.partition("#")
    stem, ending = posixpath.splitext(file)
    place = f"/{file.lstrip('/')}" if "/" in file else file
    return quote(place if stem and ending in (".md", ".markdown", ".html") else f"{place}.md") + mark + quote(fragment)


def _image(words: list[str], folder: str) -> str:
    """``asset_img [class names] file [width] [height] [title [alt]]``."""
    index = next((index for index, word in enumerate(words) if _IMAGE.fullmatch(word)), 0)
    rest = words[index + 1 :]
    sizes: list[str] = []
    while rest and rest[0].isdecimal() and len(sizes) < 2:
        sizes.append(rest.pop(0))
    source, alt = f"{quote(folder)}/{quote(words[index], safe='/%#?=&')}", rest[-1] if rest else ""
    if not sizes:
        return f"![{_plain(alt)}]({source})"
    given = "".join(f' {key}="{size}"' for key, size in zip(("width", "height"), sizes, strict=False))
    return f'<img src="{escape(source)}" alt="{escape(alt)}"{given}>'


def _plain(text: str) -> str:
    """Text as Markdown."""
    return _MARKS.sub(r"\\\1", text)
