"""What goes into each file that is no page: feeds, transcripts, what programs read."""

from __future__ import annotations

import msgspec

from devlog.assemble import machine
from devlog.assemble.feeds import Feed, feed_view
from devlog.assemble.site_context import Context, SiteContext
from devlog.features.episodes.assemble import episodes
from devlog.features.episodes.model.episode import BODY, Cues, audio_of
from devlog.features.markdown_versions.assemble import NEWEST, listed_topics, other_pages, published, that_fit
from devlog.model.site import Redirect
from devlog.model.target import Blob


def feed(known: SiteContext, about: Feed, own: str, places: tuple[int, ...]) -> Context:
    """A file of a feed."""
    entries = known.entries(about, places)
    return {"feed": feed_view(known.config, known.views, about, own, entries), "entries": entries}


def podcast(known: SiteContext, path: str, places: tuple[int, ...]) -> Context:
    """The feed of a show."""
    topic, podcast, config = known.topic_of(path), known.shows[path], known.config
    entries, told = [], []
    for post in known.posts(places):
        audio = audio_of(post.parsed)
        assert audio
        entries.append(known.entry(post, full=audio.transcript != BODY))
        told.append(episodes.told(config, known.views, post, audio, known.audio.by_post[post.id], podcast.explicit))
    view = feed_view(
        config, known.views, episodes.show_feed(config, topic, podcast), topic.permalink + episodes.FEED, entries
    )
    return {
        "feed": msgspec.structs.replace(view, language=podcast.language or config.language),
        "entries": tuple(entries),
        "show": episodes.show(config, known.views, topic, podcast, known.audio),
        "episodes": tuple(told),
    }


def transcript(known: SiteContext, place: int, ending: str) -> Context:
    """A file of a transcript."""
    post = known.site.posts[place]
    audio, sound = audio_of(post.parsed), known.audio.by_post[post.id]
    own = audio is None or audio.transcript == BODY or sound.transcript is None
    cues = post.parsed.document.of(Cues).cues if own or sound.transcript is None else Blob(sound.transcript.cues)
    context: Context = {"cues": cues, "format": ending, "title": post.title, "language": known.config.language}
    text = sound.transcript.text.path if sound.transcript and not own else ""
    if own or text.lower().endswith((".md", ".markdown")):  # which does not say when the last one ends
        context["seconds"] = sound.seconds
    return context


def chapters(known: SiteContext, place: int) -> Context:
    """The chapters of an episode."""
    post = known.site.posts[place]
    origin = known.config.origin
    parts = [
        msgspec.structs.replace(part, image=origin + part.image) if part.image[:1] == "/" else part
        for part in known.audio.by_post[post.id].chapters
    ]
    return {"title": post.title, "chapters": tuple(parts)}


def redirect(known: SiteContext, item: Redirect) -> Context:
    """What leads from an old URL to a new one."""
    target = known.references.redirected(item)[0] if item.is_written else known.views.absolute(item.target)
    return {"title": item.title, "target": target}


def blob(_known: SiteContext, digest: str) -> Context:
    """Bytes that were made before."""
    return {"blob": Blob(digest)}


def posts_json(known: SiteContext) -> Context:
    """The list of posts."""
    return {
        "posts": known.views.whole(known.site.posts),
        "facts": tuple(machine.facts(post) for post in known.site.posts),
        "origin": known.config.origin,
        "twins": known.config.llms.twins,
    }


def refs_json(known: SiteContext) -> Context:
    """The references for programs."""
    return {"references": known.mentions.records(known.views, known.config.origin)}


def llms(known: SiteContext) -> Context:
    """The list for programs that read as people do."""
    site, posts = known.site, known.posts(published(known.site))
    return {
        "site": known.common["site"],
        "topics": listed_topics(site, known.views, posts),
        "posts": known.views.refs(posts[:NEWEST]),
        "others": other_pages(site, known.views),
        "twins": known.config.llms.twins,
    }


def llms_full(known: SiteContext) -> Context:
    """The newest texts for such programs."""
    posts, limit = known.posts(published(known.site)), known.config.llms.full_bytes
    chosen = tuple(that_fit(posts, limit))
    return {
        "site": known.common["site"],
        "posts": known.views.refs(chosen),
        "entries": tuple(known.entry(post, full=True) for post in chosen),
        "total": len(posts),
        "limit": limit,
    }


def sitemap(known: SiteContext, found: tuple[str, ...]) -> Context:
    """The site map of the paths that search engines may find."""
    return {"pages": machine.sitemap(known.views, found, known.site.posts)}


def robots(_known: SiteContext, sitemap_url: str) -> Context:
    """The rules for robots."""
    return {"sitemap": sitemap_url}
