"""Creates a message catalog for a new language, with all messages of a theme for a translator to fill in."""

from __future__ import annotations

from pathlib import Path

import msgspec

from devlog.disk.catalog import FOLDER
from devlog.disk.single_files import create
from devlog.disk.site_folder import is_site
from devlog.disk.theme import load_theme
from devlog.inputs import read_configuration
from devlog.model.catalog import Message, catalog_of, language_code
from devlog.model.diagnostic import Span
from devlog.model.plurals import CATEGORIES, OTHER, plural_form
from devlog.scaffold import problems
from devlog.scaffold.outcome import Outcome

_SPAN = Span("LANGUAGE")
_OWN = "language"
"""The key of the catalog's own language code."""

_HEAD = """\
# What pages say, in the language “{language}”: fill in what is empty. What stays empty is in English.
# A placeholder in braces stands for a value; {{link}} and {{end}} stand around the words of a link.

"""


def translate(root: Path, language: str) -> Outcome:
    """Write a catalog with all messages of a site's theme, each of them empty, below the English message as a comment.

    An existing catalog is never changed.

    Args:
        root: the site's folder.
        language: its code, such as ``de`` or ``pt-BR``.

    Returns:
        The new file, or diagnostics if it was not written.
    """
    if not is_site(root):
        return Outcome(diagnostics=(problems.no_site(str(root)),))
    if not language_code(language):
        wrong = problems.bad_name(_SPAN, language, "a language has a code such as “de” or “pt-BR”")
        return Outcome(diagnostics=(wrong,))
    config, found, span_of = read_configuration(root)
    loaded = load_theme(root, config.theme, span_of("theme"), folder=config.in_theme_folder())
    if any(item.severity == "error" for item in (*found, *loaded.diagnostics)):
        return Outcome(diagnostics=(*found, *loaded.diagnostics))
    messages = catalog_of(loaded.theme.catalog).messages
    text = _HEAD.format(language=language) + "".join(
        _entry(key, message, language) for key, message in sorted(messages.items(), key=_catalog_order)
    )
    file = config.in_theme_folder(f"{FOLDER}/{language}.toml")
    problem = create(root, file, text.encode())
    return Outcome(() if problem else (file,), diagnostics=(problem,) if problem else ())


def _catalog_order(item: tuple[str, Message]) -> tuple[str, int, str]:
    """A sort key that keeps messages in the order of their original catalogs, where they are grouped by subject."""
    key, message = item
    return message.file, message.line, key


def _entry(key: str, message: Message, language: str) -> str:
    """The catalog entry of a message: the English text as a comment, and an empty translation."""
    if key == _OWN:
        return f"{key} = {_quoted(language)}\n"
    says = message.forms[OTHER] if message.forms[OTHER].isprintable() else _quoted(message.forms[OTHER])
    if not message.is_plural:
        return f'# {says}\n{key} = ""\n'
    forms = ", ".join(f'{form} = ""' for form in _forms(language))
    return f"# {says}\n{key} = {{ {forms} }}\n"


def _forms(language: str) -> list[str]:
    """The plural forms that a language uses for integers, and the form that all languages have."""
    used = {plural_form(language, n) for n in range(200)} | {OTHER}
    return [form for form in CATEGORIES if form in used]


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()
