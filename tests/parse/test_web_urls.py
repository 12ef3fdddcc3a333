"""URLs of the web in front matter: pages and feeds contain them as every program accepts them."""

from __future__ import annotations

import pytest

from devlog.parse.front_matter.web_urls import path_or_url, web_url


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("https://radio.example/a%C3%A4.mp3?b=[1]#c", "https://radio.example/a%C3%A4.mp3?b=[1]#c"),
        (" HTTPS://radio.example/", "https://radio.example/"),
        ("https://radio.example/ä b.mp3", "https://radio.example/%C3%A4%20b.mp3"),
        ("https://rädio.example/a.mp3", "https://xn--rdio-loa.example/a.mp3"),
        ('http://radio.example/%zz\\<>".mp3', "http://radio.example/%25zz%5C%3C%3E%22.mp3"),
        ("https://[2001:db8::1]:8080/a", "https://[2001:db8::1]:8080/a"),
    ],
)
def test_what_is_no_part_of_urls_is_encoded(written: str, expected: str) -> None:
    assert web_url(written) == expected
    assert web_url(expected) == expected


@pytest.mark.parametrize(
    "written",
    [
        "",
        "radio.example/a.mp3",
        "/a.mp3",
        "ftp://radio.example/a.mp3",
        "javascript:alert(1)//https://radio.example/",
        "https:radio.example",
        "https://",
        "https:///a.mp3",
        "https://:80/a.mp3",
        "https://radio.example:99999/a.mp3",
        "https://radio.example:a/a.mp3",
        "https://[radio/a.mp3",
        "https://ra dio/a.mp3",
        "https://radio.example/\u202ea.mp3",
        "https://radio.example/\x07.mp3",
        "https://radio.example/" + "a" * 4_000,
    ],
)
def test_what_is_no_url_of_the_web(written: str) -> None:
    assert web_url(written) == ""


def test_paths_stay_as_they_are() -> None:
    assert path_or_url("images/ä b.png") == "images/ä b.png"
    assert path_or_url("HTTP://radio.example/ä.png") == "http://radio.example/%C3%A4.png"
    assert path_or_url("https://") == ""
