"""What parsing depends on besides the text."""

from __future__ import annotations

from typing import Any

import msgspec

from devlog.model.dialect import DIALECTS, Dialect
from devlog.model.theme import PluginRef


class ParseOptions(msgspec.Struct, frozen=True):
    """All of the configuration that parsing depends on.

    Attributes:
        html: what raw HTML may do: ``safe``, ``trusted`` or ``escape``.
        own_url: the site's absolute URL, empty when it has none.
        emoji: whether ``:rocket:`` is replaced.
        autolink: whether bare URLs become links.
        excerpt_words: how long an automatic excerpt is.
        variables: what names such as ``site.title`` stand for in a text of Jekyll.
        dialect: whose conventions the text follows: ``devlog``, ``jekyll`` or ``zola``.
        anchors: how fragments of headings are made: a name of `devlog.parse.markdown.anchors.PROFILES`.
        params: values of the site's own, as JSON.
        placeholders: words that say that a text is not finished.
        patterns: regular expressions by name, whose matches are noted.
        tags_also: other keys of front matter that hold tags.
        math: whether formulas are read.
        diagrams: the languages of code blocks that become pictures.
        prose: what features read in prose: the settings of each, by its name.
        plugins: whose rules the Markdown parser, or whose keys front matter has besides.
        markdown_versions: whether texts are wanted as Markdown, too.
        words: the messages that bodies bring along, as `devlog.parse.words.words_of` writes them; empty for English.
        marks: whether a comment before each block says on which line it stands, as only a preview wants it.
    """

    html: str = "safe"
    own_url: str = ""
    emoji: bool = True
    autolink: bool = True
    excerpt_words: int = 60
    dialect: str = "devlog"
    variables: tuple[tuple[str, str], ...] = ()
    anchors: str = "github"
    params: str = "{}"
    placeholders: tuple[str, ...] = ()
    patterns: tuple[tuple[str, str], ...] = ()
    tags_also: tuple[str, ...] = ()
    math: bool = True
    diagrams: tuple[str, ...] = ()
    prose: tuple[tuple[str, Any], ...] = ()
    plugins: tuple[PluginRef, ...] = ()
    markdown_versions: bool = True
    words: str = ""
    marks: bool = False

    @property
    def conventions(self) -> Dialect:
        """What holds in the dialect of the text."""
        return DIALECTS[self.dialect]


DEFAULTS = ParseOptions()
"""How texts are parsed where nothing is configured."""
