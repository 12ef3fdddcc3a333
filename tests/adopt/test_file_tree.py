"""What lines of an ignore file name among many files: the same as if each line were compared with each file."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sites import write_site
from steps import steps

from devlog.adopt.adopt import adopt
from devlog.adopt.file_tree import FileTree, Pages, folders_above
from devlog.disk.ignore import compile_ignore

NOW = datetime(2026, 6, 15, tzinfo=UTC)


def compared(files: list[str], content: str, glob: re.Pattern[str]) -> set[str]:
    """What is hidden, found by comparing all files and their folders."""
    return {file for file in files if any(map(glob.fullmatch, (file, *folders_above(file))))}


def ignored(files: list[str], content: str, patterns: tuple[str, ...]) -> set[str]:
    """What devlog ignores of the content folder."""
    rules, wrong = compile_ignore(patterns)
    assert not wrong
    start = 0 if content == "." else len(content) + 1
    return {
        file
        for file in files
        if any(
            rules.content("a", part[start:], part != file)
            for part in (*folders_above(file), file)
            if len(part) > start or part == file
        )
    }


@pytest.mark.parametrize("content", [".", "posts", "a/b"])
def test_patterns_ignore_what_a_line_names(content: str) -> None:
    source = random.Random(3)
    below = "" if content == "." else f"{content}/"
    for _ in range(300):
        files = sorted({below + "/".join(source.choices("abc", k=source.randint(1, 4))) + ".md" for _ in range(12)})
        around = ["", "posts", "a", "a/b", "*", "a/*", "**", "**/b", "a/**/c.md", "posts/?", "[ab]", "posts/[!a]/*.md"]
        path = source.choice([*around, *files, *(folder for file in files for folder in folders_above(file))])
        glob = compile_ignore((f"/{path}",))[0].paths[0]
        tree = FileTree(files, content)
        named = tree.named(path, glob)
        hidden = compared(files, content, glob)
        assert ignored(files, content, tree.patterns(named)) == hidden, (files, path)
        assert tree.patterns(named) == tree.patterns(sorted(hidden)), (files, path)


def test_pages_are_reached_as_if_each_were_compared() -> None:
    source = random.Random(5)
    for _ in range(300):
        files = ["/".join(source.choices("abc", k=source.randint(1, 4))) + ".md" for _ in range(12)]
        paths = {file: file.removesuffix(".md").replace("c", "d") for file in files}
        folder = source.choice(["", "a", "a/b", "c"])
        globs = source.choices(["**", "", "a", "a/**", "*", "a/*/b", "**/b", "[ab]/d", "d**", "d", "a/b/?"], k=2)
        rules = compile_ignore(tuple(f"/{glob}" for glob in globs))[0]
        start = f"{folder}/" if folder else ""
        wanted = {
            file for file in files if file.startswith(start) and any(p.fullmatch(paths[file]) for p in rules.paths)
        }
        assert set(Pages(paths).reached(folder, globs)) == wanted, (files, folder, globs)


def test_many_lines_and_files_take_no_more_work_than_both_together(tmp_path: Path) -> None:
    def work(count: int) -> int:
        names = [f"posts/{number % 10}/{number}" for number in range(count)]
        root = write_site(
            tmp_path / str(count),
            {
                "eleventy.config.js": "export default {};\n",
                ".eleventyignore": "".join(f"{name}.md\n{name}.txt\n" for name in names),
                **{f"{name}.md": "---\ntitle: A\ndate: 2026-01-02\n---\n" for name in names},
            },
        )
        return steps(lambda: adopt(root, NOW, lambda *_: None, write=False))

    work(20)  # what is only loaded, and cached, by the first time
    few, many = work(150), work(600)
    assert many < 5 * few
