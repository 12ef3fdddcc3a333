"""Rules about images: alt text, size, and where they are stored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.model.codes import UNREAD
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.site import Published

_TRACKERS = re.compile(
    r"https?://(?:"
    r"github\.com/user-attachments/|github\.com/[\w.-]+/[\w.-]+/assets/|"
    r"(?:private-)?user-images\.githubusercontent\.com/|(?=[\w.-]*gitlab)[\w.-]+/[\w./-]+/uploads/[0-9a-f]{32}/|"
    r"[\w.-]+\.atlassian\.net/secure/attachment/|bugs?\.[\w.-]+/attachment"
    r")",
    re.IGNORECASE,
)
_ICONS = re.compile(
    r"(?:^|/)(?:(?:favicon|apple-touch-icon|android-chrome|mstile|safari-pinned|og[-_.]|social)[^/]*"
    r"|[^/]*\b(?:featured|cover|thumbnail)\b[^/]*)$",
    re.IGNORECASE,
)


def missing_alt(evidence: Evidence) -> Iterator[Diagnostic]:
    """An image has no alternative text.

    People who cannot see it, and programs that read the post, learn nothing about it. If an image is only decoration,
    give it an empty `alt` attribute.
    """
    for text in evidence.sources:
        for span in text.facts.without_alt:
            yield problems.missing_alt(span)


def image_in_other_topic(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post shows an image from the folder of another topic that does not use the image itself.

    Such an image is lost when somebody tidies up the other topic.
    """
    topics = {topic.path for topic in evidence.site.topics}
    for item in evidence.images:
        own = _topic_of(item, topics)
        uses = evidence.uses.get(item.permalink, ())
        users = {use.text.post.topic for use in uses if use.text.post}
        if own and uses and users and not any(user == own or user.startswith(f"{own}/") for user in users):
            for use in uses:
                yield problems.image_in_other_topic(use.ref.span, item.asset.file, own)


def _topic_of(item: Published, topics: set[str]) -> str:
    """The topic whose folder contains a file; in the static folder, `images/TOPIC/` counts as the topic's folder."""
    folders = item.asset.path.split("/")[:-1]
    if item.folder == "static" and folders and folders[0] in {"images", "img", "assets", "media", "figures"}:
        folders = folders[1:]
    for end in range(len(folders), 0, -1):
        if "/".join(folders[:end]) in topics:
            return "/".join(folders[:end])
    return ""


def large_image(evidence: Evidence) -> Iterator[Diagnostic]:
    """An image is larger than the site's limit for one image: `image_budget` in `[check]`, in kB."""
    budget = evidence.config.check.image_budget
    for item in evidence.images:
        size = item.asset.length // 1000
        if size > budget:
            uses = evidence.uses.get(item.permalink, ())
            span = uses[0].ref.span if uses else Span(item.asset.file)
            yield problems.large_image(span, item.asset.file, size, budget)


def unused_image(evidence: Evidence) -> Iterator[Diagnostic]:
    """No post or page shows an image, and no template, style sheet or configuration key names it.

    Icons that browsers and other sites request by their names do not count, nor do images that templates of Hugo find
    by their names (`featured.png`, `cover.png`, `thumbnail.png`).
    """
    if any(problem.code in UNREAD for text in evidence.sources for problem in text.parsed.diagnostics):
        return  # a source that cannot be read may use any image
    for item in evidence.images:
        name = item.asset.path.rpartition("/")[2]
        if not evidence.uses.get(item.permalink) and name not in evidence.named and not _ICONS.search(item.asset.path):
            yield problems.unused_image(Span(item.asset.file))


def tracker_image(evidence: Evidence) -> Iterator[Diagnostic]:
    """An image is hosted by an issue tracker.

    URLs of attachments may need a login or expire, and the tracker can track everyone who reads the post.
    """
    for text in evidence.sources:
        for outside in text.facts.outside:
            if outside.kind == "image" and _TRACKERS.match(outside.url):
                yield problems.tracker_image(outside.span, outside.url.split("/", 3)[2])


RULES = (missing_alt, image_in_other_topic, large_image, unused_image, tracker_image)
