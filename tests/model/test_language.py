"""Language tags, and what people write instead."""

from __future__ import annotations

import pytest

from devlog.model.language import language_tag, likely_tag


@pytest.mark.parametrize(
    "text",
    [
        *("en", "EN-us", "pt-BR", "zh-Hant", "zh-Hant-TW", "es-419", "de-CH-1996", "sl-rozaj-biske", "ar-u-nu-latn"),
        *("zh-cmn-Hans-CN", "en-x-lumen", "ast"),
        *("x-lumen", "X-a-1", "i-klingon", "I-Default", "en-GB-oed", "sgn-BE-FR", "art-lojban", "zh-min-nan"),
    ],
)
def test_a_tag(text: str) -> None:
    assert language_tag(text) == text


def test_a_locale_is_a_tag() -> None:
    assert language_tag(" pt_BR ") == "pt-BR"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "e",
        "english",
        "en-",
        "en us",
        "en-US-",
        "en_US.UTF-8",
        "de@euro",
        "ſv",
        "x",
        "x-",
        "x-toolongname",
        "i-lumen",
        "i",
        "sgn-be-oed",
        "i-klingon-x",
    ],
)
def test_no_tag(text: str) -> None:
    assert not language_tag(text)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("English", "en"),
        ("DEUTSCH", "de"),
        ("en_US.UTF-8", "en-US"),
        ("de_DE@euro", "de-DE"),
        ("klingon!", ""),
        ("C.UTF-8", ""),
        ("", ""),
    ],
)
def test_what_is_meant(text: str, tag: str) -> None:
    assert likely_tag(text) == tag
