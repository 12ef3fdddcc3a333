"""Rules about posts: their front matter, and whether they are finished."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from datetime import date as day
from datetime import timedelta, timezone
from urllib.parse import unquote

import msgspec

from devlog.check import problems
from devlog.check.evidence import CheckedSource, Evidence
from devlog.model.check_facts import Block, Key
from devlog.model.diagnostic import Diagnostic, Edit, Fix, Span
from devlog.model.document import Date
from devlog.model.media import media_type
from devlog.model.secrets import shortened

DATES = frozenset(
    "date updated lastmod modified moddatetime updateddate updatedat publishdate pubdate published pubdatetime "
    "publishedat expirydate expires unpublishdate".split()
)
"""The keys of front matter that devlog reads as dates, without case, “-” and “_”."""
_UNPADDED = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?![0-9])")
_NAME = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n((?:[^\n]*\n)*?)\1[ \t]*(?:\n|$)")
_MARKDOWN = re.compile(r"\.(?:mdown|mdwn|mkdn?|mkdown|mdtxt|mdtext)$", re.IGNORECASE)
_LIKELY = re.compile(
    r"\.(?:md|markdown)\.|\.(?:bak|backup|copy|old|orig|rej|save?|te?xt|mdx|qmd|rmd|mmark|pandoc|pdc)$", re.IGNORECASE
)
"""Names of copies of a post, and suffixes of other texts that may have front matter."""
_YAML = re.compile(r"\.ya?ml(?:\.|$)", re.IGNORECASE)
_ENDING = re.compile(r"\.(?:md|markdown)\..*$|\.[a-z][a-z0-9]*$|\.+$", re.IGNORECASE | re.DOTALL)
_KEY = re.compile(r"^[\w\"'-]+[ \t]*[:=]", re.MULTILINE)


def no_front_matter(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post has no front matter.

    Its title is then its first heading or its file name, and it has no author and no tags. `--fix` adds front matter
    with the title, and with the date if only git knows it. Documents in mounted folders need none.
    """
    for text in evidence.sources:
        if evidence.config.is_mounted(text.parsed.file):
            continue
        if text.post and text.facts.block is None and not text.parsed.diagnostics:
            title = text.post.title
            date = f"date: {text.date_from_git}\n" if text.date_from_git else ""
            block = f"---\ntitle: {_quoted(title)}\n{date}---\n\n"
            edits = (Edit(Span(text.parsed.file, 1, 1), "", block),)
            yield problems.no_front_matter(Span(text.parsed.file, 1), title, Fix(edits))


def _quoted(text: str) -> str:
    """A string as both YAML and TOML write it."""
    return json.dumps(text, ensure_ascii=False)


def with_titles(evidence: Evidence, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The problems of a build; those about missing titles get a fix that adds the title in use."""
    texts = {text.parsed.file: text for text in evidence.sources}
    for problem in found:
        text = texts.get(problem.span.path) if problem.code == "missing-title" else None
        yield msgspec.structs.replace(problem, fix=_title(text)) if text else problem


def _title(text: CheckedSource) -> Fix | None:
    return _new_key(text, "title", _quoted(text.post.title)) if text.post else None


def _new_key(text: CheckedSource, name: str, value: str) -> Fix | None:
    """A fix that adds a key to the front matter, unless it may be there already: misspelt, or behind an error."""
    block = text.facts.block
    sign = {"yaml": ":", "toml": " ="}.get(block.language, "") if block else ""
    hidden = any(problem.code in _HIDING for problem in text.parsed.diagnostics)
    if not block or not sign or hidden or _has_key(block, name):
        return None
    return Fix((Edit(Span(text.parsed.file, block.first + 1, 1), "", f"{_indent(block)}{name}{sign} {value}\n"),))


_HIDING = frozenset({"unknown-key", "front-matter-syntax"})
"""The codes of problems because of which a key may seem to be missing."""


def _indent(block: Block) -> str:
    """The indentation of a new key: YAML requires all keys in the same column."""
    return " " * block.indent if block.language == "yaml" else ""


def repeated_title(evidence: Evidence) -> Iterator[Diagnostic]:
    """The first heading repeats the title.

    Pages show the title themselves, so devlog leaves out the heading. `--fix` removes it, unless a link leads to it, it
    contains more than text, such as a link, or another heading would get its anchor.
    """
    repeated = [text for text in evidence.sources if text.facts.repeated_title]
    linked = {_fragment(ref.target) for text in evidence.sources for ref in text.parsed.document.refs if repeated}
    for text in repeated:
        found = text.facts.repeated_title
        assert found
        is_free = found.is_plain and found.anchor not in linked and not _shares(found.anchor, text)
        fix = Fix((Edit(found.span, "", "", found.lines),)) if is_free else None
        yield problems.repeated_title(found.span, text.parsed.front_matter.title, fix)


def _shares(anchor: str, text: CheckedSource) -> bool:
    """Whether an anchor and another one of its page differ in a number only, which tells them apart."""
    stem, anchors = _stem(anchor), text.parsed.document.anchors
    return stem in anchors or any(_stem(other) == anchor for other in anchors)


def _stem(anchor: str) -> str:
    """An anchor without the number that makes it unique; empty if it has none."""
    found = _NUMBERED.fullmatch(anchor)
    return found[1] if found else ""


_NUMBERED = re.compile(r"(.+)[-_][0-9]+")


def _fragment(target: str) -> str:
    """The fragment of a link's target."""
    return unquote(target.partition("#")[2])


def _has_key(block: Block, name: str) -> bool:
    """Whether a key is there, maybe without a value: a second one would be an error."""
    return any(key.name.lower() == name for key in block.keys)


def authors_key(evidence: Evidence) -> Iterator[Diagnostic]:
    """`authors:` holds one string where `author:` is meant.

    Both work, but a list such as `authors: [adaquill, boreed]` names keys of the authors file, while a string such as
    `author: Ada Quill (@adaquill)` names people. `--fix` renames the key, unless there is an `author` too, or the
    string is a key of the authors file: `author: adaquill` would be a name.
    """
    for text in evidence.sources:
        if text.facts.block is None:
            continue
        names = {key.name.lower() for key in text.facts.block.keys}
        names |= {edit.new for problem in text.parsed.diagnostics if problem.fix for edit in problem.fix.edits}
        has_handle = any(byline.handle for byline in text.parsed.front_matter.authors)
        for key in text.facts.block.keys:
            if key.name.lower() == "authors" and key.value and key.span.length == len(key.name):
                edits = (Edit(key.span, key.name, key.name[:-1]),)
                has_keys = has_handle and "@" not in key.value
                listing = _listing(key, text.facts.block.language) if has_keys else ""
                keeps = has_keys or "author" in names
                yield problems.authors_key(key.span, key.name, listing, None if keeps else Fix(edits))


def _listing(key: Key, language: str) -> str:
    """A key whose value is a key of the authors file, as a list."""
    if language == "toml":
        return f'{key.name} = ["{key.value}"]'
    return f'"{key.name}": ["{key.value}"]' if language == "json" else f"{key.name}: [{key.value}]"


def date_mismatch(evidence: Evidence) -> Iterator[Diagnostic]:
    """The front matter and the file name have different dates.

    The date in the front matter determines the order of posts, but most URLs show the date in the file name. If the
    front matter has a time of day, a difference of one day is accepted, since it may come from a time zone.
    """
    for text in evidence.sources:
        date, named = text.parsed.front_matter.date, text.parsed.name_date
        if date and named:
            tolerance = timedelta(0 if date.day_only else 1)
            if abs(_day(date) - _day(named)) > tolerance:
                span = text.parsed.front_matter.span("date", text.parsed.file)
                written = _NAME.match(text.parsed.name)
                in_url = bool(written and text.post and written[0] in text.post.permalink)
                yield problems.date_mismatch(span, _day(date).isoformat(), _day(named).isoformat(), in_url=in_url)


def _day(date: Date) -> day:
    """The day as the author wrote it, in the author's time zone."""
    value = date.value
    return (value.astimezone(timezone(timedelta(minutes=date.offset))) if value.tzinfo else value).date()


def unpadded_date(evidence: Evidence) -> Iterator[Diagnostic]:
    """A date such as `2023-10-5` has no leading zeros.

    devlog can read it, but files do not sort by it and other tools reject it. `--fix` corrects it in front matter; it
    does not rename files, because their URLs would change.
    """
    for text in evidence.sources:
        for key in text.facts.block.keys if text.facts.block else ():
            right = _padded(key.value) if key.value[:1].isdigit() and _folded(key.name) in DATES else ""
            if right and right != key.value:
                yield problems.unpadded_date(key.value_span, key.value, right, _replacing(key, right))
        name = _NAME.match(text.parsed.name) if text.parsed.name_date else None
        if name and _padded(name[0]) != name[0]:
            yield problems.unpadded_date(Span(text.parsed.file), name[0], _padded(name[0]), None)


def _folded(name: str) -> str:
    """The name of a key without what makes no difference."""
    return name.lower().replace("_", "").replace("-", "")


def _padded(text: str) -> str:
    """A date with leading zeros; empty if the text is not a date."""
    found = _UNPADDED.match(text)
    return f"{found[1]}-{found[2]:0>2}-{found[3]:0>2}{text[found.end() :]}" if found else ""


def _replacing(key: Key, value: str) -> Fix | None:
    """A fix that replaces the value of a key, if the value is in the file exactly as parsed."""
    exact = key.value_span.length == len(key.value)
    return Fix((Edit(key.value_span, key.value, value),)) if exact else None


def date_from_git(evidence: Evidence) -> Iterator[Diagnostic]:
    """Only git knows when the post was written.

    devlog uses the date of the commit that added the file. The date is lost in a checkout without history, as is usual
    in CI, and when the file moves to another repository. `--fix` adds the date to the front matter.
    """
    for text in evidence.sources:
        if text.date_from_git and text.facts.block and text.post and not text.post.is_page:
            fix = _new_key(text, "date", text.date_from_git)
            yield problems.date_from_git(Span(text.parsed.file, 1), text.date_from_git, fix)


def missing_suffix(evidence: Evidence) -> Iterator[Diagnostic]:
    """A file looks like a post, but its name does not end in `.md`.

    It is published as a download, even with `draft: true`. A text file without a suffix looks like a post if its name
    begins with a date, or its content with front matter. Another one looks like a post if its content begins with front
    matter, and its name with a date, or if it has the suffix of a text or a copy, as `plan.mkd`, `plan.txt` and
    `plan.md.bak`. `--fix` renames files with no suffix or another one of Markdown, unless there is a file of that name,
    or a link to the old one, of a draft too.
    """
    taken = {text.parsed.file for text in evidence.sources} | {item.asset.file for item in evidence.site.assets}
    found: dict[str, list[str]] = {}
    for file in (item.asset.file for item in evidence.site.assets if item.folder == "content"):
        head = evidence.heads.get(file)
        folder, slash, name = file.rpartition("/")
        if head is not None and (_has_front_matter(head) or (_NAME.match(name) and not _has_suffix(name))):
            found.setdefault(f"{folder}{slash}{_ENDING.sub('', name)}.md", []).append(file)
    hidden = [text for text in evidence.sources if found and not text.post]  # no target of their links is known
    linked = {_last_segment(ref.target) for text in hidden for ref in text.parsed.document.refs}
    used = {item.asset.file for item in evidence.site.assets if found and evidence.uses.get(item.permalink)}
    for new, files in found.items():
        for file in files:
            name = file.rpartition("/")[2]
            is_sure = len(files) == 1 and (not _has_suffix(name) or _MARKDOWN.search(name) is not None)
            is_linked = file in used or name in linked
            is_free = new not in taken
            yield problems.missing_suffix(Span(file), new, is_free=is_free, is_sure=is_sure, is_linked=is_linked)


def _last_segment(target: str) -> str:
    """The name of the file that a link's target is the path of."""
    return posixpath.basename(unquote(re.split("[?#]", target, maxsplit=1)[0]))


def _has_suffix(name: str) -> bool:
    return "." in name.strip(".")


def may_be_post(name: str) -> bool:
    """Whether a file may be a post with a wrong suffix, by its name, so that its content is to be looked at."""
    if not _has_suffix(name) or _MARKDOWN.search(name) or _LIKELY.search(name):
        return True
    # Documents of YAML begin and end as front matter does.
    is_text = media_type(name).partition("/")[0] not in ("image", "audio", "video", "font")
    return _NAME.match(name) is not None and is_text and not _YAML.search(name)


def _has_front_matter(head: str) -> bool:
    found = _FRONT_MATTER.match(head)  # a line of dashes alone may be a rule
    return found is not None and _KEY.search(found[2]) is not None


def empty_post(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post has a title but no body."""
    for text in evidence.posts:
        document = text.parsed.document
        intact = not any(problem.severity == "error" for problem in text.parsed.diagnostics)
        if intact and not document.words and not document.refs and not text.facts.outside:
            yield problems.empty_post(Span(text.parsed.file, 1))


def placeholder(evidence: Evidence) -> Iterator[Diagnostic]:
    """A word in the prose shows that the post is not finished, such as `TODO`.

    `placeholders` in `[check]` lists the words. Those in capitals count exactly as written, and only at the beginning
    or end of a sentence, as in a note; others count anywhere, in any letter case. Code does not count. In front
    matter, leftovers of post templates count: a title such as “Your title here”, a handle such as
    `@your_github_handle`.
    """
    for text in evidence.sources:
        for match in text.facts.placeholders:
            yield problems.placeholder(match.span, match.text)
        for key in text.facts.block.keys if text.facts.block else ():
            if _LEFT_BEHIND.search(key.value):
                yield problems.placeholder(key.value_span, shortened(key.value, 60))


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
