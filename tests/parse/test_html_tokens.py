"""The tokens of HTML: those of the standard, as another reader of it finds them, whatever the text."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tinyhtml5.constants import Token as Kind
from tinyhtml5.tokenizer import HTMLTokenizer

from devlog.parse.html.tokens import PLAIN_TEXT, RAW_TEXT, tokens, unclosed, unescape_value

Seen = tuple[object, ...]

_PARTS = (
    "< > / = ! ? - -- --> --!> <! <!-- <!--> <!---> <!--- <![ <![CDATA[ ]]> <? </ </> </x <a <A <b <br /> a b = ' \" &"
    " ; &amp &amp; &copy= &copy; &notit; &notin; &#65; &#x41 &#; x= x=' x=\" x=& X y/z href= src class onx `"
    " <script> </script> <script </script </scripty> <style> </style> <xmp> </xmp > <iframe> </iframe/> <title>"
    " </title> <textarea> </TEXTAREA> <noembed> </noembed> <noframes> </noframes> <plaintext> </plaintext> <svg> </svg>"
    " <!doctype <!DOCTYPE html> <!x> </!> </?> <p <p> </p> <p/> <p/x> <p/=x> \u212a \u0130 <\u0130 <K\u212a é 漢"
).split(" ")
_BLANKS = (" ", "\n", "\t", "\f", "  \n")

HTML = st.lists(
    st.sampled_from(_PARTS) | st.sampled_from(_BLANKS) | st.text("<>/!-='\" abcs&;#x\n", max_size=5), max_size=25
).map("".join)

_REFERRED_CONTROLS = re.compile("[\x01-\x08\x0b\x0e-\x1f\x7f]")
"""What references stand for in HTML, and for nothing here. No text of these tests has such a character itself."""


def _joined(seen: list[Seen]) -> list[Seen]:
    """Texts that follow each other as one."""
    found: list[Seen] = []
    for item in seen:
        if item[0] == "text" and found and found[-1][0] == "text":
            found[-1] = ("text", f"{found[-1][1]}{item[1]}")
        else:
            found.append(item)
    return found


def own(html: str) -> list[Seen]:
    seen: list[Seen] = []
    for token in tokens(html):
        assert html[token.start : token.end]
        if token.kind == "start":
            named = {attribute.name: attribute.value or "" for attribute in token.attributes()}
            seen.append(("start", token.name, named, token.closes_itself))
        elif token.kind == "end":
            seen.append(("end", token.name))
        elif token.kind == "doctype":
            seen.append(("doctype",))
        else:
            seen.append((token.kind, token.text))
    return _joined(seen)


def standard(html: str) -> list[Seen]:
    """What tinyhtml5 reads, with its state changed at tags as its parser would change it, but for some references."""
    tokenizer = HTMLTokenizer(html)
    states = dict.fromkeys(RAW_TEXT, tokenizer.rawtext_state) | dict.fromkeys(PLAIN_TEXT, tokenizer.rcdata_state)
    states |= {"script": tokenizer.script_data_state, "plaintext": tokenizer.plaintext_state}
    seen: list[Seen] = []
    for token in tokenizer:
        kind = token["type"]
        if kind == Kind.START_TAG:
            seen.append(("start", token["name"], _without(dict(token["data"])), token["selfClosing"]))
            tokenizer.state = states.get(token["name"], tokenizer.state)
        elif kind == Kind.END_TAG:
            seen.append(("end", token["name"]))
        elif kind in (Kind.CHARACTERS, Kind.SPACE_CHARACTERS):
            seen.append(("text", _REFERRED_CONTROLS.sub("", token["data"])))
        elif kind == Kind.COMMENT:
            seen.append(("comment", token["data"]))
        elif kind == Kind.DOCTYPE:
            seen.append(("doctype",))
    return _joined(seen)


def _without(attributes: dict[str, str]) -> dict[str, str]:
    return {name: _REFERRED_CONTROLS.sub("", value) for name, value in attributes.items()}


@pytest.mark.slow
@given(HTML)
@example("<![x")
@example("<p>a<![if IE]>b<![endif]></p>")
@example("<script><!--<script></script>--></script></script>")
@example("<script><!-->a</script>b")
@example("<!----!>a<!--a--!-->b-->c<!--<!--->d")
@example("<a href=?a=1&copy=2&amp;b&lt>&copy=2")
@example("<a b='c")
@example("<a/b/=c/ =d='e'f>")
@example("a&#xb;b&#31<a b=c&#x7f;d>")
def test_tokens_are_those_of_the_standard(html: str) -> None:
    assert own(html) == standard(html)


@pytest.mark.slow
@given(HTML)
def test_places_are_those_of_what_is_written(html: str) -> None:
    end = 0
    for token in tokens(html):
        assert end <= token.start < token.end <= len(html)
        end = token.end
        written = html[token.start : token.end]
        if token.kind == "start":
            assert written[1:].lower().startswith(token.name) or not token.name.isascii()
            assert written[-1] == ">"
            for attribute in token.attributes():
                part = html[attribute.start : attribute.end]
                assert token.start < attribute.start < attribute.end < token.end
                assert part[: len(attribute.name)].lower() == attribute.name or not part.isascii()
                assert attribute.value is not None or "=" not in part[1:]
        elif token.kind == "text" and "&" not in written and "\0" not in written:
            assert token.text == written


@given(st.text())
def test_no_text_makes_it_fail(html: str) -> None:
    for token in tokens(html):
        token.attributes()


def test_null_characters_are_replaced_in_what_is_no_text() -> None:
    html = "<a\0 b\0=c\0><!--\0--><?\0><title>\0</title>"
    seen = [(token.kind, token.text, token.name, token.values()) for token in tokens(html)]
    assert seen == [
        ("start", "", "a\ufffd", {"b\ufffd": "c\ufffd"}),
        ("comment", "\ufffd", "", {}),
        ("comment", "?\ufffd", "", {}),
        ("start", "", "title", {}),
        ("text", "\ufffd", "", {}),
        ("end", "", "title", {}),
    ]


def test_numbers_of_characters_are_read_as_in_texts() -> None:
    for written in ("&#65;", "&#x41", "&#x80;", "&#0;", "&#xD800;", "&#1114112;", "&#x41;=", "&#x41="):
        assert unescape_value(written) == unescape(written)


def test_elements_of_raw_text_can_be_read_as_others_are() -> None:
    html = "<title>a<b>c<TEXTAREA>d<i></textarea>"
    assert unclosed(html) == (RAW_TEXT | PLAIN_TEXT) - {"textarea"}
    assert [token.name or token.text for token in tokens(html, unclosed(html))] == [
        *("title", "a", "b", "c", "textarea", "d<i>", "textarea")
    ]
    assert [token.name or token.text for token in tokens(html)] == ["title", "a<b>c<TEXTAREA>d<i></textarea>"]
