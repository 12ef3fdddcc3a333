"""Plans the files of a brand, and gives pages what they need to show it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from devlog.features.brand.assemble.stylesheet import stylesheet
from devlog.features.brand.model import FOLDER, MANIFEST, TOUCH, BrandParts, Icon, Logo
from devlog.model import view
from devlog.model.diagnostic import generated
from devlog.model.digest import digest_bytes
from devlog.model.minify import minified
from devlog.model.target import Blob
from devlog.plugin import Outline, PlannedFile

_SPAN = generated("the brand of the site")


def plan_brand(outline: Outline) -> Iterator[PlannedFile]:
    """Plan the logos, icons and fonts of a brand, its style sheet, and its web app manifest."""
    for file in outline.derived.of(BrandParts).files:
        yield PlannedFile(file.permalink, "blob", {"blob": Blob(file.blob)}, span=_SPAN)
    for text, permalink in outline.once(_texts).values():
        yield PlannedFile(permalink, "brand", {"text": text}, span=_SPAN)


def site_fields(outline: Outline) -> dict[str, Any]:
    """The brand as pages see it."""
    parts, palette = outline.derived.of(BrandParts), outline.config.brand.palette
    texts = outline.once(_texts)
    if not texts and palette.is_empty and parts == BrandParts():
        return {}
    files = {face.file.permalink: face.file for face in parts.faces}.values()
    first = {mode: roles.background for mode, roles in palette.modes.items()}
    hexes = {mode: color.hex for mode, color in first.items() if color}
    brand = view.BrandView(
        stylesheet=outline.url(texts["style"][1]) if "style" in texts else "",
        fonts=tuple(view.FontView(outline.url(file.permalink), file.type) for file in files),
        logo=_logo(outline, parts.logo),
        logo_dark=_logo(outline, parts.logo_dark),
        wordmark=outline.config.brand.wordmark,
        icons=tuple(_icons(outline, parts)),
        manifest=outline.url(texts["manifest"][1]) if "manifest" in texts else "",
        only=palette.only or "",
        light=hexes.get(palette.only or "light", ""),
        dark=hexes.get(palette.only or "dark", ""),
    )
    return {"brand": brand}


def _texts(outline: Outline) -> dict[str, tuple[str, str]]:
    """The texts that are generated, with their permalinks: ``style`` and ``manifest``."""
    parts = outline.derived.of(BrandParts)
    style = minified("style.css", stylesheet(outline.config.brand.palette, parts.faces).encode()).decode()
    found = {"style": (style, _permalink("style", style, "css"))} if style else {}
    manifest = _manifest(outline, parts)
    return found | ({"manifest": (manifest, _permalink("site", manifest, "webmanifest"))} if manifest else {})


def _permalink(name: str, text: str, suffix: str) -> str:
    return f"{FOLDER}{name}-{digest_bytes(text.encode())[:10]}.{suffix}"


def _logo(outline: Outline, logo: Logo | None) -> view.LogoView | None:
    return view.LogoView(outline.url(logo.file.permalink), logo.width, logo.height) if logo else None


def _icons(outline: Outline, parts: BrandParts) -> Iterator[view.IconView]:
    """The icons that pages link to; an SVG comes last, since browsers that know it prefer it."""
    for icon in sorted(parts.icons, key=lambda icon: not icon.size):
        url, type_ = outline.url(icon.file.permalink), icon.file.type
        if icon.size == TOUCH and len(parts.icons) > 1:
            yield view.IconView("apple-touch-icon", url, type_)
        elif icon.size not in MANIFEST or len(parts.icons) == 1:
            yield view.IconView("icon", url, type_, f"{icon.size}x{icon.size}" if icon.size else "")


def _manifest(outline: Outline, parts: BrandParts) -> str:
    """The web app manifest, in JSON; empty without icons for it. Its URLs are relative to its own."""
    icons = [icon for icon in parts.icons if icon.size in MANIFEST] if len(parts.icons) > 1 else []
    if not icons:
        return ""
    background = outline.config.brand.palette.first.background
    colors = {"background_color": background.hex, "theme_color": background.hex} if background else {}
    found = {
        "name": outline.config.title,
        "start_url": outline.url("/"),
        "display": "browser",
        **colors,
        "icons": [_entry(icon) for icon in icons],
    }
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _entry(icon: Icon) -> dict[str, str]:
    return {
        "src": icon.file.permalink.removeprefix(FOLDER),
        "sizes": f"{icon.size}x{icon.size}",
        "type": icon.file.type,
    }
