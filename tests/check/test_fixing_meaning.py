"""What a post says stays as it is, whatever is fixed in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from check.fixable_site import FIXED_POST, FRONT_OF_A, INDEX, SITE, A, B, files_of, fix_paths, refusals, tried, undated
from check_cases import check_site, git, repository, tree
from sites import NOW, build_site, write_site

from devlog.checking import Checked, Options
from devlog.fixing.meaning import shows_same
from devlog.fixing.run import Fixed, fix
from devlog.model.diagnostic import Diagnostic, Edit, Fix, Span
from devlog.model.document import Body, Tag

# -- dates that only git knows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("---\ntitle: A\n---\nText.\n", "---\ndate: 2026-05-01\ntitle: A\n---\nText.\n"),
        ("+++\ntitle = 'A'\n[extra]\n+++\nText.\n", "+++\ndate = 2026-05-01\ntitle = 'A'\n[extra]\n+++\nText.\n"),
        ("---\n# why\n---\nText.\n", '---\ndate: 2026-05-01\ntitle: "A"\n# why\n---\nText.\n'),
        ("Text.\n", '---\ntitle: "A"\ndate: 2026-05-01\n---\n\nText.\n'),
        ('{"title": "A"}\nText.\n', ""),
        ("---\n{title: A}\n---\nText.\n", ""),
        ("---\n{\ntitle: A\n}\n---\nText.\n", ""),
        ("---\n  title: A\n---\nText.\n", "---\n  date: 2026-05-01\n  title: A\n---\nText.\n"),
        ('---\n"title": A\n---\nText.\n', '---\ndate: 2026-05-01\n"title": A\n---\nText.\n'),
    ],
)
def test_a_date_that_only_git_knows_is_written_down(tmp_path: Path, text: str, after: str) -> None:
    root = write_site(tmp_path, undated(text))
    repository(root, day="2026-05-01")
    would, done = tried(root), fix_paths(root)
    assert (root / "content/storage/a.md").read_text() == (after or text)
    assert [change.diff() for change in would.changes] == [change.diff() for change in done.changes]  # type: ignore[union-attr]
    assert not any(problem.severity == "error" for problem in check_site(root).diagnostics)


def test_the_date_is_told_where_it_cannot_be_written(tmp_path: Path) -> None:
    root = write_site(tmp_path, undated('{"title": "A"}\nText.\n'))
    repository(root, day="2026-05-01")
    told = [problem for problem in check_site(root).diagnostics if problem.code == "date-from-git"]
    assert [(problem.span, "2026-05-01" in problem.message) for problem in told] == [
        (Span("content/storage/a.md", 1), True)
    ]


@pytest.mark.parametrize("how", ["none", "not committed", "shallow"])
def test_what_git_does_not_know_is_not_written(tmp_path: Path, how: str) -> None:
    root = write_site(tmp_path / "site", undated("---\ntitle: A\n---\nText.\n"))
    if how == "not committed":
        git(root, "init", "-q")
    elif how == "shallow":
        repository(root, day="2026-05-01")
        write_site(root, {"other.txt": "x"})
        repository(root, day="2026-05-02")
        git(tmp_path, "clone", "-q", "--depth", "1", root.as_uri(), "shallow")
        root = tmp_path / "shallow"
    before = tree(root)
    assert files_of(fix_paths(root, force=True)) == []
    assert tree(root) == before


# -- links and keys

URL = "https://docs.example.org/lumen/storage/2026-05-02-b/"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (f"`{URL}` and [b]({URL}).", f"`{URL}` and [b](2026-05-02-b.md)."),
        (f"{URL[:-1]}? No: [b]({URL}).", f"{URL[:-1]}? No: [b](2026-05-02-b.md)."),
        (f"Write `[b]({URL})` for [b]({URL}).", f"Write `[b]({URL})` for [b](2026-05-02-b.md)."),
        (f"`` `[b]({URL})` ``: [b](<{URL}>).", f"`` `[b]({URL})` ``: [b](<2026-05-02-b.md>)."),
        (f"`{URL}` is [b][x].\n\n[x]: {URL}", f"`{URL}` is [b][x].\n\n[x]: 2026-05-02-b.md"),
        (f"[{URL}]({URL}?q=a&b=c#d)", f"[{URL}](2026-05-02-b.md?q=a&b=c#d)"),
    ],
)
def test_a_link_is_fixed_and_not_what_shows_its_target(tmp_path: Path, text: str, right: str) -> None:
    front = "---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n"
    other = f"{front.replace('A', 'B', 1)}## D\n"
    root = write_site(tmp_path, {**SITE, A: f"{front}{text}\n", B: other.replace("title: A", "title: B")})
    done = fix_paths(root)
    assert isinstance(done, Fixed)
    assert (root / A).read_text() == f"{front}{right}\n"
    assert files_of(fix_paths(root)) == []


@pytest.mark.parametrize(
    "front",
    ["---\ntitle: A\ndate:\n---\n", '---\ntitle: A\ndate: ""\n---\n', "---\ntitle:\n---\n", '+++\ntitle = ""\n+++\n'],
)
def test_no_second_key_is_added(tmp_path: Path, front: str) -> None:
    root = write_site(
        tmp_path, {"devlog.toml": SITE["devlog.toml"], "content/storage/_index.md": INDEX, A: f"{front}Text.\n"}
    )
    repository(root)
    failed = build_site(root).failed
    fix_paths(root, force=True)
    assert (root / A).read_text().count("date") <= 1
    assert (root / A).read_text().count("title") == 1
    assert build_site(root).failed == failed


def test_a_tag_that_is_part_of_urls_stays(tmp_path: Path) -> None:
    front = "---\ntitle: {}\nauthor: Ada Quill (@adaquill)\ncategories: [{}]\n---\nText.\n"
    config = 'dialect = "jekyll"\ncontent = "."\ntags.also = ["categories"]\n'
    config += 'permalinks.post = "/:categories/:year/:title/"\n'
    files = {"devlog.toml": config}
    files |= {f"_posts/2026-05-0{n}-{n}.md": front.format(n, "devops") for n in (1, 2)}
    files["_posts/2026-05-03-3.md"] = front.format("Three", "dev-ops")
    root = write_site(tmp_path, files)
    assert "tag-drift" in {item.code for item in check_site(root).diagnostics}
    fix_paths(root)
    assert "[dev-ops]" in (root / "_posts/2026-05-03-3.md").read_text()


# -- what a post means stays


@pytest.mark.parametrize("name", ["k k.pdf", "a(b.pdf", "q%q.pdf", "h#h.pdf", "a?b.pdf", "a[b].pdf"])
def test_a_link_to_a_static_file_whose_name_needs_care_still_leads_there(tmp_path: Path, name: str) -> None:
    url = f"https://docs.example.org/lumen/s/{quote(name)}"
    root = write_site(tmp_path, {**SITE, A: f"{FRONT_OF_A}[x]({url})\n", f"static/s/{name}": "%PDF-1.4"})
    assert A in files_of(fix_paths(root))
    assert "](/s/" in (root / A).read_text()
    after = check_site(root).evidence
    assert after
    assert [use.text.parsed.file for use in after.uses[f"/s/{name}"]] == [A]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Intro", "## Intro\n\nMore.\n\n## Intro\n\n[x](#intro-1)"),
        ("Intro 1", "## Intro\n\n## Intro\n\n[x](#intro-2)"),
        ("Intro", "Text.\n\n# Intro"),
    ],
)
def test_a_repeated_title_stays_that_gives_other_headings_their_anchors(tmp_path: Path, title: str, body: str) -> None:
    front = FRONT_OF_A.replace("title: A", f"title: {title}")
    root = write_site(tmp_path, {**SITE, A: f"{front}# {title}\n\n{body}\n"})
    assert A not in files_of(fix_paths(root))
    assert "repeated-title" in {item.code for item in check_site(root).diagnostics if item.span.path == A}


def test_a_repeated_title_goes_that_shares_only_a_word(tmp_path: Path) -> None:
    front = FRONT_OF_A.replace("title: A", "title: Part 1")
    root = write_site(tmp_path, {**SITE, A: f"{front}# Part 1\n\nText.\n\n## Part 2\n\n## Part 1 of 2\n"})
    fix_paths(root)
    assert (root / A).read_text() == f"{front}Text.\n\n## Part 2\n\n## Part 1 of 2\n"


@pytest.mark.parametrize(
    ("front", "after"),
    [
        ("---\ntitle: A\ndtae: 2020-01-01\n---\n", "---\ntitle: A\ndate: 2020-01-01\n---\n"),
        ("---\ntilte: A\n---\n", "---\ndate: 2026-05-01\ntitle: A\n---\n"),
        ('+++\ntitle = "A"\ndate = 2020-1-2\n+++\n', ""),
        ('+++\nauthor = = 1\ntitle = "A"\n+++\n', ""),
        ("---\ntags: [a\ndate: 2020-01-02\n---\n", ""),
    ],
)
def test_a_key_that_may_be_there_already_is_not_added(tmp_path: Path, front: str, after: str) -> None:
    root = write_site(tmp_path, undated(f"{front}Text.\n"))
    repository(root, day="2026-05-01")
    done = fix_paths(root)
    assert isinstance(done, Fixed)
    assert (root / "content/storage/a.md").read_text() == f"{after or front}Text.\n"
    assert refusals(done) == []


@pytest.mark.parametrize(
    ("usual", "other", "dialect"),
    [
        ("tags: [foo bar]", "tags: foo-bar baz", "jekyll"),
        ('tags: ["null"]', "tags: [nu-ll, a]", ""),
        ('tags: ["null"]', "tags:\n- nu_ll", ""),
        ('tags: ["Null"]', "tags: nu_ll, a", ""),
        ("tags: ['a_b\\n']", 'tags: ["a-b\\\\n"]', ""),
    ],
)
def test_a_spelling_that_means_something_else_there_is_not_written(
    tmp_path: Path, usual: str, other: str, dialect: str
) -> None:
    config = SITE["devlog.toml"] + (f'dialect = "{dialect}"\n' if dialect else "")
    front = FRONT_OF_A.replace("title: A", "title: {}\n{}")
    names = [f"content/{'_posts' if dialect else 'storage'}/2026-05-0{number}-{number}.md" for number in (1, 2, 3)]
    files = {name: f"{front.format(name, usual)}Text.\n" for name in names[:2]}
    files[names[2]] = f"{front.format('C', other)}Text.\n"
    root = write_site(tmp_path, {"devlog.toml": config, **files})
    assert "tag-drift" in {item.code for item in check_site(root).diagnostics}
    assert files_of(fix_paths(root)) == []


def test_a_key_of_the_authors_file_does_not_become_a_name(tmp_path: Path) -> None:
    text = "---\ntitle: A\nauthors: adaquill\n---\nText.\n"
    root = write_site(tmp_path, {**SITE, A: text})
    done = fix_paths(root)
    assert files_of(done) == [B]
    assert refusals(done) == []
    assert (root / A).read_text() == text


def _unsound(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Rules without one of the conditions that keep their fixes from changing what a post says."""
    if what == "anchors":
        monkeypatch.setattr("devlog.check.posts._shares", lambda _anchor, _text: False)
    elif what == "tags":

        def renaming(tag: Tag, right: str, _separator: str) -> Fix:
            return Fix((Edit(tag.span, tag.name, right),))

        monkeypatch.setattr("devlog.check.tags._renaming", renaming)
    else:
        monkeypatch.setattr("devlog.check.links.quote", lambda path, **_options: path)


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize(
    ("what", "front", "wrong", "told"),
    [
        ("anchors", "title: Intro", "# Intro\n\nText.\n\n## Intro\n\n## Intro\n", "“repeated-title” says: its anchors"),
        ("tags", "title: A\ntags: [nu-ll, a]", "Text.\n", "“tag-drift” says: “tags” in the front matter"),
        ("links", "title: A", "[x](https://docs.example.org/lumen/s/k%20k.pdf)\n", "“own-url” says: its links"),
        ("links", "title: A", "[x](https://docs.example.org/lumen/s/h%23h.pdf)\n", "“own-url” says: its links"),
    ],
)
def test_a_fix_that_changes_more_than_it_says_is_left_out_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, front: str, wrong: str, told: str, place: str
) -> None:
    _unsound(monkeypatch, what)
    good = [f"[{number}](https://docs.example.org/lumen/storage/2026-05-02-b/)\n" for number in range(5)]
    better = [line.replace("https://docs.example.org/lumen/storage/2026-05-02-b/", "2026-05-02-b.md") for line in good]
    author, right = "author: Ada Quill(@adaquill)", "author: Ada Quill (@adaquill)"
    is_first = place == "first" or wrong.startswith("#")

    def text(author: str, links: list[str]) -> str:
        parts = [wrong, *links] if is_first else [*links, wrong]
        return f"---\n{front}\n{author}\n---\n" + "\n".join(parts)

    files = {"static/s/k k.pdf": "%PDF-1.4", "static/s/h#h.pdf": "%PDF-1.4", A: text(author, good)}
    others = {f"content/storage/2026-04-0{number}-t.md": "---\ntags: ['null']\n---\n" for number in (1, 2, 3)}
    files |= {name: post.replace("tags", f"title: T{name}\ntags") for name, post in others.items()}
    root = write_site(tmp_path, {**SITE, B: FIXED_POST.replace("A post", "B"), **files})
    done = fix_paths(root)
    assert isinstance(done, Fixed)
    assert [(problem.code, problem.span.path) for problem in done.refused] == [("nothing-fixed", A)]
    assert told in done.refused[0].message
    assert (root / A).read_text() == text(right, better)
    assert files_of(fix_paths(root)) == []


def test_a_url_from_elsewhere_that_ends_early_is_left_out(tmp_path: Path) -> None:
    url = "https://www.example.org/a"
    root = write_site(tmp_path, {**SITE, A: f"{FRONT_OF_A}{url} [x]({url})\n"})

    def moved(_checked: Checked) -> list[Diagnostic]:
        return [
            Diagnostic("moved-url", "info", "has moved", span, fix=Fix((Edit(span, url, f"{url}/b!"),)))
            for span in (Span(A, 5, 1, len(url)), Span(A, 5, len(url) + 6, len(url)))
        ]

    done = fix(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=True, also=moved)
    assert refusals(done) == [("nothing-fixed", A)]
    assert (root / A).read_text() == f"{FRONT_OF_A}{url} [x]({url})\n"


def test_what_no_rule_finds_is_fixed_after_misspelt_keys(tmp_path: Path) -> None:
    url = "https://www.example.org/a"
    root = write_site(tmp_path, {**SITE, A: f"{FRONT_OF_A.replace('author', 'autor')}[x]({url})\n"})

    def moved(_checked: Checked) -> list[Diagnostic]:
        span = Span(A, 5, 5, len(url))
        return [Diagnostic("moved-url", "info", "has moved", span, fix=Fix((Edit(span, url, f"{url}/b"),)))]

    fix(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=True, also=moved)
    assert (root / A).read_text() == f"{FRONT_OF_A}[x]({url}/b)\n"


def test_errors_of_one_fix_leave_the_others_of_its_file(tmp_path: Path) -> None:
    text = "---\ntitle: C\nauthors: Ada Quill(@adaquill)\nslgu: 2026-05-01-a\ndescripton: Text.\n---\n# C\n\nText.\n"
    file = "content/storage/2026-05-03-c.md"
    root = write_site(tmp_path, {**SITE, file: text})
    done = fix_paths(root)
    assert refusals(done) == [("nothing-fixed", file)]
    assert "(colliding-url)" in done.refused[0].message  # type: ignore[union-attr]
    right = "---\ntitle: C\nauthor: Ada Quill (@adaquill)\nslgu: 2026-05-01-a\ndescription: Text.\n---\nText.\n"
    assert (root / file).read_text() == right
    assert not build_site(root).failed


@pytest.mark.parametrize(
    "text",
    [
        "The file is `2026-05-02-B.md`, see [b](2026-05-02-B&#46;md).",
        "The file is `2026-05-02-B.md`, see [b](2026-05-02-B\\.md).",
        "The file is 2026-05-02-B.md, see [b](2026-05-02-B&#46;md).",
        "The file is 2026-05-02-B.md, see [b](2026-05-02-B\\.md).",
    ],
)
def test_what_shows_a_target_that_is_written_in_another_way_stays(tmp_path: Path, text: str) -> None:
    post = f"{FRONT_OF_A}{'Words before it. ' * 40}\n\n{text}\n"
    root = write_site(tmp_path, {**SITE, A: post, B: FIXED_POST.replace("A post", "B")})
    done = fix_paths(root)
    assert isinstance(done, Fixed)
    assert (root / A).read_text() == post
    assert "case-mismatch" in {problem.code for problem in done.checked.diagnostics}
    told = [problem.span.column for problem in done.checked.diagnostics if problem.code == "case-mismatch"]
    assert told == ([0] if "`" in text else [text.index("2026") + 1])


URL_OUTSIDE = "https://www.example.org/a"


def _moved(url: str, new: str, places: list[tuple[int, int]]) -> Callable[[Checked], list[Diagnostic]]:
    spans = [Span(A, line, column, len(url)) for line, column in places]
    found = [Diagnostic("moved-url", "info", "moved", span, fix=Fix((Edit(span, url, new),))) for span in spans]
    return lambda _checked: found


@pytest.mark.parametrize(
    ("text", "place", "is_fixed"),
    [
        (f"[x]({URL_OUTSIDE})", (5, 5), True),
        (f"<{URL_OUTSIDE}> `{URL_OUTSIDE}`", (5, 2), True),
        (f"{URL_OUTSIDE} *x*", (5, 1), True),
        (f"`{URL_OUTSIDE}` [x](https://www.example&#46;org/a)", (5, 2), False),
    ],
)
def test_a_url_from_elsewhere_changes_links_only(
    tmp_path: Path, text: str, place: tuple[int, int], *, is_fixed: bool
) -> None:
    root = write_site(tmp_path, {**SITE, A: f"{FRONT_OF_A}{text}\n", B: FIXED_POST.replace("A post", "B")})
    new = f"{URL_OUTSIDE}/b"
    done = fix(
        Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=True, also=_moved(URL_OUTSIDE, new, [place])
    )
    assert refusals(done) == ([] if is_fixed else [("nothing-fixed", A)])
    column = place[1] - 1
    right = text[:column] + new + text[column + len(URL_OUTSIDE) :]
    assert (root / A).read_text() == f"{FRONT_OF_A}{right if is_fixed else text}\n"


@pytest.mark.parametrize(
    ("before", "after", "code", "is_same"),
    [
        ('<a href="https://a.example/">x</a>', '<a href="https://b.example/">x</a>', "moved-url", True),
        ('<a href="https://a.example/">x</a>', '<a href="https://b.example/">x</a>', "own-url", False),
        ('<a href="//a.example/">//a.example/</a>', '<a href="//b.example/">//b.example/</a>', "moved-url", True),
        ('<a href="//a.example/">a</a> b', '<a href="//b.example/">a</a> c', "moved-url", False),
        ('<a href="//a.example/">a</a>', '<a href="//a.example/">b</a>', "moved-url", False),
        ('<a href="//a.example/"><code>a</code></a>', '<a href="//b.example/"><code>b</code></a>', "moved-url", False),
        ('<img src="//a.example/" alt="a">', '<img src="//b.example/" alt="b">', "unpinned-link", False),
        ("<p>a", "<p>a<b>", "moved-url", False),
        ('<a id="a"></a>\n<p>b', "<p>b", "repeated-title", True),
        ('<a id="a"></a>\n<p>b', "<p>c", "repeated-title", False),
        ('<a id="a"></a>\n<p>b', "<p>b", "own-url", False),
    ],
)
def test_bodies_show_the_same(before: str, after: str, code: str, *, is_same: bool) -> None:
    fixed = [Diagnostic(code, "info", "", Span(A))]
    assert shows_same(Body((before,)), Body((after,)), fixed, "a") == is_same
