"""Runs all rules, removes problems that waivers allow, and explains codes."""

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

from devlog.check import authors, images, leaks, links, markdown, posts, problems, site, tags, topics
from devlog.check.evidence import Evidence
from devlog.model.diagnostic import Diagnostic, limited
from devlog.model.theme import PluginRef
from devlog.plugin import Late, Plugin
from devlog.plugins.codes import code_of, codes
from devlog.plugins.faults import fault, faults
from devlog.plugins.features import codes_of_checks, features, known_codes
from devlog.plugins.loading import load
from devlog.plugins.results import misfit_problem

Rule = Callable[[Evidence], Iterable[Diagnostic]]

FAMILIES: dict[str, tuple[Rule, ...]] = {
    "posts": posts.RULES,
    "markdown": markdown.RULES,
    "authors": authors.RULES,
    "links": links.RULES,
    "images": images.RULES,
    "topics": topics.RULES,
    "tags": tags.RULES,
    "site": site.RULES,
    "leaks": leaks.RULES,
}
"""The rules of each family. A rule has the name of its code, and its docstring is the documentation of that code.

The rules of each feature are a family, too.
"""
FAMILIES |= {
    plugin.name: tuple(check.load() if isinstance(check, Late) else check for check in plugin.checks)
    for plugin in features()
    if plugin.checks
}

ASKED = frozenset({"dead-url", "moved-url"})
"""Codes of problems that no rule finds, but only requests to other sites: see `devlog.external`."""


BUILT_IN = Plugin("devlog", checks=tuple(rule for rules in FAMILIES.values() for rule in rules))
"""The rules of devlog itself, including those of features."""


def run(evidence: Evidence, plugins: Sequence[PluginRef] = ()) -> list[Diagnostic]:
    """The problems that the rules find in a site, without those that waivers allow."""
    known = [(None, BUILT_IN), *zip(plugins, load(plugins), strict=True)]
    found = [
        problem for ref, plugin in known for rule in plugin.checks for problem in _found(evidence, ref, plugin, rule)
    ]
    return [*limited(_waived(evidence, found, codes(load(plugins))))]


def _found(evidence: Evidence, ref: PluginRef | None, plugin: Plugin, rule: Rule) -> list[Diagnostic]:
    """The problems that a rule finds; those of a plugin's rule get its code."""
    if ref is None:
        return [*limited(rule(evidence))]
    code = code_of(plugin, rule)
    what = f"the rule “{code}”"
    found: list[Diagnostic] = []
    try:
        given: Iterable[Any] = rule(evidence)
        for problem in given:
            if reason := misfit_problem(problem):
                return [*found, fault(ref, what, reason, rule)]
            found.append(msgspec.structs.replace(problem, code=code))
    except faults() as error:  # the plugin's own code
        return [*found, fault(ref, what, error, rule)]
    return found


def allowed(evidence: Evidence) -> frozenset[tuple[str, str]]:
    """Files and the codes that waivers with a reason allow in them."""
    waivers = (waiver for text in evidence.sources for waiver in text.facts.waivers)
    return frozenset((waiver.span.path, waiver.code) for waiver in waivers if waiver.reason)


def _waived(evidence: Evidence, found: Iterable[Diagnostic], others: Iterable[str]) -> Iterator[Diagnostic]:
    """The problems that no waiver in their file allows, and problems of the waivers themselves.

    Args:
        evidence: the input of the rules.
        found: the problems that the rules found.
        others: the codes of plugins.
    """
    known = codes_of_checks() | {f"leaks.{name}" for name in evidence.config.check.patterns} | set(others)
    waivers = [waiver for text in evidence.sources for waiver in text.facts.waivers]
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
    """The documentation of a code: that of its rule, or of the messages that have it; empty for an unknown code.

    Args:
        code: a code such as ``broken-link``.
        plugins: plugins whose codes can also be explained.
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


# The parts of a docstring that document arguments of the function, not the problem.
_ARGUMENT = re.compile(r"[;:]\s`\w+`\s[^.]*(?=\.)|(?<=\.)\s`\w+`:?\s[^.]*\.|\s*\nArgs:\n[\s\S]*")


@cache
def _messages() -> tuple[FunctionType, ...]:
    """The messages of all packages: a check explains codes of other commands without importing them."""
    package = Path(__file__).parent.parent
    files = [file.relative_to(package) for file in package.rglob("problems.py")]
    files.sort(key=lambda file: (file.parts[0] == "features", file.parent))  # the core before features
    names = [".".join((package.name, *file.with_suffix("").parts)) for file in files]
    return tuple(
        item
        for name in names
        for item in vars(importlib.import_module(name)).values()
        if isinstance(item, FunctionType) and item.__module__ == name
    )
