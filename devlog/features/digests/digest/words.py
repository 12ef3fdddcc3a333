"""English of digests: counts, lists of names, dates, and subjects of commits as sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
_IRREGULAR = {"person": "people", "fix": "fixes", "is": "are", "was": "were", "has": "have"}
_MONTHS = "January February March April May June July August September October November December".split()
_VERB = re.compile(r"[A-Z][a-z]+(?:-[a-z]+)?(?= )")

VERBS = frozenset(
    """
    accept adapt add address adjust align allow annotate apply assign avoid back-port bind build bump cache call
    catch centralize change check clamp clarify clean clear close collect combine compare compile complete compute
    configure connect consolidate convert copy correct count cover create cut deduplicate defer define delete
    deprecate detect disable disallow discard display document drop dump eliminate embed emit enable encode
    enforce ensure escape exclude expand explain expose extend extract factor fail fall fetch fill filter finish
    fix flush follow forbid force forget format forward free gate generate get give group guard handle hide hoist
    honor ignore implement import improve include increase infer initialize inline insert install instrument
    integrate introduce invalidate isolate keep lay let limit link lint list load lock log look lower make map
    mark match measure merge migrate mock modernize move name normalize offer omit open optimize order override
    parallelize parse pass patch permit pin port prefer prepare preserve prevent print process produce propagate
    protect provide prune publish pull push put raise read rebuild record redirect reduce refactor refine refresh
    refuse register reject relax release remember remove rename render reorder reorganize repair replace report
    request require reset resolve respect restore restrict restructure retry return reuse revert rework rewrite
    round run sanitize save scan schedule send separate serialize serve set share shorten show simplify skip sort
    speed split standardize start stop store stream strengthen strip support suppress switch sync take tell test
    throw tidy tighten trace track transform translate treat trim turn tweak type undo unify update upgrade use
    validate verify warn widen wire wrap write
    """.split()
)
"""Verbs with which subjects of commits begin, in their base form."""


def number(count: int) -> str:
    """A number as it is written in a sentence: a word up to twelve."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else f"{count:,}"


def plural(count: int, noun: str) -> str:
    """A noun in the form that a number asks for; its last word changes."""
    if count == 1:
        return noun
    head, _, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        form = _IRREGULAR[last]
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        form = f"{last[:-1]}ies"
    else:
        form = last + ("es" if last.endswith(("s", "x", "ch", "sh")) else "s")
    return f"{head} {form}" if head else form


def count(number_of: int, noun: str) -> str:
    """A number and its noun, such as ``three changes``."""
    return f"{number(number_of)} {plural(number_of, noun)}"


def listing(items: Sequence[str], most: int = 0) -> str:
    """Items as a list in a sentence.

    Args:
        items: such as names.
        most: how many are named at most; the rest are counted. 0 for all.
    """
    if rest := unnamed(items, most):
        return f"{', '.join(items[:most])} and {number(rest)} others"
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def unnamed(items: Sequence[str], most: int) -> int:
    """How many of some items `listing` only counts."""
    return len(items) - most if most and len(items) > most + 1 else 0


def long_date(day: date) -> str:
    """A date as it is spoken: ``June 3rd, 2026``."""
    return f"{_MONTHS[day.month - 1]} {day.day}{_ordinal(day.day)}, {day.year}"


def _ordinal(day: int) -> str:
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


_ACRONYMS = frozenset(
    "abi ai aot api ast cd ci cli cpu css cuda gpu gui html http jit llvm mcp sql ssl tls ui url".split()
)


def heading(area: str) -> str:
    """The name of an area as a heading: ``Parser``, ``CI``."""
    return area.upper() if area in _ACRONYMS else upper_first(area)


def upper_first(text: str) -> str:
    """A text that begins a sentence.

    It differs only in case: a letter without a capital of its own stays, such as “ß”, which would become two.
    """
    first = text[:1].upper()
    return first + text[1:] if first.lower() == text[:1].lower() else text


def predicate(title: str) -> str:
    """The subject of a commit, an imperative, as what the commit does: ``Fix x`` becomes ``fixes x``.

    Returns:
        Empty if the title does not begin with a known verb.
    """
    title = upper_first(title.strip()).rstrip(".")
    found = _VERB.match(title)
    if not found or found[0].lower() not in VERBS:
        return ""
    rest = re.sub(r"\b(and|then) ([a-z]+)(?= )", _second, title[found.end() :])
    return third_person(found[0].lower()) + rest


def _second(found: re.Match[str]) -> str:
    """A verb after “and”, in the same form as the first one. Words that may be nouns too stay."""
    return f"{found[1]} {third_person(found[2])}" if found[2] in _ONLY_VERBS else found[0]


_ONLY_VERBS = frozenset("add allow avoid ensure handle improve keep make remove replace simplify".split())


def third_person(verb: str) -> str:
    """The form of a verb with “it”: ``fixes``, ``applies``."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
