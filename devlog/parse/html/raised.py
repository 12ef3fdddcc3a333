"""Raised and lowered text in plain text: ``10<sup>6</sup>`` becomes “10⁶”, and ``x<sub>max</sub>`` “x_max”."""

from __future__ import annotations

import re

NAMES = frozenset({"sup", "sub"})

_LONGEST = 20
"""The length in characters up to which text is an exponent or an index. Longer text is only small."""
_DIGITS = {
    "sup": str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"),
}
_HAS_DIGITS = {name: re.compile("[" + re.escape("".join(map(chr, table))) + "]+") for name, table in _DIGITS.items()}
_MARKS = {"sup": "^", "sub": "_"}
_EXPRESSION = re.compile(r"\w.*[-+−*/=×·<>]|[-+−]")
_POWER = re.compile(r"(?<=[^\s<>(])<sup>([^\s<>&]{1,20})</sup>")


def as_text(name: str, text: str, before: str) -> str:
    """What an element reads as in plain text.

    Args:
        name: ``sup`` or ``sub``.
        text: its text.
        before: the character before it; empty if there is none.

    Returns:
        Raised or lowered digits, or a text behind ``^`` or ``_``. The text itself if it is a word such as the “st” of
        “1st”, a sign such as “®”, or small text that is no exponent or index.
    """
    script = text.strip()
    if not before.strip() or before in "([" or not _is_script(name, script):
        return text
    return script.translate(_DIGITS[name]) if _HAS_DIGITS[name].fullmatch(script) else _marked(name, script)


def with_powers(html: str) -> str:
    """HTML with ``10^6`` instead of ``10<sup>6</sup>``, as people search for it. They write “H2O” without any mark."""

    return _POWER.sub(lambda found: as_power(found[1]), html) if "<sup>" in html else html


def as_power(text: str) -> str:
    """Raised text behind a ``^``, or alone if it is no exponent."""
    return _marked("sup", text) if _is_script("sup", text) else text


def _is_script(name: str, text: str) -> bool:
    is_word = name == "sup" and len(text) > 1 and text.isalpha()
    is_short = 0 < len(text) <= _LONGEST and not any(map(str.isspace, text))
    return is_short and not is_word and text[0] != "[" and any(map(str.isalnum, text))


def _marked(name: str, text: str) -> str:
    return f"{_MARKS[name]}({text})" if _EXPRESSION.match(text) else f"{_MARKS[name]}{text}"
