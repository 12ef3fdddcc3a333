"""Rules about leaks: text that tells outsiders more than intended. Patterns find candidates; rules decide about them.

Parsing records what the patterns find, including matches in code and front matter. Each pattern begins with literal
characters as far as possible, because a search for those takes hardly any time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.config import Config
from devlog.model import secrets
from devlog.model.diagnostic import Diagnostic, Span

_PATTERNS = (
    rf"/(?:(?P<home_path>(?<![\w.~-]/)(?:home|Users)/[A-Za-z0-9._-]+)|{secrets.SLACK_ADDRESS})",
    r":(?P<windows_path>\\{1,2}Users\\{1,2}[A-Za-z0-9._-]+)",
    *secrets.PATTERNS,
    r"D(?P<change>(?<![\w/.-]D)[0-9]{7,9}(?![\w-]))",
    r"T(?P<task>(?<![\w/.-]T)[0-9]{8,9}(?![\w-]))",
    (
        r"://(?P<host>(?:(?<=http://)|(?<=https://))[A-Za-z0-9-]+(?=/[^/])|(?:[A-Za-z0-9-]+\.){1,8}"
        r"(?:internal|intranet|intra|corp|lan|internalfb\.com|fburl\.com)(?![\w-]|\.\w))"
    ),
)
"""devlog's own patterns. Each begins with a character that is fast to search for; its groups say what was found."""

_ANYONE = frozenset(
    """
    user users username name you me someone somebody anyone runner ubuntu debian vagrant circleci travis vscode coder
    app node jovyan gitpod codespace docker admin root public shared linuxbrew your yourname xxx foo bar alice bob ada
    jane john jdoe johndoe janedoe dev developer test build builder ci git
    """.split()
)


def patterns(config: Config) -> tuple[tuple[str, str], ...]:
    """The regular expressions that parsing searches for in every source, with their names."""
    hosts = [(f"host {host}", _host_pattern(host)) for host in config.check.hosts if host.strip(". ")]
    own = [(f"leaks.{name}", pattern) for name, pattern in config.check.patterns.items()]
    return (*(("", pattern) for pattern in _PATTERNS), *hosts, *own)


def _host_pattern(host: str) -> str:
    """A pattern for a host, or for the end of the name of its subdomains."""
    name = re.escape(host.strip(". ").lower())
    return rf"{name}(?<![\w-]{name})(?![\w-]|\.\w)"


def _matches(evidence: Evidence, *names: str) -> Iterator[tuple[str, str, Span]]:
    for text in evidence.sources:
        for match in text.facts.matches:
            if match.name in names:
                yield match.name, match.text, match.span


def home_path(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post contains the path of somebody's home folder, mostly in copied output.

    It reveals a user name, and means nothing to others. Names that stand for anyone, such as `/home/user`, are fine.
    """
    for _, text, span in _matches(evidence, "home_path", "windows_path"):
        name = re.split(r"[/\\]", text)[-1].lower().rstrip(".")
        if name not in _ANYONE and len(name) > 1 and not name.startswith(("my", "your")):
            yield problems.home_path(span, text)


def token(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post contains something that looks like a password, a key or a token of a well-known service.

    It is an error, because publishing it cannot be undone.
    """
    for kind, text, span in _matches(evidence, *secrets.KINDS):
        if not secrets.is_example(text):
            yield problems.token(span, secrets.KINDS[kind])


def internal_host(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post contains a URL or host that only your organization can reach.

    devlog recognizes short names (`http://go/…`) and a few endings (`.internal`, `.corp`, `.intranet`); `hosts` in
    `[check]` lists your own. A short name with a port (`http://prometheus:9090`) is mostly a container's, and is fine.
    """
    hosts = [f"host {host}" for host in evidence.config.check.hosts]
    for name, text, span in _matches(evidence, "host", *hosts):
        host = text.partition("://")[2] or text
        if name != "host" or not _ANY_HOST.fullmatch(host.lower()):
            yield problems.internal_host(span, host)


_ANY_HOST = re.compile(
    r"(?:your|my|some|the|example|foo|bar)[a-z0-9-]*|[a-z0-9-]*(?:example|host|hostname|server|domain)"
    r"|api|app|backend|db|frontend|gateway|nginx|proxy|service|web"
    r"|(?:gateway|host|kubernetes)\.docker\.internal|host\.containers\.internal|metadata\.google\.internal"
)
"""Placeholder hosts, and hosts that exist in every cloud or container."""


def internal_number(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post contains the number of a change or a task in an internal tool: `D12345678`, `T123456789`.

    Nobody outside can look it up. Write what the change did, or link to the public commit.
    """
    for _, text, span in _matches(evidence, "change", "task"):
        yield problems.internal_number(span, text)


def location(evidence: Evidence) -> Iterator[Diagnostic]:
    """The metadata of an image contain the location where it was taken, as in photos from phones.

    It is reported if `strip` in `[images]` is `false`. Otherwise metadata is removed; where devlog cannot remove it,
    kept-location is reported.
    """
    for item in evidence.site.assets:
        if item.permalink in evidence.located:
            uses = evidence.uses.get(item.permalink, ())
            yield problems.location(uses[0].ref.span if uses else Span(item.asset.file), item.asset.file)


def own(evidence: Evidence) -> Iterator[Diagnostic]:
    """A pattern from `[check.patterns]` matches in a post."""
    names = [f"leaks.{name}" for name in evidence.config.check.patterns]
    for name, text, span in _matches(evidence, *names):
        yield problems.own_leak(span, name, text)


RULES = (home_path, token, internal_host, internal_number, location, own)
