"""Pages that the preview itself shows if the site has no page for a request."""

from __future__ import annotations

from html import escape

from devlog.model.digest import digest_bytes
from devlog.serve.responses import Page


def nothing_yet() -> Page:
    """The site cannot be shown at all: its theme is broken."""
    return _page(503, "Nothing to show yet", "The problems below prevent this site from being shown.")


def failed() -> Page:
    """The page could not be rendered since the preview started."""
    return _page(500, "This page cannot be built", "See the problems below.")


def still_reading() -> Page:
    """The page shows so many posts that it must wait until all are parsed."""
    return _page(503, "Still reading", "This page shows most of the site, which is still loading. Try again soon.")


def not_found() -> Page:
    """There is no such page, and the site has no ``404.html``."""
    return _page(404, "Not found", "Page not found.")


def _page(status: int, title: str, text: str) -> Page:
    html = (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<style>:root { color-scheme: light dark } body { font: 1.1rem/1.6 system-ui, sans-serif;"
        " max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem }</style>\n"
        f"</head>\n<body>\n<main>\n<h1>{escape(title)}</h1>\n<p>{escape(text)}</p>\n</main>\n</body>\n</html>\n"
    ).encode()
    return Page(html, digest_bytes(html), status)
