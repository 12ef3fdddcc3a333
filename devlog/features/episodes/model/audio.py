"""The audio of a site with the properties of its files: what pages and feeds show about episodes."""

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
    """The audio of a post; URLs are as pages link to them, or absolute.

    ``length`` and ``seconds`` are 0 if they are unknown. ``transcript`` is only set if it is in a file of its own.
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
    """All audio of a site.

    Attributes:
        by_post: the audio, by the id of the post.
        images: the URLs of the images of shows and their people, by the path of the topic and the name in front matter.
        shows: the shows, by the paths of their topics.
        problems: diagnostics about audio files, transcripts, chapters and shows.
        has_episodes: whether the site has any episode.
        targets: the moments and files of episodes to which links can lead.
        feeds: the feed of the show that each topic belongs to, by the topic's path.
        notes: the notes that extend the pages of episodes, by the id of the post.
    """

    by_post: Mapping[str, AudioFile] = {}
    images: Mapping[tuple[str, str], str] = {}
    shows: Mapping[str, Podcast] = {}
    problems: tuple[Diagnostic, ...] = ()
    has_episodes: bool = False
    targets: LinkTargets = LinkTargets()
    feeds: Mapping[str, tuple[FeedLink, ...]] = {}
    notes: Mapping[str, PostNote] = {}


class PodcastItem(msgspec.Struct, frozen=True):
    """What the feed of a show contains for an episode, in addition to its entry; URLs are absolute."""

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
    """What a feed contains about its show; URLs are absolute. See `devlog.features.episodes.model.episode.Podcast`."""

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
