"""The steps of `devlog check --external`: collect links, read cached results, request the others, report problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

import msgspec

from devlog.check.evidence import CheckedSource, Evidence
from devlog.check.rules import allowed
from devlog.checking import Checked, Options
from devlog.config import Config
from devlog.external import problems
from devlog.external.cache import Known, recall, remember
from devlog.external.requests import UNKNOWN, Answer, Pace, ask_all
from devlog.http.proxy import proxy_fault
from devlog.http.reach import Reach
from devlog.http.request_url import Address, address_of
from devlog.inputs import judge
from devlog.model.check_facts import Outside
from devlog.model.diagnostic import Diagnostic, Edit, Fix, Span, limited
from devlog.stages import Progress

Links = dict[Address, list[Outside]]
"""The links to each requested URL."""

Answers = dict[Address, Answer]

# URLs that a fix can write into a source without escaping, whatever the markup around them. Links without markup do
# not end with punctuation.
_PLAIN = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d+)?/(?:[A-Za-z0-9._~/?#=&+,:@!$%-]*[A-Za-z0-9/=&+@$%-])?", re.ASCII)
_GOES_ON = re.compile(r"[\w/?#=&%~+:@-]")


def ask(
    options: Options,
    checked: Checked,
    progress: Progress = lambda _stage, _done, _total: None,
    reach: Reach | None = None,
    pace: Pace | None = None,
) -> list[Diagnostic]:
    """Check whether a site's links to other sites still work.

    Args:
        options: of the check.
        checked: the result of the check.
        progress: called with the stage, the number of finished URLs and the total.
        reach: opens the connections; `None` for the default, which reaches only the public internet.
        pace: limits and delays; `None` for the default.

    Returns:
        The diagnostics, sorted, with the configured severities.
    """
    evidence, inputs = checked.evidence, checked.inputs
    if evidence is None or inputs is None:
        return []
    reach = reach or Reach()
    links = outside_links(evidence, inputs.own_url)
    file = evidence.config_file
    fault = proxy_fault(reach.proxies)  # all links would seem to be dead
    answers, online = ({}, False) if fault else _answers(options, links, progress, reach, pace or Pace())
    found = (
        [*limited(_problems(links, answers)), *_unasked(file, links, answers)]
        if online
        else [_offline(file, links, answers, fault)]
    )
    permitted = allowed(evidence)
    found = [problem for problem in found if (problem.span.path, problem.code) not in permitted]
    with_lines = inputs.with_lines(options.root, judge(found, evidence.config, strict=options.strict))
    return [_with_sure_fix(problem) for problem in with_lines]


def _answers(options: Options, links: Links, progress: Progress, reach: Reach, pace: Pace) -> tuple[Answers, bool]:
    """The results of all links, and whether any host could be reached; results of links that work are cached."""
    known = recall(options.root, options.now)
    answers = {address: Answer("alive", moved=known[url].moved) for address in links if (url := address.url) in known}
    missing = [address for address in links if address not in answers]
    if not missing:
        return answers, True

    def on_answer(address: Address, answer: Answer) -> None:
        answers[address] = answer
        progress("Checking external links", len(answers), len(links))

    try:
        return answers, ask_all(missing, reach, pace, on_answer)
    finally:  # cache the results so far even if the user interrupts the check
        new = [(address.url, answers[address]) for address in missing if address in answers]
        alive = {url: Known(options.now, answer.moved) for url, answer in new if answer.verdict == "alive"}
        remember(options.root, known | alive)


def outside_links(evidence: Evidence, own_url: str) -> Links:
    """The links and images of published posts and pages whose URLs are on other sites and may be requested, in order.

    Args:
        evidence: of the site.
        own_url: the site's own URL.
    """
    own = address_of(own_url) if "://" in own_url else None
    links: Links = {}
    for text in _published(evidence):
        for outside in text.facts.outside:
            address = address_of(outside.url)
            if address and not _is_own(address, own) and not _is_ignored(outside.url, evidence.config):
                links.setdefault(address, []).append(outside)
    return links


def _published(evidence: Evidence) -> Iterator[CheckedSource]:
    site = evidence.site
    listing = {topic.index.path for topic in site.topics if topic.index} | ({site.home.path} if site.home else set())
    shown = listing | evidence.companions
    return (text for text in evidence.sources if text.post or text.parsed.path in shown)


def _is_own(address: Address, own: Address | None) -> bool:
    if own is None or (address.host, address.port) != (own.host, own.port):
        return False
    return f"{address.target.rstrip('/')}/".startswith(own.target)


def _is_ignored(url: str, config: Config) -> bool:
    return any(fnmatchcase(url, pattern) for pattern in config.check.external_ignore)


def _problems(links: Links, answers: Answers) -> Iterator[Diagnostic]:
    for address, places in links.items():
        answer = answers.get(address, UNKNOWN)
        for outside in places:
            if answer.verdict == "dead":
                yield problems.dead_url(outside.span, outside.url, answer.why, answer.detail)
            elif answer.moved:
                _, mark, fragment = outside.url.partition("#")
                now = answer.moved if "#" in answer.moved else answer.moved + mark + fragment
                yield problems.moved_url(outside.span, outside.url, now, _fix(outside, now))


def _unasked(file: str, links: Links, answers: Answers) -> Iterator[Diagnostic]:
    """The diagnostics about links without a result."""
    number = sum(answers.get(address, UNKNOWN).verdict == "unknown" for address in links)
    if number:
        yield problems.unasked_urls(Span(file), number)
    private = [address.host for address in links if answers.get(address, UNKNOWN).verdict == "private"]
    if private:
        yield problems.private_urls(Span(file), len(private), private[0])


def _offline(file: str, links: Links, answers: Answers, hint: str) -> Diagnostic:
    final = ("alive", "closed")  # cached, or never requested
    number = sum(answers.get(address, UNKNOWN).verdict not in final for address in links)
    return problems.offline(Span(file), number, hint)


def _fix(outside: Outside, now: str) -> Fix | None:
    """The fix that replaces a URL with the new one. That comes from another site, so it must not need escaping."""
    exact = outside.span.column and outside.span.length >= len(outside.url)
    return Fix((Edit(outside.span, outside.url, now),)) if exact and _PLAIN.fullmatch(now) else None


def _with_sure_fix(problem: Diagnostic) -> Diagnostic:
    """A problem, without its fix unless its span contains the URL exactly once, and not as part of a longer one."""
    if problem.fix and not all(_stands_alone(edit, problem.line_text) for edit in problem.fix.edits):
        return msgspec.structs.replace(problem, fix=None)
    return problem


def _stands_alone(edit: Edit, line: str) -> bool:
    start = edit.span.column - 1
    end = start + edit.span.length
    if line.count(edit.old, start, end) != 1:
        return False
    found = line.find(edit.old, start, end)
    around = line[max(0, found - 1) : found], line[found + len(edit.old) :][:1]
    return not any(_GOES_ON.match(text) for text in around)
