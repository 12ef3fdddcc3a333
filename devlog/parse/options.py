"""The configuration that parsing depends on."""

from __future__ import annotations

from typing import Any

import msgspec

from devlog.model.dialect import DIALECTS, Dialect
from devlog.model.shortcode import CustomShortcode
from devlog.model.theme import PluginRef


class ParseOptions(msgspec.Struct, frozen=True):
    """All of the configuration that parsing depends on.

    Attributes:
        html: how raw HTML is treated: ``safe``, ``trusted`` or ``escape``.
        own_url: the site's absolute URL, empty when it has none.
        emoji: whether shortcodes such as ``:rocket:`` become emoji.
        autolink: whether bare URLs become links.
        excerpt_words: the length of an automatic excerpt, in words.
        variables: the values of Liquid variables such as ``site.title``, in posts of Jekyll.
        dialect: the conventions that the source follows: ``devlog``, ``jekyll`` or ``zola``.
        anchors: how the fragments of headings are made: a name in `devlog.parse.markdown.anchors.PROFILES`.
        params: the site's own parameters, as JSON.
        placeholders: words that mark a post as unfinished.
        patterns: regular expressions by name, whose matches are recorded.
        tags_also: other keys of front matter that contain tags.
        math: whether formulas are parsed.
        extensions: the extensions of Markdown that are on: keys of `devlog.parse.markdown.parser.EXTENSIONS`.
        shortcodes: the shortcodes that the site defines.
        language: the language whose quotes the typographer writes; empty without it.
        diagrams: the languages of code blocks that are drawn as diagrams.
        prose: the settings of features that parse prose, by the feature's name.
        plugins: the plugins that add rules to the Markdown parser, or keys to front matter.
        markdown_versions: whether Markdown versions are made too.
        letters: whether the letters of a text are recorded, as the fonts of a brand need.
        words: the messages that bodies contain, as encoded by `devlog.parse.words.words_of`; empty for English.
        marks: whether a comment before each block states its line, as only the preview needs it.
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
    extensions: tuple[str, ...] = ()
    shortcodes: tuple[CustomShortcode, ...] = ()
    language: str = ""
    diagrams: tuple[str, ...] = ()
    prose: tuple[tuple[str, Any], ...] = ()
    plugins: tuple[PluginRef, ...] = ()
    markdown_versions: bool = True
    letters: bool = False
    words: str = ""
    marks: bool = False

    @property
    def conventions(self) -> Dialect:
        """The conventions of the source's dialect."""
        return DIALECTS[self.dialect]


DEFAULTS = ParseOptions()
"""The options of a site without configuration."""
