"""Small sites of other generators, and the addresses that these give to their posts and pages.

The lists for Hugo and Jekyll are those that Hugo 0.168 and Jekyll 4.3 make; that for Zola follows its documentation.
"""

from __future__ import annotations

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8ffff3f0005fe02fea735816f0000000049454e44ae426082"
)


def post(title: str, body: str = "Pages are written twice.", **keys: str) -> str:
    """A post with YAML front matter."""
    lines = [f'title: "{title}"', *(f"{key}: {value}" for key, value in keys.items())]
    return "---\n" + "\n".join(lines) + f"\n---\n\n{body}\n"


HUGO: dict[str, str | bytes] = {
    "hugo.toml": """\
baseURL = "https://log.example.org/lumen/"
title = "The Lumen log"
languageCode = "en-gb"
copyright = "The Lumen team"
timeZone = "Europe/Paris"
enableEmoji = true
ignoreFiles = ['README\\.md$', '\\.bak$']
summaryLength = 30
theme = "paper"

[pagination]
  pagerSize = 7

[permalinks]
  news = "/:year/:month/:slug/"

[params]
  description = "What we learn about storage"
  logo = "/logo.png"
  [params.colors]
    accent = "green"

[[menu.main]]
  name = "Storage"
  pageRef = "/storage"
  weight = 2

[[menu.main]]
  name = "Code"
  url = "https://code.example.org/lumen"
  weight = 1
""",
    "content/_index.md": post("The Lumen log"),
    "content/about.md": post("About Lumen"),
    "content/storage/_index.md": post("Storage", description="Pages and logs"),
    "content/storage/README.md": "For the team only\n",
    "content/storage/2026-05-04-Write-Ahead-Log.md": post(
        "The write-ahead log",
        'See [the planner]({{< ref "planner.html" >}}).\n\n{{< figure src="chart.png" alt="Writes" >}}',
        date="2026-05-04",
        author='"Ada Quill (@adaquill)"',
        tags="[wal, Storage Engine]",
        categories="[deep dives]",
    ),
    "content/storage/compaction/index.md": post("Compaction", "![](level.png)", date="2026-05-02"),
    "content/storage/compaction/level.png": PIXEL,
    "content/storage/b_tree.md": post("B-trees", date="2026-04-01", slug="btree"),
    "content/query/2026-03/planner.html": post("The planner", "<p>Joins come first.</p>", date="2026-03-09"),
    "content/query/old.md": post("Old", date="2026-03-01", url="/2025/old-planner.html", aliases='["/planner/"]'),
    "content/query/draft.md": post("Not yet", date="2026-03-02", draft="true"),
    "content/news/release.md": post("Lumen 1.0 is out!", date="2026-01-02"),
    "content/news/notes.org": "#+title: Notes\n",
    "static/logo.png": PIXEL,
    "layouts/_default/single.html": "{{ .Content }}",
    "layouts/_default/list.html": "{{ .Title }}",
    "data/authors.yaml": 'adaquill:\n  name: Ada Quill\n  website: "https://ada.example.org"\n',
}

HUGO_ADDRESSES = (
    "/2025/old-planner.html",
    "/2026/01/lumen-1.0-is-out/",
    "/about/",
    "/query/2026-03/planner/",
    "/storage/2026-05-04-write-ahead-log/",
    "/storage/btree/",
    "/storage/compaction/",
)

JEKYLL: dict[str, str | bytes] = {
    "_config.yml": """\
# The Lumen log
title: The Lumen log
description: >-
  What we learn
  about storage
url: "https://log.example.org"
baseurl: /lumen
timezone: Europe/Paris
permalink: /:categories/:year/:month/:title:output_ext
markdown: kramdown
paginate: 5
plugins:
  - jekyll-feed
  - jekyll-redirect-from
  - jekyll-lilypond
exclude: [vendor/, notes.txt]
collections:
  recipes:
    output: true
defaults:
  - scope: {path: "", type: posts}
    values: {layout: post, author: adaquill}
author:
  name: The Lumen team
""",
    "_data/authors.yml": "adaquill:\n  name: Ada Quill\n  url: https://ada.example.org\n",
    "_data/navigation.yml": "main:\n  - title: About\n    url: /about.html\n  - title: Query\n    url: /query/\n",
    "_layouts/post.html": "{{ content }}",
    "_posts/2026-05-04-Write-Ahead-Log.md": post(
        "The write-ahead log",
        "{% highlight python %}\nlog.append(1)\n{% endhighlight %}\n\n[next]({% post_url 2026-05-05-compaction %})",
        layout="post",
        categories="storage engine",
        tags="wal pages",
    ),
    "_posts/2026-05-05-compaction.markdown": post("Compaction", layout="post", redirect_from="/compaction.html"),
    "_posts/2026-05-06-hidden.md": post("Hidden", published="false"),
    "_posts/2026-05-07-moved.md": post("Moved", permalink="/moved/here/"),
    "query/_posts/2026-03-09-planner.html": post("The planner", "<p>Joins come first.</p>"),
    "_drafts/later.md": post("Later"),
    "_recipes/soup.md": post("Soup"),
    "about.md": post("About", layout="page"),
    "guide/start.md": post("Start", layout="page"),
    "index.html": "---\nlayout: home\n---\n{% for post in site.posts %}{{ post.title }}{% endfor %}\n",
    "feed.xml": '---\nlayout: null\n---\n<rss version="2.0">{% for post in site.posts %}{% endfor %}</rss>\n',
    "assets/logo.png": PIXEL,
    "assets/main.scss": "---\n---\nbody { color: black }\n",
    "vendor/readme.md": post("A gem"),
    "notes.txt": "For the team only\n",
    "README.md": "# How to write\n",
    "Gemfile": "gem 'jekyll'\n",
}

JEKYLL_ADDRESSES = (
    "/2026/05/compaction.html",
    "/about.html",
    "/guide/start.html",
    "/moved/here/",
    "/query/2026/03/planner.html",
    "/recipes/soup.html",
    "/storage/engine/2026/05/Write-Ahead-Log.html",
)

ZOLA: dict[str, str | bytes] = {
    "config.toml": """\
base_url = "https://log.example.org/lumen"
title = "The Lumen log"
description = "What we learn about storage"
default_language = "en"
generate_feeds = true
feed_filenames = ["atom.xml", "rss.xml"]
ignored_content = ["*.bak", "drafts/*"]
compile_sass = true
taxonomies = [{ name = "tags" }, { name = "categories", feed = true }, { name = "series" }]

[markdown]
highlight_code = true
render_emoji = true

[slugify]
anchors = "on"

[extra]
accent = "green"
""",
    "content/_index.md": '+++\ntitle = "The Lumen log"\nsort_by = "date"\n+++\n',
    "content/storage/_index.md": '+++\ntitle = "Storage"\n+++\n',
    "content/storage/2026-05-04-Write-Ahead-Log.md": (
        '+++\ntitle = "The write-ahead log"\nauthors = ["Ada Quill"]\n[taxonomies]\ntags = ["wal"]\n+++\n\n'
        "See [compaction](@/storage/compaction/index.md).\n"
    ),
    "content/storage/compaction/index.md": '+++\ntitle = "Compaction"\ndate = 2026-05-02\n+++\n\n![](level.png)\n',
    "content/storage/compaction/level.png": PIXEL,
    "content/storage/release@2.md": '+++\ntitle = "Release"\ndate = 2026-04-01\n+++\n\nTwo.\n',
    "content/query/_index.md": '+++\ntitle = "Query"\n+++\n',
    "content/query/planner.md": (
        '+++\npath = "query/2026/03/09/planner"\ntitle = "The planner"\n'
        'aliases = ["old/planner.html"]\n+++\n\nJoins come first.\n'
    ),
    "content/about.md": '+++\ntitle = "About"\n+++\n\nWho we are.\n',
    "templates/index.html": "{% block main %}{% endblock %}{{ get_url(path='x') }}",
    "templates/page.html": "{{ page.content | safe }}",
    "static/logo.png": PIXEL,
}

ZOLA_ADDRESSES = (
    "/about/",
    "/query/2026/03/09/planner/",
    "/storage/compaction/",
    "/storage/release/",
    "/storage/write-ahead-log/",
)
