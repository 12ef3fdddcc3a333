"""Diagnostics about front matter and the authors file."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Fix, Span
from devlog.model.language import likely_tag
from devlog.model.merge_conflict import RESOLVE
from devlog.model.problems import error, language_hint, warning
from devlog.model.secrets import shortened


def bad_authors_file(span: Span) -> Diagnostic:
    """The authors file, or one of its entries, is not a mapping."""
    hint = "write each author as “handle:”, with “name:” and other keys indented below"
    return warning("bad-registry", span, "not an author entry", hint)


def several_series(span: Span, first: str) -> Diagnostic:
    """A post that names more than one series."""
    return warning("several-series", span, f"a post belongs to one series; using “{first}”")


def unclosed_front_matter(span: Span, fence: str) -> Diagnostic:
    """The file begins with a fence that is never closed."""
    return error("unclosed-front-matter", span, "the front matter is never closed", f"end it with “{fence}”")


def not_front_matter(span: Span, fence: str) -> Diagnostic:
    """The block between two fences does not consist of keys and values."""
    message = f"the block between the “{fence}” lines has no keys, and is treated as text"
    return warning("not-front-matter", span, message, "write front matter as “key: value” lines")


def front_matter_too_long(span: Span, limit: int) -> Diagnostic:
    """The block is longer than front matter may be."""
    return error("front-matter-too-long", span, f"the front matter is longer than {limit:,} characters")


_INSTEAD = {
    "authors": "name a team, and thank the others in the text",
    "tags": "each tag makes a page and feeds: keep those that readers will look for",
    "aliases": "each alias makes a page: the host can redirect whole folders",
}


def too_many(span: Span, key: str, count: int, limit: int) -> Diagnostic:
    """A list in the front matter has more values than a post may have; `span` is the first value beyond the limit."""
    return error("too-many-values", span, f"“{key}” has {count:,} values (limit: {limit})", _INSTEAD.get(key, ""))


def too_long(span: Span, key: str, count: int, limit: int) -> Diagnostic:
    """A title or name is too long for the other pages and feeds that repeat it."""
    return error("too-long-value", span, f"“{key}” has {count:,} characters (limit: {limit:,})")


def too_long_in_url(span: Span, key: str, name: str, limit: int) -> Diagnostic:
    """A name is too long for the URL of its page: file systems have short names."""
    message = f"“{key}”: “{shortened(name, 40)}…” is too long for a URL (limit: {limit:,} bytes)"
    return error("too-long-value", span, message)


def front_matter_too_deep(span: Span, limit: int) -> Diagnostic:
    """Lists and mappings are nested too deeply."""
    return error("front-matter-too-deep", span, f"the front matter is nested more than {limit} levels deep")


def front_matter_syntax(span: Span, language: str, message: str, hint: str = "") -> Diagnostic:
    """The block is not valid YAML, TOML or JSON; `message` describes the error."""
    return error("front-matter-syntax", span, f"{language} in the front matter: {message}", hint)


def conflict_in_front_matter(span: Span, language: str) -> Diagnostic:
    """Two versions of a block, as git writes them if it cannot merge them."""
    return front_matter_syntax(span, language, "two versions of it are not merged", RESOLVE)


def after_object(span: Span) -> Diagnostic:
    """Something follows the object that is the front matter in JSON, probably more keys."""
    return front_matter_syntax(span, "JSON", "something follows the object", "write all keys in one object")


def yaml_feature(span: Span, feature: str, hint: str) -> Diagnostic:
    """A feature of YAML that front matter does not need."""
    return error("yaml-feature", span, f"{feature} is not supported in front matter", hint)


def duplicate_key(span: Span, key: str, line: int) -> Diagnostic:
    """A key is set twice."""
    message = f"“{key}” is set twice, first on line {line}" if line else f"“{key}” is set twice"
    return error("duplicate-key", span, message, "remove one of them")


def bad_key(span: Span) -> Diagnostic:
    """A key is a list, a mapping or empty."""
    hint = "quote a value that begins with { or ["
    return error("bad-key", span, "a key of the front matter must be a word", hint)


def control_in_front_matter(span: Span, character: str, where: str = "the front matter") -> Diagnostic:
    """A control character in the front matter or in the authors file, which is never intended."""
    message = f"{where} contains the control character U+{ord(character):04X}"
    return error("control-character", span, message, "delete it")


def unseen_in_fence(span: Span, character: str) -> Diagnostic:
    """A line that would begin or end front matter if it had not a character that nobody sees."""
    message = f"the invisible character U+{ord(character):04X} turns this line into text instead of front matter"
    return error("control-character", span, message, "delete it")


def direction_in_front_matter(span: Span, character: str) -> Diagnostic:
    """A character that changes the direction of text, also of what is beside the value in lists. devlog removed it."""
    message = f"removed U+{ord(character):04X}, which changes the direction of text"
    return warning("control-character", span, message, "delete it: text from right to left needs no such character")


def comment_in_value(span: Span, comment: str) -> Diagnostic:
    """The end of a value is accidentally a YAML comment."""
    message = f"“{comment}” is a comment in YAML and not part of the value"
    return warning("comment-in-value", span, message, "quote the value, or write a space after the #")


def unknown_key(
    span: Span, key: str, known: str, fix: Fix | None = None, where: str = "the front matter"
) -> Diagnostic:
    """A key that is probably a typo of a key that devlog knows."""
    message = f"unknown key “{key}” in {where}"
    return warning("unknown-key", span, message, f"did you mean “{known}”?", fix)


def bad_date(span: Span, key: str, text: str) -> Diagnostic:
    """A date that cannot be parsed or does not exist."""
    message = f"“{key}” is not a date: “{text}”" if text else f"“{key}” is not a date"
    return error("bad-date", span, message, "write it as 2026-05-03")


def bad_value(span: Span, key: str, expected: str) -> Diagnostic:
    """A value of the wrong kind, which is ignored."""
    return warning("bad-value", span, f"“{key}” must be {expected}; this value is ignored")


def empty_slug(span: Span, key: str, part: str) -> Diagnostic:
    """A `slug` with a part such as `..` or `!`, of which nothing would be left in the URL."""
    message = f"“{key}” has a part without letters or digits, “{part}”; this value is ignored"
    return warning("bad-value", span, message, "write a name, or set the whole path with “url”")


def no_language_tag(span: Span, key: str, value: str) -> Diagnostic:
    """A language that is not a language tag, which is ignored: perhaps not the text has it, but the code in it."""
    wrong = f", not “{value}”" if value else ""
    message = f"“{key}” must be the language of the text, as a tag (BCP 47){wrong}; this value is ignored"
    hint = language_hint(value)
    if not likely_tag(value):
        hint += "; if it is not about the text, rename the key, or add it to “also” in [tags]"
    return warning("bad-value", span, message, hint)
