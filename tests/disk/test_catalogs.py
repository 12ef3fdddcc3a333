"""Catalogs of a site, its theme, and the themes below: which message counts, and what one can have."""

from __future__ import annotations

from pathlib import Path

import pytest
from sites import write_site

from devlog.disk.theme import LoadedTheme, load_theme
from devlog.model.catalog import Message, catalog_of

THEME = {"themes/mine/theme.toml": 'extends = "default"\n'}


def loaded(folder: Path, files: dict[str, str], language: str = "en") -> LoadedTheme:
    return load_theme(write_site(folder, {**THEME, **files}), "mine", language=language)


def message(theme: LoadedTheme, key: str) -> Message:
    return catalog_of(theme.theme.catalog).messages[key]


@pytest.mark.parametrize(
    ("given", "language", "said"),
    [
        ([], "en", "Archive"),
        (["themes/mine/i18n/en"], "en", "themes/mine/i18n/en"),
        (["themes/mine/i18n/en", "i18n/en"], "en", "i18n/en"),
        (["i18n/en", "themes/mine/i18n/de"], "de", "themes/mine/i18n/de"),  # the language comes before the folder
        (["i18n/de", "themes/mine/i18n/de"], "de-AT", "i18n/de"),
        (["i18n/de", "themes/mine/i18n/de_AT"], "de-AT", "themes/mine/i18n/de_AT"),
        (["i18n/DE-at", "i18n/de"], "de_AT", "i18n/DE-at"),
        (["i18n/de", "i18n/fr"], "en", "Archive"),
        (["i18n/de"], "deutsch sprache", "Archive"),
    ],
)
def test_the_first_message_counts(given: list[str], language: str, said: str, tmp_path: Path) -> None:
    theme = loaded(tmp_path, {f"{file}.toml": f'archive = "{file}"\n' for file in given}, language)
    assert message(theme, "archive").forms == {"other": said}
    assert theme.diagnostics == ()


def test_what_is_empty_is_not_translated(tmp_path: Path) -> None:
    text = 'archive = ""\n[log_count]\none = ""\nother = ""\n[all_logs]\none = ""\nother = "Alle {count}"\n'
    theme = loaded(tmp_path, {"i18n/de.toml": text}, "de")
    assert theme.diagnostics == ()
    assert [message(theme, key).language for key in ("archive", "log_count", "all_logs")] == ["en", "en", "de"]
    assert message(theme, "all_logs").forms == {"other": "Alle {count}"}


def test_the_default_theme_decides_what_a_message_can_have(tmp_path: Path) -> None:
    """Python code gives just that; a theme may leave some of it out, but ask for nothing else."""
    files = {"themes/mine/i18n/en.toml": 'posts_by_author = "By {author}"\ntags_of_site = "{site}, {owner}"\n'}
    theme = loaded(tmp_path, files)
    assert [(item.span.path, item.span.line) for item in theme.diagnostics] == [("themes/mine/i18n/en.toml", 2)]
    assert message(theme, "posts_by_author").forms == {"other": "By {author}"}
    assert message(theme, "tags_of_site").forms == {"other": "Tags of {site}."}


def test_a_theme_has_messages_of_its_own(tmp_path: Path) -> None:
    files = {"themes/mine/i18n/en.toml": 'own = "Own {a}"\n', "i18n/de.toml": 'own = "Eigen {b}"\n'}
    theme = loaded(tmp_path, files, "de")
    assert [item.hint for item in theme.diagnostics] == ["it can have {a}"]
    assert message(theme, "own").is_known


@pytest.mark.parametrize(
    "text", ['a = """\narchive = "x"\n"""\narchive = "y"\n', "# archive\n\n\n[archive]\nother = 'y'\n"]
)
def test_a_message_knows_its_line(text: str, tmp_path: Path) -> None:
    theme = loaded(tmp_path, {"i18n/en.toml": text})
    found = message(theme, "archive")
    assert (found.span.path, found.span.line, found.forms["other"]) == ("i18n/en.toml", 4, "y")


def test_a_site_with_a_theme_of_the_name_of_the_default_one(tmp_path: Path) -> None:
    write_site(tmp_path, {"themes/default/theme.toml": ""})
    theme = load_theme(tmp_path, "default")
    assert message(theme, "archive").forms == {"other": "Archive"}


def test_links_are_not_followed(tmp_path: Path) -> None:
    write_site(tmp_path / "elsewhere", {"en.toml": 'archive = "x"\n'})
    site = write_site(tmp_path / "site", {**THEME, "i18n/.keep": ""})
    (site / "i18n/en.toml").symlink_to(tmp_path / "elsewhere/en.toml")
    theme = load_theme(site, "mine")
    assert [item.span.path for item in theme.diagnostics] == ["i18n/en.toml"]
    assert message(theme, "archive").forms == {"other": "Archive"}
