"""Says what is wrong with a template: at the line of the template that made the mistake, in words of people who write
templates, and with the names that there are.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import CodeType
from typing import Any, NamedTuple

import jinja2
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.runtime import Undefined

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.error_line import error_line
from devlog.model.problems import did_you_mean
from devlog.model.theme import Theme
from devlog.plugins.faults import fault
from devlog.plugins.loading import load
from devlog.render import problems

MOST_NAMES = 30
"""How many names a hint lists."""


class _Place(NamedTuple):
    """A line of a template in a traceback, and the values that the code of the template has there."""

    file: str
    line: int
    text: str
    values: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def template_error(theme: Theme, name: str, error: BaseException) -> Diagnostic:
    """The error of a template, or of a filter of a plugin, during rendering.

    A value that does not exist is used where a template computes with it, perhaps in a macro of the theme that another
    template has given it to. The error is that of the innermost template whose line names the value.

    Args:
        theme: the theme of the page.
        name: the template of the page.
        error: what rendering raised.
    """
    if isinstance(error, jinja2.TemplateSyntaxError):
        template = {template.name: template.file for template in theme.templates}
        span = Span(template.get(error.name or name, error.name or name), error.lineno)
        return problems.template_error(span, *syntax_error(error))
    places = _places(theme, error)
    undefined = _undefined(error)
    if undefined is None:
        if found := filter_fault(theme, error, str(places[-1]) if places else name):
            return found
        if isinstance(error, RecursionError) and (circle := _circle(places)):
            return problems.template_error(Span(circle[0].file, circle[0].line), *_endless(theme, circle))
        place = places[-1] if places else None
        message = _quoted(str(error)) if isinstance(error, jinja2.TemplateError) else _of_python(error)
        hint = ""
    else:
        wanted = str(undefined._undefined_name)
        mentions = [place for place in places if re.search(rf"\b{re.escape(wanted)}\b", place.text)]
        place = mentions[-1] if mentions else places[-1] if places else None
        message, hint = _missing(undefined, wanted, place)
    files = {template.name: template.file for template in theme.templates}
    span = Span(place.file, place.line) if place else Span(files.get(name, name))
    return problems.template_error(span, message, hint)


def _circle(places: Sequence[_Place]) -> list[_Place]:
    """The lines by which templates use each other in a circle; empty if the innermost line is in none.

    It begins with the same line on each page, wherever Python gave up.
    """
    named = [str(place) for place in places]
    if not named or named[-1] not in named[:-1]:
        return []
    before = len(named) - 2 - named[-2::-1].index(named[-1])
    circle = places[before + 1 :]
    first = min(range(len(circle)), key=lambda index: circle[index][:2])
    return [*circle[first:], *circle[:first]]


def _endless(theme: Theme, circle: Sequence[_Place]) -> tuple[str, str]:
    """What to say about templates that use each other in a circle, and the hint."""
    files = [file for file, _ in groupby(place.file for place in circle)]
    if len(files) > 1:
        return f"templates use each other without end: {' → '.join([*files, files[0]])}", ""
    name = next((template.name for template in theme.templates if template.file == files[0]), "")
    hint = template_hint(name, name, theme) if "extends" in circle[0].text else ""
    return "the template uses itself without end", hint


def template_hint(wanted: str, user: str, theme: Theme) -> str:
    """A hint with the template that is meant: one of a theme with that name that another template replaces, if any.

    Args:
        wanted: the name by which a template refers to another.
        user: the name of the former.
        theme: the theme.
    """
    replaced = [template.name for template in theme.templates if template.is_replaced and template.name != user]
    same = [name for name in replaced if name.partition("/")[2] in (wanted, wanted.partition("/")[2])]
    if same:
        return f"did you mean “{min(same)}”?"
    return did_you_mean(wanted, {template.name for template in theme.templates} - {user})


def filter_fault(theme: Theme, error: BaseException, place: str) -> Diagnostic | None:
    """The fault of a plugin's filter in which an exception was raised; `None` if it was raised elsewhere.

    Args:
        theme: the theme.
        error: the exception.
        place: where a template uses the filter.
    """
    templates = {file_of(template.name) for template in theme.templates}
    called: list[CodeType] = []  # by the innermost template
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename in templates:
            called.clear()
        else:
            called.append(frame.f_code)
    for ref, plugin in zip(theme.plugins, load(theme.plugins), strict=True):
        for name, function in plugin.filters.items():
            if getattr(function, "__code__", None) in called:
                return fault(ref, f"the filter “{name}” in “{place}”", error, function)
    return None


def file_of(name: str) -> str:
    """The name of a template's file in tracebacks. It is in angle brackets, since Python would open any other file."""
    return f"<{name}>"


def _places(theme: Theme, error: BaseException) -> list[_Place]:
    """The lines of templates that an error passed through, the innermost last."""
    known = {file_of(template.name): template for template in theme.templates}
    found = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        template = known.get(frame.f_code.co_filename)
        if template:
            # Jinja replaces the lines of its code by those of the template only for an `Exception`.
            compiled = frame.f_globals.get("__jinja_template__")
            line = compiled.get_corresponding_lineno(number) if compiled else number
            lines = template.text.split("\n")
            text = lines[line - 1] if 0 < line <= len(lines) else ""
            found.append(_Place(template.file, line, text, frame.f_locals))
    return found


def _undefined(error: BaseException) -> Undefined | None:
    """The value whose use raised an error, if it does not exist."""
    message = error.args[0] if isinstance(error, jinja2.UndefinedError) and error.args else None
    return message.value if isinstance(message, _AboutMissing) else None


class _AboutMissing(str):
    """Jinja's message about a value that does not exist, with the value: Jinja removes its frame from the traceback."""

    __slots__ = ("value",)
    value: Undefined


class MissingValue(jinja2.StrictUndefined):
    """A value that does not exist. Any use of it raises an error, from which `template_error` gets it."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        message = _AboutMissing(super()._undefined_message)
        message.value = self
        return message


def _missing(undefined: Undefined, wanted: str, place: _Place | None) -> tuple[str, str]:
    """What to say about a name or field that does not exist, and the hint."""
    owner = undefined._undefined_obj
    if undefined._undefined_hint:
        return _quoted(undefined._undefined_hint), ""
    if owner is jinja2.utils.missing:
        names = _names_at(place)
        return f"“{wanted}” is not defined", _hint(wanted, names, "the names here are")
    shown = _expression(wanted, place)
    if owner is None:
        return f"{shown or 'a value'} is none, and has no “{wanted}”", ""
    what = shown or f"a value of the kind “{type(owner).__name__.strip('_').removesuffix('View').lower()}”"
    return f"{what} has no “{wanted}”", _hint(wanted, [*_fields(owner)], "it has")


def _hint(wanted: str, names: Iterable[str], begin: str) -> str:
    known = sorted(set(names))
    if near := did_you_mean(wanted, known):
        return near
    more = " …" if len(known) > MOST_NAMES else ""
    return f"{begin} {', '.join(known[:MOST_NAMES])}{more}" if known else ""


def _names_at(place: _Place | None) -> list[str]:
    """The names that a template can use: Jinja gives its frames in a traceback the values of the context."""
    return (
        [name for name in place.values if not name.startswith("_") and name not in DEFAULT_NAMESPACE] if place else []
    )


def _fields(owner: object) -> Iterator[str]:
    if isinstance(owner, Mapping):
        yield from (key for key in owner if isinstance(key, str))
    else:
        yield from (name for name in dir(type(owner)) if not name.startswith("_"))


def _expression(wanted: str, place: _Place | None) -> str:
    """The expression in a line whose field is wanted, such as ``post.author``, in quotes; empty if there is none."""
    found = re.search(rf"([\w.]{{1,100}})\.{re.escape(wanted)}\b", place.text) if place else None
    return f"“{found[1]}”" if found else ""


def _quoted(text: str) -> str:
    """A message of Jinja or Python with typographic quotes, as one sentence without a period."""
    return re.sub(r"(?<!\w)'([^'\n]*)'(?!\w)", r"“\1”", " ".join(text.split())).rstrip(".")


def _of_python(error: BaseException) -> str:
    text = _quoted(error_line(error))
    kind, separator, rest = text.partition(": ")
    if kind in ("TypeError", "ValueError", "ZeroDivisionError", "OverflowError") and separator:
        return f"cannot be computed: {rest}"
    return text


# -- syntax

_NESTED = re.compile(
    r"Encountered unknown tag '(?P<tag>\w+)'\..* looking for (?P<wanted>'.*?')\. .*closed is '(?P<open>\w+)'\.",
    re.DOTALL,
)
_UNKNOWN = re.compile(r"Encountered unknown tag '(?P<tag>\w+)'\.")
_UNCLOSED = re.compile(r"Unexpected end of template\..*: (?P<wanted>'.*?')\. .*closed is '(?P<open>\w+)'\.", re.DOTALL)
_EXPECTED = re.compile(r"expected token '(?P<wanted>[^']+)', got '(?P<found>.+)'")
_NO_FILTER = re.compile(r"No (?P<kind>filter|test) named '(?P<name>[^']+)'\.?")
_TOKENS = {
    "end of print statement": "}}",
    "end of statement block": "%}",
    "begin of statement block": "{%",
    "begin of print statement": "{{",
    "end of template": "the end of the file",
}


def syntax_error(
    error: jinja2.TemplateSyntaxError, filters: Iterable[str] = (), tests: Iterable[str] = ()
) -> tuple[str, str]:
    """What is wrong with the syntax of a template, and a hint.

    Args:
        error: the error of Jinja.
        filters: the names of all filters.
        tests: the names of all tests.
    """
    text = error.message or "syntax error"
    if found := _NESTED.search(text):
        end = _end(found["wanted"])
        return f"“{{% {found['tag']} %}}” stands inside “{{% {found['open']} %}}”", f"write “{{% {end} %}}” before it"
    if found := _UNKNOWN.search(text):
        return f"there is no tag “{{% {found['tag']} %}}”", ""
    if found := _UNCLOSED.search(text):
        end = _end(found["wanted"])
        return f"“{{% {found['open']} %}}” is never closed", f"write “{{% {end} %}}” where it ends"
    if found := _EXPECTED.search(text):
        wanted, other = (_TOKENS.get(found[name], found[name]) for name in ("wanted", "found"))
        return f"“{wanted}” is missing before “{other}”", ""
    if found := _NO_FILTER.search(text):
        known = filters if found["kind"] == "filter" else tests
        return f"there is no {found['kind']} “{found['name']}”", did_you_mean(found["name"], known)
    return _quoted(text), ""


def _end(tags: str) -> str:
    """The tag that ends a block, of several in quotes: a loop may also go on with ``else``."""
    names: list[str] = re.findall(r"'(\w+)'", tags)
    return next((name for name in names if name.startswith("end")), names[-1])
