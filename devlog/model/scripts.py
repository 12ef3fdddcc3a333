"""Inserts messages into the scripts of a theme, which refer to them by key.

``__t("copied")`` becomes a string; ``__t("results", { count: n })`` becomes a call of a function that fills in the
message's placeholders from the object. So readers load the messages of one language without any code that looks them
up, and the script's URL, which contains a digest of its bytes, changes when a message does.
"""

from __future__ import annotations

import re

import msgspec

from devlog.model.catalog import COUNT, Catalog, Message, pieces_of
from devlog.model.plurals import OTHER

MARK = b"__t("
"""A script that does not contain this has no messages."""

# The lookbehind follows the name, so that the search starts with a literal, which is fast.
_CALL = re.compile(r"""__t\((?<![\w$]__t\()(?:\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)')\s*([),]))?""")
_IN_TEMPLATE = re.compile(r"[\\`]|\$(?=\{)")


class Fault(msgspec.Struct, frozen=True):
    """A call that cannot be replaced: its line, and its unknown key; empty if the call has no literal key."""

    line: int
    key: str


def with_messages(script: str, catalog: Catalog) -> tuple[str, frozenset[str], tuple[Fault, ...]]:
    """Insert messages into a script.

    Args:
        script: the source of the script.
        catalog: the message catalog of the site.

    Returns:
        The script with its messages, the keys that it uses, and the calls that could not be replaced.
    """
    keys: set[str] = set()
    faults: list[Fault] = []

    def replaced(call: re.Match[str]) -> str:
        key = call[1] or call[2] or ""
        keys.add(key)
        message = catalog.messages.get(key)
        if message is None:
            faults.append(Fault(script.count("\n", 0, call.start()) + 1, key))
            return call[0]
        return _string(message.forms[OTHER]) if call[3] == ")" else f"({_function(message, catalog.thousands)})("

    return _CALL.sub(replaced, script), frozenset(keys), tuple(faults)


def _string(text: str) -> str:
    """A text as a JavaScript string literal, with U+2028 and U+2029 escaped: in old browsers they end a line in one."""
    written = msgspec.json.encode(text).decode()
    return written.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _function(message: Message, thousands: str) -> str:
    """The source of a function that fills in the placeholders of a message from an object."""
    by = _string(thousands.replace("$", "$$"))
    number = rf"`${{v.{COUNT}}}`.replace(/\B(?=(?:\d{{3}})+$)/g, {by})"  # written as on pages
    head = f"(v, n = {number}) =>" if COUNT in message.placeholders else "v =>"
    if not message.is_plural:
        return f"{head} {_template(message.forms[OTHER])}"
    forms = ", ".join(f"{form}: {_template(text)}" for form, text in message.forms.items())
    rules = f"new Intl.PluralRules({_string(message.language)})"
    return f"{head} (forms => forms[{rules}.select(v.count)] ?? forms.other)({{ {forms} }})"


def _template(text: str) -> str:
    """A text as a template literal that takes its values from ``v``, and its number from ``n``."""
    parts = [
        _IN_TEMPLATE.sub(r"\\\g<0>", plain) + ("${n}" if name == COUNT else f"${{v.{name}}}" if name else "")
        for plain, name in pieces_of(text)
    ]
    return f"`{''.join(parts)}`"
