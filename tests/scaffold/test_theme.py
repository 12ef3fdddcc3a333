"""`devlog theme`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from sites import build_site, read_tree, write_site

Devlog = Callable[..., Result]

DEFAULT = Path(__file__).parents[2] / "themes" / "default" / "templates"


@pytest.mark.parametrize("name", ["partials/footer.html", "footer.html", "footer", "partials/footer"])
def test_a_template_is_copied_byte_for_byte(name: str, site: Path, devlog: Devlog) -> None:
    done = devlog("theme", "eject", name)
    assert (done.exit_code, done.stdout) == (0, "templates/partials/footer.html\n")
    assert (site / "templates/partials/footer.html").read_bytes() == (DEFAULT / "partials/footer.html").read_bytes()


@pytest.mark.slow
def test_what_was_ejected_is_what_the_site_shows(site: Path, devlog: Devlog) -> None:
    before = build_site(site)
    devlog("theme", "eject", "footer")
    assert build_site(site).rendered == 0
    with (site / "templates/partials/footer.html").open("a") as file:
        file.write("<p>Ours</p>\n")
    assert build_site(site).rendered > 0
    assert before.diagnostics == ()
    assert "<p>Ours</p>" in (site / "public/index.html").read_text("utf-8")


@pytest.mark.parametrize("arguments", [("eject", "footer"), ("translate", "de")])
def test_a_folder_that_is_no_site_gets_no_files(
    arguments: tuple[str, str], tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for where in ((), ("--root", str(tmp_path))):
        done = devlog("theme", *arguments, *where)
        assert done.exit_code == 1
        assert "error[no-site]: no devlog site found here" in done.stderr
        assert "devlog init DIR" in done.stderr
    assert list(tmp_path.iterdir()) == []


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


def test_a_catalog_to_fill_in(site: Path, devlog: Devlog) -> None:
    done = devlog("theme", "translate", "pl")
    assert (done.exit_code, done.stdout) == (0, "i18n/pl.toml\n")
    text = (site / "i18n/pl.toml").read_text("utf-8")
    assert text.count('\n# {count} logs\nlog_count = { one = "", few = "", many = "", other = "" }\n') == 1
    assert '\n# Skip to content\nskip_to_content = ""\n' in text
    catalogs = [tomllib.loads(text), tomllib.loads((DEFAULT.parent / "i18n/en.toml").read_text("utf-8"))]
    assert [*catalogs[0]] == [*catalogs[1]]


@pytest.mark.slow
def test_a_catalog_that_is_not_filled_in_changes_nothing_but_its_language(site: Path, devlog: Devlog) -> None:
    build_site(site)
    before = read_tree(site / "public")
    assert devlog("theme", "translate", "de").exit_code == 0
    with (site / "devlog.toml").open("a") as file:
        file.write('language = "de"\n')
    report = build_site(site)
    assert report.diagnostics == ()
    after = read_tree(site / "public")
    assert after["archive/index.html"].replace(b'lang="de"', b'lang="en"') == before["archive/index.html"]


def test_what_is_translated_already_is_never_overwritten(site: Path, devlog: Devlog) -> None:
    write_site(site, {"i18n/de.toml": 'archive = "Archiv"\n'})
    done = devlog("theme", "translate", "de")
    assert done.exit_code == 1
    assert "already-there" in done.stderr
    assert (site / "i18n/de.toml").read_text("utf-8") == 'archive = "Archiv"\n'


@pytest.mark.parametrize("language", ["../de", "german language", "d"])
def test_a_name_that_is_no_languages(language: str, site: Path, devlog: Devlog) -> None:
    done = devlog("theme", "translate", language)
    assert done.exit_code == 1
    assert "bad-name" in done.stderr
    assert not (site / "i18n").exists()


def test_a_broken_catalog_is_told(site: Path, devlog: Devlog) -> None:
    write_site(site, {"i18n/en.toml": "broken ="})
    done = devlog("theme", "translate", "de")
    assert done.exit_code == 1
    assert "bad-message" in done.stderr
