"""The content security policy: what pages may load and run, derived from the enabled features of the configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from devlog.config import Config
from devlog.model.players import origins
from devlog.model.theme import Template

_WEB = ("http", "https")
_NAMED = re.compile(r"(?:(?<![\w.~@+-])/|\}\})([\w./~@+-]+\.m?js)\b", re.IGNORECASE)


def page_policy(config: Config, players: Iterable[str] = (), *, draws: bool = False) -> str:
    """The policy that each page has; empty if none is configured.

    Args:
        config: the configuration; its ``content_security_policy`` is off, on, or a custom policy.
        players: the sites whose players readers of the page can load.
        draws: whether a script that the configuration does not name draws diagrams on the page.
    """
    own = config.content_security_policy
    if isinstance(own, str):
        return " ".join(own.split())
    return strict_policy(config, players, draws=draws) if own else ""


def strict_policy(config: Config, players: Iterable[str] = (), *, draws: bool = False) -> str:
    """The strictest policy under which everything that the configuration enables works.

    Scripts are files of the site, or of hosts that the configuration names; inline scripts never run. Images, audio and
    video may come from anywhere, since posts show them and they run no code.
    """
    draws = draws or _draws(config)
    directives = {
        "default-src": ["'self'"],
        "script-src": ["'self'", *(["'wasm-unsafe-eval'"] if config.search.enabled else []), *script_origins(config)],
        # Scripts that render diagrams insert style elements; style attributes come from posts, and are sanitized.
        "style-src": ["'self'", *(["'unsafe-inline'"] if draws else [])],
        "style-src-attr": ["'unsafe-inline'"],
        "img-src": ["*", "data:"],
        "media-src": ["*"],
        "frame-src": [*frame_sources(config), *origins(players)] or ["'none'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
    }
    if receivers := connect_origins(config):
        directives["connect-src"] = ["'self'", *receivers]
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())


def script_origins(config: Config) -> list[str]:
    """The origins of scripts that the configuration names."""
    return _origins([*(diagram.script for diagram in config.diagrams.values()), config.analytics.script])


def connect_origins(config: Config) -> list[str]:
    """The origins to which the script that counts visits sends."""
    return _origins(config.analytics.receivers)


def named_scripts(config: Config, templates: Iterable[Template]) -> frozenset[str]:
    """The scripts that templates and the configuration, which are both trusted, refer to by path.

    Args:
        config: the configuration of the site.
        templates: the templates of its theme, with the site's own.

    Returns:
        Paths in the output. Some of them may not exist.
    """
    base = config.base_path.strip("/")
    texts = [template.text for template in templates if ".js" in template.text]
    texts += [diagram.script for diagram in config.diagrams.values()]
    texts += [f"/{name.lstrip('/')}" for name in (*config.custom_js, config.analytics.script) if "://" not in name]
    names = {name.lstrip("/") for text in texts for name in _NAMED.findall(text)}
    return frozenset({*names, *(name.removeprefix(f"{base}/") for name in names)})


def _draws(config: Config) -> bool:
    return any(diagram.script for diagram in config.diagrams.values())


def frame_sources(config: Config) -> list[str]:
    """Origins that may be shown in frames: the comments, and any HTTPS page if HTML in posts is trusted."""
    comments = _origins([config.comments.frame_url])
    return [*comments, *(["https:"] if config.html == "trusted" else [])]


def _origins(urls: Iterable[str]) -> list[str]:
    """Scheme and host of each HTTP or HTTPS URL, without duplicates and sorted."""
    parts = map(urlsplit, urls)
    return sorted({f"{part.scheme}://{part.netloc}" for part in parts if part.scheme in _WEB and part.netloc})
