"""Files of the static folder that templates and the configuration name, with URLs that change with their content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

from devlog.assemble import problems
from devlog.config import Config
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import nearest
from devlog.model.site import Site
from devlog.model.theme import Template

_ASSET = re.compile(r"""\basset\(\s*(?:"([^"\n]+)"|'([^'\n]+)')\s*\)""")


def hashed(url: str, digest: str) -> str:
    """A URL that changes with the content of its file, so that browsers do not use an old cached version."""
    return f"{url}?v={digest[:8]}"


class OwnFiles:
    """The files of the static folder, as far as templates and the configuration name them.

    Attributes:
        assets: their URLs by their paths with a leading slash, for `asset` in templates.
        styles: the URLs of the configured style sheets.
        scripts: the URLs of the configured scripts.
        analytics: the URL of the script that counts visits; empty without one.
        diagnostics: the files that do not exist.
    """

    def __init__(
        self,
        config: Config,
        site: Site,
        templates: Iterable[Template],
        spans: Mapping[str, Span],
        url: Callable[[str], str],
    ) -> None:
        """
        Args:
            config: the configuration.
            site: the site.
            templates: the templates of its theme, with its own.
            spans: where the configuration sets each key, by dotted name.
            url: returns the URL of a permalink as pages link to it.
        """
        self.assets: dict[str, str] = {}
        self.diagnostics: list[Diagnostic] = []
        named = {_rooted(one or two) for text in _naming(templates) for one, two in _ASSET.findall(text)}
        counting = config.analytics.script
        is_own = bool(counting) and not urlsplit(counting).netloc
        configured = (*config.custom_css, *config.custom_js, *([counting] if is_own else []))
        files: dict[str, str] = {}
        if named or configured:
            static = (item for item in site.assets if item.folder == "static")
            files = {item.permalink: hashed(url(item.permalink), item.asset.digest) for item in static}
            self.assets = {name: files[name] for name in sorted(named & files.keys())}

        def found(key: str, name: str) -> list[str]:
            path = _rooted(name)
            if path in files:
                return [files[path]]
            near = nearest(path, files)
            self.diagnostics.append(problems.missing_custom_file(spans[key], name, near.lstrip("/")))
            return []

        self.styles = tuple(made for name in config.custom_css for made in found("custom_css", name))
        self.scripts = tuple(made for name in config.custom_js for made in found("custom_js", name))
        self.analytics = "".join(found("analytics.url", counting)) if is_own else counting


def _naming(templates: Iterable[Template]) -> Iterable[str]:
    return (template.text for template in templates if "asset(" in template.text)


def _rooted(name: str) -> str:
    return "/" + name.lstrip("/")
