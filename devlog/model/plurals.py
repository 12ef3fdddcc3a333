"""Selects the plural form of a message for a number in a language, by the rules of Unicode's CLDR for integers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

CATEGORIES = ("zero", "one", "two", "few", "many", "other")
"""The names of all forms, as CLDR, go-i18n and ``Intl.PluralRules`` have them. Every language has ``other``."""

OTHER = "other"


def _one(n: int) -> str:
    return "one" if n == 1 else OTHER


def _zero_or_one(n: int) -> str:
    return "one" if n in (0, 1) else OTHER


def _never(_n: int) -> str:
    return OTHER


def _ends_in(n: int, first: int, last: int) -> bool:
    """Whether the last digit is in a range, and the number does not end in 11 to 14."""
    return first <= n % 10 <= last and not 11 <= n % 100 <= 14


def _east_slavic(n: int) -> str:
    if _ends_in(n, 1, 1):
        return "one"
    return "few" if _ends_in(n, 2, 4) else "many"


def _south_slavic(n: int) -> str:
    if _ends_in(n, 1, 1):
        return "one"
    return "few" if _ends_in(n, 2, 4) else OTHER


def _polish(n: int) -> str:
    if n == 1:
        return "one"
    return "few" if _ends_in(n, 2, 4) else "many"


def _czech(n: int) -> str:
    if n == 1:
        return "one"
    return "few" if 2 <= n <= 4 else OTHER


def _slovenian(n: int) -> str:
    return {1: "one", 2: "two", 3: "few", 4: "few"}.get(n % 100, OTHER)


def _lithuanian(n: int) -> str:
    if 11 <= n % 100 <= 19:
        return OTHER
    return "one" if n % 10 == 1 else "few" if n % 10 else OTHER


def _latvian(n: int) -> str:
    if n % 10 == 0 or 11 <= n % 100 <= 19:
        return "zero"
    return "one" if n % 10 == 1 else OTHER


def _romanian(n: int) -> str:
    if n == 1:
        return "one"
    return "few" if n == 0 or 1 <= n % 100 <= 19 else OTHER


def _hebrew(n: int) -> str:
    return {1: "one", 2: "two"}.get(n, OTHER)


def _arabic(n: int) -> str:
    if n <= 2:
        return ("zero", "one", "two")[n]
    return "few" if 3 <= n % 100 <= 10 else "many" if n % 100 >= 11 else OTHER


_RULES: dict[str, Callable[[int], str]] = {
    **dict.fromkeys("id ja ko lo ms my th vi yue zh".split(), _never),
    **dict.fromkeys("am bn fa fr gu hi hy kn pt zu".split(), _zero_or_one),
    **dict.fromkeys("be ru uk".split(), _east_slavic),
    **dict.fromkeys("bs hr sh sr".split(), _south_slavic),
    **dict.fromkeys("cs sk".split(), _czech),
    **dict.fromkeys("mo ro".split(), _romanian),
    "ar": _arabic,
    "he": _hebrew,
    "lt": _lithuanian,
    "lv": _latvian,
    "pl": _polish,
    "pt-pt": _one,
    "sl": _slovenian,
}


def plural_form(language: str, n: int) -> str:
    """The plural category of a number.

    Args:
        language: a code such as ``en`` or ``pt-BR``; an unknown language has the two forms of English.
        n: the number, zero or more.
    """
    return _rule(language)(n)


@lru_cache(maxsize=16)
def _rule(language: str) -> Callable[[int], str]:
    code = language.lower().replace("_", "-")
    return _RULES.get(code) or _RULES.get(code.partition("-")[0]) or _one
