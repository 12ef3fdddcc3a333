"""Shortcodes of a site: a template with typed parameters."""

from __future__ import annotations

from typing import Literal

import msgspec

ParameterType = Literal["text", "markdown", "number", "boolean", "link"]


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter of a shortcode.

    Attributes:
        type: ``text``, a line of ``markdown``, a ``number``, a ``boolean``, or a ``link``: a target as in Markdown.
        default: the value if an argument is missing; without it, the argument is required.
        choices: the allowed texts; any, if it is empty.
    """

    type: ParameterType = "text"
    default: str | int | float | bool | None = None
    choices: tuple[str, ...] = ()


class CustomShortcode(msgspec.Struct, frozen=True):
    """A shortcode that a site or a theme defines.

    Attributes:
        name: its name, in lower case.
        file: the file of its template, for messages.
        template: the text of its template.
        parameters: its parameters by name, in the order of positional arguments.
    """

    name: str
    file: str
    template: str
    parameters: tuple[tuple[str, Parameter], ...] = ()
