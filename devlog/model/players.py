"""Players of other sites, which a page loads in a frame once a reader asks for one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_ID = r"[\w-]{1,40}"


class Site(NamedTuple):
    """A site with players.

    Attributes:
        title: its name.
        page: the URL of the page of a video, with a place for its id.
        frame: the URL of the player, which starts at once.
        known: the expression for the URLs of pages and players; the group is the id. It is compiled when it is needed:
            every build loads this module, and few posts have players.
    """

    title: str
    page: str
    frame: str
    known: str

    @property
    def origin(self) -> str:
        """The scheme and the host of the player."""
        return "/".join(self.frame.split("/", 3)[:3])


SITES = {
    "youtube": Site(
        "YouTube",
        "https://www.youtube.com/watch?v={}",
        "https://www.youtube-nocookie.com/embed/{}?autoplay=1",
        rf"https?://(?:(?:www\.|m\.)?youtube(?:-nocookie)?\.com/(?:watch\?(?:[\w=-]+&)*v=|embed/|shorts/|live/)"
        rf"|youtu\.be/)({_ID})(?:[?&#].*)?",
    ),
    "vimeo": Site(
        "Vimeo",
        "https://vimeo.com/{}",
        "https://player.vimeo.com/video/{}?autoplay=1&dnt=1",
        r"https?://(?:www\.|player\.)?vimeo\.com/(?:video/)?(\d{1,20})(?:[?#].*)?",
    ),
    "asciinema": Site(
        "asciinema",
        "https://asciinema.org/a/{}",
        "https://asciinema.org/a/{}/iframe?autoplay=1",
        rf"https?://asciinema\.org/a/({_ID})(?:[?#].*)?",
    ),
}
"""The sites by the names of their shortcodes."""


def frame_of(site: str, given: str, start: str = "") -> str:
    """The URL of the player of a video; empty if there is none.

    Args:
        site: the name of its shortcode.
        given: the id of the video, or the URL of its page.
        start: the second at which to start; empty for the beginning.
    """
    known = SITES.get(site)
    if known is None:
        return ""
    found = re.fullmatch(known.known, given, re.ASCII)
    video = found[1] if found else given if re.fullmatch(_ID, given, re.ASCII) else ""
    at = f"&{'t' if site == 'asciinema' else 'start'}={start}" if start.isdecimal() and site != "vimeo" else ""
    return known.frame.format(video) + at if video else ""


def origins(sites: Iterable[str]) -> list[str]:
    """The origins of the players of some sites, sorted."""
    return sorted(SITES[site].origin for site in sites if site in SITES)
