"""Registers brands as a feature of devlog. Sites without a brand load nothing else of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devlog.config import Brand
from devlog.features.brand.model import BrandParts
from devlog.plugin import Codes, Late, Outline, Plugin, TableCheck

_derive = Late("devlog.features.brand.derive.derive:derive_brand")
_plan = Late("devlog.features.brand.assemble.files:plan_brand")
_fields = Late("devlog.features.brand.assemble.files:site_fields")


def derive_brand(work: Any) -> Any:
    """The files of a brand; see `devlog.features.brand.derive.derive`."""
    return _derive(work) if work.inputs.config.brand.files else BrandParts()


def plan_brand(outline: Outline) -> Iterable[Any]:
    """The files to publish; see `devlog.features.brand.assemble.files`."""
    found: Iterable[Any] = () if outline.config.brand == Brand() else _plan(outline)
    return found


def site_fields(outline: Outline) -> dict[str, Any]:
    """The brand as pages see it; see `devlog.features.brand.assemble.files`."""
    return {} if outline.config.brand == Brand() else dict(_fields(outline))


PLUGIN = Plugin(
    "brand",
    codes=Codes("bad-brand-file bad-color low-contrast no-fonttools no-icons small-favicon unusable-brand-file"),
    configuration=TableCheck("brand", Late("devlog.features.brand.config_file:check_brand")),
    derive=derive_brand,
    plans=(plan_brand,),
    site_fields=site_fields,
    recipes={"brand": Late("devlog.features.brand.render:write")},
)
