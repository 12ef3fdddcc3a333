"""The forms of dates."""

from __future__ import annotations

from datetime import date

import pytest
from catalogs import ENGLISH

from devlog.model.catalog import Catalog, Message
from devlog.model.date_form import PLACEHOLDERS, date_in_words, unknown_placeholder


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("short", "Sep 3, 987"),
        ("long", "September 3, 987"),
        ("iso", "0987-09-03"),
        ("{dd}.{mm}.{year}", "03.09.987"),
        ("{day} {month_short} {month_number}", "3 Sep 9"),
        ("on <{month}>", "on <September>"),
    ],
)
def test_a_date_is_shown_in_each_form(form: str, shown: str) -> None:
    assert unknown_placeholder(form) is None
    assert date_in_words(date(987, 9, 3), form, ENGLISH) == shown


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ("ISO", ""), ("", ""), ("%d %B", ""), ("{mont}", "{mont}"), ("{day} {", "{"), ("{day}}", "}"),
        ("{day!r}", "{day!r}"), ("{day:02}", "{day:02}"), ("{}", "{}"), ("{{day}}", "{"),
    ],
)  # fmt: skip
def test_what_is_no_form_is_told(form: str, wrong: str) -> None:
    assert unknown_placeholder(form) == wrong
    assert wrong not in PLACEHOLDERS


def test_a_language_without_short_names_has_long_ones() -> None:
    german = Catalog({**ENGLISH.messages, "march": Message("de", {"other": "März"})})
    assert date_in_words(date(2026, 3, 4), "{month_short} {year}", german) == "März 2026"
    assert date_in_words(date(2026, 3, 4), "short", german) == "März 4, 2026"
