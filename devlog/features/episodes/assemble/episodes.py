"""Episodes and shows: the files beside their pages, and the contents of these files and of feeds."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from devlog.assemble.feeds import FEED_TYPES, Feed
from devlog.assemble.links import MOMENT
from devlog.assemble.urls import url
from devlog.assemble.views import Views
from devlog.config import Config
from devlog.features.episodes import problems
from devlog.features.episodes.model.audio import AudioFile, PodcastItem, Show, SiteAudio
from devlog.features.episodes.model.episode import (
    BODY,
    Audio,
    Cues,
    Podcast,
    audio_of,
    clock,
    is_timed,
    iso_duration,
    podcast_of,
)
from devlog.features.episodes.model.transcript import Transcript
from devlog.model import view
from devlog.model.catalog import Catalog
from devlog.model.closest import closest
from devlog.model.derived import CompanionText, LinkTargets
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Parsed
from devlog.model.media import media_type
from devlog.model.names import named_file
from devlog.model.site import Post, Site, Topic

FEED = "podcast.xml"
"""The name of a show's feed, beside the page of its topic."""

NAMESPACE = uuid.UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
"""The UUID namespace of the identifiers of shows."""

TYPES = {
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
    "json": "application/json",
    "txt": "text/plain",
    "html": "text/html",
}
"""The media types of transcripts by file extension, the most useful format first."""

_WITHOUT_TIMES = ("txt", "html")
_CATEGORIES = (
    "Arts",
    "Business",
    "Comedy",
    "Education",
    "Fiction",
    "Government",
    "Health & Fitness",
    "History",
    "Kids & Family",
    "Leisure",
    "Music",
    "News",
    "Religion & Spirituality",
    "Science",
    "Society & Culture",
    "Sports",
    "TV & Film",
    "Technology",
    "True Crime",
)


def transcript_texts(parsed: Sequence[Parsed]) -> frozenset[str]:
    """Paths of sources that are transcripts of posts, and so not posts. One with audio of its own stays a post."""
    named = [
        (item.path, audio.transcript)
        for item in parsed
        if (audio := audio_of(item)) and audio.transcript.lower().endswith((".md", ".markdown"))
    ]
    if not named:
        return frozenset()
    is_silent = {item.path: audio_of(item) is None for item in parsed}
    texts = {named_file(path, target, is_silent) for path, target in named}
    return frozenset(text for text in texts if text and is_silent[text])


# -- files beside a page


def file_beside(permalink: str, name: str) -> str:
    """The permalink of a file that belongs to a page."""
    if permalink.endswith("/"):
        return permalink + name
    return f"{permalink.rpartition('.')[0] or permalink}-{name}"


def formats(post: Post, sound: AudioFile) -> tuple[str, ...]:
    """The formats in which a post's transcript is published; none without a transcript."""
    audio = audio_of(post.parsed)
    if audio and audio.transcript == BODY:
        cues = post.parsed.document.of(Cues).cues
        timed, some = is_timed(cues), bool(cues)
    else:
        timed = sound.transcript is not None and sound.transcript.is_timed
        some = sound.transcript is not None and sound.transcript.text.document.words > 0
    if not some:
        return ()
    return tuple(TYPES) if timed else _WITHOUT_TIMES


def spoken_files(post: Post, sound: AudioFile) -> Iterator[tuple[str, str]]:
    """The files of an episode: their permalinks, and their kind: ``chapters``, or the format of a transcript."""
    for ending in formats(post, sound):
        yield file_beside(post.permalink, f"transcript.{ending}"), ending
    if sound.chapters:
        yield file_beside(post.permalink, "chapters.json"), "chapters"


def link_targets(site: Site, site_audio: SiteAudio) -> LinkTargets:
    """What links can lead to because of episodes and shows: seconds of transcripts, and files."""
    posts = [(post, site_audio.by_post[post.id]) for post in site.posts if post.id in site_audio.by_post]
    texts = {post.id: _companion(post, audio.transcript) for post, audio in posts if audio.transcript}
    anchors = {
        post.id: (*(texts[post.id].text.document.anchors if post.id in texts else ()), MOMENT) for post, _ in posts
    }
    files = [permalink for post, audio in posts for permalink, _ in spoken_files(post, audio)]
    feeds = [topic.permalink + FEED for topic in site.topics if topic.path in site_audio.shows]
    return LinkTargets(anchors, (*files, *feeds), texts)


def _companion(post: Post, transcript: Transcript) -> CompanionText:
    audio = audio_of(post.parsed)
    line = audio.span("transcript", post.parsed.file).line if audio else 1
    return CompanionText(transcript.text, transcript.facts, line)


# -- shows


def shows_of(site: Site) -> dict[str, Podcast]:
    """The shows of a site, by the paths of their topics."""
    return {
        topic.path: podcast
        for topic in site.topics
        if topic.index and not topic.redirect and (podcast := podcast_of(topic.index))
    }


def show_of(shows: Mapping[str, Podcast], topic: str) -> str | None:
    """The topic of the show that the posts of a topic belong to: the topic itself, or the nearest one above."""
    while topic not in shows:
        if not topic:
            return None
        topic = topic.rpartition("/")[0]
    return topic


def show_title(topic: Topic, podcast: Podcast) -> str:
    """The title of a show."""
    return podcast.title or topic.title


def episodes_of_shows(site: Site, site_audio: SiteAudio) -> dict[str, tuple[int, ...]]:
    """The episodes of each show, by the path of its topic: as indexes of ``site.posts``, newest first."""
    topics = {post.topic for post in site.posts}
    shows = {topic: show for topic in topics if (show := show_of(site_audio.shows, topic)) is not None}
    found: dict[str, list[int]] = {path: [] for path in site_audio.shows}
    for index, post in enumerate(site.posts):
        if post.date and not post.state and post.id in site_audio.by_post and post.topic in shows:
            found[shows[post.topic]].append(index)
    return {path: tuple(indexes) for path, indexes in found.items()}


def feeds_of_shows(config: Config, site: Site, shows: Mapping[str, Podcast]) -> dict[str, tuple[view.FeedLink, ...]]:
    """The feed of the show that each topic belongs to, as pages link to it, by the topic's path."""
    topics = {topic.path: topic for topic in site.topics}
    links = {
        path: view.FeedLink(
            show_title(topics[path], podcast), url(config, topics[path].permalink + FEED), FEED_TYPES["rss"]
        )
        for path, podcast in shows.items()
    }
    found = {path: show_of(shows, path) for path in topics}
    return {path: (links[show],) for path, show in found.items() if show is not None}


# -- values for pages


def episode_view(views: Views, post: Post, audio: Audio, sound: AudioFile, topic: Topic | None) -> view.EpisodeView:
    """The audio of a post, as templates see it; `topic` is that of its show."""
    podcast = podcast_of(topic.index) if topic else None
    show = view.Link(show_title(topic, podcast), views.url(topic.permalink)) if topic and podcast else None
    explicit = audio.explicit if audio.explicit is not None else bool(podcast and podcast.explicit)
    return view.EpisodeView(
        show=show,
        audio_url=sound.url,
        type=sound.type,
        length=sound.length,
        seconds=sound.seconds,
        duration=clock(sound.seconds) if sound.seconds else "",
        iso_duration=iso_duration(sound.seconds) if sound.seconds else "",
        season=audio.season or 0,
        number=audio.episode or 0,
        kind=audio.episode_type,
        explicit=explicit,
        image=sound.image if sound.image.startswith("/") else "",
        people=tuple(_without_remote(person) for person in sound.people),
        chapters=tuple(
            view.ChapterView(
                chapter.start,
                clock(chapter.start),
                chapter.title,
                chapter.url,
                chapter.image if chapter.image.startswith("/") else "",
            )
            for chapter in sound.chapters
            if chapter.toc and chapter.title
        ),
        transcripts=transcripts(views.t, views.url, post, sound),
        feed=views.url(topic.permalink + FEED) if topic and podcast else "",
    )


def _without_remote(person: view.PersonView) -> view.PersonView:
    """A person without an image on another host, which would learn who reads the page."""
    if not person.image or person.image.startswith("/"):
        return person
    return view.PersonView(person.name, person.role, person.group, person.url)


_NAMES = {"vtt": "webvtt", "srt": "subrip", "json": "json", "txt": "plain_text", "html": "html"}
"""The message keys of the names of formats."""


def transcripts(t: Catalog, url: Callable[[str], str], post: Post, sound: AudioFile) -> tuple[view.FeedLink, ...]:
    """The files of a post's transcript; `t` is the message catalog, and `url` turns permalinks into URLs."""
    return tuple(
        view.FeedLink(t(_NAMES[ending]), url(file_beside(post.permalink, f"transcript.{ending}")), TYPES[ending])
        for ending in formats(post, sound)
    )


# -- values for feeds


def show_feed(config: Config, topic: Topic, podcast: Podcast) -> Feed:
    """The properties of a show's feed."""
    description = podcast.description or topic.description or config.description
    return Feed(topic.permalink, show_title(topic, podcast), description, full=True, json=False)


def podcast_item(
    config: Config, views: Views, post: Post, audio: Audio, sound: AudioFile, *, explicit: bool
) -> PodcastItem:
    """What a feed contains for an episode, in addition to its entry."""
    return PodcastItem(
        url=_whole(config, sound.url),
        length=sound.length,
        type=sound.type,
        seconds=sound.seconds,
        season=audio.season or 0,
        number=audio.episode or 0,
        kind=audio.episode_type,
        explicit=audio.explicit if audio.explicit is not None else explicit,
        image=_whole(config, sound.image),
        people=tuple(_whole_person(config, person) for person in sound.people),
        transcripts=transcripts(views.t, views.absolute, post, sound),
        chapters=views.absolute(file_beside(post.permalink, "chapters.json")) if sound.chapters else "",
    )


def show(config: Config, views: Views, topic: Topic, podcast: Podcast, site_audio: SiteAudio) -> Show:
    """What a feed contains about its show."""
    url = views.absolute(topic.permalink + FEED)
    people = tuple(
        view.PersonView(
            person.name, person.role, person.group, person.url, site_audio.images.get((topic.path, person.image), "")
        )
        for person in podcast.people
    )
    return Show(
        author=podcast.author or config.title,
        owner_name=podcast.owner_name or podcast.author or config.title,
        owner_email=podcast.owner_email,
        image=_whole(config, site_audio.images.get((topic.path, podcast.image), "")),
        categories=podcast.categories,
        explicit=podcast.explicit,
        type=podcast.type or "episodic",
        copyright=podcast.copyright or config.copyright,
        license=podcast.license,
        license_url=podcast.license_url,
        locked=podcast.locked,
        guid=podcast.guid or guid(url),
        funding=(podcast.funding[0], podcast.funding[1] or views.t("support_show")),
        people=tuple(_whole_person(config, person) for person in people),
        link=podcast.link or views.absolute(topic.permalink),
    )


def guid(feed_url: str) -> str:
    """The permanent identifier of a show, derived from the URL of its feed when it is first published."""
    return str(uuid.uuid5(NAMESPACE, feed_url.partition("://")[2].rstrip("/") or feed_url))


def _whole(config: Config, url: str) -> str:
    return config.origin + url if url.startswith("/") else url


def _whole_person(config: Config, person: view.PersonView) -> view.PersonView:
    return view.PersonView(person.name, person.role, person.group, person.url, _whole(config, person.image))


# -- diagnostics


def wrong_with_show(config: Config, topic: Topic, podcast: Podcast, image: str) -> Iterator[Diagnostic]:
    """Reasons for which podcast directories would reject a show; `image` is the URL of its image, or empty."""
    file = topic.index.file if topic.index else topic.folder
    block = podcast.span("", file)
    if not config.origin:
        yield problems.incomplete_podcast(block, "its feed has no absolute URLs", "set “base_url”")
    if not podcast.image:
        yield problems.incomplete_podcast(
            block, "it has no “image”", "name a square JPEG or PNG of 1400 to 3000 pixels"
        )
    elif image and media_type(image.partition("?")[0]) not in ("image/jpeg", "image/png"):
        span = podcast.span("image", file)
        yield problems.incomplete_podcast(span, "its image is neither a JPEG nor a PNG", "")
    if not podcast.categories:
        yield problems.incomplete_podcast(block, "it has no “category”", "write “category: Technology”")
    for name, _ in podcast.categories:
        if name not in _CATEGORIES:
            near = closest(name, _CATEGORIES, 0.4)
            hint = f"did you mean “{near}”?" if near else f"they know {', '.join(_CATEGORIES)}"
            yield problems.incomplete_podcast(_span_of_category(podcast, file), f"“{name}” is not a category", hint)
    if not (podcast.description or topic.description or config.description):
        yield problems.incomplete_podcast(block, "it has no “description”", "say what it is about")


def _span_of_category(podcast: Podcast, file: str) -> Span:
    known = dict(podcast.spans)
    return known.get("category") or known.get("categories") or podcast.span("", file)


def same_audio(site: Site, site_audio: SiteAudio, indexes: Iterable[int]) -> Iterator[Diagnostic]:
    """Diagnostics of episodes that have the same audio as an older one of their show."""
    owners: dict[str, Post] = {}
    for index in reversed(tuple(indexes)):
        post = site.posts[index]
        url = site_audio.by_post[post.id].url
        other = owners.setdefault(url, post)
        audio = audio_of(post.parsed)
        if other is not post and audio:
            span = audio.span("file" if audio.file else "url", post.parsed.file)
            yield problems.same_audio(span, url, other.parsed.file)
