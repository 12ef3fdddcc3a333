"""Messages about links to other sites."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Fix, Span
from devlog.model.problems import info, warning

_DEAD = {
    "status": "the server answered {}",
    "404": "page not found",
    "410": "the page is gone",
    "no-host": "the host does not exist",
    "lookup": "the host name cannot be resolved",
    "refused": "the host cannot be reached",
    "slow": "the host did not answer in time",
    "broken": "the host closed the connection without an answer",
    "certificate": "no secure connection: {}",
    "not-http": "the host is not a web server",
    "circles": "it redirects in circles",
    "proxy": "the proxy cannot reach the host and answered {}",
}


def dead_url(span: Span, url: str, why: str, detail: str) -> Diagnostic:
    """A link to another site is broken: its page or its host does not exist, or does not answer.

    A link to a site that only refuses programs (401, 403, 429, 999), or is too busy to answer, is not reported.
    """
    reason = _DEAD.get(detail if why == "status" else why, _DEAD[why]).format(detail)
    return warning("dead-url", span, f"dead link “{url}”: {reason}")


def offline(span: Span, number: int, hint: str) -> Diagnostic:
    """None of the other sites could be reached, so links to them could not be checked."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    return warning("offline", span, f"no host can be reached: {links} not checked", hint)


def unasked_urls(span: Span, number: int) -> Diagnostic:
    """Some links to other sites could not be checked, because their hosts were busy or the time limit was reached."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    message = f"{links} not checked: hosts were busy, or time ran out"
    return info("unasked-urls", span, message, "check again later: answers are remembered")


def private_urls(span: Span, number: int, host: str) -> Diagnostic:
    """Some linked hosts have no public IP address here, so they are never requested. Most readers cannot reach them."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    message = f"{links} not checked: hosts such as “{host}” have no public address on this network"
    return info("unasked-urls", span, message)


def moved_url(span: Span, url: str, now: str, fix: Fix | None) -> Diagnostic:
    """A page of another site has moved permanently, according to that site. `--fix` writes the new URL."""
    return info("moved-url", span, f"“{url}” has moved", f"write “{now}”", fix)
