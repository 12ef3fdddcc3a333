"""Rules about authors: whether each person is named in the same way everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.model.diagnostic import Diagnostic, Edit, Fix
from devlog.model.document import Byline
from devlog.model.names import fold

_NONE: Mapping[str, int] = {}
_HANDLE = re.compile(r"@([A-Za-z0-9_][A-Za-z0-9_.-]*)")


def missing_handle(evidence: Evidence) -> Iterator[Diagnostic]:
    """An author has no handle, or a handle without its `@`.

    If the same name has a handle elsewhere in the site, or if the word in parentheses is a handle elsewhere, it is the
    same author, and `--fix` adds the handle to whose page the build credits the post: if the authors file has the name,
    that decides. Any other name is reported only if most authors of the site have handles, and if it is neither a team
    nor in the authors file.
    """
    people = evidence.people
    uses_handles = people.uses_handles()
    site = evidence.site
    credited = {post.parsed.file: {credit.author for credit in post.credits} for post in (*site.posts, *site.pages)}
    for byline in people.bylines:
        if byline.handle or not byline.name or byline.team:
            continue
        aside = byline.aside.lower()
        if aside in people.handles:
            meant = msgspec.structs.replace(byline, handle=aside, aside="")
            yield problems.bare_handle(
                byline.span, byline.written or byline.aside, meant.spelling, _respell(byline, meant)
            )
            continue
        handles = people.handles_of.get(fold(byline.name), _NONE)
        handle = people.handle_of(fold(byline.name)) if handles else ""
        if handle and handle in credited.get(byline.span.path, {handle}):
            meant = msgspec.structs.replace(byline, handle=handle)
            yield problems.missing_handle(byline.span, byline.name, meant.spelling, _respell(byline, meant))
        elif uses_handles and not handles and not people.is_known(byline.name):
            yield problems.missing_handle(byline.span, byline.name, "", None)


def author_spelling(evidence: Evidence) -> Iterator[Diagnostic]:
    """An author is recognized, but not written as `Name (@handle)`.

    `Ada Quill(@adaquill)` and `Ada Quill @adaquill` are the same author. `--fix` writes the usual form.
    """
    handles = evidence.people.handles
    for byline in evidence.people.bylines:
        usual = f"{byline.name} (@{byline.handle})"  # nearly all bylines have this form
        if byline.handle and byline.written not in ("", usual) and byline.aside.lower() not in handles:
            right = _spelling(byline, byline.written)
            fix = _respell(byline, byline)
            if fix and right.casefold() != byline.written.casefold():
                yield problems.author_spelling(byline.span, byline.written, right, fix)


def _spelling(byline: Byline, written: str) -> str:
    """The canonical form of an author, with the handle in the letter case in which it was written."""
    own = _HANDLE.search(written)
    return (
        byline.spelling.replace(f"@{byline.handle}", own[0])
        if own and own[1].lower() == byline.handle
        else byline.spelling
    )


def _respell(byline: Byline, meant: Byline) -> Fix | None:
    """A fix that changes the spelling of an author, if the file has the parsed text and the new one means the same."""
    written, right = byline.written, _spelling(meant, byline.written)
    if not written or byline.span.length != len(written):
        return None
    marks = any(mark in f"{right} " and mark not in f"{written} " for mark in (": ", " #"))  # special in unquoted YAML
    if marks or (right.startswith("@") and not written.startswith("@")):
        return None
    return Fix((Edit(byline.span, written, right),))


def two_names(evidence: Evidence) -> Iterator[Diagnostic]:
    """One handle has two names.

    Pages show the name that most posts use. The authors file can set another name, and can list other spellings as
    `aliases`.
    """
    people = evidence.people
    for byline in people.bylines:
        handle = people.meant(byline.handle)
        names = people.names.get(handle, _NONE)
        entry = people.registry.get(handle)
        if len(names) < 2 and not (entry and entry.name):
            continue
        own = entry.name if entry else ""
        usual = own or people.usual_name(handle)
        if byline.name and fold(byline.name) != fold(usual) and not people.is_known(byline.name):
            yield problems.two_names(byline.span, handle, byline.name, usual, is_set=bool(own))


def two_handles(evidence: Evidence) -> Iterator[Diagnostic]:
    """One name has two handles.

    They count as two people with a page each, until the authors file lists one handle as an alias of the other. If it
    has the name, its handle is the usual one, also if no post has it.
    """
    people = evidence.people
    for byline in people.bylines:
        if not (byline.name and byline.handle):
            continue
        name, handle = fold(byline.name), people.meant(byline.handle)
        usual = people.registered(name) or people.usual_handle(name)
        if handle != usual and not {handle, usual} <= people.registry.keys():
            where = "elsewhere" if usual in people.handles_of[name] else "in the authors file"
            yield problems.two_handles(byline.span, byline.name, handle, usual, where)


RULES = (missing_handle, author_spelling, two_names, two_handles)
