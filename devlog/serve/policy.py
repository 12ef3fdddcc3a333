"""The content security policy of each answer of the preview.

All answers share one origin: pages that show drafts, and files that any author may have put beside a post. So a page
runs scripts of certain paths only, and anything but a page of devlog gets an origin of its own and runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

import msgspec

from devlog.assemble.policy import connect_origins, frame_sources, named_scripts, script_origins
from devlog.model.players import SITES, origins
from devlog.plugins.features import site_search
from devlog.serve.guard import OWN
from devlog.serve.snapshot import Snapshot

_NOTHING = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

ATTACHED = f"sandbox; {_NOTHING}; img-src data:; font-src data:"
"""For files that are not pages of devlog, whatever their type: opened directly, they are shown but run nothing."""

PLAYED = f"sandbox allow-same-origin; {_NOTHING}; media-src 'self'"
"""For audio and video: browsers show them in a page that requests the file again, as the same site. Without
``allow-scripts``, nothing in it runs."""

FEED = "sandbox allow-same-origin; default-src 'none'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
"""For XML that devlog or a plugin makes: feeds name a style sheet of the theme, which the preview sends to its own site
only. Without ``allow-scripts``, nothing in it runs."""

HOSTS = 100
"""A page with images, audio and video from more hosts than this may load them from any host."""

_LONGEST_HOST = 253
"""The maximum length of a name in DNS. Longer ones lead nowhere, but would make the header too large for browsers."""
_NO_FRAMES = "'none'"
_FEEDS = ("application/xml", "application/atom+xml", "application/rss+xml")
_SCRIPTS = (".js", ".mjs")
_WASM = "'wasm-unsafe-eval'"
_LOADED = re.compile(
    rb"""<link\b[^>]*|\b(?:src|srcset|poster)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)|\burl\([^)]*""", re.IGNORECASE
)
_HOST = re.compile(
    rb"(?:(https?):)?//([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*(?::[0-9]{1,5})?)(?![^/?#\s\"'),&])", re.IGNORECASE
)


class Policy(msgspec.Struct, frozen=True):
    """The parts of the content security policy that all pages of a site share.

    Attributes:
        configured: the complete policy from the configuration, which replaces everything else; empty if there is none.
        paths: the percent-encoded paths of the site's scripts that pages may run; `None` if they may run all, because
            the configuration trusts the HTML of posts.
        origins: other sites from which the configuration loads scripts.
        frames: the sites that may be shown in frames.
        receivers: other sites that scripts may send to.
    """

    configured: str = ""
    paths: tuple[str, ...] | None = ()
    origins: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()

    def page(self, html: bytes = b"") -> str:
        """The policy of a page.

        Args:
            html: of the page. It may load images only from the hosts that it names: else an injected script could send
                data to any host with the request of an image. It may load the players to which it has links.
        """
        if self.configured:
            return self.configured
        hosts = "".join(f" {host}" for host in named_hosts(html))
        origins = "".join(f" {origin}" for origin in self.origins)
        receivers = "".join(f" {origin}" for origin in self.receivers)
        directives = (
            "default-src 'self'",
            f"script-src 'self' {_WASM}{origins}",
            "style-src 'self' 'unsafe-inline'",
            f"img-src 'self' data:{hosts}{receivers}",
            f"media-src 'self'{hosts}",
            "font-src 'self' data:",
            f"frame-src {' '.join((*self.frames, *_players(html)) or (_NO_FRAMES,))}",
            f"connect-src 'self'{receivers}",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self' https:",
            "frame-ancestors 'none'",
        )
        first = "; ".join(directives)
        if self.paths is None:
            return first
        # If there are two policies, both must allow a script: the first restricts its origin, the second its path. A
        # single one would have to name the host of the request, which is impossible for an IPv6 address. WebKit takes
        # no notice of "*:*" without a scheme; "http" includes "https".
        paths = " ".join(f"http://*:*{path}" for path in (OWN, *self.paths))
        return f"{first}, script-src {_WASM}{origins} {paths}"


def _players(html: bytes) -> tuple[str, ...]:
    """The origins of the players that readers of a page can load."""
    if b' data-frame="' not in html:
        return ()
    return tuple(origin for origin in origins(SITES) if f' data-frame="{origin}/'.encode() in html)


def made(media_type: str) -> str:
    """The policy of a file other than a page that devlog or a plugin makes."""
    return FEED if media_type in _FEEDS else attached(media_type)


def attached(media_type: str) -> str:
    """The policy of a file that is not a page of devlog."""
    return PLAYED if media_type.startswith(("audio/", "video/")) else ATTACHED


def named_hosts(html: bytes) -> tuple[str, ...]:
    """The hosts from which a page loads images, audio and video, as sorted sources of a policy."""
    found: set[str] = set()
    for place in _LOADED.finditer(html):
        text = place[0]
        if text[:5].lower() == b"<link" and b"icon" not in text.lower():
            continue
        for host in _HOST.finditer(text):
            if len(host[2]) > _LONGEST_HOST:
                continue
            scheme = (host[1] or b"").decode().lower()
            found.add(f"{scheme}://{host[2].decode().lower()}" if scheme else host[2].decode().lower())
        if len(found) > HOSTS:
            return ("http:", "https:")
    return tuple(sorted(found))


def policy_of(snapshot: Snapshot) -> Policy:
    """The policy of a site's pages.

    It allows the scripts of the theme, devlog and plugins, and those of the static folder whose path is named by a
    template or the configuration, which are both trusted.
    """
    config = snapshot.inputs.config
    if config.serve.content_security_policy:
        return Policy(config.serve.content_security_policy)
    paths = None if config.html == "trusted" else tuple(_paths(snapshot))
    return Policy(
        "", paths, tuple(script_origins(config)), tuple(frame_sources(config)), tuple(connect_origins(config))
    )


def _paths(snapshot: Snapshot) -> Iterable[str]:
    named = named_scripts(snapshot.inputs.config, snapshot.inputs.loaded.theme.templates)
    made: list[str] = [path for path in snapshot.claims if path.lower().endswith(_SCRIPTS)]
    made += [
        copy.path
        for copy in snapshot.copies.values()
        if copy.path.lower().endswith(_SCRIPTS)
        and (copy.folder == "theme" or (copy.folder == "static" and copy.path in named))
    ]
    search = site_search()
    made += [search.script] if search and snapshot.planner.is_searchable else []
    return (quote(snapshot.base_path + path, safe="/~") for path in sorted(made))
