"""Styles of raw HTML: sizes and margins, but nothing that lies over what stands before it on the page."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

import pytest

from devlog import sanitize as sanitizing
from devlog.sanitize import sanitize, sanitize_for_feed


@pytest.mark.parametrize(
    "style",
    [
        "margin:-3000px",
        "margin:0 0 0 -9px",
        "MARGIN-LEFT : -1em",
        "margin:calc(0px - 3000px)",
        "margin:calc(1px*-3000)",
        "margin:5px/*;x:*/-9px",
        "mar\\67in:-9px",
        "margin:\\2d 9px",
        "margin/**/:-9px",
        "margin:-9px!important",
        "margin:1px;margin:-9px",
        "/**/margin:-9px",
        "position:fixed",
        "width:url(//canary.example/x)",
        "width:expression(alert(1))",
    ],
)
def test_nothing_is_moved_over_what_stands_before(style: str) -> None:
    for clean in (sanitize, sanitize_for_feed):
        made = clean(f'<p style="width:5px;{style};float:left">x</p>')
        assert "9px" not in made
        assert "-" not in made
        assert "(" not in made
        assert "position" not in made
        assert "width:5px" in made
        assert "float:left" in made


@pytest.mark.parametrize(
    "style",
    [
        "width:30%",
        "max-width:min(700px,100%)",
        "width:calc(10vw - 2px)",
        "width:fit-content",
        "margin:0 auto",
        "margin-left:1.5em",
        "float:right",
        "text-align:center",
    ],
)
def test_what_only_sizes_and_places_stays(style: str) -> None:
    assert sanitize(f'<p style="{style}">x</p>').replace(" ", "") == f'<p style="{style}">x</p>'.replace(" ", "")


def test_a_theme_has_the_last_word() -> None:
    assert (
        sanitize('<img style="max-width:none !important;float:left!IMPORTANT">')
        == '<img style="max-width:none;float:left">'
    )


@pytest.mark.parametrize("tag", "div p a span li details figure blockquote pre picture td th tr".split())
@pytest.mark.parametrize("style", ["height:0", "max-height: 0", "HEIGHT:1px", "height:calc(1px)"])
def test_nothing_is_higher_than_its_element(tag: str, style: str) -> None:
    # Cells and rows become blocks if they float.
    html = f'<table><tbody><tr><td style="float:left;{style};width:5px">x</td></tr></tbody></table>'
    for one in (f'<{tag} style="{style};width:5px">x</{tag}>', html.replace("td", tag)):
        assert "height" not in sanitize(one).lower()


@pytest.mark.parametrize("tag", ["thead", "tr", "td", "caption"])
def test_parts_of_tables_do_not_float(tag: str) -> None:
    for style in ("float:left", "FLOAT : right"):
        made = sanitize(f'<table><{tag} style="{style};width:5px">x</{tag}></table>')
        assert "width:5px" in made
        assert "float" not in made.lower()
    assert "float:left" in sanitize('<table style="float:left"></table>')


@pytest.mark.parametrize("tag", ["img", "video"])
def test_images_have_heights(tag: str) -> None:
    assert 'style="height:9px;max-height:9px"' in sanitize(f'<{tag} style="height:9px;max-height:9px">')


@pytest.mark.parametrize("name", ["colspan", "rowspan"])
def test_cells_take_a_limited_number_of_places(name: str) -> None:
    table = "<table><tbody><tr><td {}>x</td></tr></tbody></table>"
    assert sanitize(table.format(f'{name}="99"')) == table.format(f'{name}="99"')
    assert sanitize(table.format(f'{name}="65534"')) == table.format("").replace("<td >", "<td>")


@pytest.mark.parametrize("clean", [sanitize, sanitize_for_feed])
def test_an_interruption_is_none_of_an_attribute(clean: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_tag: str, _declaration: str) -> bool:
        signal.raise_signal(signal.SIGINT)
        return True

    hook = sys.unraisablehook
    monkeypatch.setattr(sanitizing, "_is_harmless", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clean('<p style="width:5px">x</p>')
    assert sys.unraisablehook is hook
