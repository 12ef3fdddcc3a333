"""Structured data (schema.org, as JSON-LD) for search engines and other programs."""

from __future__ import annotations

from devlog.config import Config
from devlog.model.view import AuthorView, PostView

Json = dict[str, object]


def blog(config: Config, url: str) -> Json:
    """The home page as a ``Blog``."""
    found: Json = {
        "@context": "https://schema.org",
        "@type": "Blog",
        "name": config.title,
        "url": url,
        "inLanguage": config.language,
    }
    if config.description:
        found["description"] = config.description
    return found


def blog_posting(config: Config, post: PostView, url: str, image: str, description: str) -> Json:
    """A post as a ``BlogPosting``."""
    origin = config.origin
    found: Json = {
        "@context": "https://schema.org",
        "@type": "BlogPosting",
        "headline": post.title,
        "url": url,
        "mainEntityOfPage": url,
        "inLanguage": post.language or config.language,
        "wordCount": post.words,
        "author": [
            {
                "@type": "Organization" if author.team else "Person",
                "name": author.name,
                "url": origin + author.url,
            }
            for author in post.authors
        ],
        "isPartOf": {"@type": "Blog", "name": config.title},
    }
    if post.date and post.date.iso:
        found["datePublished"] = post.date.iso
        found["dateModified"] = post.updated.iso if post.updated else post.date.iso
    if post.reviewed:
        found["mainEntityOfPage"] = {"@type": "WebPage", "@id": url, "lastReviewed": post.reviewed.short}
    if post.status:
        found["creativeWorkStatus"] = post.status.capitalize()
    if post.ai:
        found["digitalSourceType"] = "https://schema.org/TrainedAlgorithmicMediaDigitalSource"
        found["creditText"] = post.ai.text
    if description:
        found["description"] = description
    if image:
        found["image"] = image
    if post.tags:
        found["keywords"] = [tag.name for tag in post.tags]
    if post.topic:
        found["articleSection"] = post.topic.title
    return found


def absolute(config: Config, url: str) -> str:
    """The absolute form of a URL in a view, for other sites."""
    return url if "://" in url or not url.startswith("/") else config.origin + url


def person(author: AuthorView, url: str) -> Json:
    """An author's page as a ``ProfilePage``."""
    about: Json = {"@type": "Organization" if author.team else "Person", "name": author.name, "url": url}
    if author.handle:
        about["alternateName"] = f"@{author.handle}"
    if author.link:
        about["sameAs"] = [author.link]
    return {"@context": "https://schema.org", "@type": "ProfilePage", "url": url, "mainEntity": about}
