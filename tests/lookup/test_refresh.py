"""The index after any edits is the index that would be made anew."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from check_cases import git, repository
from sites import NOW, write_site

from devlog.search.database import INDEX, PER_TEXT, Database
from devlog.search.lookup import Lookup
from devlog.search.values import Filters, Hit

WORDS = "buffer page latch index cursor segment replay snapshot vacuum planner".split()
TOPICS = ("storage", "storage/wal", "planner", "")
AUTHORS = ("Ada Quill (@adaquill)", "Ada Quill", "Bo Reed (boreed)", "Bo Reed (@boreed)", "Cleo Marsh (Lumen)", "@dev")
CUES = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada Quill>{}\n\n00:01:12.500 --> 00:01:15.000\n<v Bo Reed>{}\n"
CONFIGS = (
    'title = "Lumen"\n',
    'title = "Lumen"\nbase_url = "https://lumen.example.org/log/"\n',
    'title = "Lumen"\n[permalinks]\npost = "/:year/:slug/"\n',
    'title = "Lumen"\n[authors.adaquill]\nname = "Ada Q. Quill"\naliases = ["ada"]\n',
    'title = "Lumen"\ndialect = "zola"\n',
    'title = "Lumen"\nundated = "pages"\ntimezone = "Europe/Berlin"\n',
)

Edit = Callable[[random.Random, Path], None]


def dump(root: Path) -> dict[str, Any]:
    """All that an index holds, in an order of its own."""
    columns = (
        "path, file, digest, companion, own, head, undated, names, keys, line, summary, title, url, kind, day, moment"
    )
    with closing(sqlite3.connect(root / INDEX)) as connection:
        ask = connection.execute
        docs = ask(
            f"SELECT {columns}, topic, tags, draft, starts, ends FROM doc"
            " JOIN byline ON byline.id = doc.byline ORDER BY path"
        )
        sections = ask(
            "SELECT path, section.id % ?, section.line, level, fragment, source, text.title, heading, text.names, body"
            " FROM section JOIN doc ON doc.id = section.id / ? JOIN text ON text.rowid = section.id ORDER BY 1, 2",
            [PER_TEXT, PER_TEXT],
        )
        counts = [ask(f"SELECT count(*) FROM {name}").fetchone() for name in ("section", "text", "byline")]
        people = ask("SELECT * FROM person ORDER BY name")
        ask("INSERT INTO text (text) VALUES ('integrity-check')")
        return {"docs": docs.fetchall(), "sections": sections.fetchall(), "counts": counts, "people": people.fetchall()}


def refreshed(root: Path) -> int:
    with closing(Lookup(root, NOW)) as lookup:
        return lookup.refresh()


def found(root: Path) -> list[tuple[Hit, ...]]:
    """What some queries find."""
    with closing(Lookup(root, NOW)) as lookup:
        queries = ("buffer", "page latch", "ind", "vacuum -buffer", '"cursor segment"')
        hits = [lookup.search(query, Filters(drafts=True), 50) for query in queries]
        return [*hits, *(lookup.search(filters=one) for one in (Filters(author="Bo Reed"), Filters(topic="storage")))]


def anew(root: Path, elsewhere: Path) -> tuple[dict[str, Any], list[tuple[Hit, ...]]]:
    """The index that a copy of the site gets when it has none, and what is found with it."""
    shutil.copytree(root, elsewhere, ignore=shutil.ignore_patterns(".devlog"))
    refreshed(elsewhere)
    made = dump(elsewhere), found(elsewhere)
    shutil.rmtree(elsewhere)
    return made


def posts(root: Path) -> list[Path]:
    return sorted(path for path in (root / "content").rglob("*.md") if path.name not in {"_index.md", "talk.md"})


def text(rng: random.Random) -> str:
    lines = ["---"]
    if rng.random() < 0.85:
        lines.append(f'title: "{" ".join(rng.choices(WORDS, k=3)).capitalize()}"')
    if rng.random() < 0.85:
        lines.append(f"date: 2026-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}")
    if rng.random() < 0.8:
        lines.append(f'author: "{", ".join(rng.sample(AUTHORS, rng.randint(1, 2)))}"')
    if rng.random() < 0.4:
        lines.append(f"tags: [{', '.join(rng.sample(WORDS, 2))}]")
    lines += rng.choices(
        ("draft: true", "slug: other", "expiryDate: 2026-03-01", "url: /own/", "x: [", "render: false"), k=1
    ) * (rng.random() < 0.2)
    if rng.random() < 0.15:
        lines += ["audio:", "  url: https://cdn.example.org/a.mp3", f"  transcript: talk.{rng.choice(('vtt', 'md'))}"]
    lines += ["---", ""]
    for _ in range(rng.randint(0, 4)):
        lines += [
            f"{'#' * rng.randint(1, 3)} {' '.join(rng.choices(WORDS, k=2))}",
            "",
            " ".join(rng.choices(WORDS, k=9)),
            "",
        ]
    return "\n".join(lines)


def add(rng: random.Random, root: Path) -> None:
    folder = root / "content" / rng.choice(TOPICS)
    name = f"2026-05-{rng.randint(1, 28):02d}-{rng.choice(WORDS)}"
    file = folder / (
        f"{name}/index.md" if rng.random() < 0.2 else f"{name}.html" if rng.random() < 0.1 else f"{name}.md"
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text(rng))


def edit_body(rng: random.Random, root: Path) -> None:
    file = rng.choice(posts(root))
    file.write_text(f"{file.read_text()}\n{' '.join(rng.choices(WORDS, k=5))}\n")


def edit_all(rng: random.Random, root: Path) -> None:
    rng.choice(posts(root)).write_text(text(rng))


def remove(rng: random.Random, root: Path) -> None:
    if len(posts(root)) > 4:
        rng.choice(posts(root)).unlink()


def rename(rng: random.Random, root: Path) -> None:
    file = rng.choice(posts(root))
    file.rename(file.with_name(f"2026-06-0{rng.randint(1, 9)}-{rng.choice(WORDS)}.md"))


def move(rng: random.Random, root: Path) -> None:
    file = rng.choice(posts(root))
    (root / "content/moved").mkdir(exist_ok=True)
    file.rename(root / "content/moved" / (file.name if file.name != "index.md" else f"{file.parent.name}.md"))


def edit_index(rng: random.Random, root: Path) -> None:
    folder = root / "content" / rng.choice(TOPICS)
    folder.mkdir(parents=True, exist_ok=True)
    index = folder / "_index.md"
    if index.exists() and rng.random() < 0.3:
        index.unlink()
    else:
        more = rng.choice(("", "slug: renamed\n", "slug: again\n", "draft: true\n", "url: /elsewhere/\n"))
        index.write_text(f"---\ntitle: {rng.choice(WORDS)}\n{more}---\n{rng.choice(WORDS)}\n")


def edit_config(rng: random.Random, root: Path) -> None:
    (root / "devlog.toml").write_text(rng.choice(CONFIGS))


def edit_registry(rng: random.Random, root: Path) -> None:
    name, alias = rng.choice(("Bo Reed", "Bo R. Reed")), rng.choice(("bobby", "cleo"))
    (root / "content/authors.yml").write_text(f"boreed:\n  name: {name}\n  aliases: [{alias}]\n")


def edit_transcript(rng: random.Random, root: Path) -> None:
    file = rng.choice(posts(root)).with_name(rng.choice(("talk.vtt", "talk.md")))
    if file.exists() and rng.random() < 0.4:
        file.unlink()
    elif file.suffix == ".md":
        file.write_text(f"**Ada Quill** [00:00:07] {rng.choice(WORDS)}\n\n**Bo Reed** [00:01:12] {rng.choice(WORDS)}\n")
    else:
        file.write_text(CUES.format(rng.choice(WORDS), rng.choice(WORDS)))


def damage_text(rng: random.Random, root: Path) -> None:
    rng.choice(posts(root)).write_bytes(b"---\ntitle: x\n---\n\xff\xfe")


def fix_text(_rng: random.Random, root: Path) -> None:
    for file in posts(root):
        if b"\xff" in file.read_bytes():
            file.write_text("---\ntitle: Mended\n---\nbuffer\n")


def nothing(_rng: random.Random, _root: Path) -> None:
    return


EDITS: tuple[Edit, ...] = (
    add, edit_body, edit_all, remove, rename, move, edit_index, edit_config, edit_registry, edit_transcript, nothing,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_after_any_edits_the_index_is_that_of_a_new_one(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Database, "renew")  # what goes wrong is not to be fixed by beginning anew
    rng = random.Random(seed)
    root = write_site(
        tmp_path / "site", {"devlog.toml": CONFIGS[0], "content/storage/_index.md": "---\ntitle: S\n---\n"}
    )
    for _ in range(8):
        add(rng, root)
    refreshed(root)
    for step in range(16):
        edits = rng.choices(EDITS, k=rng.randint(1, 2))
        if step % 5 == 4:
            edits.append(damage_text)
        for edit in edits:
            if edit in {edit_all, edit_body, rename, move}:
                fix_text(rng, root)
            edit(rng, root)
        refreshed(root)
        assert (dump(root), found(root)) == anew(root, tmp_path / "other"), [edit.__name__ for edit in edits]
        fix_text(rng, root)


def test_a_site_without_changes_reads_nothing(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"content/storage/2026-05-03-a.md": "---\ntitle: A\n---\nx\n"})
    assert refreshed(root) == 1
    assert refreshed(root) == 0


def test_an_edit_reads_one_text(tmp_path: Path) -> None:
    files = {f"content/storage/2026-05-{day:02d}-a.md": f"---\ntitle: A{day}\n---\nx\n" for day in range(1, 20)}
    root = write_site(tmp_path, files)
    refreshed(root)
    file = root / "content/storage/2026-05-07-a.md"
    for change in ("more words\n", "## And a heading\n"):
        file.write_text(file.read_text() + change)
        assert refreshed(root) == 1
    file.write_text(file.read_text().replace("title: A7", "title: Other"))
    assert refreshed(root) == 1
    (root / "content/storage/_index.md").write_text("---\ntitle: S\nslug: s\n---\n")
    assert refreshed(root) == 1


def test_another_version_of_devlog_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, {"content/2026-05-03-a.md": "---\ntitle: A\n---\nx\n"})
    refreshed(root)
    monkeypatch.setattr("devlog.search.lookup.toolchain", lambda: "another")
    assert refreshed(root) == 1
    assert refreshed(root) == 0


@pytest.mark.parametrize("kind", ["a commit", "a commit in a linked worktree", "a clone that is made deep"])
def test_the_history_tells_dates(tmp_path: Path, kind: str) -> None:
    root = write_site(tmp_path / "site", {"devlog.toml": CONFIGS[0], "content/storage/_index.md": "# Storage\n"})
    repository(root)
    write_site(root, {"content/storage/undated.md": "# Undated\n\nThe buffer.\n"})
    if kind == "a clone that is made deep":
        repository(root, day="2026-05-03")
        git(root, "commit", "-q", "--allow-empty", "-m", "Three", day="2026-05-04")
        root.rename(tmp_path / "origin")
        git(tmp_path, "clone", "-q", "--depth", "1", (tmp_path / "origin").as_uri(), "site")
    elif kind == "a commit in a linked worktree":
        git(root, "worktree", "add", "-q", "-b", "other", "../other")
        root = write_site(tmp_path / "other", {"content/storage/undated.md": "# Undated\n\nThe buffer.\n"})
    refreshed(root)
    assert "2026-05-03" not in str(dump(root))
    if kind == "a clone that is made deep":
        git(root, "fetch", "-q", "--unshallow")
    else:
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", "Two", day="2026-05-03")
    refreshed(root)
    assert "2026-05-03" in str(dump(root))


@pytest.mark.feature("notebooks")
def test_a_notebook_makes_its_folder_one_post(tmp_path: Path) -> None:
    cell = {"cell_type": "markdown", "metadata": {}, "source": ["# Measured\n"]}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    extra = "content/log/measured/extra.md"
    root = write_site(
        tmp_path, {"devlog.toml": CONFIGS[0], "content/log/measured/index.ipynb": notebook, extra: "One\n"}
    )
    refreshed(root)
    write_site(root, {extra: "---\ntitle: Two\n---\nTwo\n"})
    assert refreshed(root) == 1
    found = dump(root)
    shutil.rmtree(root / ".devlog")
    refreshed(root)
    assert dump(root) == found
