"""What the page of an episode is made of, beside what the page of any post is."""

from __future__ import annotations

import msgspec

from devlog.assemble.site_context import Context, SiteContext
from devlog.assemble.structured import Json, absolute
from devlog.config import Config
from devlog.features.episodes.assemble import episodes
from devlog.features.episodes.model.audio import SiteAudio
from devlog.features.episodes.model.episode import BODY, audio_of
from devlog.model.site import Post
from devlog.model.view import EpisodeView, PageView, PersonView


def episode_page(known: SiteContext, post: Post, context: Context) -> Context:
    """The context of a post's page with the post's sound, and what is spoken in it.

    Args:
        known: the site.
        post: with a sound.
        context: as that of any post.
    """
    site_audio = known.derived.of(SiteAudio)
    audio, sound = audio_of(post.parsed), site_audio.by_post[post.id]
    assert audio
    show = episodes.show_of(site_audio.shows, post.topic)
    topic = known.topic_of(show) if show is not None else None
    episode = episodes.episode_view(known.views, post, audio, sound, topic)
    shown = {**context, "page": _with_sound(known, context["page"], episode), "episode": episode}
    if audio.transcript == BODY:
        return {**shown, "content": "", "transcript": known.fillings.of(post.id)}
    return {**shown, "transcript": known.fillings.beside(post.id) or ""}


def _with_sound(known: SiteContext, page: PageView, episode: EpisodeView) -> PageView:
    """What the head of an episode's page says: that of any post, and where its sound lies."""
    return msgspec.structs.replace(
        page,
        audio=absolute(known.config, episode.audio_url),
        audio_type=episode.type,
        json_ld=podcast_episode(page.json_ld, episode, known.config),
    )


def podcast_episode(posting: Json, episode: EpisodeView, config: Config) -> Json:
    """An episode as a ``PodcastEpisode``.

    Args:
        posting: the same as a `blog_posting`.
        episode: its sound.
        config: of the site.
    """
    found = {key: value for key, value in posting.items() if key not in ("headline", "wordCount", "articleSection")}
    found |= {"@type": "PodcastEpisode", "name": posting["headline"], "associatedMedia": _sound(episode, config)}
    if episode.show:
        show: Json = {"@type": "PodcastSeries", "name": episode.show.title, "url": absolute(config, episode.show.url)}
        if episode.feed:
            show["webFeed"] = absolute(config, episode.feed)
        found["partOfSeries"] = show
    if episode.season:
        found["partOfSeason"] = {"@type": "PodcastSeason", "seasonNumber": episode.season}
    if episode.number:
        found["episodeNumber"] = episode.number
    if episode.iso_duration:
        found["duration"] = found["timeRequired"] = episode.iso_duration
    if episode.image:
        found["image"] = absolute(config, episode.image)
    if episode.people:
        found["contributor"] = [_contributor(one, config) for one in episode.people]
    if episode.chapters:
        url = posting["url"]
        found["hasPart"] = [
            {"@type": "Clip", "name": part.title, "startOffset": part.start, "url": f"{url}#t={part.start:g}"}
            for part in episode.chapters
        ]
    return found


def _sound(episode: EpisodeView, config: Config) -> Json:
    found: Json = {
        "@type": "AudioObject",
        "contentUrl": absolute(config, episode.audio_url),
        "encodingFormat": episode.type,
    }
    if episode.length:
        found["contentSize"] = str(episode.length)
    if episode.iso_duration:
        found["duration"] = episode.iso_duration
    if episode.transcripts:
        found["transcript"] = absolute(config, episode.transcripts[0].url)
    return found


def _contributor(one: PersonView, config: Config) -> Json:
    found: Json = {"@type": "Person", "name": one.name}
    if one.url:
        found["url"] = absolute(config, one.url)
    return found
