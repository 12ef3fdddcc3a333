"""Verifying a digest: every number, name, file and link in its text must be in the activity, whoever wrote the text.

The check reads the text as a reader would, and does not trust its source: a template, a program or a model.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby, islice
from typing import NamedTuple

import msgspec

from devlog.features.digests import problems
from devlog.features.digests.digest.history import CONTROL
from devlog.features.digests.digest.text import LARGEST, chart, label, mentioned, sections, summary_of, title_of
from devlog.features.digests.digest.words import count, plural, predicate, upper_first
from devlog.features.digests.model.activity import Activity, Change
from devlog.model.character_references import unescape
from devlog.model.closest import Words, closest
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.markdown import escaped_with_extensions, opened

_MOST_PROBLEMS = 50

_MOST_SEARCHED = 1 << 26
"""How many characters of what a text may quote are searched: one search for each of its numbers could take hours."""

_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SHORTEST = 7
"""Ids of commits have at least so many digits."""
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)(?P<code>[^`\n]+)\1(?!`)")
_HTML = re.compile(r"<(?=[A-Za-z/!?])")
_SHORTCODE = re.compile(r"\{\{|\{%|\{#")
_FRONT_MATTER = re.compile(r"(?:---|\+\+\+)[ \t]*(?:\n|$)|\{[ \t]*\n")
_BARE = r"(?:https?://|\bwww\.)[^\s)>\]]+|(?<![\w.+-])[\w.+-]{1,999}@[\w-]{1,99}(?:\.[\w-]{1,99}){1,99}"
"""Matches what becomes a link without any markup."""
_LINK = re.compile(
    r"\]\([ \t]*(?:\n[ \t>]*)?<?(?P<inline>[^\s)>]*)"
    r"|^[ \t>*+.)0-9-]{0,999}\[[^\]\n]+\]:[ \t]*(?:\n[ \t>]*)?<?(?P<defined>[^\s>]+)"
    rf"|(?P<bare>{_BARE})",
    re.MULTILINE | re.IGNORECASE,
)
_URL = re.compile(_BARE, re.IGNORECASE)
_AFTER_SENTENCE = ".,;:!?"
_AFTER_URL = f"{_AFTER_SENTENCE}*_~"
"""What ends a sentence or emphasis is no part of a link without markup, as GitHub reads it."""
_IN_REPOSITORY = re.compile(r"(?:/[\w+-]+)+/?")
"""Matches the end of a URL that leads nowhere else: no dots, no query."""
_REFERENCE = re.compile(r"(?<![\w&/])(?:[#!]\d{1,9}|D\d{2,9})(?![\w])")
_COMMIT = re.compile(r"(?<![\w#/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}(?![\w-])")
_PATH = re.compile(r"(?<![\w/:.@+-])(?:[\w.+-]{1,255}/){1,60}[\w+-][\w.+-]{0,255}\.[A-Za-z]\w{0,9}(?![\w/])")
_NUMBER = re.compile(r"(?<![\w.,#!/-])(?=(v?\d[\d,]*(?:\.\d+)*))\1(?:st|nd|rd|th|%|k)?(?![\w/])")
_HANDLE = re.compile(r"(?<![\w@/.])@[A-Za-z0-9][\w-]{0,60}")
_NAME = re.compile(r"\b[A-Z][\w'’-]{1,60}(?: (?:[A-Z]\.|(?:de|van|von|da|del|la|bin|al)\b|[A-Z][\w'’-]{1,60})){1,3}")
_WORD = re.compile(r"[\w'’-]+")
_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS_AS_NUMBERS = {
    **{word: number for number, word in enumerate((*_ONES, *_TEENS), 1)},
    **{word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)},
    "no": 0,
    "a": 1,
}
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES)})\b)?|{'|'.join((*_TEENS, *_ONES))})"
_IN_WORDS = rf"(?:(?:a|{'|'.join(_ONES)})[ ]hundred(?:(?:[ ]and)?[ ]{_BELOW_HUNDRED}\b)?|{_BELOW_HUNDRED})"
_SPELLED = re.compile(rf"\b(?a:{_IN_WORDS})\b(?!-(?:first|second|third|[a-z]{{3,7}}th)\b)", re.IGNORECASE)
_UP_TO_TWELVE = 12
"""Words for these numbers often count nothing: “one of them”."""
_CLAIM = re.compile(  # of ASCII: without case, “ſ” is an “s” and “ı” an “i”, and no number or noun is spelled so
    rf"\b(?a:(?P<number>\d(?:,?\d){{0,30}}|no|{_IN_WORDS})[ ]"
    r"(?P<between>(?:(?!and )[a-z-]+ ){0,2}?)"
    r"(?P<noun>changes?|merge requests?|pull requests?|commits?|fix(?:es)?|bug ?fix(?:es)?|features?|people|person"
    r"|contributors?|authors?|files?|backports?|dependency updates?|submodule updates?|releases?|areas?|newcomers?"
    r"|reverts?))\b",
    re.IGNORECASE,
)
_NAME_OF = r"[A-Z][\w'’-]{1,60}(?: [A-Z][\w'’-]{1,60}){0,2}"
_NAMES = rf"{_NAME_OF}(?:(?:, | and |, and ){_NAME_OF}){{0,9}}"
_CREDIT = re.compile(
    rf"(?:^|[.!?>*-] )(?:Many thanks|Special thanks|Thanks|Thank you|Kudos)(?:,| to) (?P<thanked>{_NAMES})"
    r"(?= for\b|[.!]|$)"
    rf"|(?:[#!]|\bD)\d{{1,9}}\)?,? (?:by|from) (?P<author>{_NAMES})"
    rf"|\b(?:authored|contributed|proposed|reviewed|contributions?) (?:by|from) (?P<person>{_NAMES})"
)
"""Where only people can stand: there, a single word is a name too. Elsewhere it may be that of a product."""
_CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday".split()
)


class Verified(msgspec.Struct, frozen=True):
    """What verifying a text has found.

    Attributes:
        problems: what is in the text and not in the activity; at most `_MOST_PROBLEMS`.
        missing: listed changes that the text does not mention.
    """

    problems: tuple[Diagnostic, ...]
    missing: tuple[Change, ...]


class Allowed(NamedTuple):
    """What a text may have although the activity does not.

    Attributes:
        links: beginnings of URLs that may be linked to, such as that of the repository.
        numbers: of items that lists in the text count, if devlog has written these lists.
    """

    links: Sequence[str] = ()
    numbers: Collection[int] = ()


_NOTHING = Allowed()


def verify(
    text: str, activity: Activity, day: date, file: str, first: int = 1, allowed: Allowed = _NOTHING
) -> Verified:
    """Compare a text with the activity that it is about.

    Args:
        text: the Markdown of a digest, without front matter.
        activity: what happened.
        day: the date of the post.
        file: the name of the post in messages.
        first: the line of the file with which the text begins.
        allowed: what the text may have beside it.
    """
    facts = _Facts(activity, day, allowed)
    found: list[Diagnostic] = []
    if len(text) > LARGEST:
        return Verified((problems.digest_too_long(Span(file), len(text), LARGEST),), activity.changes)
    if _FRONT_MATTER.match(text.lstrip()):
        found.append(problems.digest_markup(Span(file, first, 1), "front matter"))
    found += islice(_wrong_links(text, facts, file, first), _MOST_PROBLEMS)
    for number, (line, without) in enumerate(_without_code(text), first):
        found += islice(_wrong(line, without, facts, file, number), _MOST_PROBLEMS)
        if len(found) >= _MOST_PROBLEMS:
            break
    listed = [change for change in activity.changes if change.fate == "listed"]
    present = {change.commit for change in mentioned(text, listed)}
    return Verified(tuple(found[:_MOST_PROBLEMS]), tuple(change for change in listed if change.commit not in present))


class _Facts:
    """What a text may say."""

    def __init__(self, activity: Activity, day: date, allowed: Allowed) -> None:
        changes = activity.changes
        issues = [issue for change in changes for issue in change.issues]
        issues += [issue for milestone in activity.milestones for issue in milestone.issues]
        self.people = {person.name for person in activity.people}
        self.people |= {name for change in changes for name in (*change.authors, *change.reviewers)}
        self.spellings = Words(sorted(self.people))
        self.first_names = Words(sorted({name.partition(" ")[0] for name in self.people}))
        quoted = [
            *self.people,
            activity.project,
            title_of(activity),
            summary_of(activity),
            *(change.title for change in changes),
            *(predicate(change.title) for change in changes),
            *(change.detail for change in changes),
            *(change.scope for change in changes),
            *(name for area in activity.areas for name in (area.name, label(area.name))),
            *(theme for area in activity.areas for theme in area.themes),
            *activity.themes,
            *(release.name for release in activity.releases),
            *(name for change in changes for name in change.labels),
            *(change.milestone for change in changes),
            *(issue.title for issue in issues),
            *(milestone.title for milestone in activity.milestones),
            *(directory.path for directory in activity.gaps.directories),
            *(post.title for post in activity.gaps.posts),
        ]
        written = opened("\n".join(map(escaped_with_extensions, quoted))).split("\n")  # as titles are in a text
        vocabulary = "\n\n".join(dict.fromkeys([*quoted, *written]))
        prose, unlinked, unnumbered, uncommitted, rest = _readings(vocabulary)
        shown = [*dict.fromkeys(line for text in (vocabulary, prose, rest) for line in text.split("\n"))]
        self.words = {word.lower() for line in shown for word in _WORD.findall(line)} | _CALENDAR
        self.references = {change.number for change in changes if change.number}
        self.references |= {issue.number for issue in issues}
        begun = "\n".join(map(upper_first, unlinked.split("\n")))  # a name may begin a heading
        self.references |= {*_REFERENCE.findall(begun)}
        self.commits = sorted([*(change.commit for change in changes), activity.first, activity.last])
        self.spoken = "\n".join(shown).lower()
        self._searched = 0
        self.in_words = set(_SPELLED.findall(self.spoken))
        self.claims = {found[0] for found in _CLAIM.finditer(self.spoken)}
        self.handles = set(_HANDLE.findall(self.spoken))
        self.code = {*_COMMIT.findall(unnumbered.lower()), *_PATH.findall(uncommitted.lower())}
        # Backwards, paths with the same end are neighbors.
        paths = {path for change in changes for path in change.files}
        paths |= {path for post in activity.gaps.posts for path in post.files}
        self.files = sorted(f"/{path}"[::-1] for path in paths)
        self.counts = _counts(activity)
        self.numbers = _numbers(activity, day, self.spoken) | {
            str(number) for numbers in (*self.counts.values(), allowed.numbers) for number in numbers
        }
        self.unnamed = frozenset(allowed.numbers)
        spelled = [(name, found) for name in self.people for found in _SPELLED.finditer(name.lower())]
        self.name_ends = {found[0] for name, found in spelled if found.end() == len(name)}
        self.name_beginnings = {found[0] for _, found in spelled if not found.start()}
        self.links = tuple(filter(None, (*allowed.links, activity.forge)))
        self.bare = {reference.lstrip("#!D") for reference in self.references}
        self.named: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
            ("reference", _REFERENCE, lambda text: text in self.references),
            ("commit", _COMMIT, lambda text: self.has_commit(text) or self.quotes(text, self.code)),
            ("file", _PATH, lambda text: self.has_file(text) or self.quotes(text, self.code)),
        )
        addresses = _ESCAPE.sub("\0\0", f"{vocabulary}\n{chart(sections(activity))}")
        urls = {url.rstrip(_AFTER_SENTENCE) for text in (vocabulary, addresses) for url in _URL.findall(text)}
        self.urls = urls | {*map(upper_first, urls)}  # as at the beginning of a sentence
        self.bare_urls = self.urls | {url.rstrip(_AFTER_URL) for url in self.urls}

    def has_commit(self, text: str) -> bool:
        """Whether a text is the beginning of the id of a commit."""
        return len(text) >= _SHORTEST and _begins(self.commits, text)

    def has_file(self, path: str) -> bool:
        """Whether a path is that of a changed file, or its end."""
        return _begins(self.files, f"/{path}"[::-1])

    def has_spelled(self, text: str) -> bool:
        """Whether a number in words is known, or so small that it often counts nothing."""
        said = _number(text)
        return said <= _UP_TO_TWELVE or str(said) in self.numbers or self.quotes(text, self.in_words)

    def joins_names(self, text: str) -> bool:
        """Whether a number in words is the end of a name and, behind “and”, the beginning of one, or counts others."""
        before, _, rest = text.lower().partition(" and ")
        is_next = rest in self.name_beginnings or (rest and _number(rest) in self.unnamed)
        return bool(is_next) and before in self.name_ends

    def quotes(self, said: str, known: Container[str]) -> bool:
        """Whether something stands in a title, with which a sentence may begin.

        Args:
            said: what it is.
            known: what of this kind is known to be in titles, in lower case. Something else may be a part of it.
        """
        said = said.lower()
        if said in known:
            return True
        self._searched += len(self.spoken)
        is_too_much = self._searched > _MOST_SEARCHED
        return not is_too_much and bool(re.search(rf"(?<!\w){re.escape(said)}(?!\w)", self.spoken))


def _begins(texts: Sequence[str], beginning: str) -> bool:
    """Whether one of some sorted texts begins with another one."""
    place = bisect_left(texts, beginning)
    return place < len(texts) and texts[place].startswith(beginning)


def _counts(activity: Activity) -> dict[str, set[int]]:
    """The true numbers of each noun: of the whole, of each area, and of each person."""
    listed = [change for change in activity.changes if change.fate == "listed"]
    of_area, of_person = dict[str, list[Change]](), dict[str, list[Change]]()
    for change in listed:
        of_area.setdefault(change.area, []).append(change)
        for name in change.authors:
            of_person.setdefault(name, []).append(change)
    groups: list[list[Change]] = [listed, [*activity.changes]]
    groups += [of_area.get(area.name, []) for area in activity.areas]
    groups += [of_person.get(person.name, []) for person in activity.people]
    groups.append([some[0] for some in of_area.values() if len(some) == 1])
    counts: dict[str, set[int]] = {
        "change": {len(group) for group in groups} | set(activity.counted.values()),
        "fix": {sum(change.kind == "fix" for change in group) for group in groups},
        "feature": {sum(change.kind == "feature" for change in group) for group in groups},
        "person": {len({name for change in group for name in change.authors}) for group in groups}
        | {activity.totals.new_people},
        "file": {len({path for change in group for path in change.files}) for group in groups},
        "area": {len(activity.areas)},
        "release": {len(activity.releases)},
        "newcomer": {activity.totals.new_people},
    }
    for noun, reason in (("backport", "backport"), ("revert", "revert")):
        counts[noun] = {activity.counted.get(reason, 0)}
    gaps = activity.gaps
    counts["commit"] = counts["change"] | {directory.commits for directory in gaps.directories}
    counts["commit"] |= {post.commits for post in gaps.posts}
    counts["person"] |= {directory.people for directory in gaps.directories}
    counts["file"] |= {len(post.files) for post in gaps.posts}
    counts["dependency update"] = {activity.counted.get("dependency", 0)}
    counts["submodule update"] = {activity.counted.get("submodule", 0)}
    return counts


_NOUNS = {
    **dict.fromkeys(("merge request", "pull request"), "change"),
    **dict.fromkeys(("people", "contributor", "author"), "person"),
    **dict.fromkeys(("bugfix", "bug fix"), "fix"),
}


def _numbers(activity: Activity, day: date, spoken: str) -> set[str]:
    days = {day, *(date.fromisoformat(text) for text in (activity.since, activity.until) if text)}
    days |= {release.day for release in activity.releases}
    days |= {milestone.day for milestone in activity.milestones if milestone.day}
    days |= {date.fromisoformat(post.day) for post in activity.gaps.posts}
    known = {
        text
        for one in days
        for text in (str(one.day), str(one.month), str(one.year), f"{one.day:02}", f"{one.month:02}")
    }
    totals = activity.totals
    known |= {str(getattr(totals, field)) for field in totals.__struct_fields__}
    known |= {
        str(number) for change in activity.changes for number in (change.added, change.removed, len(change.files))
    }
    known |= {str(number) for change in activity.changes for number in (change.comments, change.reactions)}
    known |= {
        str(number)
        for milestone in activity.milestones
        for number in (milestone.open, milestone.closed, milestone.open + milestone.closed)
    }
    known |= {str(number) for number in activity.counted.values()}
    return known | {_plain(found) for found in re.findall(r"\d[\d,]*(?:\.\d+)*", spoken)}


def _plain(number: str) -> str:
    return re.sub(r"(?:st|nd|rd|th|%|k)$", "", number).replace(",", "").removeprefix("v")


def _number(text: str) -> int:
    """A number in digits or in words, such as “one hundred and twenty-five”."""
    if text[0].isdigit():
        return int(text.replace(",", ""))
    total = 0
    for word in re.split("[ -]", text.lower()):
        total = total * 100 if word == "hundred" else total + _WORDS_AS_NUMBERS.get(word, 0)
    return total


def _without_code(text: str) -> Iterator[tuple[str, str]]:
    """Each line of a text, and the same with spaces for code.

    Nothing is code in lines before and after which there is a backtick more: that of another line may belong to it.
    """
    for _, group in groupby(text.split("\n"), key=lambda line: not line.strip()):
        lines = [*group]
        without = [_CODE.sub(lambda code: " " * len(code[0]), line) for line in lines]
        is_clear = not any("`" in line for line in without) and not any("\\`" in line for line in lines)
        yield from zip(lines, without if is_clear else lines, strict=True)


def _wrong(line: str, without: str, facts: _Facts, file: str, number: int) -> Iterator[Diagnostic]:
    """What a line says that the activity does not have; `without` is the line without code."""
    raw = _ESCAPE.sub("\0\0", line)  # what is escaped is no markup; columns stay
    if found := CONTROL.search(line):
        yield problems.digest_markup(Span(file, number, found.start() + 1), "a control character")
    if found := _SHORTCODE.search(raw):
        yield problems.digest_markup(Span(file, number, found.start() + 1, 2), "a shortcode")
    if found := _HTML.search(_ESCAPE.sub("\0\0", without)):
        yield problems.digest_markup(Span(file, number, found.start() + 1), "HTML")
    _, *readings, prose = _readings(line)
    credited = list(_CREDIT.finditer(readings[0]))
    for reading, (kind, form, is_known) in zip(readings, facts.named, strict=True):
        for match in form.finditer(reading):
            if not is_known(match[0]):
                yield problems.digest_unknown(_span(file, number, match), kind, match[0])
    claims = list(_CLAIM.finditer(prose))
    yield from _claims(claims, facts, file, number)
    yield from _other_numbers(prose, {claim.start("number") for claim in claims}, facts, file, number)
    yield from _names(prose, facts, file, number)
    yield from _credited(credited, facts, file, number)


def _readings(text: str) -> Iterator[str]:
    """A text as it is read: first as readers see it, then each time without what was found before.

    These are links, references, ids of commits and paths. Blanks stand for them, so that columns stay.
    """
    prose = _ESCAPE.sub(r" \1", text)
    yield prose
    for form in (_LINK, _REFERENCE, _COMMIT, _PATH):
        prose = form.sub(lambda found: " " * len(found[0]), prose)
        yield prose


def _other_numbers(prose: str, claimed: set[int], facts: _Facts, file: str, line: int) -> Iterator[Diagnostic]:
    """Numbers that the activity does not have, but for those of claims, which begin where `claimed` says."""
    begin = len(prose) - len(prose.lstrip())
    for match in _NUMBER.finditer(prose):
        is_item = match.start() == begin and prose[match.end() : match.end() + 2] in (". ", ") ")
        if match.start() in claimed or is_item or facts.has_commit(match[0]):
            continue
        if _plain(match[0]) not in facts.numbers:
            yield problems.digest_unknown(_span(file, line, match), "number", match[0])
    for match in _SPELLED.finditer(prose):
        is_known = facts.has_spelled(match[0]) or facts.joins_names(match[0])
        if match.start() not in claimed and not is_known:
            yield problems.digest_unknown(_span(file, line, match), "number", match[0])


def _wrong_links(text: str, facts: _Facts, file: str, first: int) -> Iterator[Diagnostic]:
    """Links that lead elsewhere. Their destination may be on the line after the bracket."""
    line, counted = first, 0
    paragraph, bracket, looked = 0, -1, 0  # where the last ones begin, as far as was looked for them
    raw = _ESCAPE.sub("\0\0", text)
    for match in _LINK.finditer(raw):
        paragraph = max(paragraph, raw.rfind("\n\n", max(looked - 1, 0), match.start()) + 1)
        bracket = max(bracket, raw.rfind("[", looked, match.start()))
        looked = match.start()
        if match["inline"] and bracket < paragraph:
            continue  # the bracket that would begin it is escaped
        kind = match.lastgroup or "inline"
        start, end = match.span(kind)
        end -= len(match[kind]) - len(match[kind].rstrip(_AFTER_URL)) if kind == "bare" else 0
        url = text[start:end]
        known = facts.bare_urls if kind == "bare" else facts.urls
        if not url or raw[start:end] in known or _may_link(unescape(_ESCAPE.sub(r"\1", url)), facts):
            continue
        line, counted = line + text.count("\n", counted, start), start
        column = start - text.rfind("\n", 0, start)
        yield problems.digest_unknown(Span(file, line, column, len(url)), "link", url)


def _span(file: str, line: int, match: re.Match[str]) -> Span:
    return Span(file, line, match.start() + 1, len(match[0]))


def _may_link(url: str, facts: _Facts) -> bool:
    """Whether a link leads to a page of this site or to something of the repository that the activity has."""
    if url.startswith("#") or (url.startswith("/") and not url.startswith("//") and "\\" not in url):
        return True
    if url in facts.urls:
        return True
    for base in facts.links:
        if url.startswith(f"{base}/"):
            last = url.rstrip("/").rpartition("/")[2]
            is_inside = _IN_REPOSITORY.fullmatch(url.removeprefix(base)) is not None
            return is_inside and (last in facts.bare or facts.has_commit(last))
    return False


def _claims(claims: Iterable[re.Match[str]], facts: _Facts, file: str, line: int) -> Iterator[Diagnostic]:
    """Counts of things that the activity has in other numbers."""
    for match in claims:
        noun = re.sub(r"(?<=fix)es$|(?<=[a-rt-z])s$", "", match["noun"].lower())
        noun = _NOUNS.get(noun, noun)
        claimed = _number(match["number"])
        if claimed not in facts.counts[noun] and not facts.quotes(match[0], facts.claims):
            counted = sorted(facts.counts[noun])
            yield problems.digest_wrong_count(_span(file, line, match), match[0], plural(2, noun), counted)


def _names(prose: str, facts: _Facts, file: str, line: int) -> Iterator[Diagnostic]:
    """Names of people who are not in the activity, or are spelled otherwise there."""
    for match in _HANDLE.finditer(prose):
        if match[0][1:].lower() not in facts.words and not facts.quotes(match[0], facts.handles):
            yield problems.digest_unknown(_span(file, line, match), "person", match[0])
    begin = len(prose) - len(prose.lstrip(" #>*-\0"))
    for match in _NAME.finditer(prose):
        name = match[0]
        is_first = match.start() == begin
        parts = _WORD.findall(name)
        unknown = [part for part in parts[1 if is_first else 0 :] if part.lower() not in facts.words]
        if name in facts.people or not unknown:
            continue
        if facts.quotes(name, ()):
            continue  # a part of a title, of which something before it was read as something else
        near = closest(name, facts.spellings, 0.7)
        if near or len(parts) - is_first >= 2:
            yield problems.digest_unknown(_span(file, line, match), "person", name, near)


def _credited(credited: Iterable[re.Match[str]], facts: _Facts, file: str, line: int) -> Iterator[Diagnostic]:
    """Names of a single word, where only people can stand, that are not in the activity."""
    for match in credited:
        kind = match.lastgroup or ""
        for found in re.finditer(_NAME_OF, match[kind]):
            name = found[0].removesuffix("'s").removesuffix("’s")
            if " " not in name and facts.words.isdisjoint((name.lower(), found[0].lower())):
                span = Span(file, line, match.start(kind) + found.start() + 1, len(name))
                yield problems.digest_unknown(span, "person", name, closest(name, facts.first_names, 0.7))


def coverage(activity: Activity, missing: Sequence[Change]) -> str:
    """How much of the activity a text covers, in words."""
    listed = activity.totals.listed
    share = 100 if not listed else round(100 * (listed - len(missing)) / listed)
    return f"covers {share} % of {count(listed, 'change')}"
