"""Texts that are nested as deep as they can be, and what reads each kind of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

TOML = {
    "dots": "a." * 200_000 + "a = 1\n",
    "dots with spaces": "a . " * 200_000 + "a = 1\n",
    "quoted dots": "\"a b\".'c'." * 100_000 + "a = 1\n",
    "header": "[" + "a." * 200_000 + "a]\nb = 1\n",
    "header of a list": "[[" + "a." * 200_000 + "a]]\nb = 1\n",
    "header and key": "[" + "a." * 60 + "a]\n" + "b." * 60 + "b = 1\n",
    "keys of inline tables": "a = " + "{b.c.d = " * 50 + "1" + "}" * 50 + "\n",
    "lists": "a = " + "[" * 200_000 + "]" * 200_000 + "\n",
    "lists in lines": "a = " + "[\n" * 200_000 + "]\n" * 200_000,
    "lists behind strings": 'a = ["""x"""", [\'#\', ' + "[" * 200_000 + "]" * 200_000 + "]]\n",
    "open lists": "a = " + "[" * 200_000,
    "inline tables": "a = " + "{a = " * 200_000 + "1" + "}" * 200_000 + "\n",
    "open strings": '\\"""\n' * 100_000 + "[[[.",
    "open literal strings": "\\'''\n" * 100_000 + "[[[.",
}
JSON = {
    "lists": "[" * 200_000 + "]" * 200_000,
    "open lists": "[" * 200_000,
    "objects": '{"a": ' * 200_000 + "1" + "}" * 200_000,
    "lists behind strings": '["\\"]", ' * 100_000 + "1" + "]" * 100_000,
}


def _configuration(text: str) -> None:
    from devlog.config_file.read import read_config

    read_config(text, "devlog.toml")


def _theme(text: str) -> None:
    from devlog.config_file.theme_file import read_theme_file

    read_theme_file(text, "theme.toml")


def _card(text: str) -> None:
    from devlog.features.social_cards.assemble import _layout

    _layout.__wrapped__(text)


def _of_another_generator(text: str) -> None:
    from devlog.parse.front_matter.toml_tree import read_toml

    read_toml(text, "config.toml", 1, 32)


def _transcript(text: str) -> None:
    from devlog.features.episodes.parse.transcripts import _read_json

    _read_json(text, "a.json")


def _chapters(text: str) -> None:
    from devlog.features.episodes.parse.chapters import read_chapters

    read_chapters(b'{"x": ' + text.encode())


def _linked_data(text: str) -> None:
    from devlog.compare.facts import read_page

    read_page(f'<script type="application/ld+json">{text[:200_000]}</script>')


def _feed(text: str) -> None:
    from devlog.compare.xml import RefusedError, read_feed

    with suppress(RefusedError):
        read_feed("JSON", [b'{"items": ' + text.encode()])


class Reader(NamedTuple):
    """What reads a kind of texts.

    Attributes:
        texts: the texts, by name.
        read: reads one of them. It may write into the working folder.
        feature: the feature whose reader that is.
    """

    texts: dict[str, str]
    read: Callable[[str], None]
    feature: str = ""


READERS = {
    "devlog.toml": Reader(TOML, _configuration),
    "theme.toml": Reader(TOML, _theme),
    "card.toml": Reader(TOML, _card, "social_cards"),
    "another generator's": Reader(TOML, _of_another_generator),
    "transcript": Reader(JSON, _transcript, "episodes"),
    "chapters": Reader(JSON, _chapters, "episodes"),
    "linked data": Reader(JSON, _linked_data),
    "feed": Reader(JSON, _feed),
}

MODULES = (
    "devlog.compare.facts",
    "devlog.compare.xml",
    "devlog.config_file.read",
    "devlog.disk.theme",
    "devlog.parse.front_matter.toml_tree",
)
"""What the readers import, but for those of features, which need not be there."""
