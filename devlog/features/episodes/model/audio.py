"""The audio files of a site, once their files are known: what pages and feeds tell of episodes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.features.episodes.model.episode import Chapter, Podcast
from devlog.features.episodes.model.transcript import Transcript
from devlog.model.derived import LinkTargets
from devlog.model.diagnostic import Diagnostic
from devlog.model.post_note import PostNote
from devlog.model.view import FeedLink, PersonView


class AudioFile(msgspec.Struct, frozen=True):
    """The sound of a post; URLs are as pages link to them, or absolute.

    ``length`` and ``seconds`` are 0 where nobody knows them. ``transcript`` is that of a file.
    """

    url: str
    length: int
    type: str
    seconds: float
    image: str = ""
    people: tuple[PersonView, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    transcript: Transcript | None = None


class SiteAudio(msgspec.Struct, frozen=True):
    """All audio files of a site.

    Attributes:
        by_post: by the id of the post.
        images: the pictures of shows, and of who makes them, by the path of the topic and what front matter names.
        shows: the topics that are shows, by path, with what is said of them.
        problems: what is wrong with any.
        there: whether the site has an episode or a show at all.
        targets: the moments and files of episodes, to which links may lead.
        feeds: the feed of the show that each topic belongs to, by the topic's path.
        notes: that pages of episodes have a sound.
    """

    by_post: Mapping[str, AudioFile] = {}
    images: Mapping[tuple[str, str], str] = {}
    shows: Mapping[str, Podcast] = {}
    problems: tuple[Diagnostic, ...] = ()
    there: bool = False
    targets: LinkTargets = LinkTargets()
    feeds: Mapping[str, tuple[FeedLink, ...]] = {}
    notes: Mapping[str, PostNote] = {}


class PodcastItem(msgspec.Struct, frozen=True):
    """What the feed of a show tells of an episode, beside its entry; URLs are absolute."""

    url: str
    length: int
    type: str
    seconds: float
    season: int
    number: int
    kind: str
    explicit: bool
    image: str
    people: tuple[PersonView, ...]
    transcripts: tuple[FeedLink, ...]
    chapters: str


class Show(msgspec.Struct, frozen=True):
    """What a feed tells of a show; URLs are absolute. See `devlog.features.episodes.model.episode.Podcast`."""

    author: str
    owner_name: str
    owner_email: str
    image: str
    categories: tuple[tuple[str, str], ...]
    explicit: bool
    type: str
    copyright: str
    license: str
    license_url: str
    locked: bool | None
    guid: str
    funding: tuple[str, str]
    people: tuple[PersonView, ...]
    link: str
