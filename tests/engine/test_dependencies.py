"""The keys hold every dependency: with one of them left out, an incremental build differs from a clean one.

This shows two things at once: no part of a key is there in vain, and the comparison of incremental with clean builds
does notice what is missing.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pytest
from lumen import lumen, post
from selection import FEATURES
from sites import build_site, read_tree, write_site

import devlog.cache_keys
import devlog.stages
from devlog.built_in import built_in_themes
from devlog.disk.manifest import MANIFEST
from devlog.disk.theme import load_theme
from devlog.engine.digests import Digester
from devlog.model.document import Parsed
from devlog.model.source import SourceFile
from devlog.model.target import IN_MARKDOWN, Target
from devlog.parse.options import ParseOptions
from devlog.render import render, template_dependencies

Files = dict[str, str | bytes]
Drop = Callable[[list[Any]], list[Any]]


def outputs(root: Path, **options: Any) -> tuple[dict[str, bytes], tuple[object, ...]]:
    report = build_site(root, **options)
    assert not report.failed, report.diagnostics
    files = read_tree(root / "public")
    del files[MANIFEST]
    return files, report.diagnostics


_clean: dict[frozenset[tuple[str, str | bytes]], tuple[dict[str, bytes], tuple[object, ...]]] = {}


def clean(tmp_path: Path, files: Mapping[str, str | bytes], *, again: bool) -> Any:
    """The outputs of a clean build, or, unless it is to be made again, what is known of it."""
    key = frozenset(files.items())
    if again or key not in _clean:
        _clean[key] = outputs(write_site(tmp_path / "clean", files), cache=False)
    return _clean[key]


def stale(tmp_path: Path, before: Files, after: Mapping[str, str | bytes], between: Callable[[], None] = bool) -> bool:
    """Whether an incremental build of `after`, over one of `before`, differs from a clean one."""
    root = write_site(tmp_path / "incremental", before)
    outputs(root)
    for path in before.keys() - after.keys():
        (root / path).unlink()
    write_site(root, after)
    between()
    expected = clean(tmp_path, after, again=between is not bool)
    return outputs(root) != expected


def forget(monkeypatch: pytest.MonkeyPatch, drop: Drop) -> None:
    """Leave something out of the parts of every key."""

    class Forgetful(Digester):
        def key(self, parts: Any, context: Any = ()) -> str:
            return super().key(drop([*parts, *chain.from_iterable(context)]))

        def keys(self, parts: Any, context: Any, more: Any) -> tuple[str, str]:
            return super().keys(parts, context, drop([*more]))

    monkeypatch.setattr(devlog.cache_keys, "Digester", Forgetful)


def is_way(parts: list[Any]) -> bool:
    """Whether these say how texts are parsed: a part of the keys of all."""
    return isinstance(parts[1], ParseOptions)


def is_parse(parts: list[Any]) -> bool:
    return isinstance(parts[1], SourceFile)


# -- parse keys


def without_options(parts: list[Any]) -> list[Any]:
    return parts[:1] if is_way(parts) else parts


def without_text(parts: list[Any]) -> list[Any]:
    return [parts[0], parts[1].path, parts[1].file] if is_parse(parts) else parts  # not its digest


def without_path(parts: list[Any]) -> list[Any]:
    return [parts[0], parts[1].digest] if is_parse(parts) else parts


def without_included(parts: list[Any]) -> list[Any]:
    return [parts[0], msgspec.structs.replace(parts[1], included=())] if is_parse(parts) else parts


def another_option() -> Files:
    return {**lumen(), "devlog.toml": str(lumen()["devlog.toml"]) + "\n[markdown]\nemoji = false\n"}


def another_text() -> Files:
    return {**lumen(), "content/about.md": "---\ntitle: About us\n---\n\nLumen is another database.\n"}


def another_path() -> Files:
    files = lumen()
    files["content/storage/2026-04-03-replay.md"] = files.pop("content/storage/2026-04-02-replay.md")
    return files


def including(code: str) -> Files:
    about = '---\ntitle: About\n---\n{{< code file="storage/log.py" >}}\n'
    return {**lumen(), "content/about.md": about, "content/storage/log.py": code}


PARSE = {
    "options": (without_options, another_option),
    "text": (without_text, another_text),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PARSE)
def test_parse_key(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop, edited = PARSE[name]
    assert not stale(tmp_path / "whole", lumen(), edited())
    forget(monkeypatch, drop)
    assert stale(tmp_path / "forgetful", lumen(), edited())


@pytest.mark.slow
def test_the_path_is_part_of_the_key_and_of_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not stale(tmp_path / "whole", lumen(), another_path())
    forget(monkeypatch, without_path)
    assert not stale(tmp_path / "forgetful", lumen(), another_path())
    monkeypatch.setattr(Parsed, "is_of", lambda *_: True)
    assert stale(tmp_path / "trusting", lumen(), another_path())


@pytest.mark.slow
def test_included_files_are_part_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = including("a = 1\n"), including("b = 2\n")
    assert not stale(tmp_path / "whole", before, after)
    forget(monkeypatch, without_included)
    assert stale(tmp_path / "forgetful", before, after)


# -- render keys


def without_templates(parts: list[Any]) -> list[Any]:
    return parts[:1] if len(parts) == 2 and parts[0] == "post.html" else parts  # its name, but not what it says


@pytest.mark.slow
def test_template_closure_is_part_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    footer = "templates/partials/footer.html"
    before, after = {**lumen(), footer: "<footer>A</footer>"}, {**lumen(), footer: "<footer>B</footer>"}
    assert not stale(tmp_path / "whole", before, after)
    forget(monkeypatch, without_templates)
    assert stale(tmp_path / "forgetful", before, after)


def test_recipe_and_template_are_part_of_the_key() -> None:
    """No edit makes only these two differ, so the keys themselves are compared."""
    theme = load_theme(Path(), "default").theme
    targets = [
        Target("1", "rss", "", {"entries": ()}),
        Target("2", "atom", "", {"entries": ()}),
        Target("3", "page", "tag.html", {"entries": ()}),
        Target("4", "page", "author.html", {"entries": ()}),
        Target("5", "page", "author.html", {"entries": (), "site": 1}),
        Target("6", "page", "author.html", {"entries": (), "page": 1}),
    ]
    with closing(devlog.stages.Store(None)) as store:
        stages = devlog.stages.Stages(store, 1, lambda *_: None)
        use = stages.theme_use(theme)
        assert list(stages.stale(targets, use, {})) == targets
        keys = list(stages.keys.values())
        assert len(set(keys)) == len(targets)
        parts = ("recipe", "template", "context")
        others = [Target("7", *(getattr(target, name) for name in parts)) for target in targets]
        assert [
            list(stages.stale([markdown], use, {"7": key})) for markdown, key in zip(others, keys, strict=True)
        ] == [[]] * 6


def another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if devlog's own code had been edited between two builds."""
    monkeypatch.setitem(render.BUILT_IN.recipes, "robots", lambda *_: "User-agent: *\n")
    own = render._recipes.__wrapped__(())
    monkeypatch.setattr(render, "_recipes", lambda _: own)


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_toolchain_is_part_of_the_key(known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (devlog.stages, devlog.cache_keys):
        monkeypatch.setattr(module, "toolchain", lambda: "1")

    def edit() -> None:
        another_program(monkeypatch)
        if known:
            for module in (devlog.stages, devlog.cache_keys):
                monkeypatch.setattr(module, "toolchain", lambda: "2")

    assert stale(tmp_path, lumen(), lumen(), edit) is not known


# -- names of the context: each template shows one name and nothing else, and everything is edited


def before() -> Files:
    comments = '\n[comments]\nprovider = "discourse"\nurl = "https://talk.example.org/"\n'
    comments += (
        "\n[llms]\nmarkdown = false\n"  # a page with a Markdown version depends on all that the Markdown version shows
    )
    comments += '\n[home]\nhero = "Old words"\n'
    files = {
        path: str(data).replace("tags: [wal,", "series: The log\ntags: [wal,")
        for path, data in lumen().items()
        if path.endswith(".md")
    }
    files["content/storage/2026-05-02-talk.md"] = (
        '---\ntitle: A talk\naudio:\n  url: "https://lumen.example.org/talk.mp3"\n  length: 9\n  duration: 90\n'
        "  transcript: words.md\n---\nListen.\n"
    )
    files["content/storage/words.md"] = "**Ada Quill** [0:01] It is full.\n"
    files["content/begin.md"] = (
        "---\ntitle: Begin\ndescription: Where to begin\nreading_path:\n  - planner/2026-05-04-joins.md\n---\nText.\n"
    )
    files["content/weekly/_index.md"] = "---\ntitle: Weekly\n---\n"
    for day in ("2026-05-04", "2026-05-11", "2026-05-18"):
        files[f"content/weekly/{day}-digest.md"] = digest(day)
    covered = post("A cover", "2026-05-20", body="Text.").replace("---\n", "---\nimage: /img/dot.png\n", 1)
    files["content/weekly/2026-05-20-cover.md"] = covered
    other = {"static/img/other.png": lumen()["static/img/dot.png"]}
    return {**lumen(), **other, **files, "devlog.toml": "page_size = 1\n" + str(lumen()["devlog.toml"]) + comments}


def digest(day: str) -> str:
    text = post(f"Week to {day}", day, body="Much happened.")
    return text.replace(
        "---\n", f'---\ndigest:\n  last: abc1234\n  changes: "{day[-2:]}"\n  authors: [Ada Quill (3)]\n', 1
    )


def after() -> Files:
    """`before` with an edit to everything that a page may show, while every page stays where it was."""
    files = {path: edit_post(data) if path.endswith(".md") else data for path, data in before().items()}
    config = str(files["devlog.toml"]).replace("Lumen DevLog", "Lumen").replace("lumen.example.org", "l.example.org")
    config = config.replace("talk.example.org", "forum.example.org").replace("Old words", "New words")
    config = f"content_security_policy = true\n{config}"
    files["devlog.toml"] = config.replace("Notes from", "News from").replace("topic_colors = true", "topic_colors = 1")
    files["themes/lumen/static/style.css"] = "body {}"
    files["content/weekly/2026-05-25-digest.md"] = digest("2026-05-25")
    files["content/storage/deep/_index.md"] = "---\ntitle: Deep\n---\n"
    for topic in ("storage", "planner"):
        for day, person in (("2026-05-30", "Ada Quill (@adaquill)"), ("2026-05-31", "Bo Reed (@boreed)")):
            tags = "wal, testing, planner, design"
            files[f"content/{topic}/{day}-new.md"] = post("New", day, person, tags, "New text.")
    return files


def edit_post(data: str | bytes) -> str:
    text = str(data).replace("title: ", "title: The new ").replace('title = "', 'title = "The new ')
    text = text.replace("duration: 90", "duration: 91").replace("image: /img/dot.png", "image: /img/other.png")
    return text.replace("description: ", "description: New ") + "\n\nA last line.\n"


def themed(files: Files, names: Mapping[str, str]) -> Files:
    """With a theme of the site's own, whose style differs, and in which each template shows one name.

    Args:
        files: the site.
        names: the name that each template shows.
    """
    config = str(files["devlog.toml"]).replace("recent = 4", 'recent = 4\ntheme = "lumen"', 1)
    style = files.get("themes/lumen/static/style.css", "body { color: black }")
    return {
        **files,
        "devlog.toml": config,
        "themes/lumen/theme.toml": 'extends = "default"\n',
        "themes/lumen/static/style.css": style,
        **{f"templates/{template}": f"{_MARK}{template} {{{{ {name} }}}}" for template, name in names.items()},
    }


_MARK = "made of "


@functools.cache
def names_of_templates() -> list[tuple[str, str]]:
    """Each template of the theme with each name of its context, from the plan of the site."""
    found: set[tuple[str, str]] = set()

    class Watching(devlog.stages.Stages):
        def stale(self, targets: Any, *more: Any) -> Any:
            targets = list(targets)
            found.update((target.template or target.recipe, name) for target in targets for name in target.context)
            return super().stale(targets, *more)

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("devlog.pipeline.Stages", Watching)
        build_site(write_site(Path(folder), before()))
    return sorted(found)


@pytest.mark.slow
def test_names_are_those_of_all_recipes() -> None:
    kinds = {kind for kind, _ in names_of_templates()}
    assert {"home.html", "post.html", "redirect.html", "rss", "atom", "json_feed", "sitemap", "posts"} <= kinds
    assert len(names_of_templates()) > 60


def forget_names(monkeypatch: pytest.MonkeyPatch, names: Mapping[str, str]) -> dict[str, str]:
    """Leave a name of each of these templates and recipes out of the keys of what is made of them.

    Returns:
        The template or recipe of each file, once it is built.
    """
    made_of: dict[str, str] = {}

    def dependencies(target: Target, theme: Any) -> tuple[str, list[tuple[str, Any]]]:
        templates, values = template_dependencies.dependencies(target, theme)
        made_of[target.path] = target.template or target.recipe
        forgotten = names.get(target.template or target.recipe)
        return templates, [pair for pair in values if pair[0] != forgotten]

    monkeypatch.setattr(devlog.cache_keys, "dependencies", dependencies)
    return made_of


ELSEWHERE = {("post.html", "cited")}
"""What needs a clone: see tests/test_sources.py."""


def rounds() -> list[dict[str, str]]:
    """Each template with one of its names, until all names have had their turn: a site has room for all templates."""
    pairs = [pair for pair in names_of_templates() if pair[0].endswith(".html") and pair not in ELSEWHERE]
    queues = {template: [name for other, name in pairs if other == template] for template, _ in pairs}
    longest = max(map(len, queues.values()))
    return [
        {template: queue[turn] for template, queue in queues.items() if turn < len(queue)} for turn in range(longest)
    ]


TURNS = 15
"""The number of rounds, told before a site is built, which each process that collects tests would do."""


@pytest.mark.feature(*FEATURES)
def test_rounds_are_counted() -> None:
    assert len(rounds()) == TURNS


@pytest.mark.feature(*FEATURES)
@pytest.mark.parametrize("turn", range(TURNS))
@pytest.mark.slow
def test_names_of_templates(turn: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = rounds()[turn]
    old, new = themed(before(), names), themed(after(), names)
    assert not stale(tmp_path / "whole", old, new)
    forget_names(monkeypatch, names)
    root = write_site(tmp_path / "forgetful", old)
    outputs(root)
    for path in old.keys() - new.keys():
        (root / path).unlink()
    expected, _ = clean(tmp_path, new, again=False)
    found, _ = outputs(write_site(root, new))
    stale_pages = [data.decode() for path, data in found.items() if data != expected[path]]
    assert {page.removeprefix(_MARK).partition(" ")[0] for page in stale_pages} == names.keys()


class Watched(dict[str, Any]):
    """A context that notes which of its names are looked at."""

    def __init__(self, context: Mapping[str, Any], seen: set[str]) -> None:
        super().__init__(context)
        self.seen = seen

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.seen.add(name)
        return super().get(name, default)


@pytest.mark.slow
@pytest.mark.feature(*FEATURES)
def test_names_in_markdown_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names in the key of a Markdown version are those that it is made of, whatever its page's template shows."""
    from devlog.features.markdown_versions.render import page

    seen: set[str] = set()
    markdown = page.markdown
    monkeypatch.setattr(page, "markdown", lambda context, bodies, t: markdown(Watched(context, seen), bodies, t))
    files = {**before(), "devlog.toml": str(before()["devlog.toml"]).replace("markdown = false", "markdown = true")}
    outputs(write_site(tmp_path, files), executor="inline")
    assert seen == IN_MARKDOWN


def another_title() -> Files:
    return {**lumen(), "devlog.toml": str(lumen()["devlog.toml"]).replace("Lumen DevLog", "Lumen")}


def another_address() -> Files:
    return {**lumen(), "devlog.toml": str(lumen()["devlog.toml"]).replace("lumen.example.org", "l.example.org")}


def another_post_title() -> Files:
    path = "content/planner/2026-05-20-estimates.md"
    return {**lumen(), path: str(lumen()[path]).replace("title: Estimates", "title: Estimating")}


def another_length() -> Files:
    path = "content/storage/2026-04-02-replay.md"
    return {**lumen(), path: str(lumen()[path]) + "\nMore.\n"}


def without_markdown_versions() -> Files:
    return {
        **lumen(),
        "devlog.toml": str(lumen()["devlog.toml"]).replace("[feeds]", "[llms]\nmarkdown = false\n\n[feeds]"),
    }


def with_path(*posts: str) -> Files:
    """A page that is a reading path."""
    files = {"joins": "2026-05-04-joins.md", "estimates": "2026-05-20-estimates.md"}
    steps = "".join(f"  - planner/{files[post]}\n" for post in posts)
    return {**lumen(), "content/begin.md": f"---\ntitle: Begin\nreading_path:\n{steps}---\nText.\n"}


def limited(limit: int) -> Files:
    config = str(lumen()["devlog.toml"]).replace("[feeds]", f"[llms]\nfull_bytes = {limit}\n\n[feeds]")
    return {**lumen(), "devlog.toml": config}


def just_enough() -> int:
    """How many bytes the longest file for programs takes."""
    with tempfile.TemporaryDirectory() as folder:
        root = write_site(Path(folder), lumen())
        build_site(root)
        return (root / "public/llms-full.txt").stat().st_size


def another_topic(old: str = "From queries", new: str = "From questions") -> Files:
    path = "content/planner/_index.md"
    return {**lumen(), path: str(lumen()[path]).replace(old, new)}


def another_topic_title() -> Files:
    return another_topic("title: Planner", "title: Plans")


def another_page() -> Files:
    path = "content/about.md"
    return {**lumen(), path: str(lumen()[path]).replace("title: About", "title: About\ndescription: What it is")}


def another_body() -> Files:
    path = "content/storage/2026-04-02-replay.md"
    return {**lumen(), path: str(lumen()[path]).replace("apply(record)", "apply(again)")}


def another_total() -> Files:
    """An old post more, for which there is no room."""
    return {**limited(900), "content/storage/2020-01-01-old.md": post("Old", "2020-01-01")}


def another_layout() -> Files:
    text = (built_in_themes() / "default" / "templates" / "card.toml").read_text("utf-8")
    return {**lumen(), "templates/card.toml": text.replace("[0, 0, 28, 630]", "[0, 0, 20, 630]")}


RECIPES = {
    ("rss", "feed"): another_title,
    ("rss", "entries"): another_post_title,
    ("atom", "feed"): another_title,
    ("atom", "entries"): another_post_title,
    ("json_feed", "feed"): another_title,
    ("json_feed", "entries"): another_post_title,
    ("posts", "posts"): another_post_title,
    ("posts", "facts"): another_length,
    ("posts", "origin"): another_address,
    ("posts", "has_markdown"): without_markdown_versions,
    ("llms", "site"): another_title,
    ("llms", "posts"): another_post_title,
    ("llms", "topics"): another_topic,
    ("llms", "others"): another_page,
    ("llms", "markdown"): without_markdown_versions,
    ("llms_full", "site"): another_title,
    ("llms_full", "posts"): another_topic_title,
    ("llms_full", "entries"): another_body,
    ("sitemap", "pages"): another_path,
    ("robots", "sitemap"): another_address,
    ("card", "card"): another_post_title,
    ("card", "layout"): another_layout,
}


PAIRS = {
    ("llms_full", "limit"): lambda: (limited(just_enough() + 400), limited(just_enough() - 1)),
    ("llms_full", "total"): lambda: (limited(900), another_total()),
    ("llms", "starts"): lambda: (with_path("joins"), with_path("joins", "estimates")),
    ("transcript", "cues"): lambda: spoken("It is full.", "It is empty."),
    ("transcript", "title"): lambda: spoken("title: A talk", "title: The talk"),
    ("transcript", "language"): lambda: spoken("page_size = 1", 'page_size = 1\nlanguage = "de"'),
    ("transcript", "seconds"): lambda: spoken("duration: 90", "duration: 91"),
}
"""Those that need another site than `lumen`."""

OF_PATH = {("transcript", "format")}
"""What the path of the file decides already."""


def spoken(old: str, new: str) -> tuple[Files, Files]:
    return before(), {
        path: str(data).replace(old, new) if old in str(data) else data for path, data in before().items()
    }


@pytest.mark.feature(*FEATURES)
def test_every_recipe_is_here() -> None:
    names = {pair for pair in names_of_templates() if not pair[0].endswith(".html")}
    assert RECIPES.keys() | PAIRS.keys() | OF_PATH == names


@functools.cache
def stale_without(names: frozenset[tuple[str, str]], edit: Callable[[], tuple[Files, Files]]) -> set[str]:
    """The recipes of which a file is stale after an edit, with one name of each of some recipes left out of its keys.

    Args:
        names: recipes and names.
        edit: the site before and after it, which a build with whole keys follows.
    """
    old, new = edit()
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        assert not stale(folder / "whole", old, new)
        made_of = forget_names(patch, dict(names))
        root = write_site(folder / "forgetful", old)
        outputs(root)
        for path in old.keys() - new.keys():
            (root / path).unlink()
        expected, _ = clean(folder, new, again=False)
        found, _ = outputs(write_site(root, new))
        return {made_of[path] for path in found.keys() | expected.keys() if found.get(path) != expected.get(path)}


EDITS = {edit: functools.partial(lambda edit: (lumen(), edit()), edit) for edit in dict.fromkeys(RECIPES.values())}
"""The site before and after each edit of `lumen`."""


@pytest.mark.feature(*FEATURES)
@pytest.mark.parametrize("recipe", sorted(RECIPES), ids="-".join)
@pytest.mark.slow
def test_name_of_a_recipe(recipe: tuple[str, str]) -> None:
    """One edit shows names of several recipes, so they are left out together."""
    edit = RECIPES[recipe]
    together = frozenset(pair for pair, own in RECIPES.items() if own is edit)
    assert len(together) == len({kind for kind, _ in together})
    stale_recipes = stale_without(together, EDITS[edit])
    assert recipe[0] in stale_recipes
    assert stale_recipes <= {kind for kind, _ in together}


@pytest.mark.feature(*FEATURES)
@pytest.mark.parametrize("recipe", sorted(PAIRS), ids="-".join)
@pytest.mark.slow
def test_name_of_a_recipe_of_another_site(recipe: tuple[str, str]) -> None:
    assert stale_without(frozenset([recipe]), PAIRS[recipe]) == {recipe[0]}


# -- finer points


@pytest.mark.slow
def test_order_in_the_configuration_counts(tmp_path: Path) -> None:
    """A template may list a table of the configuration, in the order in which it is written."""
    listing = "{% for key in site.settings %}{{ key }} {% endfor %}"
    files: Files = {**lumen(), "templates/partials/footer.html": listing}
    config = str(files["devlog.toml"])
    old, new = config + "b = 1\na = 2\n", config + "a = 2\nb = 1\n"
    assert stale(tmp_path, {**files, "devlog.toml": old}, {**files, "devlog.toml": new}) is False


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "{% if page %}{% set title = page.title %}{% endif %}{{ site.title }}",
        "{% import 'partials/extra.html' as extra with context %}{{ extra.line() }}",
        "{% include 'partials/' ~ 'extra.html' %}",
        "{% macro line() %}{{ site.title }}{% endmacro %}{{ line() }}",
        "{{ self.main() if self else '' }}{{ site['title'] }}",
    ],
)
def test_ways_to_reach_a_name(text: str, tmp_path: Path) -> None:
    partials = {
        "templates/archive.html": "{% block main %}{% endblock %}" + text,
        "templates/partials/extra.html": "{% macro line() %}{{ site.title }}{% endmacro %}{{ line() }}",
    }
    old, new = {**lumen(), **partials}, {**another_title(), **partials}
    assert not stale(tmp_path, old, new)
    assert b"Lumen" in (tmp_path / "incremental/public/archive/index.html").read_bytes()
