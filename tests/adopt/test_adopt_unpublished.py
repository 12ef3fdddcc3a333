"""What an old generator left out without a word in the post itself is not published by devlog either."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from adopt.old_sites import post
from sites import build_site, write_site

from devlog.adopt import unpublished_mkdocs
from devlog.adopt.adopt import adopt

SHOWN = post("Shown", date="2026-01-02")
HIDDEN = post("Hidden", date="2026-01-03")
SECTION = '---\ntitle: "Ideas"\n'
OWN = '---\ntitle: "Shown"\n'
HUGO = 'baseURL = "https://log.example.org/"\ntitle = "Lumen"\n'
ZOLA = {"zola.toml": 'base_url = "https://log.example.org"\ntitle = "Lumen"\n'}
NOW = datetime(2026, 6, 15, tzinfo=UTC)
HUGO_POSTS = {"content/posts/a.md": SHOWN, "content/ideas/b.md": HIDDEN, "content/ideas/deep/c/index.md": HIDDEN}

SITES: dict[str, tuple[Mapping[str, str], tuple[str, ...], tuple[str, ...]]] = {
    "zola-draft": (
        {
            **ZOLA,
            "content/posts/a.md": SHOWN,
            "content/ideas/_index.md": '+++\ntitle = "Ideas"\ndraft = true\n+++\n',
            "content/ideas/b.md": HIDDEN,
            "content/ideas/deep/c.md": HIDDEN,
        },
        ("/ideas",),
        ("content/ideas/_index.md:3: draft → ignore = [“/ideas”]",),
    ),
    "zola-section-without-page": (
        {
            **ZOLA,
            "content/posts/a.md": SHOWN,
            "content/posts/_index.md": "+++\nrender = true\n+++\n",
            "content/ideas/_index.md": "+++\nrender = false\n+++\nSecret\n",
            "content/ideas/b.md": SHOWN,
        },
        ("/ideas/_index.md",),
        ("content/ideas/_index.md:2: render → ignore = [“/ideas/_index.md”]",),
    ),
    "zola-everything": (
        {**ZOLA, "content/_index.md": "+++\ndraft = true\n+++\n", "content/ideas/b.md": HIDDEN},
        ("/**",),
        ("content/_index.md:2: draft → ignore = [“/**”]",),
    ),
    "hugo-draft": (
        {"hugo.toml": HUGO, **HUGO_POSTS, "content/ideas/_index.md": f"{SECTION}cascade:\n  draft: true\n---\n"},
        ("/ideas",),
        ("content/ideas/_index.md:4: cascade.draft → ignore = [“/ideas”]",),
    ),
    "hugo-draft-overridden": (
        {
            "hugo.toml": HUGO,
            **HUGO_POSTS,
            "content/ideas/_index.md": f"{SECTION}cascade:\n  - draft: true\n    type: idea\n---\n",
            "content/ideas/ready.md": post("Shown", date="2026-01-04", draft="false"),
            "content/ideas/more/_index.md": "+++\n[cascade]\ndraft = false\n+++\n",
            "content/ideas/more/d.md": SHOWN,
        },
        ("/ideas/_index.md", "/ideas/b.md", "/ideas/deep"),
        (
            "content/ideas/_index.md:4: cascade.draft → ignore = [“/ideas/_index.md”, “/ideas/b.md”, “/ideas/deep”]",
            "content/ideas/_index.md:5: cascade.type – front matter is not inherited",
        ),
    ),
    "hugo-never": (
        {
            "hugo.toml": HUGO,
            **HUGO_POSTS,
            "content/ideas/_index.md": f"{SECTION}cascade:\n  build:\n    render: never\n    list: never\n---\n",
        },
        ("/ideas",),
        ("content/ideas/_index.md:5: cascade.build.render → ignore = [“/ideas”]",),
    ),
    "hugo-unlisted": (
        {
            "hugo.toml": HUGO,
            **HUGO_POSTS,
            "content/ideas/_index.md": f"{SECTION}_build: {{list: never}}\ncascade:\n  _build: {{list: false}}\n---\n",
        },
        ("/ideas",),
        ("content/ideas/_index.md:5: cascade._build.list → ignore = [“/ideas”]",),
    ),
    "hugo-target": (
        {
            "hugo.toml": HUGO,
            **HUGO_POSTS,
            "content/_index.md": "---\ncascade:\n- draft: true\n  target: {path: '/{ideas,notes}/**', kind: page}\n"
            "- draft: true\n  target: {kind: term}\n---\n",
        },
        ("/ideas",),
        (
            "content/_index.md:3: cascade.draft → ignore = [“/ideas”]",
            "content/_index.md:5: cascade.draft – front matter is not inherited by such a target",
        ),
    ),
    "hugo-config": (
        {"hugo.toml": HUGO + '[[cascade]]\ndraft = true\n[cascade.target]\npath = "/ideas/**"\n', **HUGO_POSTS},
        ("/ideas",),
        ("hugo.toml:4: cascade.draft → ignore = [“/ideas”]",),
    ),
    "hugo-resources": (
        {
            "hugo.toml": HUGO,
            "content/posts/a/index.md": f"{OWN}build:\n  publishResources: false\n---\n",
            "content/posts/a/plan.pdf": "secret",
            "content/posts/a/raw/x/1.csv": "secret",
            "content/posts/a/raw/index.md": HIDDEN,
            "content/posts/b/index.md": SHOWN,
            "content/posts/b/c.pdf": "shown",
            "content/notes/_index.md": f"{SECTION}cascade:\n  _build: {{publishResources: no}}\n---\n",
            "content/notes/d/index.md": SHOWN,
            "content/notes/d/e.pdf": "secret",
            "content/notes/f/index.md": f"{OWN}build: {{publishResources: true}}\n---\n",
            "content/notes/f/g.pdf": "shown",
        },
        ("/notes/d/e.pdf", "/posts/a/plan.pdf", "/posts/a/raw/x", "/posts/a/raw/index.md"),
        (
            "content/posts/a/index.md:4: build.publishResources → ignore = [“/posts/a/plan.pdf”, “/posts/a/raw/x”]",
            "content/notes/_index.md:4: cascade._build.publishResources → ignore = [“/notes/d/e.pdf”]",
        ),
    ),
    "hugo-resources-of-a-section": (
        {
            "hugo.toml": HUGO,
            "content/ideas/_index.md": f"{SECTION}build: {{publishResources: false}}\n---\n",
            "content/ideas/a.md": SHOWN,
            "content/ideas/a.pdf": "secret",
            "content/ideas/deep/b/index.md": SHOWN,
            "content/ideas/deep/b/c.pdf": "shown",
        },
        ("/ideas/a.pdf",),
        ("content/ideas/_index.md:3: build.publishResources → ignore = [“/ideas/a.pdf”]",),
    ),
    "hugo-own-dates": (
        {
            "hugo.toml": HUGO + 'timeZone = "America/New_York"\n[frontmatter]\n'
            'publishDate = ["goLive", ":filename", ":default"]\nexpiryDate = ["goAway", ":default"]\n',
            "content/posts/a.md": post("Shown", date="2026-01-02", golive="2026-06-01", goaway="2035-01-02"),
            "content/posts/b.md": post("Hidden", date="2026-01-02", goLive="2026-06-15"),  # later in New York
            "content/posts/c.md": post("Hidden", date="2026-01-02", goaway="2026-01-03"),
            "content/posts/d.md": "---\ntitle: Hidden\ndate: 2026-01-02\nparams: {golive: next week}\n---\n",
            "content/posts/2035-01-02-e.md": HIDDEN,
            "content/posts/f.md": post("Hidden", date="2035-01-02"),  # devlog schedules it
            "content/ideas/g/index.md": post("Hidden", date="2026-01-02", golive="2035-01-02"),
            "content/ideas/g/more.md": HIDDEN,
            "content/ideas/g/photo.png": "",
            "content/ideas/h.md": post("Shown", date="2026-01-02", golive='""', goaway='""'),
        },
        ("/ideas/g", "/posts/2035-01-02-e.md", "/posts/b.md", "/posts/d.md", "/posts/c.md"),
        (
            "content/ideas/g/index.md:4: golive → ignore = [“/ideas/g”]",
            "content/posts/b.md:4: goLive → ignore = [“/posts/b.md”]",
            "content/posts/c.md:4: goaway → ignore = [“/posts/c.md”]",
            "content/posts/a.md:5: goaway – devlog publishes it without end: write “expiryDate”",
            "hugo.toml:5: frontmatter.publishDate – devlog does not read “golive”: remove",
            "hugo.toml:6: frontmatter.expiryDate – devlog does not read “goaway”: write “expiryDate”",
        ),
    ),
    "hugo-section-without-page": (
        {
            "hugo.toml": HUGO,
            "content/posts/a.md": SHOWN,
            "content/posts/_index.md": f"{SECTION}build:\n  render: always\n---\n",
            "content/ideas/_index.md": f"{SECTION}build:\n  render: never\n---\nSecret\n",
            "content/ideas/b.md": SHOWN,
            "content/notes/_index.en.md": f"{SECTION}_build: {{render: link}}\n---\nSecret\n",
        },
        ("/ideas/_index.md", "/notes/_index.en.md"),
        (
            "content/ideas/_index.md:4: build.render → ignore = [“/ideas/_index.md”]",
            "content/notes/_index.en.md:3: _build.render → ignore = [“/notes/_index.en.md”]",
        ),
    ),
    "hugo-adapters": (
        {
            "hugo.toml": HUGO,
            **HUGO_POSTS,
            "content/ideas/b.md": SHOWN,
            "content/ideas/deep/c/index.md": SHOWN,
            "content/ideas/_content.gotmpl": '{{ $key := "secret" }}\n',
            "content/posts/deep/_content.en.gotmpl": "",
        },
        ("_content.gotmpl", "_content.en.gotmpl"),
        ("content/ideas/_content.gotmpl:0: _content.gotmpl – Hugo makes pages with it, which are missing in devlog",),
    ),
    "hugo-dates-in-names": (
        {
            "hugo.toml": HUGO + '[frontmatter]\npublishDate = [":git", ":filename", ":default"]\n',
            "content/posts/2026-01-02-a.md": post("Shown", date="2026-01-02"),
            "content/posts/2035-01-02-b/index.md": HIDDEN,
        },
        ("/posts/2035-01-02-b",),
        (
            "content/posts/2035-01-02-b/index.md:0: :filename → ignore = [“/posts/2035-01-02-b”]",
            "hugo.toml:4: frontmatter.publishDate – devlog reads the front matter first: remove",
        ),
    ),
    "hugo-mount-exclude": (
        {
            "hugo.toml": HUGO
            + '[[module.mounts]]\nsource = "content"\ntarget = "content"\nexcludeFiles = ["{ideas,notes}/**"]\n'
            + '[[module.mounts]]\nsource = "static"\ntarget = "static"\nexcludeFiles = "x/**"\n',
            **HUGO_POSTS,
        },
        ("/ideas/**", "/notes/**"),
        (
            "hugo.toml:6: module.mounts.excludeFiles → ignore = [“/ideas/**”, “/notes/**”]",
            "hugo.toml:10: module.mounts.excludeFiles – only files of the content folder can be ignored",
        ),
    ),
    "hugo-mount-include": (
        {
            "hugo.toml": HUGO
            + '[[module.mounts]]\nsource = "content"\ntarget = "content"\nincludeFiles = "posts/**"\n',
            **HUGO_POSTS,
        },
        ("/ideas",),
        ("hugo.toml:6: module.mounts.includeFiles → ignore = [“/ideas”]",),
    ),
    "hugo-mount-files": (
        {
            "hugo.toml": HUGO + '[[module.mounts]]\nsource = "texts"\ntarget = "content"\nfiles = ["! ideas/**"]\n',
            **{name.replace("content", "texts"): text for name, text in HUGO_POSTS.items()},
        },
        ("/ideas/**",),
        ("hugo.toml:6: module.mounts.files → ignore = [“/ideas/**”]",),
    ),
    "jekyll-exclude": (
        {
            "_config.yml": "title: Lumen\nexclude: [wip, 'deep/*.md', _posts/2026-02, 'no/', 'l[io]g*/x', 'a\\*b.md', "
            "'[new] ', 'p?q.md', '[^a]z.md', '*a*b*c*d.txt']\ninclude: [wip-public.md]\n",
            "_posts/2026-01-02-a.md": SHOWN,
            "_posts/2026-02-03-b.md": HIDDEN,
            "wip.md": post("Hidden"),
            "wip2.md": post("Hidden"),
            "wip-notes/b.md": post("Hidden"),
            "wip-notes/b.csv": "1\n",
            "wip-public.md": post("Hidden"),
            "public/wip.md": post("Shown"),
            "deep/c.md": post("Hidden"),
            "deep/er/c.md": post("Hidden"),
            "deeper/c.md": post("Shown"),
            "no/d.md": post("Hidden"),
            "nor.md": post("Shown"),
            "log/2026/x/e.md": post("Hidden"),
            "log/x/e.md": post("Hidden"),
            "log/e.md": post("Shown"),
            "a*b.md": post("Hidden"),
            "acb.md": post("Shown"),
            "[new] f.md": post("Hidden"),
            "p/q.md": post("Hidden"),
            "yz.md": post("Hidden"),
            "az.md": post("Shown"),
            "ga/b/c/d.txt": "1\n",
            "da/b/c/d.pdf": "1\n",
        },
        (
            *("/wip*", "/deep/**.md", "/_posts/2026-02*", "/no", "/l[io]g*/**/x", "/a[*]b.md", "/[new] ", "/[[]new] *"),
            *("/p?q.md", "/p/q.md", "/[!a]z.md", "/ga/b/c/d.txt"),
        ),
        (
            "_config.yml:2: exclude → ignore = [“/wip*”, “/deep/**.md”, “/_posts/2026-02*”",
            "_config.yml:3: include: wip-public.md – it is in “exclude”, too",
        ),
    ),
    "jekyll-defaults-begin-paths": (
        {
            "_config.yml": "title: Lumen\ncollections_dir: all\ndefaults:\n"
            "- scope: {path: _posts/2026-03, type: posts}\n  values: {published: false}\n"
            "- scope: {path: all/_posts/2026-04, type: posts}\n  values: {published: false}\n"
            "- scope: {path: _posts/2026-03-02}\n  values: {published: true}\n"
            "- scope: {path: '{old,new}/*/x'}\n  values: {published: no}\n",
            "all/_posts/2026-01-02-a.md": SHOWN,
            "all/_posts/2026-03-01-b.md": HIDDEN,
            "all/_posts/2026-03-02/2026-03-02-c.md": SHOWN,
            "all/_posts/2026-03-02-d.md": HIDDEN,
            "all/_posts/2026-04-01-e.md": HIDDEN,
            "old/a/x.md": post("Hidden"),
            "new/a/b.md": post("Shown"),
        },
        ("/all/_posts/2026-03-01-b.md", "/all/_posts/2026-03-02-d.md", "/all/_posts/2026-04-01-e.md", "/old"),
        (
            "_config.yml:5: defaults.published → ignore = [“/all/_posts/2026-03-01-b.md”, ",
            "_config.yml:7: defaults.published → ignore = [“/all/_posts/2026-04-01-e.md”]",
            "_config.yml:11: defaults.published → ignore = [“/old”]",
        ),
    ),
    "jekyll-defaults": (
        {
            "_config.yml": "title: Lumen\ncollections:\n  lab: {output: true}\n  notes: {output: true}\ndefaults:\n"
            "- scope: {path: '', type: lab}\n  values: {published: false}\n"
            "- scope: {path: _posts/ideas}\n  values: {published: false}\n"
            "- scope: {path: _posts/ideas/ready, type: posts}\n  values: {published: true}\n"
            "- scope: {path: 'old/*/x', type: pages}\n  values: {published: no}\n",
            "_posts/2026-01-02-a.md": SHOWN,
            "_posts/ideas/2026-01-03-b.md": HIDDEN,
            "_posts/ideas/2026-01-03-c.md": post("Shown", published="true"),
            "_posts/ideas/ready/2026-01-04-d.md": SHOWN,
            "_lab/e.md": HIDDEN,
            "_notes/f.md": post("Shown"),
            "old/a/x/g.md": HIDDEN,
            "old/a/h.md": post("Shown"),
        },
        ("/_lab", "/_posts/ideas/2026-01-03-b.md", "/old/a/x"),
        (
            "_config.yml:7: defaults.published → ignore = [“/_lab”]",
            "_config.yml:9: defaults.published → ignore = [“/_posts/ideas/2026-01-03-b.md”]",
            "_config.yml:13: defaults.published → ignore = [“/old/a/x”]",
        ),
    ),
    "docusaurus": (
        {
            "blog/authors.yml": "ada: {name: Ada}\n",
            "blog/tags.yml": "disk: {label: Disk}\n",
            "blog/2026/01/05/e.md": SHOWN,
            "docusaurus.config.ts": "export default {};\n",
            "blog/2026-01-02-a.md": SHOWN,
            "blog/2026-01-03-b.test.md": SHOWN,  # only programs of this name are left out
            "blog/_wip.md": HIDDEN,
            "blog/_drafts/2026-01-03-x.md": HIDDEN,
        },
        ("*.yml", r"re:(?:^|/)_.*\.(?:md|markdown|html?)$"),
        (
            "2 files ignored, as by Docusaurus",
            "2 files ignored that no post names, as by Docusaurus",
            "1 post with the date in the names of folders, which devlog does not read",
        ),
    ),
    "astro": (
        {"astro.config.mjs": "export default {};\n", "src/content/blog/a.md": SHOWN, "src/content/blog/_b.md": HIDDEN},
        (r"re:(?:^|/)_.*\.(?:md|markdown|html?)$",),
        ("1 file ignored, as by Astro",),
    ),
    "quarto": (
        {"_quarto.yml": "project:\n  type: website\n", "posts/a.md": SHOWN, "posts/_b.md": HIDDEN},
        (r"re:(?:^|/)_.*\.(?:md|markdown|html?|ipynb)$",),
        ("1 file ignored, as by Quarto",),
    ),
    "eleventy": (
        {
            "eleventy.config.js": "export default {};\n",
            ".eleventyignore": "# Later\nposts/later\n./posts/*.note.md\n!posts/x.md\n",
            "posts/a.md": SHOWN,
            "posts/b.md": post("Hidden", date="2026-01-03", permalink="false"),
            "posts/later/c.md": HIDDEN,
            "posts/d.note.md": HIDDEN,
            "posts/ideas/ideas.json": '{\n  "permalink": false\n}\n',
            "posts/ideas/e.md": HIDDEN,
        },
        ("*.json", "_includes", "_data", "/b.md", "/ideas", "/later", "/d.note.md"),
        (
            "posts/b.md:4: permalink → ignore = [“/b.md”]",
            "posts/ideas/ideas.json:2: permalink → ignore = [“/ideas”]",
            ".eleventyignore:2: posts/later → ignore = [“/later”]",
            ".eleventyignore:3: ./posts/*.note.md → ignore = [“/d.note.md”]",
            ".eleventyignore:4: !posts/x.md – it has no counterpart",
            "1 file ignored that no post names, as by Eleventy",
        ),
    ),
    "eleventy-computed": (
        {
            "eleventy.config.js": "export default {};\n",
            "posts/a.md": SHOWN,
            "posts/b.md": "---\ntitle: B\npermalink: /b/\neleventyComputed:\n  permalink: false\n---\n",
            "posts/ideas/ideas.json": '{"eleventyComputed": {"permalink": false}}\n',
            "posts/ideas/e.md": HIDDEN,
        },
        ("*.json", "_includes", "_data", "/b.md", "/ideas"),
        (
            "posts/b.md:5: eleventyComputed.permalink → ignore = [“/b.md”]",
            "posts/ideas/ideas.json:1: eleventyComputed.permalink → ignore = [“/ideas”]",
        ),
    ),
    "eleventy-tables": (
        {
            "eleventy.config.js": "export default {};\n",
            "posts/a.md": '---\ntitle: "Shown"\ndate: 2026-01-02\npermalink:\n  build: /a/\n---\nText\n',
            "posts/b.md": "---\ntitle: B\npermalink: {build: false}\n---\n",
            "posts/c.md": "---\ntitle: C\npermalink:\n  serverless: /c/\n---\n",
            "posts/ideas/ideas.json": '{"permalink": {"build": false}}\n',
            "posts/ideas/e.md": HIDDEN,
        },
        ("*.json", "_includes", "_data", "/b.md", "/c.md", "/ideas"),
        (
            "posts/b.md:3: permalink → ignore = [“/b.md”]",
            "posts/c.md:3: permalink → ignore = [“/c.md”]",
            "posts/ideas/ideas.json:1: permalink → ignore = [“/ideas”]",
        ),
    ),
    "eleventy-without-git": (
        {
            "eleventy.config.js": "export default function (config) {\n  config.setUseGitIgnore(false);\n};\n",
            ".gitignore": "later\n",
            "posts/a.md": SHOWN,
            "posts/later/c.md": HIDDEN,
        },
        ("_includes", "_data", "later"),
        ("eleventy.config.js:2: setUseGitIgnore(false) – what .gitignore names is ignored",),
    ),
    "nikola": (
        {
            "conf.py": "BLOG_TITLE = 'Lumen'\n",
            "posts/a.md": SHOWN,
            "posts/b.md": "<!--\n.. title: Hidden\n.. status: draft\n-->\n\nText.\n",
            "posts/c.md": "Text.\n",
            "posts/c.meta": ".. title: Hidden\n.. status: private\n",
            "posts/d.md": post("Shown", "status: draft is a line of text.", date="2026-01-04"),
            "posts/e.md": post("Hidden", date="2026-01-03", status="private"),
            "posts/f.md": "\n<!--\n.. title: Hidden\n.. date: 2026-07-01 10:00:00 UTC\n-->\n\nText.\n",
            "posts/g.md": "<!--\n.. title: Hidden\n.. tags: disk, Draft\n-->\n\nText.\n",
            "posts/h.md": '<!--\n.. title: "Shown"\n.. date: 2026-01-01\n-->\n\nText, and [data](h.dat).\n',
            "posts/h.dat": "1\n",
        },
        ("*.meta", "/b.md", "/c.md", "/e.md", "/f.md", "/g.md"),
        (
            "posts/b.md:3: status: draft → ignore = [“/b.md”]",
            "posts/c.meta:2: status: private → ignore = [“/c.md”]",
            "posts/f.md:4: date: 2026-07-01 10:00:00 UTC → ignore = [“/f.md”]",
            "posts/g.md:3: tags: disk, Draft → ignore = [“/g.md”]",
        ),
    ),
    "pelican": (
        {
            "pelicanconf.py": "SITENAME = 'Lumen'\n",
            "content/a.md": SHOWN,
            "content/b.md": "Title: Hidden\nDate: 2026-01-03\nStatus: draft\n\nText.\n",
            "content/c.md": '---\ntitle: "Hidden"\nstatus: Draft\n---\n',
            "content/d.md": 'Title: "Shown"\nDate: 2026-07-01\n\nIt has no date here: title: "Shown"\n',
        },
        ("/b.md",),
        ("content/b.md:3: status: draft → ignore = [“/b.md”]",),
    ),
    "hexo-plugins": (
        {
            "_config.yml": "title: Lumen\nsource_dir: source\nhide_posts: {enable: true, filter: secret}\n"
            "encrypt:\n  tags:\n  - {name: diary, password: abc}\n",
            "source/_posts/a.md": SHOWN,
            "source/_posts/b.md": post("Hidden", date="2026-01-03", password="abc"),
            "source/_posts/c.md": post("Hidden", date="2026-01-03", tags="[disk, diary]"),
            "source/_posts/d.md": post("Hidden", date="2026-01-03", tags="diary", password=""),
            "source/_posts/e.md": post("Shown", date="2026-01-03", tags="diary", password="''"),
            "source/_posts/f.md": post("Hidden", date="2026-01-03", secret="true"),
            "source/_posts/g.md": post("Shown", date="2026-01-03", hidden="true", password=""),
        },
        (r"re:(?:^|/)_", "/b.md", "/c.md", "/d.md", "/f.md"),
        (
            "source/_posts/b.md:4: password → ignore = [“/b.md”]",
            "source/_posts/c.md:4: tags → ignore = [“/c.md”]",
            "source/_posts/f.md:4: secret – ignored: for a page that no list has, set “unlisted”",
            "_config.yml:6: encrypt.tags: diary → posts with this tag are ignored",
        ),
    ),
    "hexo-hidden": (
        {
            "_config.yml": "title: Lumen\nsource_dir: source\n",
            "source/_posts/a.md": SHOWN,
            "source/_posts/b.md": post("Hidden", date="2026-01-03", hidden="true"),
        },
        (r"re:(?:^|/)_", "/b.md"),
        ("source/_posts/b.md:4: hidden → ignore = [“/b.md”]",),
    ),
    "vitepress": (
        {
            "docs/.vitepress/config.mts": "export default {\n  title: 'Lumen',\n"
            "  srcExclude: ['**/hush.md', 'd{e,x}ep/*.md',\n    \"!(a).md\"],\n}\n",
            "docs/a.md": SHOWN,
            "docs/hush.md": HIDDEN,
            "docs/more/hush.md": HIDDEN,
            "docs/deep/b.md": HIDDEN,
            "docs/data.json": "{}",
            "docs/public/x.txt": "1\n",
            "README.md": "# Lumen\n",
        },
        ("/public", "*.json", "/hush.md", "/more", "/deep"),
        (
            "docs/.vitepress/config.mts:3: **/hush.md → ignore = [“/hush.md”, “/more”]",
            "docs/.vitepress/config.mts:4: !(a).md – it may have no counterpart",
            "the configuration of VitePress is a program, which devlog does not run",
            "URLs of VitePress end in “.html” by default",
        ),
    ),
    "vuepress": (
        {
            ".vuepress/config.js": "module.exports = {}\n",
            ".vuepress/public/x.txt": "1\n",
            "a.md": SHOWN,
            "README.md": "# Lumen\n",
            "data.json": "{}",
        },
        ("README.md", "*.json"),
        (
            "the configuration of VuePress is a program, which devlog does not run",
            "the files in .vuepress/public/ are not published",
        ),
    ),
    "lektor": (
        {
            "lektor.lektorproject": "[project]\nname = Lumen\n",
            "content/contents.lr": "title: Lumen\n",
            "content/blog/a.md": SHOWN,
            "content/blog/p/contents.lr": "title: Hidden\n---\n_hidden: yes\n",
            "content/blog/p/b.md": HIDDEN,
            "content/blog/c.md": HIDDEN,
            "content/blog/c.md.lr": "_hidden: True\n",
            "content/blog/d.lr": "_hidden: no\n",
            "content/blog/data.ini": "x=1\n",
        },
        ("*.ini", "/blog/c.md", "/blog/p", "*.lr"),
        (
            "content/blog/p/contents.lr:3: _hidden → ignore = [“/blog/p”]",
            "4 files in *.lr skipped",
            "1 file ignored that no post names, as by Lektor",
        ),
    ),
    "mkdocs-metadata-without-lines": (
        {
            "mkdocs.yml": "site_name: Lumen\n",
            "docs/a.md": SHOWN,
            "docs/b.md": "Title: Hidden\nDraft: true\nDate: 2026-01-03\n\nText.\n",
            "docs/c.md": '---\ntitle: "Shown"\n---\nNote: it is shown.\n',
        },
        ("/b.md",),
        ("docs/b.md:1: front matter – ignored until its metadata are between lines “---”",),
    ),
    "mkdocs-inherited": (
        {
            "mkdocs.yml": "INHERIT: shared/base.yml\nsite_name: Lumen\nplugins: {blog: {}}\n",
            "shared/base.yml": "INHERIT: ../root.yml\nexclude_docs: b.md\nplugins: {exclude: {glob: 'hush*'}}\n",
            "root.yml": "INHERIT: ../../elsewhere.yml\nexclude_docs: a.md\ndraft_docs: c.md\ndocs_dir: texts\n",
            "texts/a.md": SHOWN,
            "texts/b.md": HIDDEN,
            "texts/c.md": HIDDEN,
            "texts/hush/d/e.md": HIDDEN,
        },
        ("b.md", "c.md", "/hush**"),
        (
            "mkdocs.yml:1: INHERIT → the keys in this file are read",
            "shared/base.yml:1: INHERIT → the keys in this file are read",
            "root.yml:1: INHERIT – the file is not in the folder of the site",
            "shared/base.yml:2: exclude_docs → ignore = [“b.md”]",
        ),
    ),
    "mkdocs-inherits-from-itself": (
        {"mkdocs.yml": "INHERIT: mkdocs.yml\nexclude_docs: b.md\n", "docs/a.md": SHOWN, "docs/b.md": HIDDEN},
        ("b.md",),
        ("mkdocs.yml:2: exclude_docs → ignore = [“b.md”]",),
    ),
    "mkdocs-plugin": (
        {
            "mkdocs.yml": "plugins:\n- exclude:\n    glob:\n    - 'hush/*'\n    - '*.note.md'\n    regex:\n"
            "    - '.*\\.(tmp|old)\\.'\n    - 'a('\n- hide-things\n- macros\nhooks: [x.py]\n",
            "docs/a.md": SHOWN,
            "docs/hush/deep/b.md": HIDDEN,
            "docs/more/c.note.md": HIDDEN,
            "docs/d.tmp.md": HIDDEN,
            "docs/more/e.old.md": HIDDEN,
        },
        ("/hush/**", "/**.note.md", "/d.tmp.md", "/more/e.old.md"),
        (
            "mkdocs.yml:3: plugins: exclude: hush/* → ignore = [“/hush/**”]",
            "mkdocs.yml:6: plugins: exclude: .*\\.(tmp|old)\\. → ignore = [“/d.tmp.md”, “/more/e.old.md”]",
            "mkdocs.yml:6: plugins: exclude: a( – it is not a regular expression of Python",
            "mkdocs.yml:9: plugins: hide-things – MkDocs plugins are not converted; look at what is published",
            "mkdocs.yml:11: hooks – devlog runs no programs of a site; look at what is published",
        ),
    ),
    "mkdocs-plugin-beside-a-blog": (
        {
            "mkdocs.yml": "plugins: {blog: {}, exclude: {glob: ['*/wip*'], regex: blog/posts/x}}\n",
            "docs/blog/posts/a.md": SHOWN,
            "docs/blog/posts/wip/b.md": HIDDEN,
            "docs/blog/posts/x/c.md": HIDDEN,
        },
        ("/wip", "/x"),
        ("mkdocs.yml:1: plugins: exclude: */wip* → ignore = [“/wip”]",),
    ),
    "mkdocs-escapes": (
        {
            "mkdocs.yml": "site_name: Lumen\nexclude_docs: |\n  sp\\ ace.md\n  \\!bang.md\n  star\\*.md\n"
            "  /deep/\\#x.md\n  [^a]z.md\n  /[a\\]]/x.md\n  end\\ \n",
            "docs/a.md": SHOWN,
            "docs/sp ace.md": HIDDEN,
            "docs/!bang.md": HIDDEN,
            "docs/star*.md": HIDDEN,
            "docs/stars.md": SHOWN,
            "docs/deep/#x.md": HIDDEN,
            "docs/yz.md": HIDDEN,
            "docs/az.md": SHOWN,
            "docs/end /b.md": HIDDEN,
        },
        ("sp ace.md", "!bang.md", "star[*].md", "/deep", "[!a]z.md", "end "),
        (
            "mkdocs.yml:2: exclude_docs → ignore = [“sp ace.md”]",
            "mkdocs.yml:2: /deep/\\#x.md → ignore = [“/deep”]",
            "mkdocs.yml:2: /[a\\]]/x.md – it has no counterpart",
        ),
    ),
    "quartz-escapes": (
        {
            "quartz.config.ts": "export default {}\n",
            ".gitignore": "\\!bang.md\nsp\\ ace\n",
            "content/a.md": SHOWN,
            "content/!bang.md": HIDDEN,
            "content/sp ace/b.md": HIDDEN,
        },
        ("private", "templates", "!bang.md", "sp ace"),
        (".gitignore:1: \\!bang.md → ignore",),
    ),
    "mkdocs": (
        {
            "mkdocs.yml": "site_name: Lumen\nexclude_docs: |\n  *.note.md\n  /ideas/\n  re:.*\ndraft_docs: later/\n",
            "docs/a.md": SHOWN,
            "docs/x.note.md": HIDDEN,
            "docs/ideas/b.md": HIDDEN,
            "docs/more/later/c.md": HIDDEN,
            "docs/templates/d.md": HIDDEN,
        },
        ("*.note.md", "/ideas", "[r]e:.*", "later", "/templates"),
        ("mkdocs.yml:2: exclude_docs → ignore = [“*.note.md”]", "mkdocs.yml:2: /ideas/ → ignore = [“/ideas”]"),
    ),
}


@pytest.mark.parametrize("name", SITES)
def test_what_was_not_published_is_ignored_and_told(name: str, tmp_path: Path) -> None:
    files, patterns, notes = SITES[name]
    done = adopt(write_site(tmp_path, files), NOW, lambda *_: None, write=False)
    assert done.adoption
    assert done.trial
    settings: dict[Any, Any] = {setting.key: setting.value for setting in done.adoption.settings}
    assert settings["ignore"] == patterns
    told = [
        *(f"{note.span.path}:{note.span.line}: {note.key} → {note.text}" for note in done.adoption.mapped),
        *(f"{note.span.path}:{note.span.line}: {note.key} – {note.text}" for note in done.adoption.unmapped),
        *(note.text for note in done.adoption.advice),
    ]
    for note in notes:
        assert any(line.startswith(note) for line in told), told
    shown = sum('title: "Shown"' in text for text in files.values())
    assert len(done.trial.addresses) == shown, done.trial.addresses


def test_an_expression_of_mkdocs_that_takes_too_long_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpublished_mkdocs, "_SECONDS", 0.05)
    config = "plugins: {exclude: {regex: ['b', '(a|a)*[$]', 'c']}}\n"
    files = {"mkdocs.yml": config, f"docs/{'a' * 60}.md": SHOWN, "docs/b.md": HIDDEN, "docs/c.md": SHOWN}
    done = adopt(write_site(tmp_path, files), NOW, lambda *_: None, write=False)
    assert done.adoption
    left = [note.key for note in done.adoption.unmapped if "takes too long" in note.text]
    assert left == ["plugins: exclude: (a|a)*[$]", "plugins: exclude: c"]
    assert [setting.value for setting in done.adoption.settings if setting.key == "ignore"] == [("/b.md",)]


def test_what_vitepress_publishes_as_is_has_the_same_url(tmp_path: Path) -> None:
    files = {
        "docs/.vitepress/config.js": "export default { srcDir: 'src' }\n",
        "docs/src/a.md": SHOWN,
        "docs/src/public/x/y.txt": "1\n",
        "docs/other.md": HIDDEN,
    }
    root = write_site(tmp_path, files)
    assert adopt(root, NOW, lambda *_: None, write=True).written
    assert not build_site(root).failed
    assert (root / "public/x/y.txt").is_file()
    assert (root / "public/a/index.html").is_file()
    assert not (root / "public/public").exists()


def test_what_is_published_is_not_ignored(tmp_path: Path) -> None:
    files = {
        "hugo.toml": HUGO,
        **HUGO_POSTS,
        "content/ideas/_index.md": f"{SECTION}draft: true\ncascade:\n  draft: false\n  build: {{list: always}}\n---\n",
    }
    done = adopt(write_site(tmp_path, files), NOW, lambda *_: None, write=False)
    assert done.trial
    assert done.trial.addresses == ("/ideas/b/", "/ideas/deep/c/", "/posts/a/")


def test_documents_of_collections_with_a_future_date_are_scheduled(tmp_path: Path) -> None:
    files = {
        "_config.yml": "title: Lumen\ncollections:\n  notes: {output: true}\n",
        "_posts/2026-01-02-a.md": SHOWN,
        "_notes/b.md": post("Hidden", date="2026-07-01"),
        "_notes/2026-07-01-c.md": post("Hidden"),
        "_notes/d.md": post("Shown", date="2026-05-01"),
        "about.md": post("Shown", date="2026-07-01"),  # plain pages have no time
    }
    done = adopt(write_site(tmp_path, files), NOW, lambda *_: None, write=False)
    assert done.trial
    assert len(done.trial.addresses) == 3
    assert [item.path for item in done.trial.skipped] == ["_notes/2026-07-01-c.md", "_notes/b.md"]


def test_front_matter_that_is_a_program_is_reported_and_not_published(tmp_path: Path) -> None:
    files = {
        "eleventy.config.js": "export default {};\n",
        "posts/a.md": SHOWN,
        "posts/b.md": "---js\n{title: 'Hidden', draft: true}\n---\nText\n",
        "posts/c.md": '---json\n{"title": "Hidden", "permalink": false}\n---\nText\n',
        "posts/d.md": "---toml\ntitle = 'Hidden'\ndraft = true\n---\nText\n",
    }
    done = adopt(write_site(tmp_path, files), NOW, lambda *_: None, write=False)
    assert done.trial
    assert done.trial.addresses == ("/posts/a/",)
    assert list(done.left_out) == ["posts/b.md"]


def test_all_names_that_one_pattern_ignores_are_reported(tmp_path: Path) -> None:
    names = ("content/posts/\u00fc.md", "content/posts/u\u0308.md")
    site = write_site(tmp_path, {"hugo.toml": HUGO, "content/posts/a.md": SHOWN})
    for name in names:
        (site / name).write_text(HIDDEN, "utf-8")
    done = adopt(site, NOW, lambda *_: None, write=False)
    assert done.trial
    assert done.trial.addresses == ("/posts/a/",)
    assert sorted(done.left_out) == sorted(names)
    assert {name: item.span.path for name, item in done.left_out.items()} == {name: name for name in names}
    assert done.text.count("/posts/\u00fc.md") == 1
