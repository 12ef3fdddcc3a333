"""Words of others show as they are, whatever extensions of Markdown a site has."""

from __future__ import annotations

import lxml.html
import pytest

from devlog.model.markdown import escaped_with_extensions, opened
from devlog.model.source import Source
from devlog.parse.markdown.parser import EXTENSIONS
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

WORDS = [
    "::: tip",
    "!!! note",
    "??? note",
    "==m== and a==b==c",
    "a == b",
    "a^b^c and x^2",
    "~s~ and H~2~O",
    "\\^x^ \\==y==",
    "std::vector::push_back",
    "https://lumen.example/?a==b",
    "Fix https://lumen.example/x*y*z?a=[1]&b=~t~",
    "http://[::1]/ and https://lumen.example/~user/<id>",
    "www.lumen.example/__init__.py of a__b@lumen.example",
]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("before", ["", "- "])
def test_words_show_as_they_are(words: str, before: str) -> None:
    text = f"# T\n\n{before}{opened(escaped_with_extensions(words))}\n\nNext.\n"
    options = ParseOptions(extensions=tuple(EXTENSIONS))
    ((_, body, _),) = [parse(Source("a/b.md", "content/a/b.md", text), options)]
    html = "".join(piece for piece in body.pieces if isinstance(piece, str))
    assert words in lxml.html.fromstring(f"<div>{html}</div>").text_content()
    links = ("<a>", 'href="http', 'href="mailto')
    assert not any(tag in html for tag in (*links, "<mark", "<sup", "<sub", "markdown-alert", "<details"))
