"""The words that themes have in English, for tests of what writes them."""

from __future__ import annotations

from pathlib import Path

from devlog.disk.theme import load_theme
from devlog.model.catalog import catalog_of

ENGLISH = catalog_of(load_theme(Path(), "default").theme.catalog)
