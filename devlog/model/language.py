"""Language tags (BCP 47), which HTML and feeds have: ``en``, ``pt-BR``, ``zh-Hant``."""

from __future__ import annotations

import re

_PRIVATE = r"x(?:-[a-z0-9]{1,8}){1,8}"
_TAG = re.compile(
    rf"""[a-z]{{2,3}}(?:-[a-z]{{3}}){{0,3}}    # no language has a longer code, though the grammar reserves them
    (?:-[a-z]{{4}})?                          # script
    (?:-(?:[a-z]{{2}}|[0-9]{{3}}))?             # region
    (?:-(?:[a-z0-9]{{5,8}}|[0-9][a-z0-9]{{3}})){{0,8}}
    (?:-[a-wyz0-9](?:-[a-z0-9]{{2,8}}){{1,8}}){{0,8}}
    (?:-{_PRIVATE})?
    |{_PRIVATE}                             # a language that only the site knows
    |i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)  # these do not follow the grammar,
    |en-gb-oed|sgn-be-fr|sgn-be-nl|sgn-ch-de                                      # and are older than it""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)

_NAMES = {
    name: code
    for code, names in {
        "ar": "arabic", "cs": "czech čeština", "da": "danish dansk", "de": "german deutsch", "el": "greek",
        "en": "english", "es": "spanish español castellano", "fa": "persian farsi", "fi": "finnish suomi",
        "fr": "french français", "he": "hebrew", "hi": "hindi", "hu": "hungarian magyar", "id": "indonesian",
        "it": "italian italiano", "ja": "japanese 日本語", "ko": "korean 한국어", "nl": "dutch nederlands",
        "no": "norwegian norsk", "pl": "polish polski", "pt": "portuguese português", "ro": "romanian română",
        "ru": "russian русский", "sv": "swedish svenska", "tr": "turkish türkçe", "uk": "ukrainian українська",
        "vi": "vietnamese", "zh": "chinese 中文",
    }.items()
    for name in names.split()
}  # fmt: skip
"""The tags of languages by names that people write instead."""


def language_tag(text: str) -> str:
    """The language tag in a text, in which ``_`` may stand for ``-``, as in locales; empty if it is none."""
    tag = text.strip().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else ""


def likely_tag(text: str) -> str:
    """The tag of the language that a text names in another way, as ``English`` or ``en_US.UTF-8``; else empty."""
    return _NAMES.get(text.strip().casefold(), "") or language_tag(re.split("[.@]", text)[0])
