"""The Markdown of a digest, from a template of the site or of devlog.

Templates are trusted; what they are given is not: titles, names and paths of a repository become Markdown that shows
their characters, whatever they are. They cannot become markup, links, front matter or shortcodes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
import msgspec

from devlog.disk.read import read_text
from devlog.features.digests.digest import words
from devlog.features.digests.digest.areas import OTHER
from devlog.features.digests.digest.history import CONTROL
from devlog.features.digests.model.activity import Activity, Area, Change, Issue
from devlog.model.diagnostic import Diagnostic
from devlog.model.gaps import ChangedSincePost
from devlog.model.markdown import address, escaped_with_extensions, opened

BUILT_IN = ("day", "week", "release", "closing", "gaps")
"""The templates that come with devlog."""

LARGEST = 200_000
"""A text of a digest has at most so many characters."""

_BUDGET = 190_000
"""A template that would write more names fewer changes, and counts the others."""

_SMALLEST = 2
"""An area with fewer changes has no section of its own if there are others."""

_MOST_AREAS = 8
"""So many areas have sections of their own."""

_LEAST_BARS = 3
"""A chart with fewer bars says no more than a sentence."""

_MOST_HIGHLIGHTS = 3
"""So many changes of a release have a paragraph of their own."""

_LEAST_FOR_HIGHLIGHTS = 8
"""A release with fewer changes is short enough without."""

_KINDS = {
    "feature": "New",
    "performance": "Faster",
    "fix": "Fixed",
    "change": "Changed",
    "documentation": "Documentation",
    "test": "Maintenance",
    "maintenance": "Maintenance",
}
"""The headings of a release, in their order, by the type of change."""

_PLAIN_PATH = re.compile(r"[\w./+@-]+", re.ASCII)
_NO_LABEL = re.compile(r"[^\w ./+@()&:-]")
"""What a label of a chart shows as a dot: no character that ends a fence, or that shortcodes have."""

_UNTITLED = "Untitled change"
"""What a text calls a change without a title, beside its reference."""

_REFERENCE = re.compile(r"[#!]\d+|D\d+")


class TemplateFailedError(Exception):
    """A template cannot be filled. The message says why; `file` and `line` say where."""

    def __init__(self, message: str, file: str, line: int) -> None:
        super().__init__(message)
        self.file = file
        self.line = line


class Markdown(str):
    """Text that is Markdown already, and not escaped again."""

    __slots__ = ()


class Filled(NamedTuple):
    """A filled template.

    Attributes:
        text: the Markdown.
        unnamed: the numbers of items that its lists count instead of naming them.
    """

    text: str
    unnamed: frozenset[int] = frozenset()


class Section(msgspec.Struct, frozen=True):
    """An area as a template sees it.

    Attributes:
        name: of the area; empty for the changes of all areas that have no section of their own.
        changes: its changes, the most important first.
        authors: names of the people who wrote them.
        themes: words that stand out.
    """

    name: str
    changes: tuple[Change, ...]
    authors: tuple[str, ...]
    themes: tuple[str, ...]

    @property
    def fixes(self) -> int:
        """How many of the changes are fixes."""
        return sum(change.kind == "fix" for change in self.changes)


def sections(activity: Activity) -> tuple[Section, ...]:
    """The areas that have sections of their own, and one for the rest."""
    listed = activity.by_commit()
    own, rest = list[Area](), list[Area]()
    for area in activity.areas:
        is_own = area.name != OTHER and len(area.changes) >= _SMALLEST and len(own) < _MOST_AREAS
        (own if is_own else rest).append(area)
    if not own:  # so few changes that each is alone in its area
        own, rest = [area for area in rest if area.name != OTHER], [area for area in rest if area.name == OTHER]
    found = [
        Section(area.name, tuple(listed[commit] for commit in area.changes), area.authors, area.themes) for area in own
    ]
    if rest:
        changes = tuple(listed[commit] for area in rest for commit in area.changes)
        authors = tuple(dict.fromkeys(author for change in changes for author in change.authors))
        found.append(Section("", changes, authors, ()))
    return tuple(found)


def by_kind(sections: Sequence[Section], without: Collection[Change] = ()) -> tuple[Section, ...]:
    """The changes of sections by their type, as release notes are read; by area if subjects do not tell types.

    Args:
        sections: by area.
        without: changes that are left out.
    """
    rest = [
        msgspec.structs.replace(section, changes=tuple(change for change in section.changes if change not in without))
        for section in sections
    ]
    changes = [change for section in rest for change in section.changes]
    found: dict[str, list[Change]] = {name: [] for name in _KINDS.values()}
    for change in changes:
        found[_KINDS[change.kind]].append(change)
    if 2 * len(found[_KINDS["change"]]) > len(changes):
        return tuple(section for section in rest if section.changes)
    authors = {name: tuple(dict.fromkeys(who for one in some for who in one.authors)) for name, some in found.items()}
    return tuple(Section(name, tuple(some), authors[name], ()) for name, some in found.items() if some)


def highlights(sections: Sequence[Section]) -> tuple[Change, ...]:
    """The first change of each of the first sections; none of a few changes."""
    if sum(len(section.changes) for section in sections) < _LEAST_FOR_HIGHLIGHTS:
        return ()
    return tuple(section.changes[0] for section in sections if section.name)[:_MOST_HIGHLIGHTS]


def title_of(activity: Activity) -> str:
    """The title of a digest: the project or the release, and the areas and themes that stand out."""
    about = f"{activity.project} {activity.release.name}" if activity.release else activity.project
    named = [section for section in sections(activity) if section.name]
    if not named:
        return f"{about}: {words.count(activity.totals.listed, 'change')}"
    first = named[0]
    name = words.heading(first.name)
    distinct = [theme for theme in first.themes if theme not in first.name.lower()][:2]
    if len(first.changes) >= 3 and distinct:
        return f"{about}: {name} – {words.listing(distinct)}"
    return f"{about}: {words.listing([name, *(section.name for section in named[1:2])])}"


def summary_of(activity: Activity) -> str:
    """One sentence about the whole: how many changes, by how many people, and where."""
    totals = activity.totals
    most = [section.name for section in sections(activity) if section.name][:3]
    where = f", most of them in {words.listing(most)}" if most and totals.listed > 1 else ""
    return (
        f"{words.upper_first(words.count(totals.listed, 'change'))} by {words.count(totals.people, 'person')}{where}."
    )


def reference(change: Change) -> str:
    """How a text names a change: the number of its pull request, else the beginning of its commit id."""
    return change.number or change.short_id


def _shown(change: Change) -> Markdown:
    """A reference as Markdown, in the form that the index of source references reads."""
    name = reference(change)
    return Markdown(name if _REFERENCE.fullmatch(name) else f"`{name}`")


def _issues(issues: Sequence[Issue], *, titles: bool = False) -> Markdown:
    """A list of issues as Markdown, with their titles in brackets if they are wanted and known."""
    named = [
        f"{_number(issue)} ({escaped_with_extensions(_shortened(issue.title))})"
        if titles and issue.title
        else _number(issue)
        for issue in issues
    ]
    return Markdown(words.listing(named))


def _number(issue: Issue) -> str:
    return issue.number if _REFERENCE.fullmatch(issue.number) else escaped_with_extensions(issue.number)


def _directory(path: str) -> Markdown:
    """The path of a directory as code, or as plain text if it has characters that could end the code."""
    name = f"{path}/"
    return Markdown(f"`{name}`" if _PLAIN_PATH.fullmatch(name) else _plain(CONTROL.sub("", name)))


def _post_link(post: ChangedSincePost) -> Markdown:
    title = _plain(CONTROL.sub("", post.title))
    named = title.replace("]", "\\]")  # only in a link does it end something
    return Markdown(f"[{named}]({address(post.post)})" if post.post else title)


def _sentence(change: Change) -> Markdown:
    """What a change does, as a sentence with its reference: a pull request is the subject of its own."""
    does = words.predicate(change.title) if change.number else ""
    if does:
        return Markdown(f"{_shown(change)} {escaped_with_extensions(does)}.")
    return Markdown(f"{_plain(_title(change))} ({_shown(change)}).")


def _plain(text: str) -> str:
    """Text that shows its characters, also at the beginning of a line, where it could be a heading or a list."""
    return opened(escaped_with_extensions(" ".join(text.split())))


def _title(change: Change) -> str:
    """The title of a change as it begins a line. Its id, which stands for one, is in the reference behind it anyway."""
    return _UNTITLED if change.title == change.short_id else _shortened(change.title)


def _shortened(title: str) -> str:
    return words.upper_first(title.strip().rstrip("."))


def fill(root: Path, name: str, activity: Activity, day: date) -> Filled:
    """Fill a template.

    Args:
        root: the folder in whose ``templates/`` the site's own templates are.
        name: one of `BUILT_IN`, or the name of a file in that folder.
        activity: what the digest is about.
        day: the date of the post.

    Raises:
        TemplateFailedError: there is no such template, or it cannot be filled.
    """
    share, last = 1.0, ""
    try:
        while True:
            unnamed = set[int]()
            environment = _environment(root, _functions(activity, unnamed, share))
            text = environment.get_template(name).render(
                activity=activity, sections=sections(activity), day=day, summary=summary_of(activity)
            )
            if len(text) <= _BUDGET or text == last:  # if it stays the same, it does not ask what to name
                break
            share, last = share * 0.95 * _BUDGET / len(text), text
    except jinja2.TemplateNotFound as error:
        raise TemplateFailedError("there is no such file", _file(str(error)), 0) from None
    except jinja2.TemplateSyntaxError as error:
        raise TemplateFailedError(str(error.message), _file(error.name or name), error.lineno) from None
    except Exception as error:  # of the template's own expressions
        line = _line(error, name)
        raise TemplateFailedError(str(error) or type(error).__name__, _file(name), line) from None
    return Filled(re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n", frozenset(unnamed))


def _environment(root: Path, functions: dict[str, Callable[..., Any]]) -> jinja2.Environment:
    environment = jinja2.Environment(  # noqa: S701 - what comes of it is Markdown, see `_finalize`
        loader=jinja2.FunctionLoader(lambda other: _source(root, other)),
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals = {**environment.globals, **functions}
    return environment


def _functions(activity: Activity, unnamed: set[int], share: float) -> dict[str, Callable[..., Any]]:
    """What templates may call.

    Args:
        activity: what the digest is about.
        unnamed: gets the numbers of items that lists only count.
        share: of the changes of each area that lists name: the most important ones, at least one.
    """
    kept = {
        change.commit
        for section in sections(activity)
        for change in section.changes[: math.ceil(share * len(section.changes))]
    }

    def named(changes: Sequence[Change]) -> list[Change]:
        return [change for change in changes if change.commit in kept]

    def others(changes: Sequence[Change]) -> Markdown:
        rest = len(changes) - len(named(changes))
        unnamed.update(filter(None, [rest]))
        return Markdown(f"{words.upper_first(words.number(rest))} {words.plural(rest, 'other')}" if rest else "")

    def listing(items: Iterable[str], most: int = 0) -> str:
        listed = [*items]
        unnamed.update(filter(None, [words.unnamed(listed, most)]))
        return words.listing(listed, most)

    return {
        "by_kind": by_kind,
        "chart": chart,
        "count": words.count,
        "counted": lambda reason: activity.counted.get(reason, 0),
        "directory_name": _directory,
        "heading": words.heading,
        "highlights": highlights,
        "issues": _issues,
        "listing": listing,
        "named": named,
        "others": others,
        "long_date": lambda day: words.long_date(date.fromisoformat(day) if isinstance(day, str) else day),
        "plural": words.plural,
        "post_link": _post_link,
        "reference": _shown,
        "sentence": _sentence,
        "title": _title,
        "upper_first": words.upper_first,
    }


def chart(sections: Sequence[Section]) -> Markdown:
    """A chart of the number of changes in each area, as a fence that devlog draws; empty for a few areas."""
    named = [section for section in sections if section.name]
    if len(named) < _LEAST_BARS:
        return Markdown("")
    rows = [f'"{label(section.name)}",{len(section.changes)}' for section in named]
    return Markdown("\n".join(['```csv plot=bar title="Changes by area"', "area,changes", *rows, "```", ""]))


def label(area: str) -> str:
    """The name of an area as a chart shows it."""
    return _NO_LABEL.sub("·", area)


def _finalize(value: Any) -> Any:
    """What ``{{ … }}`` writes: text is escaped, so that it shows as it is."""
    return value if isinstance(value, Markdown) or not isinstance(value, str) else _plain(value)


def _file(name: str) -> str:
    return f"{name}.md" if name in BUILT_IN else f"templates/{name}"


def _source(root: Path, name: str) -> tuple[str, str, Callable[[], bool]] | None:
    """The source of a template, for Jinja; `None` if there is none."""
    if name in BUILT_IN:
        text: str | Diagnostic = (Path(__file__).with_name("templates") / f"{name}.md").read_text("utf-8")
    else:
        text = read_text(root, f"templates/{name}") if (root / "templates" / name).is_file() else ""
        if not text:
            return None
    return None if isinstance(text, Diagnostic) else (text, name, lambda: True)


def _line(error: Exception, name: str) -> int:
    """The line of a template at which an exception was raised; 0 if it is not known."""
    line, trace = 0, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def mentioned(text: str, changes: Sequence[Change]) -> tuple[Change, ...]:
    """Those of some changes that a text mentions, by number, commit or title."""
    plain = re.sub(r"\\([^\w\s])", r"\1", text)
    numbers = set(re.findall(r"(?<![\w&])(?:[#!]\d+|D\d+)(?!\w)", plain))
    commits = set(re.findall(r"\b[0-9a-f]{7,64}\b", plain))
    lengths = {len(commit) for commit in commits}
    spoken = f" {plain.lower()}"
    return tuple(
        change
        for change in changes
        if change.number in numbers
        or any(change.commit[:length] in commits for length in lengths)
        or f" {change.title.strip().rstrip('.').lower()}" in spoken
    )
