"""Tags of Hexo: what their arguments mean, and how much they may become. `tests/cases/hexo_tags.txt` has the pages."""

from __future__ import annotations

import pytest

from devlog.parse.dialects.hexo import fill_tags
from devlog.parse.dialects.liquid import MAX_FILLED


def filled(text: str, path: str = "lab/a.md") -> str:
    done = fill_tags(text, path)
    return done.text if done else text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{% post_link b %}", "[B](b.md)"),
        ("{% post_link 2026-05-04-big-pages %}", "[Big Pages](2026-05-04-big-pages.md)"),
        ("{%- post_link b#end 'The *end*' false -%}", r"[The \*end\*](b.md#end)"),
        ("{% post_link lab/b.md true %}", "[B](/lab/b.md)"),
        ("{% post_path b %}", "b.md"),
        ('{% asset_path "a b.csv" %}', "a/a%20b.csv"),
        ("{% asset_link x.csv %}", "[x.csv](a/x.csv)"),
        ("{% asset_link x.csv Its data %}", "[Its data](a/x.csv)"),
        ("{% asset_img x.png %}", "![](a/x.png)"),
        ("{% asset_img round left x.png Title 'Other text' %}", "![Other text](a/x.png)"),
        ("{% asset_img x.png 30 '\"' %}", '<img src="a/x.png" alt="&quot;" width="30">'),
        (
            "{% asset_img\nx.png %} {% asset_img %} {% post_link '' %}",
            "{% asset_img\nx.png %} {% asset_img %} {% post_link '' %}",
        ),
        ("{% post_links b %} {% link b %} `{% post_link b %}`", "{% post_links b %} {% link b %} `{% post_link b %}`"),
    ],
)
def test_what_becomes_of_it(text: str, expected: str) -> None:
    assert filled(text) == expected


def test_a_long_name_of_a_post_does_not_multiply() -> None:
    text = "{% asset_path x %}" * 20_000
    assert len(filled(text, f"{'b' * 200}.md")) < MAX_FILLED + len(text)


def test_texts_made_to_stall_it_are_read() -> None:
    for unit in ("{% asset_img ", "{% post_link " + "a" * 990, "{%-" + " " * 50, "{% asset_img '"):
        text = unit * (1_000_000 // len(unit))
        assert filled(text) == text
