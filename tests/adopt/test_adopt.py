"""Sites of other generators are adopted by the command, and build at the addresses that they had."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from adopt.old_sites import (
    HUGO,
    HUGO_ADDRESSES,
    JEKYLL,
    JEKYLL_ADDRESSES,
    ZOLA,
    ZOLA_ADDRESSES,
    post,
)
from click.testing import CliRunner, Result
from sites import build_site, read_tree, tree_digest, write_site

from devlog.adopt.adopt import adopt
from devlog.cli import main
from devlog.config import Config
from devlog.config_file.read import read_config

NOW = "2026-06-15T12:00:00Z"

SITES = {
    "Hugo": (HUGO, HUGO_ADDRESSES),
    "Jekyll": (JEKYLL, JEKYLL_ADDRESSES),
    "Zola": (ZOLA, ZOLA_ADDRESSES),
}


def run(root: Path, *options: str) -> Result:
    """Run `devlog adopt` on a site."""
    return CliRunner().invoke(main, ["adopt", "--root", str(root), "--now", NOW, *options])


def config_of(root: Path) -> Config:
    """The configuration that was written; it must be without fault."""
    config, wrong = read_config((root / "devlog.toml").read_text("utf-8"), "devlog.toml")
    assert not wrong
    return config


def adopted(folder: Path, files: Mapping[str, str | bytes]) -> tuple[Config, str]:
    """Adopt a site: the configuration, and the report."""
    root = write_site(folder, files)
    result = run(root)
    assert result.exit_code == 0, result.output
    return config_of(root), result.output


@pytest.mark.parametrize("generator", SITES)
def test_the_site_builds_at_its_old_addresses(generator: str, tmp_path: Path) -> None:
    files, addresses = SITES[generator]
    root = write_site(tmp_path / "site", files)
    before = read_tree(root)
    result = run(root)
    assert result.exit_code == 0, result.output
    assert f"A site of {generator}" in result.output
    after = read_tree(root)
    assert {path: data for path, data in after.items() if path != "devlog.toml"} == before
    report = build_site(root)
    assert not report.failed, [item.message for item in report.diagnostics]
    output = root / report.output
    posts = [item["url"] for item in json.loads((output / "posts.json").read_text("utf-8"))]
    base = config_of(root).base_url.rstrip("/")
    assert {url.removeprefix(base) for url in posts} <= set(addresses)
    for address in addresses:
        file = output / address.strip("/")
        assert (file / "index.html").is_file() if address.endswith("/") else file.is_file(), address


@pytest.mark.parametrize("generator", SITES)
@pytest.mark.slow
def test_a_dry_run_writes_nothing_and_shows_all(generator: str, tmp_path: Path) -> None:
    files, _ = SITES[generator]
    root = write_site(tmp_path / "site", files)
    before = tree_digest(root)
    result = run(root, "--dry-run")
    assert result.exit_code == 0, result.output
    assert tree_digest(root) == before
    shown = result.output.partition("devlog.toml would contain:")[2]
    run(root)
    assert shown.strip() == (root / "devlog.toml").read_text("utf-8").strip()
    assert "devlog.toml was written" not in result.output


def test_hugo(tmp_path: Path) -> None:
    config, report = adopted(tmp_path / "site", HUGO)
    assert config.title == "The Lumen log"
    assert config.description == "What we learn about storage"
    assert config.base_url == "https://log.example.org/lumen/"
    assert config.language == "en-gb"
    assert config.timezone == "Europe/Paris"
    assert config.copyright == "The Lumen team"
    assert config.ignore == (r"re:README\.md$", r"re:\.bak$", "*.org")
    assert config.permalinks.topics == {"news": "/:year/:month/:title/"}
    assert [(item.name, item.url, item.weight) for item in config.menu] == [
        ("Storage", "/storage/", 2),
        ("Code", "https://code.example.org/lumen", 1),
    ]
    assert config.recent == 7
    assert config.excerpt.words == 30
    assert config.markdown.emoji
    assert config.tags.also == ("categories",)
    assert config.authors["adaquill"].name == "Ada Quill"
    assert config.authors["adaquill"].url == "https://ada.example.org"
    assert "hugo.toml:1: baseURL → base_url = “https://log.example.org/lumen/”" in report
    assert "hugo.toml:9: theme – templates are not converted" in report
    assert "menu entry “Storage” → [[menu]]" in report
    assert "params (2 keys) – settings of the old theme" in report
    assert "content/news/notes.org: 1 file in *.org skipped" in report


def test_jekyll(tmp_path: Path) -> None:
    config, report = adopted(tmp_path / "site", JEKYLL)
    assert config.dialect == "jekyll"
    assert config.content == "."
    assert config.output == "_site"
    assert config.description == "What we learn about storage"
    assert config.base_url == "https://log.example.org/lumen/"
    assert config.permalinks.post == "/:categories/:year/:month/:slug.html"
    assert config.permalinks.page == "/:topic/:name.html"
    assert config.markdown.anchors == "kramdown-gfm"
    assert config.ignore == ("/vendor", "/notes.txt*", "assets/main.scss", "feed.xml")
    assert config.feeds.rss == "feed.xml"
    assert config.feeds.atom == "atom.xml"
    assert [(item.name, item.url) for item in config.menu] == [("About", "/about.html"), ("Query", "/query/")]
    assert "plugins: jekyll-lilypond – Jekyll plugins are not converted" in report
    assert config.permalinks.topics == {"_recipes": "/recipes/:topic/:name.html"}
    assert "defaults.author – front matter is not inherited" in report


def test_zola(tmp_path: Path) -> None:
    config, report = adopted(tmp_path / "site", ZOLA)
    assert config.dialect == "zola"
    assert config.base_url == "https://log.example.org/lumen/"
    assert config.permalinks.post == "/:topic/:slug/"
    assert config.feeds.atom == "atom.xml"
    assert config.feeds.rss == "rss.xml"
    assert config.ignore == ("*.bak", "drafts/*")
    assert config.tags.also == ("categories",)
    assert config.markdown.anchors == "zola"
    assert config.markdown.emoji
    assert "config.toml:9: taxonomies: series – only tags have lists" in report
    assert "extra.accent – settings of the old theme" in report
    assert "missing-date" not in report  # an address has it


# -- what stops adopting


@pytest.mark.parametrize(
    ("file", "text", "line", "reason"),
    [
        ("hugo.toml", 'title = "Lumen"\nbaseURL = \n', 2, "TOML"),
        ("hugo.yaml", 'title: "Lumen\nbaseURL: x\n', 1, "YAML"),
        ("hugo.json", '{\n "baseURL": "x",\n "title" "Lumen"\n}\n', 3, "JSON"),
        ("_config.yml", "title: Lumen\n\turl: x\n", 2, "YAML"),
        ("zola.toml", 'base_url = "https://log.example.org\n', 1, "TOML"),
        ("mkdocs.yml", "site_name: Lumen\nplugins: [blog\n", 2, "YAML"),
        ("mkdocs.yaml", 'site_name: "Lumen\n', 1, "YAML"),
    ],
)
def test_a_configuration_that_cannot_be_read(file: str, text: str, line: int, reason: str, tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {file: text, "content/a.md": post("A")})
    before = tree_digest(root)
    result = run(root)
    assert result.exit_code == 1
    assert f"{file}:{line}" in result.output
    assert f"error[foreign-config]: this is not valid {reason}" in result.output
    assert tree_digest(root) == before


def test_a_configuration_of_devlog_is_never_overwritten(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {**ZOLA, "devlog.toml": 'title = "My own"\ndialect = "zola"\n'})
    before = tree_digest(root)
    result = run(root)
    assert result.exit_code == 1
    assert "error[already-adopted]" in result.output
    assert "“title”" in result.output
    assert "“dialect”" not in result.output
    assert tree_digest(root) == before


def test_a_table_in_pyproject_is_a_configuration_too(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {**ZOLA, "pyproject.toml": '[tool.devlog]\ntitle = "My own"\n'})
    result = run(root)
    assert result.exit_code == 1
    assert "pyproject.toml" in result.output
    assert not (root / "devlog.toml").exists()


def test_a_pyproject_of_something_else_is_in_nobodys_way(tmp_path: Path) -> None:
    adopted(tmp_path / "site", {**ZOLA, "pyproject.toml": '[project]\nname = "lumen"\n'})


def test_nothing_to_adopt(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {"main.c": "int main(void) { return 0; }\n"})
    result = run(root)
    assert result.exit_code == 1
    assert "error[nothing-to-adopt]" in result.output
    assert "hint:" not in result.output


def test_a_site_in_a_folder_below_is_named(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {f"www/{path}": data for path, data in HUGO.items()})
    result = run(root)
    assert result.exit_code == 1
    assert "hint: there seems to be a site in “www”: use --root www" in result.output


def test_wrong_usage(tmp_path: Path) -> None:
    assert run(tmp_path / "missing").exit_code == 2


# -- what is left out


@pytest.mark.slow
def test_texts_that_stop_the_build_are_left_out_and_named(tmp_path: Path) -> None:
    broken = "---\ntitle: One\ntitle: Two\n---\n\nText.\n"
    files = {**HUGO, "content/query/2026-05-01-bro[k]en.md": broken, "content/archive.md": post("All posts")}
    root = write_site(tmp_path / "site", files)
    result = run(root)
    assert result.exit_code == 0, result.output
    assert "Ignored until fixed (2)" in result.output
    assert "content/query/2026-05-01-bro[k]en.md:3: error[duplicate-key]" in result.output
    assert "content/archive.md" in result.output
    report = build_site(root)
    assert not report.failed
    assert report.posts == 6


@pytest.mark.slow
def test_the_old_output_is_not_written_over(tmp_path: Path) -> None:
    config, report = adopted(tmp_path / "site", {**HUGO, "public/index.html": "<p>Old</p>"})
    assert config.output == "devlog-public"
    assert "public/ contains files that devlog did not write" in report
    assert not build_site(tmp_path / "site").failed
    assert (tmp_path / "site/public/index.html").read_text("utf-8") == "<p>Old</p>"


def test_the_report_counts_texts_that_lose_raw_html(tmp_path: Path) -> None:
    body = '<iframe src="https://example.org/"></iframe>\n\n<script>x()</script>'
    _, report = adopted(tmp_path / "site", {**HUGO, "content/query/raw.md": post("Raw", body, date="2026-05-01")})
    assert '1 post with raw HTML that is removed; “html = "trusted"” keeps it' in report


@pytest.mark.slow
def test_what_looks_like_a_declaration_leaves_no_text_out(tmp_path: Path) -> None:
    files = {
        **HUGO,
        "content/query/mail.md": post("Mail", "<div>\n<![x\n</div>\n\nWords", date="2026-05-01"),
        "content/query/page.html": post("Page", "<p>Words</p>\n<![if mso]><![y", date="2026-05-02"),
    }
    config, report = adopted(tmp_path / "site", files)
    assert "internal-error" not in report
    assert not [pattern for pattern in config.ignore if "mail" in pattern or "page" in pattern]
    adopted(tmp_path / "plain", HUGO)
    assert build_site(tmp_path / "site").posts == build_site(tmp_path / "plain").posts + 2


def test_what_is_wrong_in_many_places_is_told_once(tmp_path: Path) -> None:
    text = "{{< chart >}}\n\n{{< chart >}}\n\n{{< map >}}\n"
    files = {**HUGO, "content/log/2026-05-01-c.md": post("C", date="2026-05-01") + text}
    _, report = adopted(tmp_path / "site", files)
    assert "chart (2)" in report
    assert "map (1)" in report
    assert report.count("unknown shortcode “chart”, shown as text (and 1 more place)") == 1
    assert report.count("unknown shortcode “map”, shown as text\n") == 1


def test_an_unknown_shortcode_is_to_be_looked_at(tmp_path: Path) -> None:
    text = post("Chart", "Before.\n\n{{< plot >}}Latency{{< /plot >}}", date="2026-05-01")
    _, report = adopted(tmp_path / "site", {**HUGO, "content/query/chart.md": text})
    assert "content/query/chart.md:8: warning[unknown-shortcode]" in report


def test_nothing_in_the_report_steers_a_terminal(tmp_path: Path) -> None:
    files = {
        **HUGO,
        "hugo.toml": 'title = "Lumen\\u001b]0;x\\u0007"\nbaseURL = "https://x.example.org/"\n"o\\u001b" = 1\n',
    }
    _, report = adopted(tmp_path / "site", files)
    assert "\x1b]" not in report
    assert "\x07" not in report


def test_links_are_not_followed(tmp_path: Path) -> None:
    write_site(tmp_path / "outside", {"hugo.toml": 'title = "Outside"\nbaseURL = "https://x.example.org/"\n'})
    root = write_site(tmp_path / "site", {"content/a.md": post("A", date="2026-05-01")})
    (root / "hugo.toml").symlink_to(tmp_path / "outside/hugo.toml")
    result = run(root)
    assert "Outside" not in result.output


def test_the_store_of_the_trial_is_not_left_behind(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", HUGO)
    run(root)
    assert not (root / ".devlog").exists()
    assert sorted(path.name for path in root.iterdir()) == sorted(
        {*(name.split("/")[0] for name in HUGO), "devlog.toml"}
    )


def test_adopting_twice_finds_the_first_configuration(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", ZOLA)
    assert run(root).exit_code == 0
    result = run(root)
    assert result.exit_code == 1
    assert "would set" not in result.output  # it would be the same


def test_the_function_tells_what_the_command_shows(tmp_path: Path) -> None:
    from devlog.parse.front_matter.dates import parse_date

    root = write_site(tmp_path / "site", HUGO)
    now = parse_date(NOW)
    assert now
    found = adopt(root, now.value, lambda _stage, _done, _total: None, write=False)
    assert found.trial
    assert found.trial.addresses == HUGO_ADDRESSES
    assert not found.written


@pytest.mark.slow
def test_a_symbolic_link_is_left_out(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", HUGO)
    (root / "content/query/latest").symlink_to("old.md")
    result = run(root)
    assert result.exit_code == 0, result.output
    assert "content/query/latest: error[symlink]" in result.output
    assert not build_site(root).failed


@pytest.mark.slow
def test_an_alias_at_the_address_of_a_text_costs_only_the_alias(tmp_path: Path) -> None:
    text = post("Moved", date="2026-05-01", aliases='["/storage/btree/", "/old/moved/"]')
    config, report = adopted(tmp_path / "site", {**HUGO, "content/query/moved.md": text})
    assert config.severity == {"colliding-alias": "warning"}
    assert "content/query/moved.md:4: warning[colliding-alias]" in report
    root = tmp_path / "site"
    assert build_site(root).posts == 7
    assert "B-trees" in (root / "public/storage/btree/index.html").read_text("utf-8")
    assert "/query/moved/" in (root / "public/old/moved/index.html").read_text("utf-8")


def test_without_categories_their_list_still_leads_to_the_tags(tmp_path: Path) -> None:
    root = tmp_path / "site"
    adopted(root, {"hugo.toml": 'baseURL = "https://log.example.org/"\n', "content/a.md": post("A", date="2026-05-01")})
    assert not build_site(root).failed
    assert "/tags/" in (root / "public/categories/index.html").read_text("utf-8")


@pytest.mark.parametrize("name", ["a\udcff.md", "data/authors/\udcff.toml"])
def test_names_of_files_that_are_not_utf_8(name: str, tmp_path: Path) -> None:
    files = {
        "hugo.toml": 'baseURL = "https://docs.example.org/"\ntitle = "Lumen"\n',
        "content/first.md": "---\ntitle: First\ndate: 2026-01-02\n---\n\n!!! note\n    Text.\n",
    }
    root = write_site(tmp_path, files if "/" in name else {"first.md": files["content/first.md"]})
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_text('name = "Ada"\n' if "/" in name else files["content/first.md"], "utf-8")
    except (OSError, UnicodeError):
        pytest.skip("names of files are text here")
    result = run(root)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    config_of(root)


def test_a_file_that_stops_the_build_is_ignored_alone(tmp_path: Path) -> None:
    good = "---\ntitle: Good\ndate: 2026-01-02\n---\nText.\n"
    files = {
        "hugo.toml": 'baseURL = "https://docs.example.org/"\ntitle = "Lumen"\n',
        "content/index.md": "---\ntitle: [\n---\n",
        "content/posts/first/index.md": good,
        "content/notes/second/index.md": good,
    }
    config, _ = adopted(tmp_path, files)
    assert "/index.md" in config.ignore
    report = build_site(tmp_path)
    assert (report.posts, report.failed) == (2, False)


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names of files are text there")
def test_names_that_are_not_utf8_or_not_composed_are_ignored_alone(tmp_path: Path) -> None:
    good = "---\ntitle: Good\ndate: 2026-01-02\n---\nText.\n"
    files = {
        "hugo.toml": 'baseURL = "https://docs.example.org/"\ntitle = "Lumen"\n',
        "content/posts/aeeb.md": good,
        "content/posts/aéüb.md": good.replace("Good", "Better"),
        "content/posts/cafe\u0301.md": "---\ntitle: [\n---\n",
    }
    folder = write_site(tmp_path, files) / "content/posts"
    (folder / os.fsdecode(b"a\xff\xfeb.md")).write_text(good, "utf-8")
    (folder / os.fsdecode(b"\xff")).mkdir()
    config, output = adopted(tmp_path, {})
    assert len(config.ignore) == 3
    assert "Ignored until fixed (3)" in output
    report = build_site(tmp_path)
    assert (report.posts, report.failed) == (2, False)


def test_a_name_in_a_message_is_no_reason_to_ignore_a_post(tmp_path: Path) -> None:
    files = {
        "hugo.toml": 'baseURL = "https://docs.example.org/"\ntitle = "Lumen"\n',
        "content/posts/a.md": "---\ntitle: Good\ndate: 2026-01-02\n---\nText.\n",
        "static/“/posts/a/index.html”/aux": "x",
    }
    root = write_site(tmp_path, files)
    result = run(root)
    assert config_of(root).ignore == ()
    assert "error[bad-url]" in result.output


def test_letters_in_the_url_of_the_site_are_encoded(tmp_path: Path) -> None:
    post = "---\ntitle: A\ndate: 2026-01-02\nlayout: post\n---\nText.\n"
    hugo, _ = adopted(
        tmp_path / "hugo", {"hugo.toml": 'baseURL = "https://rädio.example/bä/"\n', "content/posts/a.md": post}
    )
    assert hugo.base_url == "https://xn--rdio-loa.example/b%C3%A4/"
    jekyll, _ = adopted(
        tmp_path / "jekyll",
        {"_config.yml": "url: https://docs.example.org\nbaseurl: /bä\n", "_posts/2026-01-02-a.md": post},
    )
    assert jekyll.base_url == "https://docs.example.org/b%C3%A4/"


def test_what_each_generator_ignores_is_ignored_and_no_more(tmp_path: Path) -> None:
    post = "---\ntitle: {}\ndate: 2026-01-02\nlayout: post\n---\nText.\n"
    hugo, _ = adopted(
        tmp_path / "hugo",
        {
            "hugo.toml": 'title = "A"\nignoreFiles = ["/drafts/", "[.]foo$", "content/posts/d.md$"]\n',
            "content/drafts/a.md": post.format("A"),
            "content/posts/b.md": post.format("B"),
            "content/posts/c.foo": "x",
            "content/posts/d.md": post.format("D"),
        },
    )
    assert hugo.ignore == ("re:(?:^|/)drafts/", "re:[.]foo$", "/posts/d.md")
    zola, _ = adopted(
        tmp_path / "zola",
        {
            "config.toml": 'base_url = "https://docs.example.org"\nignored_content = ["*.{xlsx,p{y,l}}", "a.txt"]\n',
            "content/_index.md": "+++\n+++\n",
            "content/b.md": '+++\ntitle = "B"\ndate = 2026-01-02\n+++\nText.\n',
        },
    )
    assert zola.ignore == ("*.xlsx", "*.py", "*.pl", "a.txt")
    jekyll, _ = adopted(
        tmp_path / "jekyll",
        {
            "_config.yml": "title: A\nurl: https://docs.example.org\nexclude: [notes/, secret.md, '*.tmp']\n",
            "_posts/2026-01-02-a.md": post.format("A"),
            "blog/secret.md": post.format("Blog"),
            "secret.md": post.format("Secret"),
        },
    )
    assert jekyll.ignore[:3] == ("/notes", "/secret.md*", "/**.tmp")


@pytest.mark.parametrize(
    "files",
    [
        {"eleventy.config.js": "", "posts/a.md": post("A", date="2026-05-01")},
        {"pelicanconf.py": "", "content/a.md": post("A", date="2026-05-01")},
        {"notes/a.md": post("A", date="2026-05-01"), "notes/deep/b.md": post("B", date="2026-05-01")},
    ],
)
def test_what_devlog_has_built_is_not_adopted(files: Mapping[str, str], tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", files)
    assert run(root).exit_code == 0
    first = (root / "devlog.toml").read_bytes()
    assert not build_site(root).failed
    assert "adopting would change" not in run(root).output
    (root / "devlog.toml").unlink()
    assert run(root).exit_code == 0
    assert (root / "devlog.toml").read_bytes() == first


def test_a_site_with_files_left_out_is_not_told_to_change(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {**HUGO, "content/storage/broken.md": "---\ntitle: [\n---\n"})
    assert run(root).exit_code == 0
    assert "/storage/broken.md" in config_of(root).ignore
    again = run(root)
    assert again.exit_code == 1
    assert "already has a devlog configuration" in again.output
    assert "adopting would change" not in again.output


def test_what_a_killed_import_left_is_removed_by_the_next(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", HUGO)
    assert run(root).exit_code == 0
    text = (root / "devlog.toml").read_bytes()
    (root / "devlog.toml").unlink()
    for number, left in enumerate((b"", text[:20], text, b"Notes of somebody")):
        (root / f".devlog.toml.{number}~").write_bytes(left)
    (root / ".other.toml.1~").write_bytes(b"")
    assert run(root).exit_code == 0
    assert sorted(path.name for path in root.glob(".*~")) == [".devlog.toml.3~", ".other.toml.1~"]


def test_hexo_is_not_jekyll(tmp_path: Path) -> None:
    files = {
        "_config.yml": "title: Q\nurl: https://log.example.org\nsource_dir: texts\npermalink: :year/:month/:title/\n",
        "texts/_posts/a.md": post("A", date="2026-05-01"),
        "texts/_posts/deep/b.md": post("B", date="2026-05-02"),
        "texts/_drafts/c.md": post("C"),
        "texts/about/index.md": post("About"),
        "scaffolds/post.md": "---\ntitle: {{ title }}\n---\n",
    }
    root = write_site(tmp_path / "site", files)
    result = run(root)
    assert result.exit_code == 0, result.output
    assert "only posts are adopted" in result.output
    output = root / build_site(root).output
    posts = [item["url"] for item in json.loads((output / "posts.json").read_text("utf-8"))]
    assert sorted(posts) == ["https://log.example.org/2026/05/a/", "https://log.example.org/2026/05/deep/b/"]


@pytest.mark.parametrize(
    "files",
    [
        {"package.json": '{"name": "p", "hexo": {"version": "7.0.0"}}'},
        {"package.json": '{"dependencies": {"hexo": "^7.0.0"}}', "Gemfile": ""},
        {"package.json": '{"dependencies": {"left": "1"}}'},
        {},
    ],
)
def test_hexo_is_known_without_keys_of_its_own(files: dict[str, str], tmp_path: Path) -> None:
    hexo = {"_config.yml": "title: Q\ntheme: landscape\n", "source/_posts/a.md": post("A", date="2026-05-01")}
    config, _ = adopted(tmp_path / "site", {**hexo, **files})
    assert config.content == "source/_posts"


@pytest.mark.parametrize(
    "files", [{"_config.yml": "source: source\n"}, {"Gemfile": ""}, {"_posts/2026-05-01-b.md": post("B")}]
)
def test_jekyll_may_have_a_folder_of_hexo(files: dict[str, str], tmp_path: Path) -> None:
    jekyll = {"_config.yml": "title: Q\n", "source/_posts/2026-05-01-a.md": post("A")}
    config, _ = adopted(tmp_path / "site", {**jekyll, **files})
    assert config.dialect == "jekyll"


@pytest.mark.parametrize("file", ["eleventy.config.js", "conf.py"])
def test_the_folder_of_posts_stays_in_urls(file: str, tmp_path: Path) -> None:
    files = {file: "", "posts/a.md": post("A", date="2026-05-01"), "posts/deep/b.md": post("B", date="2026-05-02")}
    config, _ = adopted(tmp_path / "site", files)
    assert config.permalinks.post == config.permalinks.page == "/posts/:topic/:name/"


@pytest.mark.parametrize(
    ("file", "folder"), [(".eleventy.js", "posts"), (".eleventy.js", "src/posts"), ("conf.py", "posts")]
)
def test_dates_in_names_stay_in_urls(file: str, folder: str, tmp_path: Path) -> None:
    files = {f"{folder}/2026-01-01-dated.md": post("A"), f"{folder}/2026-02-02-folder/index.md": post("B")}
    _, report = adopted(tmp_path / "site", {file: "", **files})
    assert "  /posts/2026-01-01-dated/\n  /posts/2026-02-02-folder/\n" in report


def test_permalinks_that_are_templates_are_reported(tmp_path: Path) -> None:
    files = {
        "eleventy.config.js": "",
        "posts/a.md": post("A", date="2026-05-01", permalink='"/x/{{ title | slug }}/"'),
        "posts/posts.json": '{"permalink": "/y/{{ page.fileSlug }}/"}',
    }
    _, report = adopted(tmp_path / "site", files)
    assert "posts/a.md:4: permalink – it is a template" in report
    assert "posts/posts.json:1: permalink – it is a template" in report
    assert "{{" not in report
