"""Checks the table ``[brand]`` of the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from devlog.config import FONT_USES, Config, Fonts
from devlog.config_file.problems import missing_config_key
from devlog.config_file.spans import SpanOf
from devlog.features.brand import problems
from devlog.model.css_color import read_color
from devlog.model.diagnostic import Diagnostic
from devlog.model.palette import MODES, ROLES, Mode, faint

_IMAGES = (".svg", ".png")
_FONTS = (".woff2", ".woff", ".ttf", ".otf")


def check_brand(config: Config, span: SpanOf) -> tuple[Config, Sequence[Diagnostic]]:
    """Check the colors and the types of the files of a brand; what is wrong is left out of it."""
    brand, wrong = config.brand, list[Diagnostic]()
    left_out: dict[str, Any] = {}
    for name in ("logo", "logo_dark", "favicon"):
        file = getattr(brand, name)
        if file and not file.lower().endswith(_IMAGES):
            wrong.append(problems.bad_brand_file(span("brand", name), file, _IMAGES))
            left_out[name] = ""
    if brand.logo_dark and not brand.logo:
        wrong.append(missing_config_key(span("brand", "logo_dark"), ["logo"], "brand"))
        left_out["logo_dark"] = ""
    for use in FONT_USES:
        for file in brand.fonts.of(use):
            if not file.lower().endswith(_FONTS):
                wrong.append(problems.bad_brand_file(span("brand", "fonts", use), file, _FONTS))
                left_out["fonts"] = Fonts()
    for role in ROLES:
        given = getattr(brand, role)
        texts = {"": given} if isinstance(given, str) else msgspec.structs.asdict(given)
        for mode, text in texts.items():
            if text and not read_color(text):
                place = span("brand", role, mode) if mode else span("brand", role)
                wrong.append(problems.bad_color(place, f"brand.{role}" + (f".{mode}" if mode else ""), text))
                left_out[role] = ""
    brand = msgspec.structs.replace(brand, **left_out)
    is_usual = config.theme == Config().theme
    topics = is_usual and config.settings.get("topic_colors", True) is not False
    found = [*faint(brand.palette, topics=topics, theme=is_usual)]
    better = {(item.role, item.mode): item.better.hex for item in found if item.better}
    for item in found:
        given, modes = getattr(brand, item.role), dict[Mode, str]()
        if isinstance(given, str) and not brand.palette.only:
            modes = {mode: better.get((item.role, mode), given) for mode in MODES}
        own = () if isinstance(given, str) else (item.mode,)
        wrong.append(problems.low_contrast(span("brand", item.role, *own), item, modes))
    return msgspec.structs.replace(config, brand=brand), wrong
