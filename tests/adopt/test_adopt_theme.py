"""What the old site has under names that devlog trusts is not made for it, and never becomes a part of its theme."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from adopt.old_sites import post
from click.testing import CliRunner
from sites import build_site, write_site

from devlog.adopt.adopt import translated
from devlog.adopt.adoption import Adoption
from devlog.adopt.survey import Survey
from devlog.adopt.write_toml import accepted, toml_text
from devlog.cli import main
from devlog.config_file.read import read_config

NOW = "2026-06-15T12:00:00Z"
POST = post("A", date="2026-05-01")
DIAGRAM = POST + "\n```mermaid\ngraph TD; A-->B\n```\n"
KINDS: Mapping[str, Mapping[str, str]] = {
    "Hugo": {"hugo.toml": 'title = "Lumen"\ni18nDir = "i18n"\n', "content/log/a.md": POST},
    "Jekyll": {"_config.yml": "title: Lumen\n", "_posts/2026-05-01-a.md": POST},
    "Zola": {"zola.toml": 'base_url = "https://log.example.org"\ntitle = "Lumen"\n', "content/log/a.md": POST},
    "Markdown": {"README.md": "# Lumen\n", "posts/a.md": POST},
}
OLD = {
    "templates/post.html": "{{ 6 * 7 }}RUN",
    "templates/shortcodes/note.html": "RUN",
    "i18n/en.toml": '[reading_time]\nother = "{{ .Count }} minutes"\n\n[posts]\nother = "RUN"\n',
    "themes/default/theme.toml": "not = [toml",
    "themes/default/templates/page.html": "RUN",
    "themes/default/static/own.js": "RUN",
}


def adopted(root: Path) -> str:
    result = CliRunner().invoke(main, ["adopt", "--root", str(root), "--now", NOW])
    assert result.exit_code == 0, result.output
    return result.output


def theme_folder(root: Path) -> str:
    config, wrong = read_config((root / "devlog.toml").read_text("utf-8"), "devlog.toml")
    assert not wrong
    return config.in_theme_folder()


def texts(folder: Path) -> str:
    return "".join(file.read_text("utf-8", "replace") for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_old_theme_runs(kind: str, tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {**KINDS[kind], **OLD})
    report = adopted(root)
    assert "devlog uses nothing in templates/, i18n/, themes/: " in report
    assert theme_folder(root) == "devlog-theme"
    assert not build_site(root).failed
    assert "RUN" not in texts(root / "public" if (root / "public").exists() else root / "_site")


def test_the_folders_may_be_links_and_a_new_name_is_free(tmp_path: Path) -> None:
    root = write_site(
        tmp_path / "site", {**KINDS["Zola"], "devlog-theme/templates/post.html": "RUN", "a/post.html": "RUN"}
    )
    (root / "templates").symlink_to("a")
    adopted(root)
    assert theme_folder(root) == "devlog-theme-2"
    root = write_site(tmp_path / "hugo", {**KINDS["Hugo"], "a/post.html": "RUN"})
    (root / "templates").symlink_to("a")
    adopted(root)
    assert theme_folder(root) == "devlog-theme"


@pytest.mark.parametrize("kind", ["Hugo", "Jekyll", "Markdown"])
def test_a_site_without_such_folders_needs_no_setting(kind: str, tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", KINDS[kind])
    assert "theme_folder" not in adopted(root)
    assert theme_folder(root) == "."


def test_what_devlog_is_given_there_is_used(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {**KINDS["Hugo"], **OLD})
    adopted(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        for command, made in (
            (("eject", "footer"), "devlog-theme/templates/partials/footer.html\n"),
            (("translate", "de"), "devlog-theme/i18n/de.toml\n"),
        ):
            done = CliRunner().invoke(main, ["theme", *command])
            assert (done.exit_code, done.stdout) == (0, made), done.output
        assert "  devlog-theme/templates/partials/footer.html\n" in CliRunner().invoke(main, ["theme", "list"]).stdout
    write_site(
        root,
        {
            "devlog-theme/templates/partials/post_extra.html": "MINE",
            "devlog-theme/i18n/en.toml": 'archive = "Everything"\n',
            "devlog-theme/themes/mine/theme.toml": 'extends = "default"\n',
            "devlog-theme/themes/mine/templates/tag.html": '{% extends "default/tag.html" %}',
            "devlog.toml": 'theme = "mine"\n' + (root / "devlog.toml").read_text("utf-8"),
        },
    )
    report = build_site(root)
    assert not [item for item in report.diagnostics if item.severity == "error"]
    assert "Everything" in texts(root / "public")


def test_problems_name_the_files_of_the_folder(tmp_path: Path) -> None:
    files = {
        "devlog.toml": 'theme_folder = "look"\n',
        "content/log/a.md": POST,
        "look/templates/post.html": "{% if %}",
        "look/i18n/en.toml": 'archive = "{"\n',
    }
    report = build_site(write_site(tmp_path / "site", files))
    assert {item.span.path for item in report.diagnostics if item.severity == "error"} == {
        "look/templates/post.html",
        "look/i18n/en.toml",
    }


def test_a_script_of_the_old_site_draws_nothing(tmp_path: Path) -> None:
    package = {"package.json": '{"version": "99.0.0"}', "dist/mermaid.min.js": "RUN", "LICENSE": "MIT"}
    files = {f"node_modules/mermaid/{name}": text for name, text in package.items()}
    root = write_site(tmp_path / "site", {**KINDS["Hugo"], "content/log/a.md": DIAGRAM, **files})
    adopted(root)
    assert theme_folder(root) == "devlog-theme"
    assert not build_site(root).failed
    assert "RUN" not in texts(root / "public")


def test_what_is_not_read_is_told(tmp_path: Path) -> None:
    files = {
        **KINDS["Hugo"],
        "config/production/hugo.toml": 'baseURL = "https://x.example.org"\n',
        "_config.yml": "a: b\n",
    }
    adoption, _ = translated(Survey(write_site(tmp_path / "site", files)))
    assert isinstance(adoption, Adoption)
    assert "devlog.toml" not in toml_text(accepted(adoption)).partition("\n")[2]
    notes = {note.span.path: note.text for note in adoption.advice}
    assert notes["config/production/hugo.toml"].startswith("settings of single environments are not read")
    assert notes["_config.yml"].startswith("the site is also one of Jekyll")
