"""Messages about digests."""

from __future__ import annotations

from collections.abc import Sequence

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error, info, warning


def no_history(span: Span, folder: str, reason: str, hint: str) -> Diagnostic:
    """A repository whose history cannot be read."""
    return error("no-history", span, f"cannot read the history of “{folder}”: {reason}", hint)


def no_source(span: Span) -> Diagnostic:
    """A digest without a repository that it is about."""
    hint = "name the folder of a clone with --source, or as “source_checkout” in devlog.toml"
    return error("no-digest-source", span, "no repository is configured", hint)


def unknown_digest(span: Span, name: str, known: Sequence[str]) -> Diagnostic:
    """A digest that the configuration does not have."""
    hint = did_you_mean(name, known) or (
        f"there are: {', '.join(known)}" if known else "add [digest.NAME] to devlog.toml"
    )
    return error("unknown-digest", span, f"unknown digest “{name}”", hint)


def template_failed(span: Span, reason: str) -> Diagnostic:
    """A template of a digest that cannot be filled."""
    return error("digest-template", span, f"cannot fill the template: {reason}")


def writer_failed(span: Span, reason: str) -> Diagnostic:
    """A program that should write a digest and fails."""
    return error("digest-writer", span, f"the writer failed: {reason}", "nothing was written")


def digest_too_long(span: Span, length: int, most: int) -> Diagnostic:
    """A text of a digest that is too long."""
    hint = "name fewer changes, or choose a shorter range"
    return error("digest-too-long", span, f"the text has {length:,} characters (limit: {most:,})", hint)


def digest_markup(span: Span, what: str) -> Diagnostic:
    """Markup that a digest must not have, since titles of a repository could bring it."""
    hint = "write plain Markdown; escape characters that are no markup with a backslash"
    return error("digest-markup", span, f"{what} is not allowed in a digest", hint)


def digest_unknown(span: Span, kind: str, text: str, near: str = "") -> Diagnostic:
    """Something in a digest that the activity does not have: a reference, commit, file, link, number or person."""
    hint = f"did you mean “{near}”?" if near else ""
    return error("digest-unknown", span, f"{kind} not found in the activity: “{text}”", hint)


def digest_wrong_count(span: Span, claim: str, noun: str, counted: Sequence[int]) -> Diagnostic:
    """A count in a digest that is wrong."""
    some = ", ".join(f"{number:,}" for number in counted[-6:])
    return error(
        "digest-wrong-count", span, f"wrong count: “{claim}”", f"the activity has these numbers of {noun}: {some}"
    )


def digest_incomplete(span: Span, coverage: str, missing: Sequence[str]) -> Diagnostic:
    """A digest that does not mention all listed changes."""
    more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
    return info("digest-incomplete", span, f"the text {coverage}", f"missing: {', '.join(missing[:5])}{more}")


def no_forge(span: Span, url: str) -> Diagnostic:
    """A digest that should ask a forge, and no project that it can ask."""
    said = f"“{url}” is not the URL of a project" if url else "the project's URL on its forge is not known"
    return error("no-forge", span, said, "write the https URL of its page as “forge” of the digest in devlog.toml")


def forge_failed(span: Span, reason: str, hint: str) -> Diagnostic:
    """A forge that gives no usable answer."""
    return error("forge-failed", span, f"cannot ask the forge: {reason}", hint or "--no-forge asks only the clone")


def forge_requests(span: Span, host: str, requests: int, cached: int, pulls: int) -> Diagnostic:
    """How many requests a digest has made."""
    made = "1 request" if requests == 1 else f"{requests:,} requests"
    kept = f"; {cached:,} more {'answer' if cached == 1 else 'answers'} came from the cache" if cached else ""
    about = "1 pull request" if pulls == 1 else f"{pulls:,} pull requests"
    return info("forge-requests", span, f"{made} to {host} about {about}{kept}")


def forge_incomplete(span: Span, missing: int, most: int) -> Diagnostic:
    """A digest for which a forge would have to be asked too often."""
    some = "1 pull request was" if missing == 1 else f"{missing:,} pull requests were"
    hint = "what the clone says about them was used; a second run asks for the rest"
    return warning("forge-incomplete", span, f"{some} not asked for (limit: {most:,} requests in 10 minutes)", hint)


def forge_too_large(span: Span, number: int) -> Diagnostic:
    """A digest without what a forge says about some items, since that is more than devlog reads."""
    some = "1 pull request or issue is" if number == 1 else f"{number:,} pull requests and issues are"
    hint = "what the clone says about them was used; shorten their descriptions on the forge"
    return warning("forge-incomplete", span, f"{some} too large to be read", hint)


def no_gaps(span: Span, reason: str) -> Diagnostic:
    """A digest that should list what no post is about, and a repository that does not tell."""
    return error("no-gaps", span, f"cannot tell what nobody has written about: {reason}")


def quiet(span: Span, period: str) -> Diagnostic:
    """A period without a change that a digest would list."""
    return info("quiet-period", span, f"nothing to report: no changes {period}")


def digest_exists(span: Span) -> Diagnostic:
    """A digest of the same activity that is there already."""
    return info("digest-exists", span, "the digest of this activity exists already; nothing was written")


def bad_recorded_activity(span: Span, reason: str) -> Diagnostic:
    """The recorded activity of a digest, which cannot be read."""
    return error("bad-activity", span, f"cannot read the recorded activity: {reason}")


def no_digest(span: Span) -> Diagnostic:
    """A post that is no digest."""
    hint = "digests that this command has written have a “digest” table in their front matter"
    return error("no-digest", span, "the post is not a digest", hint)


def bad_digest_key(span: Span, key: str) -> Diagnostic:
    """A key of a digest's front matter without a string."""
    return warning("bad-digest", span, f"“{key}” must be a string")
