"""Renders the shortcodes of a site. Their templates are trusted; arguments are data, and escaped."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from devlog.model.diagnostic import Span
from devlog.model.shortcode import CustomShortcode, Parameter
from devlog.model.shortcode_tag import Shortcode
from devlog.parse.markdown.body import BodyWriter
from devlog.parse.shortcodes import problems
from devlog.parse.shortcodes.rendering import Inline, as_text

_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?", re.ASCII)
_SPECIAL = re.compile("""[<>"']""")
_LONGEST = 1_000_000
"""The longest text or list that a template may repeat."""
_LARGEST = 1000
"""The largest number in a power."""
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_ENDING = {"text": "a text", "number": "a number", "boolean": "true or false"}


def write_custom(
    writer: BodyWriter, shortcode: Shortcode, custom: CustomShortcode, inline: Inline, *, inside: bool, block: bool
) -> tuple[str, str]:
    """The HTML before and after the content of a shortcode.

    If it cannot be rendered, which is reported, only its content is shown; without content its tag, as text.

    Args:
        writer: the document that is being written.
        shortcode: its opening tag.
        custom: its definition.
        inline: renders one line of Markdown.
        inside: whether it has a closing tag, and so content.
        block: whether the tag is a block of its own.
    """
    values = _values(writer, shortcode, custom, inline)
    plain = "" if inside else as_text(shortcode, block=block)
    if values is None:
        return plain, ""
    slot = writer.slot()
    try:
        html = _rendered(custom, {**values, "inner": slot if inside else ""})
        _require_text(html, {"inner": slot, **_markdown_values(custom, values)})
    except _TemplateFault as error:
        known = (*dict(custom.parameters), "inner")
        where = Span(custom.file, error.line)
        writer.diagnostics.append(problems.shortcode_template(where, custom.name, str(error), known))
        return plain, ""
    writer.allowance.take(len(html), _span(writer, shortcode.text.partition("\n")[0], Span("")))
    before, _, after = html.partition(slot)
    end = "\n" if block else ""
    parts = (part.replace(slot, "").strip("\n") for part in (before, after))
    first, last = (writer.trusted(part + end, block=block) if part.strip() else "" for part in parts)
    return first, last


def _values(writer: BodyWriter, shortcode: Shortcode, custom: CustomShortcode, inline: Inline) -> dict[str, Any] | None:
    """The values of all parameters; `None` if some are wrong or missing."""
    parameters = dict(custom.parameters)
    span = writer.finder.find(shortcode.text.partition("\n")[0], writer.block)
    named = {key.replace("-", "_"): value for key, value in shortcode.named.items()}
    free = [name for name in parameters if name not in named]
    wrong = [
        problems.unknown_argument(_span(writer, key, span), shortcode.name, key, tuple(parameters))
        for key in named
        if key not in parameters
    ]
    wrong += [
        problems.unknown_argument(_span(writer, extra, span), shortcode.name, extra, ())
        for extra in shortcode.positional[len(free) :]
    ]
    given = dict(zip(free, shortcode.positional, strict=False)) | named
    values: dict[str, Any] = {}
    is_complete = True
    for name, parameter in parameters.items():
        if name not in given:
            if parameter.default is None:
                wrong.append(problems.missing_argument(span, shortcode.name, name))
                is_complete = False
            else:
                values[name] = _value(writer, parameter, parameter.default, inline)
            continue
        if _is_good(parameter, given[name]):
            values[name] = _value(writer, parameter, given[name], inline)
            continue
        wanted = " or ".join(f"“{choice}”" for choice in parameter.choices) or _ENDING[parameter.type]
        where = _span(writer, given[name], span)
        wrong.append(problems.bad_argument(where, shortcode.name, name, wanted, given[name], parameter.choices))
        is_complete = False
    writer.diagnostics += wrong
    return values if is_complete else None


def _span(writer: BodyWriter, text: str, span: Span) -> Span:
    return writer.finder.find(text, writer.block) if text.strip() else span


def _is_good(parameter: Parameter, given: str) -> bool:
    if parameter.choices:
        return given in parameter.choices
    if parameter.type == "number":
        return _NUMBER.fullmatch(given) is not None
    return parameter.type != "boolean" or given.lower() in _BOOLEANS


def _value(writer: BodyWriter, parameter: Parameter, given: str | float | bool, inline: Inline) -> Any:
    """The value of an argument for the template, where only Markdown is HTML already."""
    if not isinstance(given, str):
        return given
    if parameter.type == "number":
        return float(given) if "." in given else int(given)
    if parameter.type == "boolean":
        return _BOOLEANS[given.lower()]
    if parameter.type == "link":
        return _html(writer.url(given))
    return _html(inline(" ".join(given.split()))) if parameter.type == "markdown" else given


class _TemplateFault(Exception):  # noqa: N818 - it is the template's
    """A template cannot be rendered. The message says why."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


def _markdown_values(custom: CustomShortcode, values: dict[str, Any]) -> dict[str, str]:
    return {name: str(values[name]) for name, parameter in custom.parameters if parameter.type == "markdown"}


_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|textarea|title)\b.*?(?:</\1|\Z)"
    r"""|</?[a-z][^>"']*(?:(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z))[^>"']*)*(?:>|\Z)""",
    re.IGNORECASE | re.DOTALL,
)
"""A comment, an element with plain text, or a tag."""


def _require_text(html: str, values: dict[str, str]) -> None:
    """Require that HTML stands where HTML has a meaning. In an attribute, its quotes would end the attribute.

    Args:
        html: the output of a template.
        values: the HTML that the template got, by name.

    Raises:
        _TemplateFault: some of it stands elsewhere.
    """
    quoting = {name: value for name, value in values.items() if name == "inner" or _SPECIAL.search(value)}
    tags = [found.span() for found in _MARKUP.finditer(html)] if quoting else []

    def is_in_tag(place: int) -> bool:
        index = bisect_left(tags, place, key=itemgetter(0)) - 1
        return index >= 0 and place < tags[index][1]

    for name, value in quoting.items():
        if any(is_in_tag(found.start()) for found in re.finditer(re.escape(value), html)):
            advice = "" if name == "inner" else f"; write {{{{ {name}|striptags }}}} there"
            raise _TemplateFault(f"“{name}” is HTML, and stands in a tag{advice}", 0)


def _html(text: str) -> Any:
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - devlog has written it: a placeholder, or Markdown


def _rendered(custom: CustomShortcode, values: dict[str, Any]) -> str:
    """The output of a template."""
    import jinja2  # a large import, which few sites need here

    try:
        template: jinja2.Template = _environment(custom.template).get_template(_OWN)
        return template.render({**values, "inner": _html(values["inner"])})
    except jinja2.TemplateSyntaxError as error:
        raise _TemplateFault(str(error.message or "it cannot be read"), error.lineno) from error
    except jinja2.TemplateNotFound as error:
        reason = f"it uses the template “{error}”, and a shortcode cannot use others"
        raise _TemplateFault(reason, _line(error)) from error
    except Exception as error:
        raise _TemplateFault(str(error), _line(error)) from error


def _line(error: BaseException) -> int:
    """The line of the template in which an error occurred; 0 if it is unknown."""
    trace, found = error.__traceback__, 0
    while trace:
        if trace.tb_frame.f_code.co_filename == _OWN:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


_OWN = "<template>"
"""The name of a shortcode's template in its environment, and in tracebacks."""


@lru_cache(maxsize=64)
def _environment(template: str) -> Any:
    """An environment with one template, which can reach nothing but its arguments.

    The template is trusted, but not the numbers that it gets: ``"★" * count`` must not take all memory, and no power
    all time.
    """
    import jinja2
    from jinja2.sandbox import SandboxedEnvironment

    class Environment(SandboxedEnvironment):
        intercepted_binops = frozenset({"*", "**"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            numbers = [value for value in (left, right) if isinstance(value, int | float)]
            if operator == "**" and max(map(abs, numbers), default=0) > _LARGEST:
                raise ValueError(f"a power of numbers above {_LARGEST}")
            repeated = next((value for value in (left, right) if isinstance(value, Sequence)), "")
            if numbers and len(repeated) * numbers[0] > _LONGEST:
                raise ValueError(f"it repeats something {numbers[0]} times")
            return super().call_binop(context, operator, left, right)

    environment = Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.DictLoader({_OWN: template}),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.clear()
    del environment.filters["random"]
    return environment
