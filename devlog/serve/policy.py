"""What each answer of the preview may load and run (Content-Security-Policy).

All that the preview answers has one origin: pages that show drafts, and files that anybody may have put beside a post.
So a page runs scripts of certain paths only, and what is no page of devlog's has an origin of its own and runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

import msgspec

from devlog.assemble.policy import frame_sources, named_scripts, script_origins
from devlog.plugin import site_search
from devlog.serve.guard import OWN
from devlog.serve.snapshot import Snapshot

_NOTHING = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

ATTACHED = f"sandbox; {_NOTHING}; img-src data:; font-src data:"
"""For what is no page of devlog's, whatever its type: opened by itself, it is shown and does nothing."""

PLAYED = f"sandbox allow-same-origin; {_NOTHING}; media-src 'self'"
"""For audio and video: browsers make a page of them, which asks for the file once more, as the same site. Without
``allow-scripts``, nothing in it runs."""

HOSTS = 100
"""A page that names more hosts than this gets its images from any."""

_NO_FRAMES = "'none'"
_SCRIPTS = (".js", ".mjs")
_WASM = "'wasm-unsafe-eval'"
_LOADED = re.compile(
    rb"""<link\b[^>]*|\b(?:src|srcset|poster)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)|\burl\([^)]*""", re.IGNORECASE
)
_HOST = re.compile(
    rb"(?:(https?):)?//([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*(?::[0-9]{1,5})?)(?![^/?#\s\"'),&])", re.IGNORECASE
)


class Policy(msgspec.Struct, frozen=True):
    """What pages may load.

    Attributes:
        configured: a policy of the site's own, instead of all else; may be empty.
        paths: of the site's scripts that pages may run, percent-encoded; `None` where they may run all of them, because
            the configuration trusts what posts bring.
        origins: other sites of which the configuration has scripts.
        frames: which sites may be shown in frames.
    """

    configured: str = ""
    paths: tuple[str, ...] | None = ()
    origins: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()

    def page(self, html: bytes = b"") -> str:
        """The policy of a page.

        Args:
            html: of the page, whose images come from the hosts that it names, and from no others: a script that got in
                could send what it read to any host in the name of an image.
        """
        if self.configured:
            return self.configured
        hosts = "".join(f" {host}" for host in named_hosts(html))
        origins = "".join(f" {origin}" for origin in self.origins)
        directives = (
            "default-src 'self'",
            f"script-src 'self' {_WASM}{origins}",
            "style-src 'self' 'unsafe-inline'",
            f"img-src 'self' data:{hosts}",
            f"media-src 'self'{hosts}",
            "font-src 'self' data:",
            f"frame-src {' '.join(self.frames or (_NO_FRAMES,))}",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self' https:",
            "frame-ancestors 'none'",
        )
        first = "; ".join(directives)
        if self.paths is None:
            return first
        # Of two policies, both must allow a script: the first says of which site it is, this one under which path. One
        # alone would have to name the host of each request, which cannot be done for an address of IPv6.
        paths = " ".join(f"*:*{path}" for path in (OWN, *self.paths))
        return f"{first}, script-src {_WASM}{origins} {paths}"


def attached(media_type: str) -> str:
    """The policy of what is no page of devlog's."""
    return PLAYED if media_type.startswith(("audio/", "video/")) else ATTACHED


def named_hosts(html: bytes) -> tuple[str, ...]:
    """The hosts from which a page has images, audio and video, as sources of a policy, sorted."""
    found: set[str] = set()
    for place in _LOADED.finditer(html):
        text = place[0]
        if text[:5].lower() == b"<link" and b"icon" not in text.lower():
            continue
        for host in _HOST.finditer(text):
            scheme = (host[1] or b"").decode().lower()
            found.add(f"{scheme}://{host[2].decode().lower()}" if scheme else host[2].decode().lower())
        if len(found) > HOSTS:
            return ("http:", "https:")
    return tuple(sorted(found))


def policy_of(snapshot: Snapshot) -> Policy:
    """What the pages of a site may load.

    Scripts are those of the theme, of devlog and of plugins, and those of the static folder that a template or the
    configuration, both of which are trusted, names by their path.
    """
    config = snapshot.inputs.config
    if config.serve.content_security_policy:
        return Policy(config.serve.content_security_policy)
    paths = None if config.html == "trusted" else tuple(_paths(snapshot))
    return Policy("", paths, tuple(script_origins(config)), tuple(frame_sources(config)))


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
