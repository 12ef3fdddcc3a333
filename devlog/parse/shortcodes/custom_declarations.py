"""Reads the shortcodes that a site defines: a template, with its parameters in a TOML file of the same name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

import msgspec

from devlog.config_file.spans import key_span
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.shortcode import CustomShortcode, Parameter
from devlog.model.theme import Template
from devlog.model.toml import TomlError, load_toml
from devlog.parse.shortcodes import problems
from devlog.parse.shortcodes.rendering import KNOWN

_NAME = re.compile(r"[a-z][a-z0-9_/-]{0,60}", re.ASCII)
_PARAMETER = re.compile(r"[a-z][a-z0-9_]{0,60}", re.ASCII)
_KINDS: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "markdown": str,
    "link": str,
    "number": (int, float),
    "boolean": bool,
}


def read_shortcodes(files: Sequence[Template]) -> tuple[tuple[CustomShortcode, ...], tuple[Diagnostic, ...]]:
    """The shortcodes that some templates define, sorted by name, and the problems of the others.

    Args:
        files: the files of the folder ``shortcodes``, with names relative to it.
    """
    texts = {file.name: file for file in files}
    found: list[CustomShortcode] = []
    wrong: list[Diagnostic] = []
    for name, file in sorted(texts.items()):
        stem, ending = posixpath.splitext(name)
        if ending == ".toml" and f"{stem}.html" not in texts:
            wrong.append(problems.bad_shortcode(Span(file.file), f"there is no template “{stem}.html” beside it"))
        elif ending == ".html" and stem in KNOWN:
            wrong.append(problems.bad_shortcode(Span(file.file), f"“{stem}” is one of devlog's own"))
        elif ending == ".html" and not _NAME.fullmatch(stem):
            wrong.append(problems.bad_shortcode(Span(file.file), "its name must be lowercase letters, digits, - and _"))
        elif ending == ".html":
            declared = texts.get(f"{stem}.toml")
            read = list(_parameters(declared)) if declared else []
            wrong += [item for item in read if isinstance(item, Diagnostic)]
            parameters = tuple(item for item in read if not isinstance(item, Diagnostic))
            found.append(CustomShortcode(stem, file.file, file.text, parameters))
    return tuple(found), tuple(wrong)


def _parameters(file: Template) -> Iterator[tuple[str, Parameter] | Diagnostic]:
    """The parameters that a file declares, and its problems."""
    try:
        declared = load_toml(file.text)
    except TomlError as error:
        line = re.search(r"line (\d+), column (\d+)", str(error))
        span = Span(file.file, int(line[1]), int(line[2])) if line else Span(file.file)
        yield problems.bad_shortcode(span, f"it is not valid TOML: {str(error).partition(' (at')[0]}")
        return
    for name, value in declared.items():
        span = key_span(file.text, file.file, name)
        if not _PARAMETER.fullmatch(name) or name == "inner":
            yield problems.bad_parameter(span, name, "a name has only lowercase letters, digits and _")
            continue
        try:
            parameter = msgspec.convert({"type": value} if isinstance(value, str) else value, Parameter)
        except msgspec.ValidationError:
            reason = "it has a “type” (text, markdown, number, boolean or link), a “default” and a list of “choices”"
            yield problems.bad_parameter(span, name, reason)
            continue
        default = parameter.default
        is_boolean = isinstance(default, bool) != (parameter.type == "boolean")
        if default is not None and (is_boolean or not isinstance(default, _KINDS[parameter.type])):
            yield problems.bad_parameter(span, name, f"its default must be a {parameter.type}")
            continue
        yield name, parameter
