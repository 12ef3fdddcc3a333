"""Colors: how they are written, how much they contrast, and which of a brand are hard to read."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.built_in import built_in_themes
from devlog.config import Config
from devlog.config_file.read import read_config
from devlog.config_file.spans import nearest_span, spans_of
from devlog.features.brand.config_file import check_brand
from devlog.model.css_color import Color, contrast, from_oklch, luminance, mixed, read_color, to_oklch
from devlog.model.diagnostic import Diagnostic
from devlog.model.palette import MODES, THEME, TOPIC, TOPIC_HUES, Palette, of_theme, topic_colors

BYTES = st.tuples(*[st.integers(0, 255)] * 3)
STYLE = (built_in_themes() / "default" / "static" / "style.css").read_text("utf-8")


def color(text: str) -> Color:
    found = read_color(text)
    assert found, text
    return found


@pytest.mark.parametrize(
    ("text", "rgb"),
    [
        ("#7a2048", (0x7A, 0x20, 0x48)),
        ("#FB0", (0xFF, 0xBB, 0)),
        ("rgb(255, 253,248)", (255, 253, 248)),
        ("rgb(100% 50% 0%)", (255, 128, 0)),
        ("rgb(300 -4 0.4)", (255, 0, 0)),
        (" RebeccaPurple ", (0x66, 0x33, 0x99)),
        ("grey", (128, 128, 128)),
        ("oklch(1 0 0)", (255, 255, 255)),
        ("oklch(62.8% 0.2577 29.23deg)", (255, 0, 0)),
        ("oklch(0.5 0 120)", (99, 99, 99)),
    ],
)
def test_notations(text: str, rgb: tuple[int, int, int]) -> None:
    assert all(abs(one - other) <= 1 for one, other in zip(color(text).rgb, rgb, strict=True))


WRONG = (
    *("", "#12345", "#12345678", "rgb(1 2)", "rgba(1, 2, 3, 0.5)", "rgb(1 2 3 / 50%)", "greeen", "oklch(1 2)", "12"),
    *("hsl(0 0% 0%)", "#fff;}body{display:none", "oklch(0.5 0.1 calc(3))", "rgb(" + "1" * 5000),
)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_color(text: str) -> None:
    assert read_color(text) is None


@pytest.mark.slow
@given(BYTES)
def test_oklch_leads_back(rgb: tuple[int, int, int]) -> None:
    assert all(abs(one - other) <= 1 for one, other in zip(from_oklch(*to_oklch(rgb)), rgb, strict=True))


@pytest.mark.slow
@given(BYTES)
def test_what_is_read_can_be_written(rgb: tuple[int, int, int]) -> None:
    one = Color("", rgb)
    assert color(one.hex).rgb == rgb
    assert color(one.hex).css == one.hex


@pytest.mark.slow
@given(BYTES, BYTES, st.floats(0, 1))
def test_contrast_and_mixtures(one: tuple[int, int, int], other: tuple[int, int, int], part: float) -> None:
    first, second = Color("", one), Color("", other)
    assert 1 <= contrast(first, second) == contrast(second, first) <= 21
    assert mixed(first, second, 1).rgb == one
    low, high = sorted((luminance(first), luminance(second)))
    if max(one) == min(one) and max(other) == min(other):
        assert low - 0.01 <= luminance(mixed(first, second, part)) <= high + 0.01


def test_known_contrasts() -> None:
    assert contrast(color("black"), color("white")) == 21
    assert round(contrast(color("#777"), color("white")), 2) == 4.48
    assert round(contrast(color("#767676"), color("white")), 2) == 4.54


def test_the_colors_of_the_theme_are_those_of_its_style_sheet() -> None:
    names = {"background": "--paper", "text": "--ink", "code": "--code-paper", "comment": "--t-comment"}
    for role, name in names.items():
        found = re.search(rf"^  {name}: light-dark\((.*?\)), (.*?\))\);$", STYLE, re.MULTILINE)
        assert found, name
        assert found.groups() == tuple(THEME[mode][role] for mode in MODES)
    numbers = re.findall(r"oklch\(([\d.]+) calc\(([\d.]+)", re.findall(r"--accent: light-dark.*", STYLE)[0])
    for mode, (lightness, chroma) in zip(MODES, numbers, strict=True):
        assert THEME[mode]["accent"] == f"oklch({lightness} {chroma} 160)"
    topic = re.search(r"--topic: light-dark\(oklch\(([\d.]+) ([\d.]+) .*?oklch\(([\d.]+) ([\d.]+) ", STYLE)
    assert topic
    assert [float(part) for part in topic.groups()] == [*TOPIC["light"], *TOPIC["dark"]]
    assert re.findall(r"--hue: (\d+);", STYLE) == [str(degrees) for degrees in TOPIC_HUES]


def test_comments_are_the_faintest_tokens() -> None:
    for number, mode in enumerate(MODES):
        paper = of_theme(mode, "code")
        values = re.findall(r"^  --t-(?!\w+-paper)[\w-]+: light-dark\((.*?\)), (.*?\))\);$", STYLE, re.MULTILINE)
        assert len(values) == 9
        assert contrast(of_theme(mode, "comment"), paper) == min(
            contrast(color(pair[number]), paper) for pair in values
        )


def test_the_theme_itself_is_legible() -> None:
    for mode in MODES:
        assert contrast(of_theme(mode, "accent"), of_theme(mode, "background")) > 4.5
        assert all(contrast(label, of_theme(mode, "background")) > 4.5 for label in topic_colors(mode))


def palette_of(text: str) -> tuple[Palette, list[str]]:
    config, found = configured(f"[brand]\n{text}")
    return config.brand.palette, [f"{item.span.line}: {item.message}" for item in found]


def configured(text: str) -> tuple[Config, Sequence[Diagnostic]]:
    config, found = read_config(text, "devlog.toml")
    assert not found
    config, found = check_brand(config, lambda *path: nearest_span(spans_of(text), "devlog.toml", path))
    return config, sorted(found, key=lambda item: item.sort_key)


def test_one_background_makes_one_mode() -> None:
    assert palette_of('accent = "#b00"')[0].only is None
    dark, found = palette_of('background = "#101418"\ntext = "#dde4ea"\naccent = { light = "#000", dark = "#7cc4ff" }')
    assert (dark.only, found) == ("dark", [])
    assert dark.light is None
    assert dark.first.accent == color("#7cc4ff")
    assert palette_of('background = { light = "#fff", dark = "#ffffff" }')[0].only == "light"
    assert palette_of('background = { light = "#fff" }')[0].only is None


def test_only_colors_that_the_brand_sets_are_blamed() -> None:
    assert palette_of('code = "#f4f4f4"')[1] == [
        "2: the contrast of code on the background of code is 1.18:1 in dark mode",
        "2: the contrast of comments in code on the background of code is 2.31:1 in dark mode",
    ]
    assert palette_of('background = { light = "#bbb" }')[1] == [
        "2: the contrast of links on the background is 3.67:1 in light mode",
        "2: the contrast of names of topics on the background is 3.22:1 in light mode",
    ]
    assert palette_of('text = { light = "#777777", dark = "#fff" }\nbackground = { light = "#fff" }')[1] == [
        "2: the contrast of code on the background of code is 4.21:1 in light mode",
        "2: the contrast of text on the background is 4.47:1 in light mode",
    ]


def test_other_themes_have_other_colors() -> None:
    _, found = configured('theme = "paper"\n[brand]\nbackground = { light = "#bbb" }\n')
    assert not found
    _, found = configured('theme = "paper"\n[brand]\nbackground = { light = "#bbb" }\ntext = "#bbb"\n')
    assert [item.code for item in found] == ["low-contrast"]


PAIRS = (
    'accent = "#e2904a"',
    'accent = "#777"\nbackground = { light = "#777", dark = "#101418" }',
    'background = "#777"',
    'background = { light = "#bbb" }',
    'background = "#757575"\naccent = "#fff"',
    'code = "#f4f4f4"',
    'text = "#767676"\ncode = "#757575"',
    'text = { light = "#808080", dark = "#eeeeee" }\nbackground = { light = "#fff", dark = "#000" }',
    'text = "#ffee00"\nbackground = "#fafafa"\ncode = "#fff"',
)


@pytest.mark.parametrize("text", PAIRS)
def test_hints_can_be_followed(text: str) -> None:
    for _ in range(12):
        _, found = configured(f"[brand]\n{text}")
        if not found:
            break
        written = re.search("which “(.*)” reaches", found[0].hint)
        assert written, found[0].hint
        lines = text.split("\n")
        line = lines[found[0].span.line - 2]
        role = line.partition(" ")[0]
        mode = re.search("in (light|dark) mode$", found[0].hint)
        assert mode
        new = f'"{written[1]}"' if written[1][0] == "#" else written[1].partition("= ")[2]
        if "{" in line and "{" not in new:
            new = re.sub(rf'({mode[1]}) = "[^"]*"', rf"\1 = {new}", line).partition("= ")[2]
        lines[found[0].span.line - 2] = f"{role} = {new}"
        text = "\n".join(lines)
        _, left = configured(f"[brand]\n{text}")
        assert found[0].message not in [item.message for item in left]
        assert len(left) < len(found)
    assert not found


def test_what_no_color_of_the_same_role_can_fix() -> None:
    _, found = configured(
        '[brand]\ntext = { light = "#888" }\nbackground = { light = "#fff" }\ncode = { light = "#111" }'
    )
    assert {item.hint for item in found if item.message.startswith("the contrast of text")} == {
        "WCAG AA asks for 4.5:1, which no color reaches here: change “background” or “code”, too"
    }


def test_hints_of_one_mode_do_not_make_the_other() -> None:
    palette, found = palette_of('background = "#767676"\ntext = "#000"')
    assert palette.only == "light"
    assert found
    _, diagnostics = configured('[brand]\nbackground = "#767676"\ntext = "#000"')
    better = re.findall("“(#.*)” reaches", diagnostics[0].hint)
    assert palette_of(f'background = "{better[0]}"\ntext = "#000"')[0].only == "light"
