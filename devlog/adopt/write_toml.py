"""Generates the text of a ``devlog.toml`` with a comment for each setting."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from devlog.adopt.adoption import REFUSED, Adoption, Note, Setting, Value
from devlog.config import Config
from devlog.config_file.read import read_config
from devlog.model.diagnostic import Diagnostic, Span

FILE = "devlog.toml"

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud7ff-\ue000\U0010ffff]")
_WIDTH = 100


def accepted(adoption: Adoption) -> Adoption:
    """An adoption without the settings that devlog would reject: these become notes with devlog's error message."""
    units: dict[tuple[str | int, ...], list[Setting]] = {}
    for setting in adoption.settings:
        units.setdefault(_unit(setting), []).append(setting)
    notes = list(adoption.unmapped)
    checked = list(_checked(list(units.values())))
    settings, clashing = _together([unit for unit, wrong in checked if not wrong], [])
    for unit, wrong in (*checked, *clashing):
        if wrong:
            notes += [Note(Span(""), f"{setting.key} ({setting.comment})", wrong[0].message) for setting in unit]
    return msgspec.structs.replace(adoption, settings=tuple(settings), unmapped=tuple(notes))


_Judged = tuple[list[Setting], tuple[Diagnostic, ...]]


def _checked(units: list[list[Setting]]) -> Iterator[_Judged]:
    """Each unit with the problems that devlog has with it.

    Reading a configuration takes milliseconds, so units are read together, and divided only if there is a problem.
    """
    wrong = _wrong(setting for unit in units for setting in unit)
    if not wrong or len(units) == 1:
        yield from ((unit, wrong) for unit in units)
        return
    middle = len(units) // 2
    yield from _checked(units[:middle])
    yield from _checked(units[middle:])


def _together(units: list[list[Setting]], before: list[Setting]) -> tuple[list[Setting], list[_Judged]]:
    """Settings, and those units that are valid beside them and each other; the other ones with their problems."""
    settings = [*before, *chain.from_iterable(units)]
    wrong = _wrong(settings)
    if not wrong:
        return settings, []
    if len(units) < 2:
        return before, [(unit, wrong) for unit in units]
    middle = len(units) // 2
    first, clashing = _together(units[:middle], before)
    both, more = _together(units[middle:], first)
    return both, [*clashing, *more]


def _unit(setting: Setting) -> tuple[str | int, ...]:
    """The group of settings that are valid only together: the keys of a list's entry, or the names of feeds."""
    path = setting.path
    if len(path) > 1 and isinstance(path[1], int):
        return path[:2]
    return ("feeds",) if path[0] == "feeds" and path[1] in ("rss", "atom", "json") else path


def _wrong(settings: Iterable[Setting]) -> tuple[Diagnostic, ...]:
    return read_config(_emit(settings), FILE)[1]


def toml_text(adoption: Adoption) -> str:
    """The text of the ``devlog.toml`` for an imported site."""
    files = f" from {', '.join(adoption.files)}" if adoption.files else ""
    kind = adoption.generator if adoption.generator.startswith("a ") else f"a site of {adoption.generator}"
    head = f"# Generated from {kind} by “devlog adopt”{files}.\n"
    return _comment(head.strip()) + "\n\n" + _emit(adoption.settings)


def _emit(settings: Iterable[Setting]) -> str:
    """Settings as TOML: single keys first, then tables, in the order of the configuration reference."""
    order = {name: number for number, name in enumerate(Config.__struct_fields__)}
    known = sorted(settings, key=lambda setting: order.get(str(setting.path[0]), len(order)))
    lines = [_line(setting, str(setting.path[0])) for setting in known if len(setting.path) == 1]
    tables: dict[tuple[str | int, ...], list[Setting]] = {}
    for setting in known:
        if len(setting.path) > 1:
            tables.setdefault(setting.path[:-1], []).append(setting)
    for path, members in sorted(tables.items(), key=lambda item: order.get(str(item[0][0]), len(order))):
        names = ".".join(toml_key(part) for part in path if isinstance(part, str))
        header = f"[[{names}]]" if isinstance(path[-1], int) else f"[{names}]"
        comment = members[0].comment if isinstance(path[-1], int) else ""
        body = [_line(member, str(member.path[-1]), quiet=bool(comment)) for member in members]
        lines.append("\n" + (f"{_comment('# ' + comment)}\n" if comment else "") + "\n".join((header, *body)))
    return "\n".join(lines) + "\n"


def _line(setting: Setting, key: str, *, quiet: bool = False) -> str:
    line = f"{toml_key(key)} = {_value(setting.value)}"
    if quiet or not setting.comment:
        return line
    comment = _comment(f"# {setting.comment}")
    if "\n" not in line and len(line) + len(comment) < _WIDTH:
        return f"{line}  {comment}"
    return f"{comment}\n{line}"


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _string(value)
    items = [_string(item) for item in value]
    line = f"[{', '.join(items)}]"
    return line if len(line) < _WIDTH - 20 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def _string(text: str) -> str:
    escaped = json.dumps(REFUSED.sub("", text), ensure_ascii=False)  # JSON's escapes are valid in TOML
    return _UNPRINTABLE.sub(
        lambda found: f"\\U{ord(found[0]):08x}" if found[0] > "\uffff" else f"\\u{ord(found[0]):04x}", escaped
    )


def toml_key(part: str) -> str:
    """A key as `toml_text` writes it."""
    return part if _BARE.fullmatch(part) else _string(part)


def _comment(text: str) -> str:
    return _UNPRINTABLE.sub(" ", text)
