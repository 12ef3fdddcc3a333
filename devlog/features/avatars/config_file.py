"""Checks the table ``[avatars]`` of the configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from devlog.config import Config
from devlog.config_file.spans import SpanOf
from devlog.features.avatars import problems
from devlog.model.diagnostic import Diagnostic

_AVATAR_URL = re.compile(r"https?://[^\s{}/]+/[^\s{}]*\{handle\}[^\s{}]*")


def check_avatars(config: Config, span: SpanOf) -> tuple[Config, Sequence[Diagnostic]]:
    """Check that avatars have a URL for each handle; if not, fetch none by handle."""
    avatars = config.avatars
    if not avatars.url or _AVATAR_URL.fullmatch(avatars.url):
        return config, ()
    without = msgspec.structs.replace(config, avatars=msgspec.structs.replace(avatars, url=""))
    return without, (problems.bad_avatar_url(span("avatars", "url"), avatars.url),)
