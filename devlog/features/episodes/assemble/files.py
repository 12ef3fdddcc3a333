"""The files of episodes and shows beside their pages: plans them, and makes their contexts."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from devlog.assemble.feeds import feed_view
from devlog.assemble.site_context import Context, SiteContext
from devlog.assemble.urls import span_of
from devlog.features.episodes.assemble import episodes
from devlog.features.episodes.model.audio import SiteAudio
from devlog.features.episodes.model.episode import BODY, Cues, audio_of
from devlog.model.diagnostic import Diagnostic, generated
from devlog.model.target import Blob
from devlog.plugin import Outline, PlannedFile


def plan_episodes(outline: Outline) -> Iterator[PlannedFile | Diagnostic]:
    """Plan the files of episodes, unless the site has its own, and the feeds of shows."""
    site, site_audio = outline.site, outline.derived.of(SiteAudio)
    if not site_audio.has_episodes:
        return
    own = {item.permalink: item for item in site.assets}
    for index, post in enumerate(site.posts):
        sound = site_audio.by_post.get(post.id)
        for permalink, what in episodes.spoken_files(post, sound) if sound else ():
            recipe = "chapters" if what == "chapters" else "transcript"
            make, about = (chapters, (index,)) if what == "chapters" else (transcript, (index, what))
            yields = permalink not in own or own[permalink].may_replace(post.permalink)
            yield PlannedFile(permalink, recipe, span=span_of(post), yields=yields, make=make, about=about)
    topics = {topic.path: topic for topic in site.topics}
    for path, indexes in episodes.episodes_of_shows(site, site_audio).items():
        topic = topics[path]
        yield from episodes.same_audio(site, site_audio, indexes)
        span = generated(f"the feed of the show “{topic.title}”")
        yield PlannedFile(topic.permalink + episodes.FEED, "podcast", span=span, make=podcast, about=(path, indexes))


def podcast(known: SiteContext, path: str, indexes: tuple[int, ...]) -> Context:
    """The context of the feed of a show."""
    topic, config, site_audio = known.topic_of(path), known.config, known.derived.of(SiteAudio)
    podcast = site_audio.shows[path]
    entries, items = [], []
    for post in known.posts(indexes):
        audio = audio_of(post.parsed)
        assert audio
        entries.append(known.entry(post, full=audio.transcript != BODY and not known.expands(post)))
        items.append(
            episodes.podcast_item(
                config, known.views, post, audio, site_audio.by_post[post.id], explicit=podcast.explicit
            )
        )
    view = feed_view(
        config, known.views, episodes.show_feed(config, topic, podcast), topic.permalink + episodes.FEED, entries
    )
    return {
        "feed": msgspec.structs.replace(view, language=podcast.language or config.language),
        "entries": tuple(entries),
        "show": episodes.show(config, known.views, topic, podcast, site_audio),
        "episodes": tuple(items),
    }


def transcript(known: SiteContext, index: int, ending: str) -> Context:
    """The context of a transcript file."""
    post = known.site.posts[index]
    audio, sound = audio_of(post.parsed), known.derived.of(SiteAudio).by_post[post.id]
    own = audio is None or audio.transcript == BODY or sound.transcript is None
    cues = post.parsed.document.of(Cues).cues if own or sound.transcript is None else Blob(sound.transcript.cues)
    context: Context = {"cues": cues, "format": ending, "title": post.title, "language": known.config.language}
    text = sound.transcript.text.path if sound.transcript and not own else ""
    if own or text.lower().endswith((".md", ".markdown")):  # these formats do not have the end of the last cue
        context["seconds"] = sound.seconds
    return context


def chapters(known: SiteContext, index: int) -> Context:
    """The context of the chapters file of an episode."""
    post = known.site.posts[index]
    origin = known.config.origin
    parts = [
        msgspec.structs.replace(part, image=origin + part.image) if part.image[:1] == "/" else part
        for part in known.derived.of(SiteAudio).by_post[post.id].chapters
    ]
    return {"title": post.title, "chapters": tuple(parts)}
