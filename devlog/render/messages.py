"""Messages in templates: replaces ``{{ t("posts_by", author=name) }}`` by its words before a template is compiled.

So a page renders as fast as if the words were in the template, and the messages that a template uses are known without
rendering it: a change of a message only renders the pages that use it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

import jinja2
import msgspec
from jinja2 import nodes

from devlog.model import problems as model_problems
from devlog.model.catalog import COUNT, Catalog, Message, grouped, pieces_of
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.plurals import OTHER, plural_form
from devlog.model.problems import did_you_mean
from devlog.render import problems

NAME = "t"
"""The name of the function that templates call; a template that defines this name itself keeps its own meaning."""

FILTERS = {"_plural_form": plural_form, "_grouped": grouped}
"""Filters that only compiled templates use, not the templates of themes."""


IN_MARKDOWN = frozenset(
    """and archive authors before_step know_before lists log_count logs minutes newer_logs older_logs_link pinned
    post_is_historical post_is_superseded reading_path recent_logs start_here superseded_by_posts tag_named tags
    thousands_separator topics transcript undated_posts""".split()
)
"""The keys of messages in Markdown versions."""


class Fault(msgspec.Struct, frozen=True):
    """A problem with the use of a message.

    Attributes:
        reason: a description for the author of the template.
        hint: what to do; may be empty.
        line: the line in the template.
        diagnostic: replaces all of these if the message itself is wrong.
    """

    reason: str
    hint: str = ""
    line: int = 0
    diagnostic: Diagnostic | None = None

    def as_diagnostic(self, file: str) -> Diagnostic:
        """The fault as a diagnostic about a template file."""
        return self.diagnostic or problems.template_error(Span(file, self.line), self.reason, self.hint)


class Messages:
    """Replaces each call of a message in a template by its words.

    Attributes:
        used: the keys of messages found so far.
        faults: the problems with calls.
    """

    def __init__(self, environment: jinja2.Environment, catalog: Catalog) -> None:
        """
        Args:
            environment: the Jinja environment of the template.
            catalog: the message catalog of the site.
        """
        self.used: set[str] = set()
        self.faults: list[Fault] = []
        self._environment = environment
        self._catalog = catalog

    def translate(self, found: Sequence[nodes.Node]) -> None:
        """Replace the calls in a template by words.

        Args:
            found: all nodes of the template, parents before children; they are changed in place.
        """
        if _binds(found):
            return
        for node in reversed(found):  # a call may be an argument of another one
            self._replace_calls(node)
        self.faults.sort(key=lambda fault: fault.line)

    def _replace_calls(self, node: nodes.Node) -> None:
        """Replace the calls that are direct children of a node."""
        if isinstance(node, nodes.Output):  # its pieces are concatenated, and constants are escaped at compile time
            if any(map(_is_message, node.nodes)):
                node.nodes = [piece for child in node.nodes for piece in self._pieces(child)]
            return
        for name in node.fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                value[:] = [self._as_expression(item) for item in value]
            elif _is_message(value):
                setattr(node, name, self._as_expression(value))

    def _as_expression(self, value: object) -> object:
        """A message call as one expression; any other value unchanged."""
        return self._as_one(self._pieces(value), value.lineno) if _is_message(value) else value

    def _pieces(self, node: nodes.Expr) -> list[nodes.Expr]:
        """The expressions that replace an expression in the output."""
        if not _is_message(node):
            return [node]
        call = self._call(node)
        if call is None:
            return [self._made(nodes.Const(""), node.lineno)]
        message, values = call
        if not message.is_plural:
            return self._filled(message.forms[OTHER], values, node.lineno)
        forms = {
            form: self._as_one(self._filled(text, values, node.lineno), node.lineno)
            for form, text in message.forms.items()
        }
        chosen = forms.pop(OTHER)
        language = nodes.Const(message.language)
        for form, text in reversed(forms.items()):
            asked = nodes.Filter(language, "_plural_form", [values[COUNT]], [], None, None)
            chosen = nodes.CondExpr(nodes.Compare(asked, [nodes.Operand("eq", nodes.Const(form))]), text, chosen)
        return [self._made(chosen, node.lineno)]

    def _call(self, node: nodes.Call) -> tuple[Message, dict[str, nodes.Expr]] | None:
        """The message that a call names, and the values that it passes; `None` if there is an error."""
        key = node.args[0] if len(node.args) == 1 else None
        if not isinstance(key, nodes.Const) or not isinstance(key.value, str) or node.dyn_args or node.dyn_kwargs:
            reason = f"{NAME}(…) takes the key of a message as a string, and its values by name"
            self.faults.append(Fault(reason, line=node.lineno))
            return None
        values = {item.key: item.value for item in node.kwargs}
        self.used.add(key.value)
        message = self._catalog.messages.get(key.value)
        if message is None and not self._catalog.messages:  # the catalog cannot be read, which is reported
            return None
        if message is None:
            hint = did_you_mean(key.value, self._catalog.messages)
            self.faults.append(Fault(f"no catalog has a message “{key.value}”", hint, node.lineno))
            return None
        fault = _fault(key.value, message, values, node.lineno)
        if fault:
            self.faults.append(fault)
            return None
        return message, values

    def _filled(self, text: str, values: dict[str, nodes.Expr], line: int) -> list[nodes.Expr]:
        """A text with its placeholders replaced by values."""
        found: list[nodes.Expr] = []
        for plain, name in pieces_of(text):
            found += [nodes.Const(plain)] if plain else []
            if name == COUNT:
                separator = nodes.Const(self._catalog.thousands)
                found.append(nodes.Filter(values[name], "_grouped", [separator], [], None, None))
            elif name:
                found.append(values[name])
        return [self._made(node, line) for node in found or [nodes.Const("")]]

    def _as_one(self, pieces: list[nodes.Expr], line: int) -> nodes.Expr:
        return pieces[0] if len(pieces) == 1 else self._made(nodes.Concat(pieces), line)

    def _made(self, node: nodes.Expr, line: int) -> nodes.Expr:
        """A node in the state in which the parser leaves nodes."""
        node.set_lineno(line)
        node.set_environment(self._environment)
        return node


def _fault(key: str, message: Message, values: Iterable[str], line: int) -> Fault | None:
    """Why a call cannot be replaced: the template passes too few values, or the message has an unknown placeholder."""
    given = sorted(values)
    missing = sorted(message.placeholders.difference(given))
    if message.is_plural and COUNT not in given:
        return Fault(f"the message “{key}” has plural forms", f"give {NAME}(…) a {COUNT}=…", line)
    if not missing:
        return None
    known = ", ".join(f"{{{name}}}" for name in given)
    hint = did_you_mean(missing[0], given) or (f"the template gives {known}" if known else "it has none")
    wrong = model_problems.bad_message(message.span, key, f"unknown placeholder {{{missing[0]}}}", hint)
    return Fault("", diagnostic=wrong)


def _is_message(node: object) -> TypeGuard[nodes.Call]:
    return isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == NAME


def _binds(found: Iterable[nodes.Node]) -> bool:
    """Whether a template defines the name of the function itself."""
    for node in found:
        match node:
            case nodes.Name(name=name, ctx=("store" | "param")) if name == NAME:
                return True
            case nodes.Macro(name=name) if name == NAME:
                return True
            case nodes.Import(target=name) if name == NAME:
                return True
            case nodes.FromImport(names=names):
                if NAME in [name[1] if isinstance(name, tuple) else name for name in names]:
                    return True
    return False
