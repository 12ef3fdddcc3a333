"""What becomes of single keys of foreign configurations: each becomes a setting, or a note that says why not."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from adopt.old_sites import post
from hypothesis import given
from hypothesis import strategies as st
from sites import build_site, write_site

from devlog.adopt import hugo, jekyll, write_toml
from devlog.adopt.adopt import translated
from devlog.adopt.adoption import Adoption, Draft, Setting
from devlog.adopt.common import menu_url
from devlog.adopt.detect import detect
from devlog.adopt.foreign import EMPTY, read_tree
from devlog.adopt.survey import Survey
from devlog.adopt.write_toml import accepted, toml_text
from devlog.config import Config
from devlog.config_file.read import read_config
from devlog.disk.ignore import compile_ignore

TEXT = {"content/a.md": post("A", date="2026-05-01"), "_team/a.md": post("A")}


def adoption_of(folder: Path, files: Mapping[str, str | bytes]) -> Adoption:
    adoption, wrong = translated(Survey(write_site(folder, files)))
    assert adoption, wrong
    return accepted(adoption)


def config_of(adoption: Adoption) -> Config:
    config, wrong = read_config(toml_text(adoption), "devlog.toml")
    assert not wrong, toml_text(adoption)
    return config


def value(config: Config, path: str) -> Any:
    found: Any = config
    for part in path.split("."):
        found = found[part] if isinstance(found, dict) else getattr(found, part)
    return found


HUGO_KEYS = [
    ('baseURL = "https://log.example.org"', "base_url", "https://log.example.org/"),
    ('baseurl = "//log.example.org/"', "base_url", "https://log.example.org/"),
    ('BaseURL = "/lumen/"', "base_url", "/lumen/"),
    ('locale = "de"\nlanguageCode = "en-us"', "language", "de"),
    ('defaultContentLanguage = "fr"', "language", "fr"),
    ('timeZone = "Europe/Paris"', "timezone", "Europe/Paris"),
    ('contentDir = "./texts/"', "content", "texts"),
    ('staticDir = ["files", "more"]', "static", "files"),
    ('publishDir = "docs"', "output", "docs"),
    ("paginate = 5", "recent", 5),
    ("[pagination]\npagerSize = 6", "recent", 6),
    ("rssLimit = 15", "feeds.limit", 15),
    ("[services.rss]\nlimit = -1", "feeds.limit", 1000),
    ("summaryLength = 20", "excerpt.words", 20),
    ("enableEmoji = true", "markdown.emoji", True),
    ("enableEmoji = false", "markdown.emoji", False),
    ("title = 'Lumen'", "markdown.emoji", False),
    ("[markup.goldmark.extensions]\nlinkify = false", "markdown.autolink", False),
    ("[markup.goldmark.renderer]\nunsafe = true", "html", "safe"),
    ("uglyURLs = true", "permalinks.post", "/:topic/:name.html"),
    ('[frontmatter]\ndate = [":filename", ":default"]', "permalinks.post", "/:topic/:slug/"),
    ('[permalinks]\nnews = "/:year/:month/:slug"', "permalinks.topics", {"news": "/:year/:month/:title/"}),
    ('[permalinks.page]\nnews = "/n/:contentbasename/"', "permalinks.topics", {"news": "/n/:name/"}),
    ('[permalinks]\n"/" = "/p/:filename/"', "permalinks.page", "/p/:name/"),
    ('[taxonomies]\ntag = "tags"', "tags.also", ()),
    ('[taxonomies]\ntag = "tags"\ncategory = "categories"', "tags.also", ("categories",)),
    ('disableKinds = ["taxonomy", "term"]', "tags.also", ()),
    ('[outputFormats.RSS]\nbaseName = "feed"', "feeds.rss", "feed.xml"),
    ('[outputFormats.RSS]\nbaseName = "feed"', "feeds.atom", "atom.xml"),
    ("[params]\nsubtitle = '''\nWhat we\n  learn'''", "description", "What we learn"),
    ('[languages.en]\ntitle = "In English"', "title", "In English"),
    ('[languages.en.params]\ndescription = "Pages"', "description", "Pages"),
    ("[languages.it]\nweight = 2", "ignore", ()),  # there are no texts of it
    ("[languages.en]\nweight = 1\n[languages.it]", "redirects", {"/categories/": "/tags/", "/en/": "/"}),
    ("defaultContentLanguageInSubdir = true", "permalinks.post", "/en/:topic/:name/"),
    (
        'defaultContentLanguageInSubdir = true\n[permalinks]\nnews = "/:year/:slug/"',
        "permalinks.topics",
        {"news": "/en/:year/:title/"},
    ),
    ("[uglyURLs]\nnews = true\nother = false", "permalinks.topics", {"news": "/:topic/:name.html"}),
    (
        '[uglyURLs]\nnews = true\n[permalinks]\nnews = "/:year/:slug/"\nold = "/:slug/"',
        "permalinks.topics",
        {"news": "/:year/:title.html", "old": "/:title/"},
    ),
    ("title = 'Lumen'", "markdown.anchors", "hugo"),
    ('[markup.goldmark.parser]\nautoHeadingIDType = "github"', "markdown.anchors", "hugo"),
    ('[markup.goldmark.parser]\nautoHeadingIDType = "blackfriday"', "markdown.anchors", "blackfriday"),
    ("[markup.goldmark.extensions]\ntypographer = false", "markdown.anchors", "github"),
    ("[markup.goldmark.extensions.typographer]\ndisable = true", "markdown.anchors", "github"),
    ("title = 'Lumen'", "markdown.typographer", True),
    ("[markup.goldmark.extensions]\ntypographer = false", "markdown.typographer", False),
    ("[markup.goldmark.extensions.typographer]\ndisable = true", "markdown.typographer", False),
    ("[markup.goldmark.extensions.extras.mark]\nenable = true", "markdown.mark", True),
    ("[markup.goldmark.extensions.extras.subscript]\nenable = false", "markdown.subscript", False),
    ('disableKinds = ["taxonomy"]', "tags.also", ("categories",)),
    ('disableKinds = ["taxonomy"]', "redirects", {}),
    ("[params]\ndescription = 'By <a href=\"https://x.example.org\">us</a>'", "description", "By us"),
    (
        'module.mounts = [{source = "it", target = "content", lang = "it"}, {source = "en", target = "content"}]',
        "content",
        "en",
    ),
    ("ignoreFiles = ['\\.foo$', '(unclosed']", "ignore", (r"re:\.foo$",)),
    (
        r"ignoreFiles = ['-[[:digit:]]+\.md$', '[^a[:punct:]]', '\[[:alpha:]\]', '[[:^digit:]]', '[[a]']",
        "ignore",
        (r"re:-[0-9]+\.md$", r"re:[^a!-/:-@\[-`{-~]", r"re:\[[:alpha:]\]"),
    ),
]


@pytest.mark.parametrize(("text", "path", "expected"), HUGO_KEYS)
def test_keys_of_hugo(text: str, path: str, expected: object, tmp_path: Path) -> None:
    adoption = adoption_of(tmp_path / "site", {**TEXT, "hugo.toml": text + "\n"})
    assert adoption.generator == "Hugo"
    assert value(config_of(adoption), path) == expected


UNMAPPED = [
    ("hugo.toml", 'timeZone = "Mars/Base"', "timezone", "is not a time zone"),
    ("hugo.toml", 'contentDir = "../texts"', "content", "“../texts” cannot be a folder of a site"),
    ("hugo.toml", 'contentDir = ".GIT/x"', "contentDir", "“.GIT/x” cannot be a folder of a site"),
    ("hugo.toml", 'contentDir = "."', "contentDir", "the site's own folder contains more than that"),
    ("hugo.toml", 'staticDir = [".git", "files"]', "staticDir", "“.git” cannot be a folder of a site"),
    ("hugo.toml", 'staticDir = "./"', "staticDir", "the site's own folder contains more than that"),
    ("hugo.toml", 'publishDir = "git~1/refs/tags"', "publishDir", "“git~1/refs/tags” cannot be a folder of a site"),
    ("hugo.toml", 'publishDir = "devlog.toml"', "publishDir", "“devlog.toml” cannot be a folder of a site"),
    (
        "hugo.toml",
        'module.mounts = [{source = ".svn", target = "content"}]',
        "module.mounts.source",
        "“.svn” cannot be a folder of a site",
    ),
    ("_config.yml", "source: .git", "source", "“.git” cannot be a folder of a site"),
    ("_config.yml", "destination: .git/hooks", "destination", "“.git/hooks” cannot be a folder of a site"),
    (
        "zola.toml",
        'base_url = "https://x.example.org"\noutput_dir = ".hg/store"',
        "output_dir",
        "“.hg/store” cannot be a folder of a site",
    ),
    ("hugo.toml", 'baseURL = "log.example.org"', "baseURL", "is not a URL"),
    ("hugo.toml", '[permalinks]\nnews = "/:monthname/:slug"', "permalinks.news", "devlog has no “:monthname”"),
    ("hugo.toml", "disablePathToLower = true", "disablePathToLower", "lowercase"),
    ("hugo.toml", '[module]\n[[module.mounts]]\nsource = "a"', "module", "Hugo modules are not converted"),
    (
        "hugo.toml",
        '[[module.mounts]]\nsource = "a"\ntarget = "content/b"',
        "module.mounts.source",
        "only for the content folder",
    ),
    ("hugo.toml", "made_up = 1", "made_up", "it has no counterpart in devlog"),
    ("hugo.toml", '[taxonomies]\nseries = "series"', "taxonomies: series", "only tags have lists"),
    ("hugo.toml", '[languages.it]\ntitle = "Lumen"', "languages.it", "a site has one language"),
    ("hugo.toml", "defaultContentLanguageInSubdir = true", "defaultContentLanguageInSubdir", "without “/en/”"),
    ("_config.yml", "permalink: /:short_month/:title", "permalink", "devlog has no “:short_month”"),
    ("_config.yml", "permalink: ordinal", "permalink", "devlog has no “:y_day”"),
    ("_config.yml", "timezone: Nowhere", "timezone", "is not a time zone"),
    ("_config.yml", "collections:\n  team:\n    permalink: /x/", "collections.team", "“output” is not set"),
    ("_config.yml", "collections:\n  people:\n    output: true", "collections.people", "it has no posts"),
    (
        "_config.yml",
        "collections:\n  team:\n    output: true\n    permalink: /:y_day/:name",
        "collections.team.permalink",
        "devlog has no “:y_day”",
    ),
    ("_config.yml", "feed:\n  categories: [storage]", "feed.categories", "feeds are those of topics and tags"),
    ("zola.toml", 'base_url = "https://x.example.org"\n[extra]\na = 1', "extra.a", "settings of the old theme"),
    ("zola.toml", 'base_url = "https://x.example.org"\n[slugify]\npaths = "off"', "slugify.paths", "lowercase"),
]


@pytest.mark.parametrize(("file", "text", "key", "reason"), UNMAPPED)
def test_what_has_no_counterpart_is_told_with_its_reason(
    file: str, text: str, key: str, reason: str, tmp_path: Path
) -> None:
    adoption = adoption_of(tmp_path / "site", {**TEXT, file: text + "\n"})
    notes = [note for note in adoption.unmapped if note.key.startswith(key)]
    assert [note for note in notes if reason in note.text], adoption.unmapped
    config = config_of(adoption)
    assert (config.content, config.static, config.output) in (
        ("content", "static", "public"),
        (".", "static", "_site"),  # of Jekyll
    )
    config_of(adoption)


JEKYLL_KEYS = [
    ("title: Lumen", "permalinks.post", "/:categories/:year/:month/:day/:slug.html"),
    ("permalink: pretty", "permalinks.post", "/:categories/:year/:month/:day/:slug/"),
    ("permalink: pretty", "permalinks.page", "/:topic/:name/"),
    ("permalink: none", "permalinks.post", "/:categories/:slug.html"),
    ("permalink: /blog/:title/", "permalinks.post", "/blog/:slug/"),
    ("permalink: /blog/:title/", "permalinks.page", "/:topic/:name/"),
    ("permalink: /:i_month-:i_day/:title:output_ext", "permalinks.post", "/:i_month-:i_day/:slug.html"),
    ("permalink: /:categories/:title", "permalinks.post", "/:categories/:slug.html"),
    ("collections:\n  posts:\n    permalink: /p/:slug/", "permalinks.post", "/p/:slug/"),
    (
        "defaults:\n  - scope:\n      path: ''\n      type: posts\n    values:\n      permalink: /d/:title/",
        "permalinks.post",
        "/d/:slug/",
    ),
    ("collections:\n  team:\n    output: true", "permalinks.topics", {"_team": "/team/:topic/:name.html"}),
    (
        "permalink: pretty\ncollections:\n  team:\n    output: yes",
        "permalinks.topics",
        {"_team": "/team/:topic/:name/"},
    ),
    (
        "collections:\n  team:\n    output: true\n    permalink: /people/:title",
        "permalinks.topics",
        {"_team": "/people/:slug.html"},
    ),
    (
        "collections: {team: {output: yes}}\ndefaults: [{scope: {type: team}, values: {permalink: '/:path/'}}]",
        "permalinks.topics",
        {"_team": "/:topic/:name/"},
    ),
    ("collections: [team]", "permalinks.topics", {}),
    ("url: https://log.example.org\nbaseurl: /lumen", "base_url", "https://log.example.org/lumen/"),
    ("baseurl: /lumen", "base_url", "/lumen/"),
    ("name: Lumen", "title", "Lumen"),
    ("plugins: [jemoji]", "markdown.emoji", True),
    ("plugins: [jekyll-feed]", "markdown.emoji", False),
    ("plugins: [jekyll-feed]", "feeds.ids", "jekyll-feed"),
    ("plugins: [jemoji]", "feeds.ids", "url"),
    ("plugins: [jekyll-feed]", "feeds.limit", 10),
    ("plugins: [jekyll-feed]\nfeed: {posts_limit: 7}", "feeds.limit", 7),
    ("markdown: CommonMark", "markdown.anchors", "github"),
    ("markdown: CommonMark", "markdown.typographer", False),
    ("markdown: kramdown", "markdown.typographer", True),
    ("kramdown:\n  smart_quotes: apos,apos,quot,quot", "markdown.typographer", False),
    ("feed:\n  path: atom.xml", "feeds.atom", "atom.xml"),
    ("destination: ./out/", "output", "out"),
    ("exclude:\n  - vendor/\n  - '*.bak'", "ignore", ("/vendor", "/**.bak")),
    ("a: &base\n  b: 1\nc: *base\ntitle: Lumen", "title", "Lumen"),
    ("---\ntitle: Lumen", "title", "Lumen"),
]


@pytest.mark.parametrize(("text", "path", "expected"), JEKYLL_KEYS)
def test_keys_of_jekyll(text: str, path: str, expected: object, tmp_path: Path) -> None:
    files = {"_config.yml": text + "\n", "_posts/2026-05-01-a.md": post("A"), "_team/a.md": post("A")}
    adoption = adoption_of(tmp_path / "site", files)
    assert adoption.generator == "Jekyll"
    assert value(config_of(adoption), path) == expected


@pytest.mark.parametrize(("include", "ignored"), [("include: [_pages]", ()), ("title: Lumen", ("_pages",))])
def test_pages_of_jekyll_are_published_where_they_were(include: str, ignored: tuple[str, ...], tmp_path: Path) -> None:
    files = {
        "_config.yml": f"{include}\npermalink: pretty\n",
        "_posts/2026-05-01-a.md": post("A"),
        "_pages/team.md": post("Team", permalink="/team/"),
    }
    root = tmp_path / "site"
    adoption = adoption_of(root, files)
    assert config_of(adoption).ignore == ignored
    write_site(root, {"devlog.toml": toml_text(adoption)})
    assert not build_site(root).failed
    assert (root / "_site/team/index.html").exists() != bool(ignored)


def test_keys_that_texts_of_jekyll_show_are_kept(tmp_path: Path) -> None:
    files = {
        "_config.yml": "repo: https://code.example.org/lumen\nunused: 1\nteam:\n  name: Storage\n",
        "_posts/2026-05-01-a.md": post("A", "{{ site.repo }} by {{ site.team.name | upcase }}"),
    }
    config = config_of(adoption_of(tmp_path / "site", files))
    assert config.params == {"repo": "https://code.example.org/lumen", "team": {"name": "Storage"}}


def test_values_of_data_files_that_texts_of_jekyll_show_are_kept(tmp_path: Path) -> None:
    files = {
        "_config.yml": "title: Lumen\n",
        "_data/lumen.yml": "release:\n  version: 4.2\nunused: 1\n",
        "_posts/2026-05-01-a.md": post("A", "{{ site.data.lumen.release.version }} {{ site.data.none.x }}"),
    }
    config = config_of(adoption_of(tmp_path / "site", files))
    assert config.params == {"data": {"lumen": {"release": {"version": "4.2"}}}}


def test_what_jekyll_was_to_include_is_told_if_it_is_there(tmp_path: Path) -> None:
    files = {"_config.yml": "include: [_extra, _none, .well-known]\n", "_extra/a.md": post("A"), ".well-known/b": "B\n"}
    adoption = adoption_of(tmp_path / "site", {**TEXT, **files})
    assert [note.key for note in adoption.unmapped] == ["include: _extra", "include: .well-known"]
    assert adoption.unmapped[1].text == "devlog publishes such a name only from the static folder, static/"


def test_keys_of_jekyll_without_a_value_are_not_told(tmp_path: Path) -> None:
    files = {**TEXT, "_config.yml": "analytics:\n  google:\n    id: # none\ncdn:\nmade_up: 1\n"}
    assert [note.key for note in adoption_of(tmp_path / "site", files).unmapped] == ["made_up"]


@pytest.mark.parametrize(
    ("files", "generator"),
    [
        ({"hugo.yaml": "title: Lumen\n"}, "Hugo"),
        ({"config/_default/hugo.toml": 'title = "Lumen"\n'}, "Hugo"),
        ({"config.toml": 'baseURL = "https://x.example.org"\n'}, "Hugo"),
        ({"config.toml": 'base_url = "https://x.example.org"\n'}, "Zola"),
        ({"config.toml": 'title = "Lumen"\n', "archetypes/default.md": "+++\n+++\n"}, "Hugo"),
        ({"config.yaml": "baseURL: https://x.example.org\n"}, "Hugo"),
        ({"config.json": '{"baseURL": "https://x.example.org"}\n'}, "Hugo"),
        ({"_config.yml": "title: Lumen\n"}, "Jekyll"),
        ({"_posts/2026-05-01-a.md": "---\n---\n"}, "Jekyll"),
        ({"zola.toml": 'base_url = "https://x.example.org"\n'}, "Zola"),
        ({"notes/a.md": "# A\n"}, "Markdown"),
        ({"README.md": "# A program\n"}, ""),
        ({"config.toml": "[server]\nport = 1\n", "main.c": ""}, ""),
    ],
)
def test_generators_are_told_apart(files: dict[str, str], generator: str, tmp_path: Path) -> None:
    assert detect(Survey(write_site(tmp_path / "site", files))) == generator


def test_files_of_a_folder_of_configurations_become_one(tmp_path: Path) -> None:
    files = {
        **TEXT,
        "hugo.toml": 'title = "From the root"\nbaseURL = "https://x.example.org/"\n',
        "config/_default/config.toml": 'title = "From the folder"\n',
        "config/_default/params.yaml": "description: Pages\n",
        "config/_default/menus.en.toml": '[[main]]\nname = "About"\npageRef = "about"\n'
        '[[main]]\nname = "Run"\nurl = "java\\tscript:alert(1)"\n',
        "config/_default/languages.toml": '[en]\nlanguageCode = "en-gb"\n',
    }
    config = config_of(adoption_of(tmp_path / "site", files))
    assert config.title == "From the folder"
    assert config.base_url == "https://x.example.org/"
    assert config.description == "Pages"
    assert config.language == "en-gb"
    assert [(item.name, item.url) for item in config.menu] == [("About", "/about/")]


def test_a_file_of_a_language_holds_all_that_the_language_sets(tmp_path: Path) -> None:
    files = {
        "config/_default/hugo.toml": 'title = "Lumen"\n',
        "config/_default/languages.en.toml": 'title = "Log"\ncontentDir = "content/en"\n[params]\ndescription = "D"\n',
        "config/_default/languages.it.toml": 'title = "Diario"\ncontentDir = "content/it"\n',
        "config/_default/params.en.toml": 'tagline = "T"\n',
        "content/en/a.md": post("A", date="2026-05-01"),
    }
    adoption = adoption_of(tmp_path / "site", files)
    config = config_of(adoption)
    assert (config.title, config.content, config.description) == ("Log", "content/en", "D")
    assert [note.key for note in adoption.unmapped if "its posts are skipped" in note.text] == ["languages.it"]


def test_texts_of_other_languages_are_left_out_by_their_names(tmp_path: Path) -> None:
    files = {
        "hugo.toml": "[languages.en]\nweight = 1\n[languages.it]\nweight = 2\n",
        "content/a.it.md": post("A", date="2026-05-01"),
        "content/b.IT.markdown": post("B", date="2026-05-01"),
    }
    assert config_of(adoption_of(tmp_path / "site", files)).ignore == ("*.it.md", "*.it.markdown")


def test_parameters_that_texts_show_are_kept(tmp_path: Path) -> None:
    text = post("A", date="2026-05-01") + '{{< param "versions.next" >}} {{% param name %}} `{{</* param other */>}}`\n'
    files = {
        "hugo.toml": '[params]\nname = "Lumen"\nother = 1\n[params.versions]\nnext = "2.5"\nlast = "2.4"\n',
        "content/a.md": text,
    }
    adoption = adoption_of(tmp_path / "site", files)
    assert config_of(adoption).params == {"name": "Lumen", "versions": {"next": "2.5"}}
    assert "params (2 keys)" in [note.key for note in adoption.unmapped]


def test_texts_that_put_themselves_into_a_menu_are_told(tmp_path: Path) -> None:
    files = {
        "hugo.toml": "",
        "content/a.md": "---\ntitle: A\nmenu:\n  main:\n    weight: 1\n---\n",
        "content/b.md": '+++\ntitle = "B"\n[menus.main]\nweight = 1\n+++\n',
        "content/c.md": "---\ntitle: C\n---\nmenu: none\n",
    }
    advice = [note.text for note in adoption_of(tmp_path / "site", files).advice]
    assert [text for text in advice if text.startswith("2 posts in a menu")]


def test_entries_below_others_stand_beside_them_and_those_without_an_address_go(tmp_path: Path) -> None:
    text = (
        '[[menu.main]]\nname = "More"\nidentifier = "more"\n[[menu.main]]\nname = "A"\nurl = "/a/"\nparent = "more"\n'
    )
    adoption = adoption_of(tmp_path / "site", {**TEXT, "hugo.toml": text})
    assert [item.name for item in config_of(adoption).menu] == ["A"]
    notes = {note.key: (note.span.line, note.text) for note in adoption.unmapped if "menu entry" in note.key}
    assert notes["menu entry “More”"] == (2, "it has no URL")
    assert notes["menu entry “A”"] == (5, "menus have one level: it is listed with the others")


@pytest.mark.parametrize(
    "files",
    [
        {"hugo.toml": "[menu]\nmain = [{}]\n"},
        {"config/_default/hugo.toml": "", "config/_default/menus.yaml": "main:\n  - {}\n"},
        {"_config.yml": "", "_data/navigation.yml": "main: [{}]\n", "_posts/2026-01-01-a.md": "A"},
    ],
)
def test_an_empty_entry_of_a_menu_is_none(files: dict[str, str], tmp_path: Path) -> None:
    assert config_of(adoption_of(tmp_path / "site", {**TEXT, **files})).menu == ()


def test_yaml_and_json_say_the_same_as_toml(tmp_path: Path) -> None:
    texts = {
        "hugo.toml": 'title = "Lumen"\npaginate = 4\n[[menu.main]]\nname = "A"\nurl = "/a/"\nweight = 1\n',
        "hugo.yaml": "title: Lumen\npaginate: 4\nmenu:\n  main:\n    - name: A\n      url: /a/\n      weight: 1\n",
        "hugo.json": '{"title": "Lumen", "paginate": 4, "menu": {"main": [{"name": "A", "url": "/a/", "weight": 1}]}}',
    }
    configs = [config_of(adoption_of(tmp_path / name, {**TEXT, name: text})) for name, text in texts.items()]
    assert configs[0].menu[0].weight == 1
    assert configs[0] == configs[1] == configs[2]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("/:year/:month/:day/:slug/", "/:year/:month/:day/:title/"),
        (":sections/:filename", "/:topic/:name/"),
        ("/:2006/:01/:02/:title", "/:year/:month/:day/:title/"),
        ("/:section/:slugorcontentbasename.html", "/:section/:name.html"),
    ],
)
def test_patterns_of_hugo(pattern: str, expected: str) -> None:
    assert hugo.translate(pattern) == (expected, [])


def test_tokens_without_a_counterpart_are_named() -> None:
    assert hugo.translate("/:yearday/:sections[1:]/:slug")[1] == [":yearday", ":sections[1:]"]
    assert jekyll.translate("/:week/:title")[1] == [":week"]


@pytest.mark.parametrize(
    ("target", "base", "expected"),
    [
        ("about", "/", "/about/"),
        ("/lumen/about", "/lumen/", "/about/"),
        ("/lumen", "/lumen/", "/"),
        ("/feed.xml", "/", "/feed.xml"),
        ("/a?b=c#d", "/", "/a/?b=c#d"),
        ("{{ site.baseurl }}/about/", "/", "/about/"),
        ("https://x.example.org/a", "/", "https://x.example.org/a"),
        ("mailto:team@example.org", "/", "mailto:team@example.org"),
        ("", "/", "/"),
    ],
)
def test_addresses_of_menus(target: str, base: str, expected: str) -> None:
    assert menu_url(target, base) == expected


@pytest.mark.parametrize(
    ("home", "title"),
    [
        ('+++\ntitle = "The log"\n+++\n', "The log"),
        ("---\ntitle: The log\n---\n", "The log"),
        ("---\ndraft: false\n---\n\ntitle: no\n", "site"),
    ],
)
def test_a_site_without_a_title_has_that_of_its_home(home: str, title: str, tmp_path: Path) -> None:
    files = {"zola.toml": 'base_url = "https://x.example.org"\n', "content/_index.md": home}
    assert config_of(adoption_of(tmp_path / "site", files)).title == title


def test_how_many_entries_the_feeds_of_zola_have(tmp_path: Path) -> None:
    files = {"zola.toml": 'base_url = "https://x.example.org"\nfeed_limit = 12\n', **TEXT}
    assert config_of(adoption_of(tmp_path / "site", files)).feeds.limit == 12


# -- plain folders


@pytest.mark.parametrize(
    ("paths", "content"),
    [
        (("content/a.md", "content/b.md", "docs/c.md"), "content"),
        (("docs/a.md", "docs/b/c.md"), "docs"),
        (("notes/a.md", "notes/b.md"), "notes"),
        (("a.md", "b.md", "assets/c.png"), "."),
        (("README.md", "blog/2026-05-01-a.md"), "blog"),
    ],
)
def test_the_folder_with_the_texts(paths: tuple[str, ...], content: str, tmp_path: Path) -> None:
    adoption = adoption_of(tmp_path / "site", dict.fromkeys(paths, "# Text\n"))
    assert config_of(adoption).content == content


def test_of_a_whole_repository_only_texts_and_media_are_published(tmp_path: Path) -> None:
    paths = ("a.md", "b.md", "c.png", "data/d.csv", "run.py", "lib/e.py", "LICENSE", "Makefile", "_blog.yml", ".env")
    adoption = adoption_of(tmp_path / "site", dict.fromkeys(paths, "# Text\n"))
    assert config_of(adoption).ignore == ("LICENSE", "*.py", "*.yml", "Makefile")


def test_admonitions_are_enabled_where_posts_have_some(tmp_path: Path) -> None:
    files = {
        "posts/a.md": "# A\n\n!!! note\n    Mind the gap.\n",
        "posts/b.md": "# B\n",
        "posts/c.md": "# C\n:::tip\nx\n:::\n",
    }
    assert config_of(adoption_of(tmp_path / "site", files)).markdown.extensions == ("admonitions",)
    assert config_of(adoption_of(tmp_path / "other", {"posts/b.md": "# B\n"})).markdown.extensions == ()


def test_extensions_of_mkdocs_that_devlog_has_are_enabled(tmp_path: Path) -> None:
    config = "markdown_extensions: [smarty, pymdownx.mark, {toc: {x: 1}}, {pymdownx.caret: {insert: false}}]\n"
    files = {"mkdocs.yml": config, "docs/b.md": "# B\n"}
    adoption = adoption_of(tmp_path / "site", files)
    assert config_of(adoption).markdown.extensions == ("typographer", "mark", "superscript")


def test_the_title_of_a_folder_is_that_of_its_readme(tmp_path: Path) -> None:
    files = {"README.md": "\n# The [Lumen](https://x.example.org) `log`\n", "posts/a.md": "# A\n"}
    assert config_of(adoption_of(tmp_path / "site", files)).title == "The Lumen log"
    assert config_of(adoption_of(tmp_path / "lumen", {"posts/a.md": "# A\n"})).title == "lumen"


@pytest.mark.parametrize("name", ["mkdocs.yml", "mkdocs.yaml"])
def test_mkdocs(name: str, tmp_path: Path) -> None:
    files = {
        name: "site_name: Lumen\nsite_url: https://x.example.org/log\ndocs_dir: texts\ntheme:\n  name: plain\n",
        "texts/a.md": "# A\n",
        "other/b.md": "# B\n",
    }
    config = config_of(adoption_of(tmp_path / "site", files))
    assert (config.title, config.base_url, config.content) == ("Lumen", "https://x.example.org/log/", "texts")


def test_the_blog_of_docusaurus_is_adopted_and_not_its_documentation(tmp_path: Path) -> None:
    files = {
        "docusaurus.config.js": "export default {};\n",
        "blog/2026-05-01-a.md": post("A", slug="cache"),
        "blog/2026-05-02-b/index.md": post("B"),
        "docs/c.md": "# C\n",
        "docs/d.md": "# D\n",
        "docs/e.md": "# E\n",
    }
    adoption = adoption_of(tmp_path / "site", files)
    assert config_of(adoption).content == "blog"
    assert config_of(adoption).permalinks.post == "/blog/:slug/"
    advice = "\n".join(note.text for note in adoption.advice)
    assert "1 post with another URL than in Docusaurus, such as “/blog/b/” instead of “/blog/2026/05/02/b/”" in advice
    assert "3 files outside blog/ skipped" in advice
    dated = {**files, "blog/2026-05-03-f.md": post("F")}
    assert config_of(adoption_of(tmp_path / "dated", dated)).permalinks.post == "/blog/:year/:month/:day/:slug/"


@pytest.mark.parametrize(
    ("plugin", "folder", "pattern"),
    [
        ("blog", "docs/blog/posts", "/blog/:year/:month/:day/:title/"),
        ("blog: {blog_dir: .}", "docs/posts", "/:year/:month/:day/:title/"),
        ("material/blog: {blog_dir: news, post_url_format: '{slug}'}", "docs/news/posts", "/news/:title/"),
        (
            "blog: {post_dir: '{blog}/all', post_url_date_format: yyyy/M}",
            "docs/blog/all",
            "/blog/:year/:i_month/:title/",
        ),
    ],
)
def test_the_blog_of_material_is_adopted_and_not_its_documentation(
    plugin: str, folder: str, pattern: str, tmp_path: Path
) -> None:
    blog = posixpath.dirname(folder)
    files = {
        "mkdocs.yml": f"site_name: Lumen\nplugins:\n  - search\n  - {plugin}\n",
        f"{blog}/.authors.yml": "authors:\n  adaquill:\n    name: Ada Quill\n    description: Writer\n",
        f"{blog}/index.md": "# Blog\n",
        f"{folder}/a.md": post("A", date="2026-05-01", authors="[adaquill]"),
        **{f"docs/{name}.md": "# Text\n" for name in "bcdef"},
    }
    config = config_of(adoption_of(tmp_path / "site", files))
    assert (config.content, config.permalinks.post) == (folder, pattern)
    assert config.authors["adaquill"].name == "Ada Quill"
    assert config.markdown.anchors == "python-markdown"


def test_anchors_of_mkdocs_may_be_made_by_a_plugin(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "markdown_extensions:\n  - toc:\n      slugify: !!python/name:pymdownx.slugs.uslugify\n",
        "docs/a.md": "# A\n",
    }
    assert config_of(adoption_of(tmp_path / "site", files)).markdown.anchors == "github"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"a.md": "# A\n", "b.md": "# B\n"}, "posts"),
        ({"a.md": "# A\n", "2026-05-01-b.md": "# B\n"}, "pages"),
        ({"a.md": "# A\n", "b.md": post("B", date="2026-05-01"), "c.md": post("C", date="2026-05-02")}, "pages"),
        ({"about.md": "# A\n"}, "pages"),
        ({"posts/a.md": "# A\n", "posts/b.md": "# B\n"}, "posts"),
    ],
)
def test_texts_without_dates_are_posts_where_most_have_none(
    texts: dict[str, str], expected: str, tmp_path: Path
) -> None:
    assert config_of(adoption_of(tmp_path / "site", texts)).undated == expected


# -- writing TOML

KEYS = st.text(max_size=20).filter(lambda key: not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in key))


@pytest.mark.slow
@given(title=st.text(), comment=st.text(), key=KEYS, patterns=st.lists(st.text(), max_size=4))
def test_any_text_survives_writing(title: str, comment: str, key: str, patterns: list[str]) -> None:
    settings = (
        Setting(("title",), title, comment),
        Setting(("ignore",), tuple(patterns), comment),
        Setting(("authors", key, "name"), title, comment),
        Setting(("menu", 0, "name"), title, comment),
        Setting(("menu", 0, "url"), "/a/", ""),
    )
    adoption = msgspec.structs.replace(Adoption("Hugo", (), settings))
    config, wrong = read_config(toml_text(adoption), "devlog.toml")
    assert not wrong

    def whole(text: str) -> str:
        return "".join(char for char in text if char != "\0" and not "\ud800" <= char <= "\udfff")

    assert config.title == whole(title)
    assert config.ignore == tuple(map(whole, patterns))
    assert config.authors[key].name == whole(title)
    assert config.menu[0].name == whole(title)


@pytest.mark.slow
def test_settings_are_checked_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check reads a whole configuration, so one for each of thousands of settings would take minutes."""
    links = "".join(f'[[menu.main]]\nname = "{n}"\nurl = "/{n}/"\n' for n in range(500))
    site = write_site(tmp_path, {**TEXT, "hugo.toml": f'baseURL = "/"\ntimeZone = "No/Where"\n{links}'})
    adoption, _ = translated(Survey(site))
    assert adoption
    checks: list[str] = []
    monkeypatch.setattr(write_toml, "read_config", lambda *given: checks.append(given[0]) or read_config(*given))
    found = accepted(adoption)
    assert len(config_of(found).menu) == 500
    assert ["timezone" in note.key for note in found.unmapped] == [True]
    assert len(checks) < 30


def test_a_data_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [f"k{number}" for number in range(30)]
    text = "".join(f"{{{{ site.data.lumen.{key} }}}}\n" for key in keys)
    data = "".join(f"{key}: {key}\n" for key in keys)
    read: list[str] = []
    monkeypatch.setattr(jekyll, "read_tree", lambda survey, file: read.append(file) or read_tree(survey, file))
    files = {"_config.yml": "title: L\n", "_data/lumen.yml": data, "_posts/2026-05-01-a.md": post("A", text)}
    config = config_of(adoption_of(tmp_path, files))
    assert read.count("_data/lumen.yml") == 1
    assert len(config.params["data"]["lumen"]) == 30


@pytest.mark.parametrize("name", ["*", "notes.*", "a.[b", "re:(", "re:(x+x+)+y"])
def test_names_of_files_are_no_patterns(tmp_path: Path, name: str) -> None:
    files = {name: "", "post.md": post("A", "Text."), "xxxx.md": post("B", "Text.")}
    config = config_of(adoption_of(tmp_path, files))
    ignored, wrong = compile_ignore(config.ignore)
    assert not wrong
    assert [ignored.content(path, path, is_folder=False) for path in (name, "post.md", "xxxx.md")] == [
        True,
        False,
        False,
    ]


def test_what_posts_show_is_the_value_of_a_data_file(tmp_path: Path) -> None:
    text = "{{ site.data }} {{ site.data.lumen.k }} {{ site.data.lumen.k.r }} {{ site.data.lumen.q.r }}"
    files = {
        "_config.yml": "title: L\ndata: hello\n",
        "_data/lumen.yml": "k: v\nK: {r: s}\nQ: {r: s}\n",
        "_posts/2026-05-01-a.md": post("A", text),
    }
    assert config_of(adoption_of(tmp_path, files)).params == {
        "data": {"lumen": {"k": "v", "K": {"r": "s"}, "Q": {"r": "s"}}}
    }


def test_settings_that_are_valid_alone_are_left_out_if_they_clash(monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[int] = []
    monkeypatch.setattr(write_toml, "read_config", lambda text, file: checks.append(1) or read_config(text, file))
    settings = [Setting(("params", f"p{number}"), "x", "") for number in range(200)]
    settings += [Setting(("params", "p7", "inside"), "y", "it clashes"), Setting(("title",), "L", "")]
    found = accepted(Adoption("Hugo", (), tuple(settings)))
    assert config_of(found).title == "L"
    assert len(config_of(found).params) == 200
    assert [note.key for note in found.unmapped] == ["params.p7.inside (it clashes)"]
    assert len(checks) < 30


def test_a_key_is_no_table_too() -> None:
    draft = Draft("Hugo", (), EMPTY)
    for path in (("params", "a"), ("params", "a", "b"), ("params", "c", "d"), ("params", "c"), "params"):
        draft.put(path, "x")
    assert draft.paths() == (("params", "a"), ("params", "c", "d"))


@pytest.mark.parametrize(
    ("files", "topics", "pattern"),
    [
        ({"hugo.toml": 'title = "L"\n[permalinks]\nposts = ["a"]\nnews = "/n/:slug/"\n'}, {"news": "/n/:title/"}, ""),
        ({"_config.yml": "title: L\npermalink: [a]\n"}, {}, "/:categories/:year/:month/:day/:slug.html"),
        (
            {"_config.yml": "title: L\ncollections: {posts: {permalink: [a]}, team: {output: true, permalink: {}}}\n"},
            {"_team": "/team/:topic/:name.html"},
            "/:categories/:year/:month/:day/:slug.html",
        ),
    ],
)
def test_permalinks_that_are_no_text(tmp_path: Path, files: dict[str, str], topics: Any, pattern: str) -> None:
    found = adoption_of(tmp_path, {**TEXT, **files})
    config = config_of(found)
    assert config.permalinks.topics == topics
    assert pattern in ("", config.permalinks.post)
    assert "it is not a pattern" in [note.text for note in found.unmapped]


@pytest.mark.parametrize(
    "files",
    [
        {"hugo.toml": 'ignoreFiles = ["\\u0000"]\n'},
        {"zola.toml": 'base_url = "https://log.example.org"\nignored_content = ["*\\u0000"]\n'},
        {"_config.yml": 'exclude: ["*\\0"]\n'},
    ],
)
def test_a_pattern_that_no_configuration_contains(tmp_path: Path, files: dict[str, str]) -> None:
    found = adoption_of(tmp_path, {**TEXT, **files})
    assert config_of(found).ignore == ()
    assert "it has a character that a configuration must not contain" in [note.text for note in found.unmapped]


def test_expressions_that_take_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hugo's need linear time, whatever they repeat."""
    monkeypatch.setattr(hugo, "_SECONDS", 0.3)
    slow = [f"({letter}+)+$" for letter in "aAbc"]
    written = ", ".join(f"'{pattern}'" for pattern in ("[.]foo$", *slow, "[.]bar$"))
    name = "aAbc".replace("", "-").translate({ord(letter): letter * 60 for letter in "aAbc"})
    files = {"hugo.toml": f"ignoreFiles = [{written}]\n", f"content/posts/{name}.md": "x", "content/a.foo": "x"}
    found = adoption_of(tmp_path, {**TEXT, **files})
    assert config_of(found).ignore == ("re:[.]foo$",)
    told = [note.text for note in found.unmapped]
    for pattern in (*slow, "[.]bar$"):  # after three slow ones, no other is tried
        assert f"“{pattern}” takes too long as a Python regular expression" in told


def test_expressions_that_take_long_to_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python goes through each letter of a range if case does not matter, and nobody has looked at the expression."""
    monkeypatch.setattr(hugo, "_SECONDS", 0.5)
    slow = "(?i)" + "[!-\uffff]" * 5_000
    written = ", ".join(f"'{pattern}'" for pattern in ("[.]foo$", slow, "[.]bar$"))
    found = adoption_of(tmp_path, {**TEXT, "hugo.toml": f"ignoreFiles = [{written}]\n", "content/a.foo": "x"})
    assert config_of(found).ignore == ("re:[.]foo$",)
    told = [note.text for note in found.unmapped]
    for pattern in (slow, "[.]bar$"):
        assert f"“{pattern}” takes too long as a Python regular expression" in told


@pytest.mark.parametrize(("most", "kept"), [(1, 2), (15, 3), (1_000_000, 4)])
def test_expressions_are_searched_in_a_limited_number_of_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, kept: int
) -> None:
    monkeypatch.setattr(hugo, "_MOST_SEARCHES", most)
    monkeypatch.setattr(hugo, "_FEW", 2)
    written = [f"[.]{letter}$" for letter in "abcd"]
    posts = {f"content/{number}.md": "x" for number in range(4)}
    files = {"hugo.toml": f"ignoreFiles = {written}\n", **posts, "content/x.rst": "x"}
    found = adoption_of(tmp_path, files)
    assert config_of(found).ignore == (*(f"re:{pattern}" for pattern in written[:kept]), "*.rst")
    told = [note.text for note in found.unmapped if "too many for so many files" in note.text]
    assert len(told) == (kept < 4)


@pytest.mark.parametrize(
    ("glob", "ignored"),
    [
        ("{a,b}{c,d}", ("ac", "ad", "bc", "bd")),
        ("{a,{b,c}}", ("a", "b", "c")),
        ("{a,b}" * 25, ("{a,b}" * 25,)),
        ("{a}" * 40, ("{a}" * 40,)),
        ("{a", ("{a",)),
    ],
)
def test_alternatives_of_zola(tmp_path: Path, glob: str, ignored: tuple[str, ...]) -> None:
    toml = f'base_url = "https://log.example.org"\nignored_content = ["{glob}"]\n[languages."*"]\n'
    config = config_of(adoption_of(tmp_path, {**TEXT, "zola.toml": toml}))
    assert config.ignore == (*ignored, "*.[*].md")


@pytest.mark.parametrize(
    ("toml", "taken", "output"),
    [
        ('staticDir = "public"', (), "devlog-public"),
        ('staticDir = "public/files"', (), "devlog-public"),
        ('publishDir = "static/out"', (), "devlog-public"),
        ('publishDir = "content"', (), "devlog-public"),
        ('staticDir = ["public"]\ncontentDir = "devlog-public"', (), "devlog-public-2"),
        ("", ("public", "devlog-public", *(f"devlog-public-{n}" for n in range(2, 120))), "devlog-public-120"),
    ],
)
def test_a_free_output_folder(tmp_path: Path, toml: str, taken: tuple[str, ...], output: str) -> None:
    files = {"hugo.toml": toml, "content/a.md": "# A\n", **{f"{folder}/x.html": "x" for folder in taken}}
    assert config_of(adoption_of(tmp_path, files)).output == output
