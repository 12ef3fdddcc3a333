"""The report of an import, for the terminal."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import click

from devlog.adopt.adopt import Adopted
from devlog.adopt.adoption import Adoption, Note
from devlog.adopt.trial import Trial
from devlog.adopt.write_toml import FILE
from devlog.model.diagnostic import Diagnostic, Span
from devlog.report import count, printable

_MOST_SHOWN = 3
_NAMES = 12
_NAME = re.compile("“([^“”]*)”")
_MANY = 30

_HARMLESS = frozenset(
    """
    missing-index missing-date missing-title unknown-language not-html no-posts case-mismatch link-leaves-site
    reserved-topic comment-in-value broken-link broken-anchor
    """.split()
)
"""Problems that need no work for the import, since the old site has them too."""


def lines(adopted: Adopted, *, dry: bool) -> Iterator[str]:
    """The report of an import, line by line.

    Args:
        adopted: the result of the import.
        dry: whether it was a dry run; then the report shows the text that would be written.
    """
    adoption, trial = adopted.adoption, adopted.trial
    if adoption is None or trial is None:
        return
    files = f": {', '.join(map(printable, adoption.files))}" if adoption.files else ""
    kind = adoption.generator if adoption.generator.startswith("a ") else f"a site of {adoption.generator}"
    yield click.style(f"{kind[:1].upper()}{kind[1:]}{files}", bold=True)
    yield from _notes("Mapped", adoption.mapped, "→")
    yield from _notes("Not mapped", adoption.unmapped, "–")
    yield from _advice(adoption)
    yield from _tried(trial)
    yield from _left_out(adopted.left_out)
    yield from _by_kind(trial)
    yield from _by_hand(trial)
    yield ""
    if dry:
        yield click.style(f"Nothing was written. {FILE} would contain:", bold=True)
        yield ""
        yield from (printable(line) for line in adopted.text.rstrip("\n").split("\n"))
    elif adopted.written:
        yield from _ending(trial)


def _notes(title: str, notes: tuple[Note, ...], mark: str) -> Iterator[str]:
    if not notes:
        return
    yield ""
    yield click.style(f"{title} ({len(notes)}):", bold=True)
    for note in notes:
        yield f"  {_location(note.span)}{printable(note.key)} {mark} {printable(note.text)}"


def _location(span: Span) -> str:
    if not span.path:
        return ""
    return f"{printable(span.path)}:{span.line}: " if span.line else f"{printable(span.path)}: "


def _advice(adoption: Adoption) -> Iterator[str]:
    advice = [*adoption.advice, Note(Span(""), "", "add .devlog/ and the output folder to .gitignore")]
    yield ""
    yield click.style(f"Notes ({len(advice)}):", bold=True)
    for note in advice:
        yield f"  {_location(note.span)}{printable(note.text)}"


def _tried(trial: Trial) -> Iterator[str]:
    yield ""
    sizes = f"{count(trial.posts, 'post')}, {count(trial.pages, 'page')}, {count(trial.topics, 'topic')}"
    yield click.style("Trial build: ", bold=True) + sizes
    for address in trial.addresses[:_MOST_SHOWN]:
        yield f"  {printable(address)}"
    if len(trial.addresses) > _MOST_SHOWN:
        yield f"  … and {count(len(trial.addresses) - _MOST_SHOWN, 'more URL')}"
    if trial.skipped:
        reasons: dict[str, list[str]] = defaultdict(list)
        for item in trial.skipped:
            reasons[item.reason].append(item.path)
        for reason, paths in sorted(reasons.items()):
            yield f"  {count(len(paths), 'post')} not published: {reason} ({_some(paths)})"


def _some(names: Iterable[str], most: int = _MOST_SHOWN) -> str:
    shown = list(names)
    rest = ", …" if len(shown) > most else ""
    return ", ".join(printable(name) for name in shown[:most]) + rest


def _left_out(found: dict[str, Diagnostic]) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield click.style(f"Ignored until fixed ({len(found)}), because they stop the build:", fg="red", bold=True)
    for file, item in found.items():
        location = f"{printable(file)}, because of {_where(item)}" if file in item.others else _where(item)
        yield f"  {location}: error[{item.code}]: {printable(item.message)}"
    yield "  remove them from “ignore” and “ignore_static” once they are fixed"


def _where(item: Diagnostic) -> str:
    span = item.span
    return ":".join([printable(span.path), *(str(number) for number in (span.line,) if number)])


def _by_kind(trial: Trial) -> Iterator[str]:
    kinds: dict[tuple[str, str], list[Diagnostic]] = defaultdict(list)
    for item in trial.diagnostics:
        kinds[(item.severity, item.code)].append(item)
    if not kinds:
        return
    yield ""
    yield click.style(f"Problems ({len(trial.diagnostics)}), by kind:", bold=True)
    order = {"error": 0, "warning": 1, "info": 2}
    for (severity, code), found in sorted(kinds.items(), key=lambda kind: (order[kind[0][0]], -len(kind[1]))):
        yield f"  {len(found):>5} {severity}[{code}]: {_some(dict.fromkeys(map(_where, found)))}"
        if code == "unknown-shortcode":
            names = Counter(name for item in found for name in _NAME.findall(item.message)[:1])
            yield f"        {_some((f'{name} ({number})' for name, number in names.most_common()), _NAMES)}"
        if code == "unsafe-html":
            posts = len({item.span.path for item in found})
            yield f'        {count(posts, "post")} with raw HTML that is removed; “html = "trusted"” keeps it'
        if code == "active-content":
            yield "        active files are not published; move those that you need to the static folder"


def _by_hand(trial: Trial) -> Iterator[str]:
    found = [item for item in trial.diagnostics if item.severity != "info" and item.code not in _HARMLESS]
    if not found:
        return
    texts = {item.span.path for item in found}
    yield ""
    yield click.style(f"To review ({count(len(texts), 'file')}):", bold=True)
    alike: dict[tuple[str, str], list[Diagnostic]] = defaultdict(list)
    for item in found:
        alike[(item.code, item.message)].append(item)
    for same in list(alike.values())[:_MANY]:
        item, more = same[0], f" (and {count(len(same) - 1, 'more place')})" if len(same) > 1 else ""
        yield f"  {_where(item)}: {item.severity}[{item.code}]: {printable(item.message)}{more}"
    rest = sum(len(same) for same in list(alike.values())[_MANY:])
    if rest:
        yield f"  … and {rest} more: run “devlog check”"


def _ending(trial: Trial) -> Iterator[str]:
    if trial.fails:
        yield click.style(f"{FILE} was written, but errors keep the site from being built.", fg="red", bold=True)
    else:
        yield click.style(f"{FILE} was written.", fg="green", bold=True) + " “devlog serve” shows the site."
