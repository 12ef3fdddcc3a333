"""What rules look at: a site, what was noted in its texts, and what its references lead to."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.check.people import People
from devlog.config import Config
from devlog.model import metadata
from devlog.model.check_facts import Notes
from devlog.model.derived import Derived
from devlog.model.diagnostic import Span
from devlog.model.document import Parsed, Ref
from devlog.model.site import Post, Published, Site


class Text(msgspec.Struct, frozen=True):
    """A text of the content folder, published or not.

    Attributes:
        parsed: what is in it.
        notes: what else was noted.
        post: the post or plain page that it is; `None` for a topic's ``_index.md`` and for what is not published.
        date_from_git: the day on which it was added, as ``2026-05-03``, where only the repository knows.
    """

    parsed: Parsed
    notes: Notes
    post: Post | None = None
    date_from_git: str = ""


class Use(msgspec.Struct, frozen=True):
    """A reference to a file or page of the site, and the text in which it stands."""

    ref: Ref
    text: Text


class Evidence(msgspec.Struct, frozen=True):
    """Everything that rules may look at.

    Attributes:
        config: of the site.
        config_file: the name of its file.
        config_spans: where it sets its keys, by their dotted names.
        site: as assembled.
        texts: all texts, by path, then those that stand in pages of posts and are files of another kind.
        scripts: paths of the output that templates or the configuration name as scripts.
        beside: the paths of texts that stand in pages of posts besides their own, such as transcripts.
        uses: for each permalink, the references that lead there, in order.
        outputs: every permalink of the site.
        named: names of files that templates, style sheets or the configuration mention.
        heads: the first bytes, as text, of files whose name has no ending, by their file.
        located: the files of pictures that say, even when they are published, where they were taken.
        derived: what features and plugins know of the site.
        people: whom its texts and the registry of authors name.
    """

    config: Config
    config_file: str
    config_spans: Mapping[str, Span]
    site: Site
    texts: tuple[Text, ...]
    uses: Mapping[str, tuple[Use, ...]]
    outputs: frozenset[str]
    people: People
    named: frozenset[str] = frozenset()
    heads: Mapping[str, str] = {}
    located: frozenset[str] = frozenset()
    derived: Derived = Derived()
    beside: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()

    def config_span(self, key: str) -> Span:
        """Where a dotted key of the configuration stands; the file as a whole if it is not set."""
        return self.config_spans.get(key, Span(self.config_file))

    @property
    def posts(self) -> tuple[Text, ...]:
        """The texts that are published as posts."""
        return tuple(text for text in self.texts if text.post and not text.post.is_page)

    @property
    def images(self) -> tuple[Published, ...]:
        """The files of the site that are pictures."""
        return tuple(item for item in self.site.assets if item.asset.path.lower().endswith(IMAGES))


IMAGES = (*metadata.SUFFIXES, ".avif", ".bmp", ".gif", ".jxl", ".svg")
