"""`devlog theme`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from sites import build_site, write_site

Devlog = Callable[..., Result]

DEFAULT = Path(__file__).parents[2] / "themes" / "default" / "templates"


@pytest.mark.parametrize("name", ["partials/footer.html", "footer.html", "footer", "partials/footer"])
def test_a_template_is_copied_byte_for_byte(name: str, site: Path, devlog: Devlog) -> None:
    done = devlog("theme", "eject", name)
    assert (done.exit_code, done.stdout) == (0, "templates/partials/footer.html\n")
    assert (site / "templates/partials/footer.html").read_bytes() == (DEFAULT / "partials/footer.html").read_bytes()


def test_what_was_ejected_is_what_the_site_shows(site: Path, devlog: Devlog) -> None:
    before = build_site(site)
    devlog("theme", "eject", "footer")
    assert build_site(site).rendered == 0
    with (site / "templates/partials/footer.html").open("a") as file:
        file.write("<p>Ours</p>\n")
    assert build_site(site).rendered > 0
    assert before.diagnostics == ()
    assert "<p>Ours</p>" in (site / "public/index.html").read_text("utf-8")


def test_nothing_is_overwritten(site: Path, devlog: Devlog) -> None:
    write_site(site, {"templates/home.html": "mine"})
    done = devlog("theme", "eject", "home")
    assert done.exit_code == 1
    assert "already-there" in done.stderr
    assert (site / "templates/home.html").read_text("utf-8") == "mine"


def test_the_list_says_what_the_site_replaces(site: Path, devlog: Devlog) -> None:
    devlog("theme", "eject", "tag")
    lines = dict(line.split(maxsplit=1) for line in devlog("theme", "list").stdout.splitlines())
    assert lines["tag.html"] == "templates/tag.html"
    assert lines["tags.html"] == "theme “default”"
    assert set(lines) == {path.relative_to(DEFAULT).as_posix() for path in DEFAULT.rglob("*.*")}


def test_a_template_of_an_inherited_theme_is_found(site: Path, devlog: Devlog) -> None:
    write_site(
        site,
        {
            "devlog.toml": 'theme = "mine"\n',
            "themes/mine/theme.toml": 'extends = "default"\n',
            "themes/mine/templates/tag.html": '{% extends "default/tag.html" %}\n',
        },
    )
    lines = dict(line.split(maxsplit=1) for line in devlog("theme", "list").stdout.splitlines())
    assert lines["tag.html"] == "theme “mine”"
    assert lines["home.html"] == "theme “default”"
    assert "default/tag.html" not in lines
    assert devlog("theme", "eject", "tag").exit_code == 0
    assert (site / "templates/tag.html").read_text("utf-8") == '{% extends "default/tag.html" %}\n'


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("futer", "did you mean “footer”?"),
        ("nothing-like-it", "“devlog theme list” shows all"),
        ("../devlog.toml", "“devlog theme list” shows all"),
        ("", "“devlog theme list” shows all"),
    ],
)
def test_a_name_that_is_no_templates(name: str, told: str, site: Path, devlog: Devlog) -> None:
    done = devlog("theme", "eject", name)
    assert done.exit_code == 1
    assert "unknown-template" in done.stderr
    assert told in done.stderr
    assert not (site / "templates").exists()


def test_a_name_that_several_have(site: Path, devlog: Devlog) -> None:
    write_site(
        site,
        {
            "devlog.toml": 'theme = "mine"\n',
            "themes/mine/theme.toml": 'extends = "default"\n',
            "themes/mine/templates/other/footer.html": "",
        },
    )
    done = devlog("theme", "eject", "footer")
    assert done.exit_code == 1
    assert "it may be other/footer.html, partials/footer.html" in done.stderr


def test_an_unknown_theme_is_told_at_its_line(site: Path, devlog: Devlog) -> None:
    write_site(site, {"devlog.toml": 'title = "Lumen"\ntheme = "defualt"\n'})
    done = devlog("theme", "eject", "footer")
    assert done.exit_code == 1
    assert "devlog.toml:2:1: error[unknown-theme]" in done.stderr
