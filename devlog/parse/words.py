"""Messages of the theme's catalog that parsing writes into bodies, such as the title of an alert."""

from __future__ import annotations

from functools import cache

import msgspec

from devlog.built_in import built_in_themes
from devlog.model.catalog import FALLBACK, Catalog, Message, catalog_of, encoded
from devlog.model.plurals import OTHER
from devlog.model.toml import load_toml

ALERTS = {kind: f"alert_{kind}" for kind in ("note", "tip", "important", "warning", "caution")}
"""Catalog keys of the titles of alerts, by kind of alert."""

KEYS = (
    *ALERTS.values(),
    *"audio back_to_reference cell_output chart chart_data code details diagram frame".split(),
    *"see_code_on see_file_on see_post_by_on see_post_on table_number task_done task_to_do video watch_on".split(),
)
"""Catalog keys of all messages that bodies contain."""


def words_of(catalog: str) -> str:
    """The messages of a theme's catalog that bodies contain, without their file and line.

    Args:
        catalog: the catalog as encoded by `devlog.model.catalog.encoded`. If it could not be read, which is an error,
            the keys stand for messages.
    """
    messages = catalog_of(catalog).messages
    known = {key: messages.get(key) or Message(FALLBACK, {OTHER: key}) for key in KEYS}
    return encoded({key: msgspec.structs.replace(message, file="", line=0) for key, message in known.items()})


def catalog_for(words: str) -> Catalog:
    """Decode a catalog encoded by `words_of`; an empty string, as without a theme, means English."""
    return catalog_of(words) if words else _english()


@cache
def _english() -> Catalog:
    text = (built_in_themes() / "default" / "i18n" / f"{FALLBACK}.toml").read_text("utf-8")
    known = load_toml(text)
    return Catalog({key: Message(FALLBACK, {OTHER: known[key]}) for key in KEYS})
