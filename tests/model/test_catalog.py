"""Messages: which language and which plural form they take, and what stands in their placeholders."""

from __future__ import annotations

import pytest

from devlog.model.catalog import (
    Catalog,
    Message,
    catalog_of,
    encoded,
    grouped,
    has_odd_braces,
    languages_of,
    pieces_of,
)
from devlog.model.plurals import CATEGORIES, plural_form

# Numbers of each form, as CLDR gives them as samples.
SAMPLES = {
    "en": {"one": "1", "other": "0 2 3 17 100 1000"},
    "de-AT": {"one": "1", "other": "0 2 1000"},
    "fr": {"one": "0 1", "other": "2 17 100"},
    "pt-BR": {"one": "0 1", "other": "2 17"},
    "pt-PT": {"one": "1", "other": "0 2 17"},
    "ja": {"other": "0 1 2 17"},
    "zh-Hant-TW": {"other": "0 1 2"},
    "ru": {"one": "1 21 31 101 1001", "few": "2 3 4 22 24 102", "many": "0 5 11 12 14 19 100 111 112 1000"},
    "sr": {"one": "1 21 101", "few": "2 3 4 22 102", "other": "0 5 11 12 14 19 100 112"},
    "pl": {"one": "1", "few": "2 3 4 22 24 32 102", "many": "0 5 11 12 14 19 21 100 101 112"},
    "cs": {"one": "1", "few": "2 3 4", "other": "0 5 22 100 102"},
    "sl": {"one": "1 101 201", "two": "2 102 202", "few": "3 4 103 204", "other": "0 5 11 12 100 105"},
    "lt": {"one": "1 21 101", "few": "2 9 22 29 102", "other": "0 10 11 12 19 20 100 111 112"},
    "lv": {"zero": "0 10 11 19 20 100 111", "one": "1 21 101", "other": "2 9 22 102"},
    "ro": {"one": "1", "few": "0 2 16 19 101 102 117", "other": "20 35 100 120 1000"},
    "he": {"one": "1", "two": "2", "other": "0 3 17 100"},
    "ar": {"zero": "0", "one": "1", "two": "2", "few": "3 10 103 110", "many": "11 26 99 111", "other": "100 102 202"},
}


@pytest.mark.parametrize("language", SAMPLES)
def test_plural_forms(language: str) -> None:
    for form, numbers in SAMPLES[language].items():
        assert form in CATEGORIES
        assert {plural_form(language, int(number)) for number in numbers.split()} == {form}


@pytest.mark.parametrize(
    ("language", "chain"),
    [
        ("en", ["en"]),
        ("en-GB", ["en-gb", "en"]),
        ("de", ["de", "en"]),
        ("de_AT", ["de-at", "de", "en"]),
        ("zh-Hant-TW", ["zh-hant-tw", "zh-hant", "zh", "en"]),
        ("", ["en"]),
        ("../../secret", ["en"]),
    ],
)
def test_where_a_message_is_looked_for(language: str, chain: list[str]) -> None:
    assert list(languages_of(language)) == chain


def test_a_message_has_its_values() -> None:
    t = Catalog({"by": Message("en", {"other": "{what} by {who}"}), "x": Message("en", {"other": "x"})})
    assert t("by", what="{who}", who="Ada {what}") == "{who} by Ada {what}"  # values are not looked into
    assert t("x") == "x"
    assert t("y") == "y"
    with pytest.raises(KeyError):
        t("by", what="A")


def test_a_number_chooses_the_form_of_the_language_of_the_text() -> None:
    forms = {"one": "{count} wpis", "few": "{count} wpisy", "many": "{count} wpisów", "other": "{count} wpisu"}
    separator = Message("pl", {"other": "\u00a0"})
    t = Catalog(
        {"a": Message("pl", forms), "b": Message("en", {"one": "a", "other": "b"}), "thousands_separator": separator}
    )
    assert [t("a", count=n) for n in (1, 3, 12, 1234)] == ["1 wpis", "3 wpisy", "12 wpisów", "1\u00a0234 wpisy"]
    assert [t("b", count=n) for n in (1, 2)] == ["a", "b"]
    without = Catalog({"a": Message("pl", {"one": "{count} wpis", "other": "{count} wpisu"})})
    assert without("a", count=3) == "3 wpisu"


def test_numbers() -> None:
    assert [grouped(n, ",") for n in (0, 999, 1000, 1234567)] == ["0", "999", "1,000", "1,234,567"]
    assert grouped(1234567, ".") == "1.234.567"


def test_pieces() -> None:
    assert list(pieces_of("a {b} c{d}")) == [("a ", "b"), (" c", "d"), ("", "")]
    assert [has_odd_braces(text) for text in ("{a}", "a", "{ a }", "{A}", "}", "{{a}}")] == [False, False, *[True] * 4]


def test_a_catalog_goes_through_text() -> None:
    messages = {"b": Message("de", {"one": "x", "other": "y"}, "i18n/de.toml", 3), "a": Message("en", {"other": "z"})}
    assert catalog_of(encoded(messages)).messages == messages
    assert encoded(messages) is encoded(dict(reversed(messages.items())))  # a preview keeps it for each template
