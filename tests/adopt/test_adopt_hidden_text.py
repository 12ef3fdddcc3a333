"""Posts with text that only the old generator hides are ignored and reported: devlog would show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_adopt_formats import FOLDERS, PROGRAMS, addresses, adopted, report_of

CONFIGURATIONS = {
    **PROGRAMS,
    "Jupyter Book": "_toc.yml",
    "MkDocs": "mkdocs.yml",
    "MyST": "myst.yml",
    "Sphinx": "conf.py",
    "Quartz": "quartz.config.ts",
    "Quarto": "_quarto.yml",
}
OF_MYST = [
    "% HIDDEN",
    "```{code-cell} python\n:tags: [remove-cell]\nHIDDEN\n```",
    "```{code-cell}\n---\ntags:\n  - remove-input\n---\nHIDDEN\n```",
    '+++ {"tags": ["remove-cell"]}\n\nHIDDEN\n\n+++\n',
    "```{only} internal\nHIDDEN\n```",
    "- Item\n\n  ```{ifconfig} x\n  HIDDEN\n  ```",
    "````{note}\n```{todo}\nHIDDEN\n```\n````",
    ":::{comment}\nHIDDEN\n:::",
]
TEXTS = {
    "Eleventy": [
        "{% comment %}HIDDEN{% endcomment %}",
        "{%- if false -%}HIDDEN{% endif %}",
        "{%# HIDDEN %}",
        "{# HIDDEN #}",
        "{% raw %}{% if x %}{% endraw %}\n\n```text\n{% comment %}HIDDEN{% endcomment %}\n```",
    ],
    "Hexo": ["{# HIDDEN #}", "{% if false %}HIDDEN{% endif %}"],
    "Quartz": ["A %% HIDDEN %% b", "%%\nHIDDEN\n%%"],
    "Docusaurus": [
        "A { /* HIDDEN */ } b",
        "{\n  /* HIDDEN */\n}",
        "{\n  // HIDDEN\n}",
        '{false && "HIDDEN"}',
        "{\n  isInternal && (\n    <p>HIDDEN</p>\n  )\n}",
        '{isInternal ? "HIDDEN" : null}',
        "{/* HIDDEN */}",
        "{/* truncate */}\n\n{/*\nHIDDEN */}",
    ],
    "MkDocs": ["{# HIDDEN #}", "{% if false %}HIDDEN{% endif %}"],
    "Quarto": ["::: {.content-hidden}\nHIDDEN\n:::", '::: {.content-visible when-format="pdf"}\nHIDDEN\n:::'],
    "MyST": OF_MYST,
    "Jupyter Book": OF_MYST,
    "Sphinx": OF_MYST,
    "VitePress": ['<p v-if="false">HIDDEN</p>'],
    "VuePress": ['<p class="x" v-show="false">HIDDEN</p>'],
}
HARMLESS = {
    "Eleventy": ["{% raw %}{% if x %}{% endraw %}", "## Title {#id}", "{{ title }}", "a {% b"],
    "Hexo": ["```text\n{% if x %}{# y #}\n```", "Say `{# y #}`.", "{% post_link x %}", "## Title {#id}"],
    "Quartz": ["100 %% of it"],
    "Docusaurus": [
        "```jsx\n{/* shown */}\n```",
        "{/* truncate */}",
        "{ /* truncate */ }",
        "## A? {#a}",
        "`{a && b}`",
        "import X from 'x'\n",
    ],
    "Quarto": ["::: {.note}\nText\n:::"],
    "MyST": [
        "```{note}\nText\n```",
        "- remove-cell removes a cell",
        "```{code-cell}\n:tags: [hide-input]\nshown\n```",
        "+++\n",
    ],
    "VitePress": ["`<p v-if>`"],
}


def files_of(other: str, text: str) -> dict[str, str]:
    folder = FOLDERS.get(other, "posts")
    config = {
        "MkDocs": "plugins: [macros]\ndocs_dir: posts\n",
        "Hexo": "new_post_name: :title.md\n",
        "Sphinx": "extensions = ['myst_parser']\n",
    }
    return {
        CONFIGURATIONS[other]: config.get(other, ""),
        f"{folder}/a.md": post("Shown", date="2026-01-02"),
        f"{folder}/b.md": post("Other", text, date="2026-01-03"),
    }


@pytest.mark.parametrize(("other", "text"), [(other, text) for other, texts in TEXTS.items() for text in texts])
def test_posts_with_text_that_was_hidden_are_ignored(other: str, text: str, tmp_path: Path) -> None:
    done, hidden = adopted(tmp_path, files_of(other, text))
    assert hidden == []
    assert len(addresses(done)) == 1
    assert any("b.md:" in line and "ignored until there is no text" in line for line in report_of(done))


@pytest.mark.parametrize(("other", "text"), [(other, text) for other, texts in HARMLESS.items() for text in texts])
def test_posts_that_hide_nothing_are_published(other: str, text: str, tmp_path: Path) -> None:
    done, _ = adopted(tmp_path, files_of(other, text))
    assert len(addresses(done)) == 2


def test_front_matter_says_that_eleventy_runs_no_template(tmp_path: Path) -> None:
    shown = "```text\n{% if x %}\n```"
    for override, posts in (("md", 2), ("false", 2), ("njk,md", 1), ("html", 1)):
        text = post("Other", shown, date="2026-01-03", templateEngineOverride=override)
        done, _ = adopted(tmp_path / override.partition(",")[0], {**files_of("Eleventy", ""), "posts/b.md": text})
        assert len(addresses(done)) == posts
    done, _ = adopted(tmp_path / "told", files_of("Eleventy", shown))
    assert any("what is shown, also in code, belongs between {% raw %}" in line for line in report_of(done))


def test_tags_that_devlog_shows_are_counted(tmp_path: Path) -> None:
    done, _ = adopted(tmp_path / "read", files_of("Hexo", "{% asset_img x.png %} {% post_link a %}"))
    assert not any("tags of Hexo" in line for line in report_of(done))
    for other, text in (
        ("Eleventy", "{{ title }}"),
        ("Hexo", "{% codeblock %}"),
        ("Docusaurus", "import X from 'x'"),
    ):
        done, _ = adopted(tmp_path / other, files_of(other, text))
        assert any(f"b.md: 1 file with tags of {other}" in line for line in report_of(done))
