"""Formats problems as SARIF 2.1.0, the format in which code hosts accept results of checkers (OASIS, 27 March 2020)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from devlog import __version__
from devlog.model.diagnostic import Diagnostic, Edit, Fix
from devlog.model.digest import digest_bytes
from devlog.model.secrets import masked
from devlog.plugins.features import known_codes
from devlog.report import Rows, printable

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

PAGES = "https://devlog.example.org/docs/reference/codes/"
"""Where devlog's own site has a page about each of its codes. Codes of plugins and of a site's patterns have none."""

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_ROOT = "REPOSITORY"
_LINE = 1_000
"""How many characters of a line are used to identify it: a line may be as long as its file, and have thousands of
problems."""
_OF_LINKS = re.compile(r"[\\\[\]]")
"""The signs of links in messages, which a backslash makes literal (SARIF 2.1.0, 3.11.6)."""


def as_sarif(diagnostics: Sequence[Diagnostic], explain: Callable[[str], str], folder: str = "") -> dict[str, object]:
    """A SARIF log file with one run, as a JSON document.

    Args:
        diagnostics: the problems.
        explain: returns the documentation of a code, whose first paragraph is a summary.
        folder: the site's folder in the repository: empty, or with a trailing slash.
    """
    codes = sorted({item.code for item in diagnostics})
    rules = [_rule(code, explain(code)) for code in codes]
    driver = {"name": "devlog", "version": __version__, "semanticVersion": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder of the repository"}}},
        "results": Rows(diagnostics, lambda item: _result(item, codes.index(item.code), folder)),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str, documentation: str) -> dict[str, object]:
    first = " ".join(documentation.partition("\n\n")[0].split()) or code
    rule: dict[str, object] = {
        "id": code,
        "shortDescription": {"text": first},
        "fullDescription": {"text": documentation or code},
        "help": {"text": documentation or code},
    }
    return rule | {"helpUri": f"{PAGES}{code}/"} if code in known_codes() else rule


def _result(item: Diagnostic, rule: int, folder: str) -> dict[str, object]:
    span = item.span
    message = _unlinked(item.message) + (f"\nHint: {_unlinked(item.hint)}" if item.hint else "")
    place: dict[str, object] = {"artifactLocation": _artifact(folder + span.path)}
    if span.line:
        region = {"startLine": span.line}
        if span.column:
            region |= {"startColumn": span.column, "endColumn": span.column + max(1, span.length)}
        place["region"] = region
    # A host identifies a problem by this when its line number changes.
    lasting = "\0".join((item.code, span.path, item.message, item.line_text[:_LINE].strip()))
    print_ = digest_bytes(lasting.encode(errors="replace"))
    result: dict[str, object] = {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": _LEVELS[item.severity],
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"devlog/v1": print_},
    }
    if item.others:
        places = [{"physicalLocation": {"artifactLocation": _artifact(folder + file)}} for file in item.others]
        result["relatedLocations"] = places
    if item.fix and item.fix.edits and all(_exact(edit) for edit in item.fix.edits):
        result["fixes"] = [_fix(item.fix, folder)]
    return result


def _unlinked(text: str) -> str:
    """A plain text message in which nothing is a link, whatever words of a post it contains."""
    return _OF_LINKS.sub(r"\\\g<0>", printable(text))


def _artifact(path: str) -> dict[str, object]:
    return {"uri": quote(path.encode("utf-8", "backslashreplace").decode()), "uriBaseId": _ROOT}


def _exact(edit: Edit) -> bool:
    """Whether an edit gives its exact position, and a text that may be shown."""
    if masked(edit.new) != edit.new:
        return False
    return bool(edit.lines or (edit.span.column and edit.span.length == len(edit.old)))


def _fix(fix: Fix, folder: str) -> dict[str, object]:
    changes: dict[str, list[dict[str, object]]] = {}
    for edit in fix.edits:
        span = edit.span
        if edit.lines:
            region = {"startLine": span.line, "startColumn": 1, "endLine": span.line + edit.lines, "endColumn": 1}
        else:
            region = {"startLine": span.line, "startColumn": span.column, "endColumn": span.column + span.length}
        change = {"deletedRegion": region, "insertedContent": {"text": edit.new}}
        changes.setdefault(span.path, []).append(change)
    files = [{"artifactLocation": _artifact(folder + path), "replacements": some} for path, some in changes.items()]
    return {"description": {"text": "What `devlog check --fix` does"}, "artifactChanges": files}
