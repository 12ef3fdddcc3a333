"""All rules: running them, waiving what a comment allows, and explaining a code."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from inspect import getdoc
from pathlib import Path
from types import FunctionType
from typing import Any

import msgspec

from devlog.check import authors, images, leaks, links, posts, problems, site, tags, topics
from devlog.check.evidence import Evidence
from devlog.model.diagnostic import Diagnostic
from devlog.model.theme import PluginRef
from devlog.plugin import (
    FAULTS,
    Late,
    Plugin,
    code_of,
    codes,
    codes_of_checks,
    fault,
    features,
    known_codes,
    load,
    misfit_problem,
)

Rule = Callable[[Evidence], Iterable[Diagnostic]]

FAMILIES: dict[str, tuple[Rule, ...]] = {
    "posts": posts.RULES,
    "authors": authors.RULES,
    "links": links.RULES,
    "images": images.RULES,
    "topics": topics.RULES,
    "tags": tags.RULES,
    "site": site.RULES,
    "leaks": leaks.RULES,
}
"""The rules of each family. A rule is named as its code is, and its docstring is the code's documentation.

What features have of rules is a family too.
"""
FAMILIES |= {
    plugin.name: tuple(check.load() if isinstance(check, Late) else check for check in plugin.checks)
    for plugin in features()
    if plugin.checks
}

ASKED = frozenset({"dead-url", "moved-url"})
"""What no rule finds but the web tells: see `devlog.external`."""


BUILT_IN = Plugin("devlog", checks=tuple(rule for rules in FAMILIES.values() for rule in rules))
"""The rules of devlog itself."""


def run(evidence: Evidence, plugins: Sequence[PluginRef] = ()) -> list[Diagnostic]:
    """What the rules find in a site, without what its texts allow."""
    known = [(None, BUILT_IN), *zip(plugins, load(plugins), strict=True)]
    found = [
        problem for ref, plugin in known for rule in plugin.checks for problem in _found(evidence, ref, plugin, rule)
    ]
    return [*_waived(evidence, found, codes(load(plugins)))]


def _found(evidence: Evidence, ref: PluginRef | None, plugin: Plugin, rule: Rule) -> list[Diagnostic]:
    """What a rule finds; the problems of a plugin's rule have its code."""
    if ref is None:
        return [*rule(evidence)]
    code = code_of(plugin, rule)
    what = f"the rule “{code}”"
    found: list[Diagnostic] = []
    try:
        given: Iterable[Any] = rule(evidence)
        for problem in given:
            if reason := misfit_problem(problem):
                return [*found, fault(ref, what, reason)]
            found.append(msgspec.structs.replace(problem, code=code))
    except FAULTS as error:  # the plugin's own code
        return [*found, fault(ref, what, error)]
    return found


def allowed(evidence: Evidence) -> frozenset[tuple[str, str]]:
    """What comments allow, with a reason: files, and the codes of problems that they may have."""
    waivers = (waiver for text in evidence.texts for waiver in text.notes.waivers)
    return frozenset((waiver.span.path, waiver.code) for waiver in waivers if waiver.reason)


def _waived(evidence: Evidence, found: Iterable[Diagnostic], others: Iterable[str]) -> Iterator[Diagnostic]:
    """Problems that no comment in their file allows, and what is wrong with such comments.

    Args:
        evidence: what the rules looked at.
        found: by the rules.
        others: the codes of plugins.
    """
    known = codes_of_checks() | {f"leaks.{name}" for name in evidence.config.check.patterns} | set(others)
    waivers = [waiver for text in evidence.texts for waiver in text.notes.waivers]
    permitted = allowed(evidence)
    needed = set()
    for problem in found:
        place = (problem.span.path, problem.code)
        if place in permitted:
            needed.add(place)
        else:
            yield problem
    for waiver in waivers:
        if waiver.code not in known or not waiver.reason:
            reasoned = bool(waiver.reason)
            yield problems.bad_waiver(waiver.span, waiver.code, sorted(known), reasoned=reasoned)
        elif waiver.code not in ASKED and (waiver.span.path, waiver.code) not in needed:
            yield problems.unused_waiver(waiver.span, waiver.code)


def explain(code: str, plugins: Sequence[PluginRef] = ()) -> str:
    """What a code means: the documentation of its rule, or of the messages that have it; empty for an unknown code.

    Args:
        code: such as ``broken-link``.
        plugins: whose rules are known, too.
    """
    if "." in code and (function := codes(load(plugins)).get(code)):
        return getdoc(function) or f"A problem that the function “{function.__name__}” finds."
    for family, rules in FAMILIES.items():
        for rule in rules:
            name = rule.__name__.replace("_", "-")
            if code == (f"leaks.{name}" if family == "leaks" else name):
                return getdoc(rule) or ""
    if code not in known_codes():
        return ""
    meant = [message for message in _messages() if code in message.__code__.co_consts]  # as a constant
    return "\n".join(_ARGUMENT.sub("", getdoc(message) or "") for message in meant)


# What documents the function, and not the problem.
_ARGUMENT = re.compile(r"[;:] `\w+` [^.]*(?=\.)|(?<=\.) `\w+` [^.]*\.|\s*\nArgs:\n[\s\S]*")


@cache
def _messages() -> tuple[FunctionType, ...]:
    """The messages of all packages: a check explains what commands report, though it knows no command."""
    package = Path(__file__).parent.parent
    files = [file.relative_to(package) for file in package.rglob("problems.py")]
    files.sort(key=lambda file: (file.parts[0] == "features", file.parent))  # what is more general first
    names = [".".join((package.name, *file.with_suffix("").parts)) for file in files]
    return tuple(
        item
        for name in names
        for item in vars(importlib.import_module(name)).values()
        if isinstance(item, FunctionType) and item.__module__ == name
    )
