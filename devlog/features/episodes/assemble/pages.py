"""The additional context for the page of an episode."""

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
    """The context of a post's page, extended by the post's audio and transcript.

    Args:
        known: the site context.
        post: a post with audio.
        context: the context of its page as for any post.
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
    return {**shown, "transcript": known.fillings.companion(post.id) or ""}


def _with_sound(known: SiteContext, page: PageView, episode: EpisodeView) -> PageView:
    """The properties of an episode's page: those of any post's page, and the URL of its audio."""
    return msgspec.structs.replace(
        page,
        audio=absolute(known.config, episode.audio_url),
        audio_type=episode.type,
        json_ld=podcast_episode(page.json_ld, episode, known.config),
    )


def podcast_episode(posting: Json, episode: EpisodeView, config: Config) -> Json:
    """An episode as a ``PodcastEpisode``.

    Args:
        posting: the post as a `blog_posting`.
        episode: its audio.
        config: the configuration of the site.
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
