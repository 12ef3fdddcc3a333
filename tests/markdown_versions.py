"""A text read twice: by devlog's parser, and by markdown-it's own with the same plugins, which is right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from devlog.parse.markdown.body import BodyText, BodyWriter
from devlog.parse.markdown.parser import _FLAG, EXTENSIONS, Renderer, _parser, _Syntax, plain_parser
from devlog.parse.options import ParseOptions

# Raw HTML, bare addresses, bare addresses without a scheme.
VARIANTS = ((True, True, True), (True, True, False), (True, False, False), (False, True, True))


class PlainRenderer(Renderer):
    """devlog's renderer with markdown-it's own way through the tokens and of writing a tag."""

    renderInline = RendererHTML.renderInline  # noqa: N815
    renderToken = RendererHTML.renderToken  # noqa: N815

    def code_inline(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        html = RendererHTML.code_inline(self, tokens, index, options, env)  # type: ignore[arg-type]
        code, trusted = html[len("<code>") : -len("</code>")], env["writer"].trusted
        code = _FLAG.sub(lambda flag: trusted(f'<span class="flag">{flag[0]}</span>', block=False), code)
        return f"<code>{code}</code>"


_VALUES = attrgetter("type", "tag", "nesting", "map", "level", "content", "markup", "info", "meta", "block", "hidden")


def values(tokens: Sequence[Token]) -> list[Any]:
    """All that tokens hold, for a comparison: `Token.as_dict` takes as long as both parsers together."""
    return [
        (_VALUES(token), list(token.attrs.items()), None if token.children is None else values(token.children))
        for token in tokens
    ]


def _written(renderer: type[Renderer], parser: Any, text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The HTML of a text, its tokens as they were before writing, and what its labels mean."""
    options = ParseOptions(html="trusted", own_url="https://docs.example.org/")
    env: dict[str, Any] = {"writer": BodyWriter(BodyText(text, "content/a.md"), options)}
    tokens = parser.parse(text, env)
    found = values(tokens)
    html = renderer(parser).render(tokens, parser.options, env)
    names = ("references", "duplicate_refs")
    return html, [*found, *env["writer"].diagnostics, *env["writer"].refs], {name: env.get(name) for name in names}


@lru_cache
def _plain_parser(html: bool, autolink: bool, *, www: bool, extensions: tuple[str, ...]) -> Any:
    parser = plain_parser(html, autolink, www=www)
    for extension in extensions:
        parser.use(EXTENSIONS[extension])
    return parser


def assert_same(
    text: str, *, variants: tuple[tuple[bool, bool, bool], ...] = VARIANTS, extensions: tuple[str, ...] = ()
) -> None:
    """Fail unless both parsers make the same of `text`."""
    for html, autolink, www in variants:
        ours = _written(Renderer, _parser(_Syntax(html, autolink, www, extensions=extensions)), text)
        try:
            plain = _written(PlainRenderer, _plain_parser(html, autolink, www=www, extensions=extensions), text)
        except IndexError:  # a fault of markdown-it's: see `test_a_last_line_without_an_end`
            assert not text.endswith("\n")
        else:
            assert ours == plain
