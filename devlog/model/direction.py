"""The direction in which a language is written, from its language tag (BCP 47)."""

from __future__ import annotations

import re

_LANGUAGES = frozenset("ar arc ckb dv fa he ks nqo ps sd syr ug ur yi".split())
"""Languages that are written from right to left unless their tag names another script."""

_SCRIPTS = frozenset("adlm arab aran hebr mand nkoo rohg samr syrc thaa".split())
"""Scripts that are written from right to left."""

_SINGLE = re.compile(r"\b[a-z0-9]\b")
"""What begins an extension or private use, in which words have other meanings: ``ar-u-nu-latn`` has Latin digits."""


def direction(tag: str) -> str:
    """``rtl`` for a language that is written from right to left, else empty, as ``ltr`` is the default of pages.

    Args:
        tag: a language tag such as ``ar``, ``ar-EG`` or ``az-Arab``: a script in it counts more than the language.
    """
    known = _SINGLE.split(tag.lower().replace("_", "-"))[0]
    language, *rest = known.split("-")
    script = next((part for part in rest if len(part) == 4 and part.isalpha()), "")
    return "rtl" if (script in _SCRIPTS if script else language in _LANGUAGES) else ""
