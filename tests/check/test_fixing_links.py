"""Links that are fixed: to lines of a repository, and to the pages of the site by its own URL."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pytest
from check.fixable_site import FIXED_POST, FRONT_OF_A, INDEX, SITE, files_of, fix_paths, tried
from check_cases import check_site, fix_site, git, repository, tree
from sites import write_site

from devlog.checking import Checked

# -- links to lines of files

CLONE = "https://github.com/example/lumen"


def linked(url: str, day: str = "2026-05-03") -> dict[str, str]:
    """A site with one post, which links there."""
    return {
        "devlog.toml": f'base_url = "https://docs.example.org/lumen/"\nsource_repo = "{CLONE}"\n',
        "content/storage/_index.md": INDEX,
        f"content/storage/{day}-a.md": f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\nSee [x]({url}).\n",
    }


def history(root: Path) -> list[str]:
    """Two commits of a program, of two lines and of four: their names."""
    commits = []
    for day, lines in (("2026-05-01", 2), ("2026-05-05", 4)):
        write_site(root, {"src/a b.py": "line\n" * lines, "src/cache.py": "line\n" * lines})
        repository(root, day=day)
        commits.append(git(root, "rev-parse", "HEAD").strip())
    return commits


def address(root: Path, day: str = "2026-05-03") -> str:
    """The link of the only post."""
    return (root / f"content/storage/{day}-a.md").read_text().partition("](")[2].partition(").\n")[0]


@pytest.mark.slow
@pytest.mark.feature("source_references")
@pytest.mark.parametrize(
    ("place", "day", "commit"),
    [
        ("blob/main/src/cache.py#L2", "2026-05-03", 0),
        ("blob/main/src/cache.py#L1-L2", "2026-05-03", 0),
        ("blob/master/src/cache.py#L2", "2026-05-03", 0),
        ("blob/HEAD/src/cache.py#L2", "2026-05-03", 0),
        ("blame/main/src/cache.py#L2", "2026-05-03", 0),
        ("blob/main/src/a%20b.py#L2", "2026-05-03", 0),
        ("blob/main/src/cache.py?plain=1#L2", "2026-05-03", 0),
        ("blob/main/src/cache.py#L1C2-L2C4", "2026-05-03", 0),
        ("blob/main/src/cache.py#L2", "2026-05-01", 0),
        ("blob/main/src/cache.py#L4", "2026-05-05", 1),
        ("blob/main/src/cache.py#L2", "2026-06-01", 1),
    ],
)
def test_a_link_is_pinned_to_the_commit_of_its_day(tmp_path: Path, place: str, day: str, commit: int) -> None:
    commits = history(write_site(tmp_path, linked(f"{CLONE}/{place}", day)))
    assert "unpinned-link" in {problem.code for problem in check_site(tmp_path).diagnostics}
    done = fix_paths(tmp_path)
    way, _, rest = place.partition("/")
    assert address(tmp_path, day) == f"{CLONE}/{way}/{commits[commit]}/{rest.partition('/')[2]}"
    assert files_of(done) == [f"content/storage/{day}-a.md"]
    assert "unpinned-link" not in {problem.code for problem in check_site(tmp_path).diagnostics}


@pytest.mark.parametrize(
    ("place", "day"),
    [
        ("blob/main/src/cache.py#L3", "2026-05-03"),  # the line came later
        ("blob/main/src/cache.py#L1-L3", "2026-05-03"),
        ("blob/main/src/cache.py#L0", "2026-05-03"),
        ("blob/main/src/gone.py#L1", "2026-05-03"),
        ("blob/main/src#L1", "2026-05-03"),
        ("blob/main/src/cache.py#L1", "2026-04-01"),  # before the first commit
        ("blob/other/src/cache.py#L1", "2026-05-03"),  # a branch that the clone has not
        ("blob/main/../lumen/src/cache.py#L1", "2026-05-03"),
        ("blob/main/src/./cache.py#L1", "2026-05-03"),
        ("blob/main/%2e%2e/%2e%2e/src/cache.py#L1", "2026-05-03"),
        ("blob/main//src/cache.py#L1", "2026-05-03"),
        ("blob/main/:(glob)src/*.py#L1", "2026-05-03"),
        ("blob/main/-rf#L1", "2026-05-03"),
        ("blob/--output=x/src/cache.py#L1", "2026-05-03"),
        ("blob/main..HEAD/src/cache.py#L1", "2026-05-03"),
        ("blob/@{-1}/src/cache.py#L1", "2026-05-03"),
        ("blob/main:src/cache.py#L1", "2026-05-03"),
        ("blob/main/src/cache.py%0AHEAD:src/cache.py#L1", "2026-05-03"),
        ("blob/main/src/cache.py%00#L1", "2026-05-03"),
        ("blob/main/src/%ff%fe.py#L1", "2026-05-03"),
        (f"blob/main/src/cache.py#L{'1' * 5000}", "2026-05-03"),
        ("blob/main/src/cache.py#L1-L" + "1" * 5000, "2026-05-03"),
        ("blob/main/src/cache.py#L١", "2026-05-03"),
    ],
)
def test_a_link_that_says_something_else_is_not_pinned(tmp_path: Path, place: str, day: str) -> None:
    history(write_site(tmp_path, linked(f"{CLONE}/{place}", day)))
    before = tree(tmp_path)
    assert files_of(fix_paths(tmp_path)) == []
    assert tree(tmp_path) == before


@pytest.mark.parametrize("url", ["https://github.com/example/other", "https://gitlab.example.org/example/lumen"])
def test_a_link_to_another_repository_is_not_pinned(tmp_path: Path, url: str) -> None:
    history(write_site(tmp_path, linked(f"{url}/blob/main/src/cache.py#L1")))
    assert files_of(fix_paths(tmp_path)) == []


@pytest.mark.slow
@pytest.mark.feature("source_references")
def test_another_branch_that_the_clone_knows(tmp_path: Path) -> None:
    root = write_site(tmp_path, linked(f"{CLONE}/blob/v2/src/cache.py#L3"))
    commits = history(root)
    git(root, "branch", "v2", commits[1], day="2026-05-05")
    assert files_of(fix_paths(root)) == []  # the line came later
    git(root, "commit", "-q", "--amend", "--no-edit", day="2026-05-02")
    git(root, "branch", "-f", "v2", "HEAD")
    git(root, "reset", "-q", "--soft", commits[0])
    git(root, "commit", "-q", "--allow-empty", "-m", "Others", day="2026-05-02")
    assert files_of(fix_paths(root)) == ["content/storage/2026-05-03-a.md"]
    assert address(root) == f"{CLONE}/blob/{git(root, 'rev-parse', 'v2').strip()}/src/cache.py#L3"


@pytest.mark.slow
@pytest.mark.feature("source_references")
@pytest.mark.parametrize(
    "origin",
    [
        "https://github.com/example/lumen.git",
        "git@github.com:example/lumen.git",
        "ssh://git@github.com:22/Example/Lumen",
    ],
)
def test_the_origin_says_what_the_repository_is(tmp_path: Path, origin: str) -> None:
    files = linked(f"{CLONE}/blob/main/src/cache.py#L2")
    root = write_site(tmp_path, {**files, "devlog.toml": SITE["devlog.toml"]})
    commits = history(root)
    assert files_of(fix_paths(root)) == []
    # What is known of a folder is remembered for one run, so another one is looked at.
    moved = root.rename(tmp_path.with_name(f"{tmp_path.name}-moved"))
    git(moved, "remote", "add", "origin", origin)
    assert files_of(fix_paths(moved)) == ["content/storage/2026-05-03-a.md"]
    assert address(moved) == f"{CLONE}/blob/{commits[0]}/src/cache.py#L2"


@pytest.mark.slow
@pytest.mark.feature("source_references")
@pytest.mark.parametrize("way", ["blob", "-/blob"])
def test_a_clone_beside_the_site(tmp_path: Path, way: str) -> None:
    url = "https://gitlab.example.org/example/lumen"
    files = linked(f"{url}/{way}/main/src/cache.py#L2")
    files["devlog.toml"] = f'{SITE["devlog.toml"]}source_checkout = "../lumen"\n'
    root = write_site(tmp_path / "site", files)
    commits = history(tmp_path / "lumen")
    git(tmp_path / "lumen", "remote", "add", "origin", f"{url}.git")
    would = tried(root)
    done = fix_paths(root)
    assert files_of(done) == ["content/storage/2026-05-03-a.md"]
    assert address(root) == f"{url}/{way}/{commits[0]}/src/cache.py#L2"
    assert [change.diff() for change in would.changes] == [change.diff() for change in done.changes]  # type: ignore[union-attr]


@pytest.mark.feature("source_references")
def test_two_links_on_one_line_and_one_in_html(tmp_path: Path) -> None:
    url = f"{CLONE}/blob/main/src/cache.py"
    files = linked(f"{url}#L2), [y]({url}#L2), <{url}#L1>, [z]({url}#L2 'L2'")
    files["content/storage/2026-05-03-a.md"] += f'\n<a href="{url}?a=1&amp;b=2#L1">x</a> <a href="{url}#L2">y</a>\n'
    root = write_site(tmp_path, files)
    commit = history(root)[0]
    fix_paths(root)
    text = (root / "content/storage/2026-05-03-a.md").read_text()
    assert text == files["content/storage/2026-05-03-a.md"].replace("/main/src/cache.py#", f"/{commit}/src/cache.py#")


@pytest.mark.feature("source_references")
def test_git_is_asked_once_for_all_branches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, linked(f"{CLONE}/blob/main/src/cache.py#L1"))
    history(root)
    git(root, "branch", "v2")
    names = [*(f"b{number}" for number in range(50)), "v2"]
    text = "".join(f"[x]({CLONE}/blob/{name}/src/cache.py#L1)\n" for name in names)
    write_site(root, {"content/storage/2026-05-03-b.md": f"{FRONT_OF_A}{text}"})
    asked: list[str] = []

    def commit_of(_root: Path, _day: str, branch: str) -> str:
        asked.append(branch)
        return "1" * 40

    monkeypatch.setattr("devlog.features.source_references.fixing.commit_of", commit_of)
    monkeypatch.setattr("devlog.features.source_references.fixing.lines_at", lambda _root, _commit, _file: 9)
    fix_paths(root, force=True)
    assert sorted(asked) == ["", "v2"]
    assert (root / "content/storage/2026-05-03-b.md").read_text().count("1" * 40) == 1


@pytest.mark.feature("source_references")
def test_git_is_asked_for_a_limited_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(
        f"[x]({CLONE}/blob/main/src/{name}#L1)\n" for name in ("cache.py", "cache.py", "a%20b.py", "none.py")
    )
    root = write_site(tmp_path, {**linked(CLONE), "content/storage/2026-05-03-b.md": f"{FRONT_OF_A}{text}"})
    history(root)
    monkeypatch.setattr("devlog.features.source_references.fixing.MOST_QUESTIONS", 1)
    fix_paths(root)
    lines = (root / "content/storage/2026-05-03-b.md").read_text().splitlines()[4:]
    assert ["blob/main/" in line for line in lines] == [False, False, True, True]


# -- links that name the site's host


NAMES = ("a b", "a(1", "a%20b", "ä", "a#b", "a?b", "a'b", "a<b>", "a&amp;b", "a\\b", "a*b*")
LINKS = ("[x]({})", "[x](<{}>)", '[x]({} "T")', '<a href="{}">x</a>', "<{}>")
CASES = {
    (name, link): f"content/network/2026-05-01-x{number}.md"
    for number, (name, link) in enumerate(product(NAMES, LINKS))
}
"""The file in which each link is, to each name."""


class Linked(NamedTuple):
    """A site in which each post links to another by its whole address, and a check of it before and after fixing."""

    permalinks: dict[str, str]
    before: Checked
    after: Checked


@pytest.fixture(scope="module")
def linked_site(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    root = write_site(tmp_path_factory.mktemp("linked"), {**SITE, "content/network/_index.md": INDEX})
    files = {name: f"content/t{number}/2026-05-01-{name}.md" for number, name in enumerate(NAMES)}
    write_site(root, {f"content/t{number}/_index.md": INDEX for number in range(len(NAMES))})
    write_site(root, dict.fromkeys(files.values(), FIXED_POST))
    site = check_site(root).evidence
    assert site
    by_file = {post.parsed.file: post.permalink for post in site.site.posts}
    permalinks = {name: by_file[file] for name, file in files.items()}
    for (name, link), file in CASES.items():
        url = f"https://docs.example.org/lumen{quote(permalinks[name])}"
        write_site(root, {file: FIXED_POST.replace("Text.", link.format(url))})
    before = check_site(root)
    fix_site(root)
    return Linked(permalinks, before, check_site(root))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("link", LINKS)
def test_a_link_to_a_name_that_needs_care_still_leads_there(linked_site: Linked, name: str, link: str) -> None:
    file = CASES[name, link]
    assert [item.code for item in linked_site.before.diagnostics if item.span.path == file] == ["own-url"]
    after = linked_site.after
    left = [(item.code, item.hint.partition("”")[0]) for item in after.diagnostics if item.span.path == file]
    # Nothing but a whole address can stand in angle brackets alone.
    instead = f"[…](../t{NAMES.index(name)}/{quote(f'2026-05-01-{name}.md', safe='*;')})"
    assert left == ([("own-url", f"write “{instead}")] if link == "<{}>" else [])
    assert after.evidence
    uses = after.evidence.uses.get(linked_site.permalinks[name], ())
    assert [use.text.parsed.file for use in uses].count(file) == 1
