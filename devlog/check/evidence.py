"""The evidence for rules: a site, the facts recorded about its sources, and the targets of its links."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.check.people import People
from devlog.config import Config
from devlog.model.check_facts import CheckFacts
from devlog.model.derived import Derived
from devlog.model.diagnostic import Span
from devlog.model.document import Parsed, Ref
from devlog.model.site import Post, Published, Site
from devlog.model.theme import Template


class CheckedSource(msgspec.Struct, frozen=True):
    """A source of the content folder, published or not.

    Attributes:
        parsed: the parsed source.
        facts: the facts recorded about it.
        post: its post or plain page; `None` for a topic's ``_index.md`` and for unpublished sources.
        date_from_git: the day on which it was added to the repository, as ``2026-05-03``, if it has no other date.
    """

    parsed: Parsed
    facts: CheckFacts
    post: Post | None = None
    date_from_git: str = ""


class Use(msgspec.Struct, frozen=True):
    """A link to a file or page of the site, and the source that contains it."""

    ref: Ref
    text: CheckedSource


class Evidence(msgspec.Struct, frozen=True):
    """Everything that rules may use.

    Attributes:
        config: the configuration of the site.
        config_file: the name of the configuration file.
        config_spans: the positions of keys in the configuration file, by their dotted names.
        site: the assembled site.
        sources: all sources, by path, and after them secondary sources of posts that are files of another kind.
        scripts: output paths that templates or the configuration name as scripts.
        companions: the paths of secondary sources shown on pages of posts, such as transcripts.
        uses: the links to each permalink, in order.
        outputs: every permalink of the site.
        named: names of files that templates, style sheets or the configuration mention.
        heads: the first bytes, as text, of text files that may be posts with a wrong suffix, by file.
        located: the permalinks of images that are published with metadata that contain a location, because the
            configuration says so; of others, builds report it.
        derived: the data that features and plugins derive from the site.
        templates: the templates of the site and its theme; none if there are plugins, which may use any template.
        theme_names: the names of all templates that themes may have.
        strays: files outside the content folder that look like posts.
        absent: links to files of the repository that its checkout does not have, with their paths in it.
        people: the people whom bylines and the authors file name.
    """

    config: Config
    config_file: str
    config_spans: Mapping[str, Span]
    site: Site
    sources: tuple[CheckedSource, ...]
    uses: Mapping[str, tuple[Use, ...]]
    outputs: frozenset[str]
    people: People
    named: frozenset[str] = frozenset()
    heads: Mapping[str, str] = {}
    located: frozenset[str] = frozenset()
    derived: Derived = Derived()
    companions: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()
    templates: tuple[Template, ...] = ()
    theme_names: frozenset[str] = frozenset()
    strays: tuple[str, ...] = ()
    absent: tuple[tuple[Ref, str], ...] = ()

    def config_span(self, key: str) -> Span:
        """The position of a dotted key in the configuration file; the file as a whole if the key is not set."""
        return self.config_spans.get(key, Span(self.config_file))

    @property
    def posts(self) -> tuple[CheckedSource, ...]:
        """The sources that are published as posts."""
        return tuple(text for text in self.sources if text.post and not text.post.is_page)

    @property
    def images(self) -> tuple[Published, ...]:
        """The image files of the site."""
        return tuple(item for item in self.site.assets if item.asset.path.lower().endswith(IMAGES))


IMAGES = tuple(".apng .avif .bmp .gif .jfif .jpe .jpeg .jpg .jxl .pjp .pjpeg .png .svg .webp".split())
