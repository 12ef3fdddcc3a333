"""A source in a format of a feature or a plugin, converted to Markdown."""

from __future__ import annotations

import msgspec

from devlog.model.diagnostic import Count, Diagnostic


class ContainedFile(msgspec.Struct, frozen=True):
    """A file that a source contains, such as an image in a notebook.

    Attributes:
        name: its name, which is also the last segment of its URL: letters, digits, ``.``, ``_`` and ``-``.
        data: its bytes.
    """

    name: str
    data: bytes


class Converted(msgspec.Struct, frozen=True):
    """A source as Markdown.

    Attributes:
        text: the Markdown, with front matter. Links to its files begin with the `folder` of `ToConvert`.
        lines: for each line of the text, the line of the source from which it comes, counted from 1; 0 if none does.
            Lines beyond its end have none.
        files: the files that the source contains and the text links to.
        problems: the problems of the source, with spans in it. Those of a plugin get the code of the function.
        sanitized: whether raw HTML in the text is sanitized even if the site trusts that of posts.
    """

    text: str
    lines: tuple[Count, ...] = ()
    files: tuple[ContainedFile, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    sanitized: bool = False


class ToConvert(msgspec.Struct, frozen=True):
    """A source to convert.

    Attributes:
        text: its content.
        file: its path relative to the site's root, for the spans of problems.
        folder: the folder of the files that it contains, relative to it, as links in the Markdown must begin; empty, or
            with a trailing slash.
        html: how raw HTML in Markdown is treated: ``safe``, ``trusted`` or ``escape``.
        math: whether formulas in Markdown are shown as such.
        words: the messages of pages that the text may need, by name, in the language of the site.
    """

    text: str
    file: str
    folder: str = ""
    html: str = "safe"
    math: bool = True
    words: dict[str, str] = {}

    def t(self, key: str) -> str:
        """A message of pages in the language of the site; the key itself if it is not among them."""
        return self.words.get(key, key)
