"""What is built in comes through the same door as what plugins add."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from plugin_sites import POST, SITE, checked, codes
from selection import FEATURES
from sites import build_site, write_site

from devlog.assemble import plan
from devlog.check import rules
from devlog.deploy import run as deploying
from devlog.parse.markdown import parser
from devlog.plugin import Plugin
from devlog.plugins.features import features
from devlog.render import render, templates


@pytest.mark.feature(*FEATURES)
def test_each_point_has_something_that_is_built_in() -> None:
    own = [parser.BUILT_IN, rules.BUILT_IN, *features(), render.BUILT_IN, templates.BUILT_IN, deploying.BUILT_IN]
    points = [name for name in Plugin.__struct_fields__ if name != "name"]
    assert points == [
        "codes",
        "configuration",
        "front_matter",
        "markdown",
        "sources",
        "fences",
        "prose",
        "markdown_versions",
        "checks",
        "gaps",
        "fixes",
        "asides",
        "targets",
        "derive",
        "derives_alike",
        "external_inputs",
        "lookup",
        "tools",
        "site_search",
        "pages",
        "plans",
        "page_images",
        "site_fields",
        "recipes",
        "filters",
        "deployers",
    ]
    assert not [point for point in points if not any(getattr(plugin, point) for plugin in own)]


@pytest.mark.parametrize(
    ("module", "empty", "lost"),
    [
        (rules, Plugin("devlog"), lambda root: "missing-alt" not in codes(checked(root).diagnostics)),
        (render, Plugin("devlog"), lambda root: "unknown-recipe" in codes(build_site(root).diagnostics)),
        (templates, Plugin("devlog"), lambda root: "template-error" in codes(build_site(root).diagnostics)),
        (
            deploying,
            Plugin("devlog"),
            lambda root: (
                "unknown-deployer" in codes(item for item in deploying.deploy(root) if not isinstance(item, str))
            ),
        ),
    ],
    ids=["checks", "recipes", "filters", "deployers"],
)
def test_without_its_value_what_is_built_in_is_gone(
    module: object, empty: Plugin, lost: Callable[[Path], bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        **SITE,
        "devlog.toml": '[images]\nenabled = false\n[deploy.x]\nto = "folder"\npath = "x"\n',
        POST: SITE[POST] + "\n![](a.png)\n",
    }
    root = write_site(tmp_path, files)
    monkeypatch.setattr(module, "BUILT_IN", empty)
    for cached in (render._recipes, templates._environment):
        cached.cache_clear()
    assert lost(root)
    for cached in (render._recipes, templates._environment):
        cached.cache_clear()


@pytest.mark.feature("social_cards")
def test_without_a_feature_its_plans_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, {**SITE, "devlog.toml": "[images]\nenabled = false\n"})
    assert not build_site(root, base_url="https://docs.example.org/").failed
    assert list(root.glob("public/**/card.png"))
    others = tuple(plugin for plugin in features() if plugin.name != "social-cards")
    monkeypatch.setattr(plan, "features", lambda: others)
    assert not build_site(root, base_url="https://other.example.org/").failed
    assert not list(root.glob("public/**/card.png"))


def test_plugins_are_values() -> None:
    with pytest.raises(AttributeError):
        Plugin("x").name = "y"  # type: ignore[misc]
