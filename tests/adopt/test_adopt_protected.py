"""Posts that the old generator encrypts, and files of posts that it does not publish, are ignored and reported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_adopt_formats import addresses, adopted, report_of

SHOWN = post("Shown", date="2026-01-02")
SECRET = post("Hidden", date="2026-01-03", password="abc")
HUGO = {"hugo.toml": 'baseURL = "https://log.example.org/"\n', "content/posts/a.md": SHOWN}
ZOLA = {"zola.toml": 'base_url = "https://log.example.org"\n', "content/posts/a.md": SHOWN}
JEKYLL = {"_config.yml": "title: Lumen\n", "_posts/2026-01-02-a.md": SHOWN}
MKDOCS = {"mkdocs.yml": "plugins:\n- encryptcontent: {}\n", "docs/posts/a.md": SHOWN}
VUEPRESS = {
    "docs/.vuepress/config.js": "module.exports = { pagePatterns: ['**/*.md', '!wip/**'] };\n",
    "docs/posts/a.md": SHOWN,
}
PELICAN = {"pelicanconf.py": "SITENAME = 'Lumen'\n", "content/a.md": SHOWN}
NIKOLA = {"conf.py": "BLOG_TITLE = 'Lumen'\n", "posts/a.md": SHOWN}
HEXO = {"_config.yml": "title: Lumen\n", "source/_posts/a.md": SHOWN}
ALL = "mkdocs.yml:2: plugins: encryptcontent: global_password → ignore = [“/posts/b.md”"

CASES: dict[str, tuple[Mapping[str, str], Mapping[str, str], str]] = {
    "Hugo": (HUGO, {"content/posts/b.md": SECRET}, "content/posts/b.md:4: password → ignore = [“/posts/b.md”]"),
    "Hugo's parameters": (HUGO, {"content/posts/b.md": "+++\ntitle = 'Hidden'\n[params]\npassword = 'x'\n+++\n"}, ""),
    "Hugo's shortcodes": (
        HUGO,
        {
            "content/posts/b.md": post(
                "Hidden", 'Text.\n\n{{< fixit-encryptor "x" >}}\nHidden\n{{< /fixit-encryptor >}}'
            )
        },
        "content/posts/b.md:7: {{< fixit-encrypt → ignore = [“/posts/b.md”]",
    ),
    "Hugo's bundles": (
        HUGO,
        {"content/posts/b/index.md": SECRET, "content/posts/b/more.md": SECRET, "content/posts/b/x.csv": "HIDDEN"},
        "content/posts/b/index.md:4: password → ignore = [“/posts/b”]",
    ),
    "Zola": (ZOLA, {"content/posts/b.md": "+++\ntitle = 'Hidden'\n[extra]\npassword = 'x'\n+++\n"}, ""),
    "Jekyll": (JEKYLL, {"_posts/2026-01-03-b.md": SECRET}, ""),
    "MkDocs": (MKDOCS, {"docs/posts/b.md": SECRET, "docs/posts/c.md": post("Hidden", level="team")}, ""),
    "MkDocs, everything": (
        {"mkdocs.yml": "plugins:\n- encryptcontent: {global_password: x}\n"},
        {"docs/posts/a.md": post("Shown", date="2026-01-02", password=""), "docs/posts/b.md": post("Hidden")},
        ALL,
    ),
    "VuePress": (
        VUEPRESS,
        {
            "docs/posts/b.md": post("Hidden", keys="['0c']"),
            "docs/posts/c.md": post("Hidden", publish="false"),
            "docs/wip/d.md": post("Hidden"),
        },
        "docs/.vuepress/config.js:1: wip/** → ignore = [“/wip”]",
    ),
    "another generator": ({"content/a.md": SHOWN}, {"content/b.md": SECRET}, ""),
    "Hexo's files": (
        HEXO,
        {"source/_posts/salaries.csv": "HIDDEN", "source/_posts/a/data.csv": "HIDDEN", "source/_posts/b/x.md": SHOWN},
        "source/_posts/a/data.csv: 2 files ignored that Hexo does not publish either",
    ),
    "Hexo's files of posts": (
        {**HEXO, "_config.yml": "post_asset_folder: true\n"},
        {
            "source/_posts/a/data.csv": "1\n",
            "source/_posts/draft.md": post("Hidden", published="false"),
            "source/_posts/draft/x.csv": "HIDDEN",
            "source/_posts/secret.md": SECRET,
            "source/_posts/secret/deep/x.csv": "HIDDEN",
            "source/_posts/none/x.csv": "HIDDEN",
        },
        "source/_posts/draft/x.csv: 3 files ignored that Hexo does not publish either",
    ),
    "Pelican's metadata": (
        PELICAN,
        {
            "content/b.md": "Title: Hidden\nDate: 2026-01-03\nPassword: x\n\nHidden\n",
            "content/c.html": '<html><head><title>Hidden</title><meta name="password" content="x"></head></html>\n',
        },
        "content/b.md:3: password → ignore = [“/b.md”]",
    ),
    "Nikola's metadata": (
        NIKOLA,
        {
            "posts/b.md": "<!--\n.. title: Hidden\n.. date: 2026-01-03\n.. password: x\n-->\n\nHidden\n",
            "posts/c.meta": ".. title: Hidden\n.. password: x\n",
            "posts/c.md": "Hidden\n",
        },
        "posts/b.md:4: password → ignore = [“/b.md”]",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_only_some_could_read_is_not_published(name: str, tmp_path: Path) -> None:
    old, more, told = CASES[name]
    done, hidden = adopted(tmp_path, {**old, **more})
    assert hidden == []
    assert len(addresses(done)) == sum("Shown" in text for text in {**old, **more}.values())
    report = report_of(done)
    assert any(line.startswith(told) for line in report), report
    if name == "Hexo's files of posts":
        assert (tmp_path / "public/a/data.csv").is_file()
