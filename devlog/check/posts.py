"""Posts: what they say about themselves, and whether they are finished."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import date as day
from datetime import timedelta, timezone

import msgspec

from devlog.check import problems
from devlog.check.evidence import Evidence, Text
from devlog.model.check_facts import Block, Key
from devlog.model.diagnostic import Diagnostic, Edit, Fix, Span
from devlog.model.document import Date

_DATES = frozenset(
    {"date", "updated", "lastmod", "modified", "publishdate", "expirydate", "publish_date", "expiry_date"}
)
_UNPADDED = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?![0-9])")
_NAME = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_FRONT_MATTER = re.compile(r"(?:---|\+\+\+)[ \t]*\r?\n")


def no_front_matter(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post begins with its text.

    Its title is then that of the first heading, or its name, and it has no author and no tags. `--fix` writes the
    block, with the title, and with the date if only git knows it.
    """
    for text in evidence.texts:
        if text.post and text.notes.block is None and not text.parsed.diagnostics:
            title = text.post.title
            date = f"date: {text.date_from_git}\n" if text.date_from_git else ""
            block = f"---\ntitle: {_quoted(title)}\n{date}---\n\n"
            edits = (Edit(Span(text.parsed.file, 1, 1), "", block),)
            yield problems.no_front_matter(Span(text.parsed.file, 1), title, Fix(edits))


def _quoted(text: str) -> str:
    """A text as YAML and TOML both write it."""
    return json.dumps(text, ensure_ascii=False)


def with_titles(evidence: Evidence, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """A build's problems; those of missing titles with their fix, which writes down the title that is used."""
    texts = {text.parsed.file: text for text in evidence.texts}
    for problem in found:
        text = texts.get(problem.span.path) if problem.code == "missing-title" else None
        yield msgspec.structs.replace(problem, fix=_title(text)) if text else problem


def _title(text: Text) -> Fix | None:
    block = text.notes.block
    sign = {"yaml": ":", "toml": " ="}.get(block.language, "") if block else ""
    misspelt = any(problem.code == "unknown-key" for problem in text.parsed.diagnostics)  # it may be the title
    if not (block and sign and text.post) or misspelt:
        return None
    line = f"{_indent(block)}title{sign} {_quoted(text.post.title)}\n"
    return Fix((Edit(Span(text.parsed.file, block.first + 1, 1), "", line),))


def _indent(block: Block) -> str:
    """The space before a new key: YAML wants all of them in one column."""
    return " " * block.indent if block.language == "yaml" else ""


def repeated_title(evidence: Evidence) -> Iterator[Diagnostic]:
    """The first heading says once more what the title says.

    Pages show the title themselves, so the heading is left out of them. `--fix` removes it.
    """
    for text in evidence.texts:
        if text.notes.repeated_title:
            span, lines = text.notes.repeated_title
            fix = Fix((Edit(span, "", "", lines),))
            yield problems.repeated_title(span, text.parsed.front_matter.title, fix)


def authors_key(evidence: Evidence) -> Iterator[Diagnostic]:
    """`authors:` holds one text where `author:` is meant.

    Both are read, but a list such as `authors: [adaquill, boreed]` names keys of the registry, while a text
    such as `author: Ada Quill (@adaquill)` names people. `--fix` renames the key, unless there is an `author` too.
    """
    for text in evidence.texts:
        if text.notes.block is None:
            continue
        names = {key.name.lower() for key in text.notes.block.keys}
        names |= {edit.new for problem in text.parsed.diagnostics if problem.fix for edit in problem.fix.edits}
        for key in text.notes.block.keys:
            if key.name.lower() == "authors" and key.value and key.span.length == len(key.name):
                edits = (Edit(key.span, key.name, key.name[:-1]),)
                yield problems.authors_key(key.span, key.name, None if "author" in names else Fix(edits))


def date_mismatch(evidence: Evidence) -> Iterator[Diagnostic]:
    """The front matter and the name of the file tell different days.

    The front matter counts for the order of posts, but readers see the day of the name in most URLs. Where a time of
    day is given, a day's difference is let pass: it is that of a time zone.
    """
    for text in evidence.texts:
        date, named = text.parsed.front_matter.date, text.parsed.name_date
        if date and named:
            tolerance = timedelta(0 if date.day_only else 1)
            if abs(_day(date) - _day(named)) > tolerance:
                span = text.parsed.front_matter.span("date", text.parsed.file)
                written = _NAME.match(text.parsed.name)
                in_url = bool(written and text.post and written[0] in text.post.permalink)
                yield problems.date_mismatch(span, _day(date).isoformat(), _day(named).isoformat(), in_url=in_url)


def _day(date: Date) -> day:
    """The day that the writer's calendar showed."""
    value = date.value
    return (value.astimezone(timezone(timedelta(minutes=date.offset))) if value.tzinfo else value).date()


def unpadded_date(evidence: Evidence) -> Iterator[Diagnostic]:
    """A date such as `2023-10-5` has no leading zeros.

    devlog reads it, but files do not sort by it and other tools refuse it. `--fix` mends it in front matter; a file is
    not renamed, because its URL would change.
    """
    for text in evidence.texts:
        for key in text.notes.block.keys if text.notes.block else ():
            right = _padded(key.value) if key.value[:1].isdigit() and key.name.lower() in _DATES else ""
            if right and right != key.value:
                yield problems.unpadded_date(key.value_span, key.value, right, _replacing(key, right))
        name = _NAME.match(text.parsed.name) if text.parsed.name_date else None
        if name and _padded(name[0]) != name[0]:
            yield problems.unpadded_date(Span(text.parsed.file), name[0], _padded(name[0]), None)


def _padded(text: str) -> str:
    """A date with leading zeros; empty for what is none."""
    found = _UNPADDED.match(text)
    return f"{found[1]}-{found[2]:0>2}-{found[3]:0>2}{text[found.end() :]}" if found else ""


def _replacing(key: Key, value: str) -> Fix | None:
    """Another value for a key, where the value stands as it is read."""
    exact = key.value_span.length == len(key.value)
    return Fix((Edit(key.value_span, key.value, value),)) if exact else None


def date_from_git(evidence: Evidence) -> Iterator[Diagnostic]:
    """Only git knows when the post was written.

    The date of the commit that added the file is used. It is lost in a checkout without history, as CI makes them, and
    when the file moves to another repository. `--fix` writes it down.
    """
    for text in evidence.texts:
        if text.date_from_git and text.notes.block and text.post and not text.post.is_page:
            block = text.notes.block
            sign = {"yaml": ":", "toml": " ="}.get(block.language, "")
            line = f"{_indent(block)}date{sign} {text.date_from_git}\n"
            fix = Fix((Edit(Span(text.parsed.file, block.first + 1, 1), "", line),)) if sign else None
            yield problems.date_from_git(Span(text.parsed.file, 1), text.date_from_git, fix)


def missing_suffix(evidence: Evidence) -> Iterator[Diagnostic]:
    """A file looks like a post, but its name does not end in `.md`.

    It is published as it is, for download. What begins with a date, or with front matter, is taken for a post.
    `--fix` renames it.
    """
    for item in evidence.site.assets:
        file = item.asset.file
        name = file.rpartition("/")[2]
        looks = _NAME.match(name) or _FRONT_MATTER.match(evidence.heads.get(file, ""))
        if item.folder == "content" and file in evidence.heads and looks:
            yield problems.missing_suffix(Span(file), Fix(rename=f"{file.rstrip('.')}.md"))


def empty_post(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post has a title and nothing else."""
    for text in evidence.posts:
        document = text.parsed.document
        intact = not any(problem.severity == "error" for problem in text.parsed.diagnostics)
        if intact and not document.words and not document.refs and not text.notes.outside:
            yield problems.empty_post(Span(text.parsed.file, 1))


def placeholder(evidence: Evidence) -> Iterator[Diagnostic]:
    """A word in the prose says that the text is not finished: `TODO`, for instance.

    `placeholders` in `[check]` lists the words. Code does not count. In front matter, what templates for posts leave
    behind counts: a title such as “Your title here”, a handle such as `@your_github_handle`.
    """
    for text in evidence.texts:
        for match in text.notes.placeholders:
            yield problems.placeholder(match.span, match.text)
        for key in text.notes.block.keys if text.notes.block else ():
            if _LEFT_BEHIND.search(key.value):
                yield problems.placeholder(key.value_span, key.value[:60])


_LEFT_BEHIND = re.compile(
    r"@?\byour[_ -](?:github[_ -])?(?:handle|username|user[_ -]name|name|title)\b|\btitle here\b|\bYYYY-MM-DD\b",
    re.IGNORECASE,
)


RULES = (
    no_front_matter,
    repeated_title,
    authors_key,
    date_mismatch,
    unpadded_date,
    date_from_git,
    missing_suffix,
    empty_post,
    placeholder,
)
