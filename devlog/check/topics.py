"""Rules about topics, the folders of posts."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.model.diagnostic import Diagnostic, Span


def empty_topic(evidence: Evidence) -> Iterator[Diagnostic]:
    """A topic has an `_index.md`, but neither the topic nor one inside it has posts."""
    paths = [f"{path}/" for path in {post.topic for post in evidence.site.posts}]
    used = {path[:end] for path in paths for end, sign in enumerate(path) if sign == "/"}
    for topic in evidence.site.topics:
        if topic.index and topic.path not in used:
            yield problems.empty_topic(Span(topic.index.file))


def topic_drift(evidence: Evidence) -> Iterator[Diagnostic]:
    """Two topics have names that differ only in letter case, `-` or `_`: one of them is probably a mistake."""
    seen: dict[str, str] = {}
    counts: dict[str, int] = {}
    for post in evidence.site.posts:
        counts[post.topic] = counts.get(post.topic, 0) + 1
    for topic in sorted(evidence.site.topics, key=lambda topic: (-counts.get(topic.path, 0), topic.path)):
        key = topic.path.casefold().replace("_", "").replace("-", "").replace(" ", "")
        other = seen.setdefault(key, topic.path)
        if other != topic.path:
            span = Span(topic.index.file) if topic.index else Span(topic.folder)
            yield problems.topic_drift(span, topic.path, other)


RULES = (empty_topic, topic_drift)
