"""Leaks: what tells outsiders more than was meant. Patterns say what to look for, rules what is a leak.

Parsing notes what the patterns find, code and front matter included. A pattern begins with letters that stand for
themselves, as far as possible: a search for them takes hardly any time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.config import Config
from devlog.model.diagnostic import Diagnostic, Span

_PATTERNS = (
    (
        r"/(?:(?P<home_path>(?<![\w.~-]/)(?:home|Users)/[A-Za-z0-9._-]+)"
        r"|(?P<slack_address>services/(?<=hooks\.slack\.com/services/)T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}))"
    ),
    r":(?P<windows_path>\\{1,2}Users\\{1,2}[A-Za-z0-9._-]+)",
    (
        r"_(?:(?P<github>(?<=gh[pousr]_)[A-Za-z0-9]{36,}|(?<=github_pat_)[A-Za-z0-9_]{60,})"
        r"|(?P<hugging_face>(?<=hf_)[A-Za-z0-9]{30,}(?![A-Za-z0-9_]))|(?P<npm>(?<=npm_)[A-Za-z0-9]{36}(?![A-Za-z0-9_])))"
    ),
    (
        r"-(?:(?P<gitlab>(?<=glpat-)[A-Za-z0-9_-]{20,})|(?P<slack>(?<=xox[abprs]-)[A-Za-z0-9-]{20,})"
        r"|(?P<ai>(?<=(?<![A-Za-z0-9])sk-)(?:proj-|ant-|or-)?[A-Za-z0-9_-]{32,})|(?P<pypi>(?<=pypi-)AgE[A-Za-z0-9_-]{50,})"
        r"|(?P<private_key>(?<=-----)BEGIN [A-Z ]{0,20}PRIVATE KEY-----))"
    ),
    r"A(?:(?P<aws>(?:KIA|SIA)[0-9A-Z]{16}(?![0-9A-Za-z]))|(?P<google>Iza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])))",
    r"J(?P<jwt>(?<=(?<![A-Za-z0-9_-])eyJ)[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})",
    r"D(?P<change>(?<![\w/.-]D)[0-9]{7,9}(?![\w-]))",
    r"T(?P<task>(?<![\w/.-]T)[0-9]{8,9}(?![\w-]))",
    (
        r"://(?P<host>(?:(?<=http://)|(?<=https://))[A-Za-z0-9-]+(?=/[^/])|(?:[A-Za-z0-9-]+\.){1,8}"
        r"(?:internal|intranet|intra|corp|lan|internalfb\.com|fburl\.com)(?![\w-]|\.\w))"
    ),
)
"""What devlog looks for by itself. Each begins with a sign searched for in no time; its groups say what was found."""

_TOKENS = {
    "slack_address": "a Slack webhook URL",
    "github": "a GitHub token",
    "hugging_face": "a Hugging Face token",
    "npm": "an npm token",
    "gitlab": "a GitLab token",
    "slack": "a Slack token",
    "ai": "an AI service key",
    "pypi": "a PyPI token",
    "private_key": "a private key",
    "aws": "an AWS access key",
    "google": "a Google API key",
    "jwt": "a signed token (JWT)",
}

_ANYONE = frozenset(
    """
    user users username name you me someone somebody anyone runner ubuntu debian vagrant circleci travis vscode coder
    app node jovyan gitpod codespace docker admin root public shared linuxbrew your yourname xxx foo bar alice bob ada
    jane john jdoe johndoe janedoe dev developer test build builder ci git
    """.split()
)


def patterns(config: Config) -> tuple[tuple[str, str], ...]:
    """What parsing is to look for in every text: regular expressions by name."""
    hosts = [(f"host {host}", _host_pattern(host)) for host in config.check.hosts if host.strip(". ")]
    own = [(f"leaks.{name}", pattern) for name, pattern in config.check.patterns.items()]
    return (*(("", pattern) for pattern in _PATTERNS), *hosts, *own)


def _host_pattern(host: str) -> str:
    """A host, or the end of the name of one below it."""
    name = re.escape(host.strip(". ").lower())
    return rf"{name}(?<![\w-]{name})(?![\w-]|\.\w)"


def _matches(evidence: Evidence, *names: str) -> Iterator[tuple[str, str, Span]]:
    for text in evidence.texts:
        for match in text.notes.matches:
            if match.name in names:
                yield match.name, match.text, match.span


def home_path(evidence: Evidence) -> Iterator[Diagnostic]:
    """The path of somebody's folder on their own machine stands in a text, mostly in copied output.

    It tells a user's name, and means nothing to others. Names that stand for anyone, such as `/home/user`, are fine.
    """
    for _, text, span in _matches(evidence, "home_path", "windows_path"):
        name = re.split(r"[/\\]", text)[-1].lower().rstrip(".")
        if name not in _ANYONE and len(name) > 1 and not name.startswith(("my", "your")):
            yield problems.home_path(span, text)


def token(evidence: Evidence) -> Iterator[Diagnostic]:
    """Something that looks like a password, a key or a token of a well-known service stands in a text.

    It is an error, because publishing it cannot be undone.
    """
    for kind, text, span in _matches(evidence, *_TOKENS):
        if not _is_example(text):
            yield problems.token(span, _TOKENS[kind])


def masked(line: str, spans: Iterable[Span]) -> str:
    """A line without the secrets that stand in places of it: everyone sees the log of a check.

    What is left tells which ones they are, and opens nothing.
    """
    parts: list[str] = []
    done = 0
    for span in sorted(spans):
        start, end = max(done, span.column - 1 + _TELLING), span.column - 1 + span.length
        if end <= done:
            continue
        rest = _WORD.match(
            line, end
        )  # a long one goes on behind its place, and a key behind the words that announce it
        end = rest.end() if rest else end
        parts += (line[done:start], "*" * (end - start))
        done = max(start, end)
    return "".join((*parts, line[done:]))


_TELLING = 4
_WORD = re.compile(r"\S*")


def _is_example(text: str) -> bool:
    """Whether a token is one that documentation shows: it says so, or repeats a few characters."""
    return "EXAMPLE" in text.upper() or (" " not in text and len(set(text[-20:].lower())) < 6)


def internal_host(evidence: Evidence) -> Iterator[Diagnostic]:
    """An address that only your organisation reaches stands in a text.

    devlog knows short names (`http://go/…`) and a few endings (`.internal`, `.corp`, `.intranet`); `hosts` in `[check]`
    names your own. A short name with a port (`http://prometheus:9090`) is mostly a container's, and fine.
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
"""Hosts that stand for any, and those that every cloud and container has."""


def internal_number(evidence: Evidence) -> Iterator[Diagnostic]:
    """The number of a change or a task in an internal tool stands in a text: `D12345678`, `T123456789`.

    Nobody outside can look it up. Write what it did, or link the public commit.
    """
    for _, text, span in _matches(evidence, "change", "task"):
        yield problems.internal_number(span, text)


def location(evidence: Evidence) -> Iterator[Diagnostic]:
    """The metadata of a picture say where on Earth it was taken, as those of photos from phones do.

    Of most pictures metadata are not published (see `strip` in `[images]`), but the file in your repository has them.
    """
    for item in evidence.images:
        if item.asset.file in evidence.located:
            uses = evidence.uses.get(item.permalink, ())
            yield problems.location(uses[0].ref.span if uses else Span(item.asset.file), item.asset.file)


def own(evidence: Evidence) -> Iterator[Diagnostic]:
    """A pattern that `[check.patterns]` names finds something in a text."""
    names = [f"leaks.{name}" for name in evidence.config.check.patterns]
    for name, text, span in _matches(evidence, *names):
        yield problems.own_leak(span, name, text)


RULES = (home_path, token, internal_host, internal_number, location, own)
