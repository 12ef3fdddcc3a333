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
    """A link to another site leads nowhere: its host or its page is not there.

    A site that only does not let programs in (401, 403, 429, 999), or is too busy to answer, counts as alive.
    """
    reason = _DEAD.get(detail if why == "status" else why, _DEAD[why]).format(detail)
    return warning("dead-url", span, f"dead link “{url}”: {reason}")


def offline(span: Span, number: int) -> Diagnostic:
    """Not one of the other sites could be reached, so that nothing is known of the links to them."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    return warning("offline", span, f"no host can be reached: {links} not checked")


def unasked_urls(span: Span, number: int) -> Diagnostic:
    """Links to other sites of which nothing is known, because their hosts want to be left alone or the time was up."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    message = f"{links} not checked: hosts were busy, or time ran out"
    return info("unasked-urls", span, message, "check again later: answers are remembered")


def private_urls(span: Span, number: int, host: str) -> Diagnostic:
    """Links to hosts without a public IP address here, which are never requested. Most readers cannot reach them."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    message = f"{links} not checked: hosts such as “{host}” have no public address on this network"
    return info("unasked-urls", span, message)


def moved_url(span: Span, url: str, now: str, fix: Fix | None) -> Diagnostic:
    """A link to another site whose page has moved for good, as that site says. `--fix` writes the new URL."""
    return info("moved-url", span, f"“{url}” has moved", f"write “{now}”", fix)
