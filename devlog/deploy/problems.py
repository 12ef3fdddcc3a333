"""Messages about publishing."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error
from devlog.model.secrets import shortened

_LONGEST = 1_000
"""The maximum length of a reason in a message, in characters: it may quote a remote, or the name of a file there."""


def unknown_deployment(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """No deployment is configured, there is none of this name, or the command must name one of several."""
    known = sorted(known)
    listed = ", ".join(f"“{other}”" for other in known)
    if not known:
        hint = 'add a table such as “[deploy.pages]” with a line “to = "branch"”'
        return error("unknown-deployment", span, "no deployment is configured", hint)
    if not name:
        return error("unknown-deployment", span, f"several deployments are configured: {listed}", "name one of them")
    hint = did_you_mean(name, known) or f"there is {listed}"
    return error("unknown-deployment", span, f"unknown deployment “[deploy.{name}]”", hint)


def unknown_deployer(span: Span, name: str, to: str, known: Iterable[str]) -> Diagnostic:
    """The setting “to” of a deployment is missing, or names an unknown deployer."""
    listed = " or ".join(f"“{other}”" for other in sorted(known))
    what = f"unknown deployer “{to}”" if to else f"“deploy.{name}” is missing “to”"
    return error("unknown-deployer", span, what, did_you_mean(to, known) or f"write {listed}")


def not_built(output: str) -> Diagnostic:
    """There is no built site to publish."""
    return error("not-built", Span(output), "no built site found here", "run “devlog build”")


def unknown_files(span: Span) -> Diagnostic:
    """The manifest, the list of files that devlog wrote, is not valid, so that nothing is known to be of the site."""
    message = "is damaged: devlog cannot tell which files are of the site, and publishes none"
    return error("not-built", span, message, "delete the output folder and build again")


def not_as_built(file: str, number: int, looks_unchanged: bool) -> Diagnostic:
    """Files of the output folder have changed since the last build, so they are not published.

    Args:
        file: the first of them.
        number: how many there are.
        looks_unchanged: whether one still has its size and time, by which a build tells that a file is unchanged.
    """
    more = f", and {number - 1} more" if number > 1 else ""
    command = "devlog build --no-cache" if looks_unchanged else "devlog build"
    return error("not-as-built", Span(file), f"changed since the last build{more}", f"run “{command}”")


def not_deployed(span: Span, name: str, reason: str, hint: str = "") -> Diagnostic:
    """The site could not be published; the message has the reason."""
    reason = reason if len(reason) <= _LONGEST else f"{shortened(reason, _LONGEST)}…"
    return error("not-deployed", span, f"deployment “{name}” failed: {reason}", hint)
