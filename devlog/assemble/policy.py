"""What pages may load and run: a content security policy, made of what the configuration turns on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from devlog.config import Config
from devlog.model.theme import Template

_WEB = ("http", "https")
_NAMED = re.compile(r"(?:(?<![\w.~@+-])/|\}\})([\w./~@+-]+\.m?js)\b", re.IGNORECASE)


def page_policy(config: Config) -> str:
    """The policy that each page carries; empty when none is configured.

    Args:
        config: whose ``content_security_policy`` is off, on, or a policy of the site's own.
    """
    own = config.content_security_policy
    if isinstance(own, str):
        return " ".join(own.split())
    return strict_policy(config) if own else ""


def strict_policy(config: Config) -> str:
    """The narrowest policy under which all that a configuration turns on works.

    Scripts are files of the site, or of those that the configuration names; what stands in a page is never run.
    Pictures and sounds may come from anywhere, since posts show them and they run nothing.
    """
    draws = _draws(config)
    directives = {
        "default-src": ["'self'"],
        "script-src": ["'self'", *(["'wasm-unsafe-eval'"] if config.search.enabled else []), *script_origins(config)],
        # Scripts that draw diagrams write style elements; attributes are the writers' own, and cleaned.
        "style-src": ["'self'", *(["'unsafe-inline'"] if draws else [])],
        "style-src-attr": ["'unsafe-inline'"],
        "img-src": ["*", "data:"],
        "media-src": ["*"],
        "frame-src": frame_sources(config) or ["'none'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())


def script_origins(config: Config) -> list[str]:
    """The sites that the configuration has scripts from."""
    return _origins(diagram.script for diagram in config.diagrams.values())


def named_scripts(config: Config, templates: Iterable[Template]) -> frozenset[str]:
    """The scripts that templates and the configuration name by their path, both of which are trusted.

    Args:
        config: of the site.
        templates: of its theme, with the site's own.

    Returns:
        Paths of the output, of which not all need be there.
    """
    base = config.base_path.strip("/")
    texts = [template.text for template in templates if ".js" in template.text]
    texts += [diagram.script for diagram in config.diagrams.values()]
    names = {name.lstrip("/") for text in texts for name in _NAMED.findall(text)}
    return frozenset({*names, *(name.removeprefix(f"{base}/") for name in names)})


def _draws(config: Config) -> bool:
    return any(diagram.script for diagram in config.diagrams.values())


def frame_sources(config: Config) -> list[str]:
    """What may be shown in frames: the comments, and whatever trusted posts bring."""
    comments = _origins([config.comments.frame_url])
    return [*comments, *(["https:"] if config.html == "trusted" else [])]


def _origins(urls: Iterable[str]) -> list[str]:
    """Scheme and host of each address of the web, once and sorted."""
    parts = map(urlsplit, urls)
    return sorted({f"{part.scheme}://{part.netloc}" for part in parts if part.scheme in _WEB and part.netloc})
