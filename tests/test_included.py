"""Files that posts include: what a change of them does, and what can be included from a clone of the source."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tracemalloc
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from check_cases import check_site, git, repository
from lxml import etree
from sites import NOW, build_site, read_tree, write_site
from steps import steps

from devlog.disk import git_contents, included, stat_cache
from devlog.disk.folder import Folder
from devlog.disk.git_contents import Contents, NoAnswerError
from devlog.disk.included import read_with_included, with_included
from devlog.disk.read import read_content
from devlog.disk.stat_cache import StatCache
from devlog.engine.jobs import Jobs
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.included import MOST_FILES, IncludedFile, IncludedText
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.serve.preview import Options, Preview

HOST = "https://github.com/example/lumen"
PLAIN = 'base_url = "https://lumen.example/"\nsearch.enabled = false\nllms.enabled = false\n'
CONFIG = f'source_repo = "{HOST}"\nsource_checkout = "../lumen"\n{PLAIN}'
POST = "content/2026-05-03-a.md"
PAGE = "public/2026-05-03-a/index.html"
OLD = "int lookup(int key) {\n  return table[key];\n}\n"
NEW = f"// New.\n{OLD}"


def post(*tags: str) -> str:
    return "\n\n".join(["---\ntitle: A\n---", *(f"{{{{< code {tag} >}}}}" for tag in tags), ""])


@pytest.fixture
def unsettled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are believed to be as they were at once."""
    monkeypatch.setattr(stat_cache, "SETTLED_NS", 0)


def page(site: Path) -> str:
    return (site / PAGE).read_text("utf-8")


# -- files of the site


@pytest.mark.slow
def test_a_change_of_an_included_file_parses_just_the_posts_that_show_it(tmp_path: Path, unsettled: None) -> None:
    site = write_site(
        tmp_path,
        {
            "devlog.toml": PLAIN,
            POST: post('file="x.py"'),
            "content/b/2026-05-03-b.md": post('file="/x.py" lines="1"'),
            "content/2026-05-03-c.md": post(),
            "content/x.py": "a = 1\n",
        },
    )
    assert build_site(site).parsed == 3
    assert build_site(site).parsed == 0
    write_site(site, {"content/x.py": "b = 2\n"})
    assert build_site(site).parsed == 2
    assert '<span class="n">b</span>' in page(site)
    write_site(site, {"content/b/x.py": "c = 3\n"})
    assert build_site(site).parsed == 0, "“/x.py” is that of the root"
    (site / "content/x.py").unlink()
    report = build_site(site)
    assert report.parsed == 2
    assert [item.code for item in report.diagnostics if item.code != "missing-index"] == ["broken-inclusion"] * 2
    again = build_site(site, cache=False)
    assert again.diagnostics == report.diagnostics


def test_unchanged_files_are_not_opened(tmp_path: Path, unsettled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(tmp_path, {POST: post('file="x.py"', 'file="gone.py"'), "content/x.py": "a = 1\n"})
    known = StatCache()
    first = with_included(read_content(tmp_path, "content", stat_cache=known), None)
    monkeypatch.setattr(Folder, "open_file", None)
    again = with_included(read_content(tmp_path, "content", stat_cache=StatCache(known.encode())), None)
    assert again == first
    assert [item.path for item in again.sources[0].included] == ["x.py", ""]


def test_a_file_that_changes_while_the_site_is_built(tmp_path: Path) -> None:
    write_site(tmp_path, {POST: post('file="x.py"'), "content/x.py": "a = 1\n"})
    (source,) = with_included(read_content(tmp_path, "content"), None).sources
    write_site(tmp_path, {"content/x.py": "b = 2\n"})
    (problem,) = read_with_included(tmp_path, None, [source])
    assert isinstance(problem, Diagnostic)
    assert (problem.code, problem.span.path) == ("changed-while-building", "content/x.py")


def test_a_script_is_shown_although_it_is_not_published(tmp_path: Path) -> None:
    write_site(tmp_path, {POST: post('file="x.js"'), "content/x.js": "let a\n", "content/y.js": "let b\n"})
    (problem,) = build_site(tmp_path).diagnostics
    assert (problem.code, problem.span.path) == ("active-content", "content/y.js")
    assert '<div class="code-title">x.js</div>' in page(tmp_path)


def test_characters_that_feeds_cannot_contain(tmp_path: Path) -> None:
    write_site(tmp_path, {"devlog.toml": PLAIN, POST: post('file="run.txt" lang="ansi"')})
    write_site(tmp_path, {"content/run.txt": "\x0cpage\x1b[31mred\x1b[0m\x07\n"})
    assert build_site(tmp_path).diagnostics == ()
    assert 'page<span class="ansi-red">red</span>' in page(tmp_path)
    etree.fromstring((tmp_path / "public/index.xml").read_bytes())


def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    write_site(tmp_path, {POST: post('file="x.txt"'), "content/x.txt": b"a\n" * (1 << 20)})
    report = build_site(tmp_path)
    assert "larger than 1 MiB" in str([item.message for item in report.diagnostics])


def test_a_link_leads_nowhere(tmp_path: Path) -> None:
    write_site(tmp_path, {"secret": "hush\n", POST: post('file="x.py"')})
    (tmp_path / "content/x.py").symlink_to(tmp_path / "secret")
    report = build_site(tmp_path)
    assert {"symlink", "broken-inclusion"} <= {item.code for item in report.diagnostics}
    assert not read_tree(tmp_path / "public")


@pytest.mark.slow
def test_a_post_includes_a_limited_number_of_files(tmp_path: Path) -> None:
    tags = [f'file="{number}.py"' for number in range(MOST_FILES + 1)]
    write_site(tmp_path, {POST: post(*tags), **{f"content/{number}.py": "a\n" for number in range(MOST_FILES + 1)}})
    (problem,) = build_site(tmp_path).diagnostics
    assert (problem.code, problem.span.line) == ("broken-inclusion", 2 * MOST_FILES + 5)


@pytest.mark.slow
def test_a_post_includes_a_limited_number_of_characters(tmp_path: Path) -> None:
    write_site(tmp_path, {POST: post(*['file="x.txt"'] * 50), "content/x.txt": b"a\n" * (1 << 19)})
    assert "expands-too-much" in {item.code for item in build_site(tmp_path).diagnostics}


@pytest.mark.parametrize("option", ["linenos", 'hl_lines="1"', "diff"])
def test_the_elements_of_lines_are_counted(option: str) -> None:
    """A line end becomes an element of 90 characters."""
    plain, html = parsed("", "\n" * 20_000)
    assert not plain.diagnostics
    assert len(html) < 21_000
    wrapped, html = parsed(option, "\n" * 20_000)
    assert [item.code for item in wrapped.diagnostics] == ["expands-too-much"]
    assert not html


@pytest.mark.parametrize(("arguments", "text"), [("", "&<" * 30_000), ('lang="py"', "a=b+c\n" * 3000)])
def test_html_of_included_files_is_counted(arguments: str, text: str) -> None:
    """A post of some bytes includes a file that others include too: its HTML is many times as long."""
    found, html = parsed(arguments, text[: len(text) // 3])
    assert not found.diagnostics
    assert len(html) < 1 << 18
    found, html = parsed(arguments, text)
    assert [item.code for item in found.diagnostics] == ["expands-too-much"]
    assert not html


def test_html_of_files_that_raw_html_includes_is_counted() -> None:
    text = "&<" * 30_000
    item = IncludedText(IncludedFile("x.txt", "", "x.txt", "content/x.txt"), text)
    tag = '<div>{{< code file="x.txt" >}}</div>\n'
    found, _, _ = parse(
        Source("a.html", "content/a.html", f"---\ntitle: A\n---\n{tag}", included=(item,)), ParseOptions()
    )
    assert [item.code for item in found.diagnostics] == ["expands-too-much"]


def test_a_longer_post_includes_more() -> None:
    item = IncludedText(IncludedFile("x.txt", "", "x.txt", "content/x.txt"), "&<" * 30_000)
    text = post('file="x.txt"') + "word " * 1000
    found, _, _ = parse(Source("2026-05-03-a.md", POST, text, included=(item,)), ParseOptions())
    assert not found.diagnostics


def parsed(arguments: str, text: str) -> tuple[Parsed, str]:
    """A post that includes a text, and its HTML."""
    found = IncludedText(IncludedFile("x.txt", "", "x.txt", "content/x.txt"), text)
    source = Source("2026-05-03-a.md", POST, post(f'file="x.txt" {arguments}'), included=(found,))
    read, body, _ = parse(source, ParseOptions())
    return read, "".join(piece for piece in body.pieces if isinstance(piece, str))


def test_lines_that_are_named_many_times_are_counted_before_they_are_copied() -> None:
    tracemalloc.start()
    try:
        read, _ = parsed(f'lines="{",".join(["1-"] * 1000)}"', "a\n" * 20_000)
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()
    assert "expands-too-much" in {item.code for item in read.diagnostics}


@pytest.mark.parametrize("argument", ['lines="{}"', 'region="r{}"'])
def test_a_file_is_divided_once_for_all_tags(argument: str) -> None:
    text = "".join(f"// region r{number}\nx\n// endregion\n" for number in range(1, 2000))
    item = IncludedText(IncludedFile("x.txt", "", "x.txt", "content/x.txt"), text)

    def work(count: int) -> int:
        tags = [f'file="x.txt" {argument.format(number + 1)}' for number in range(count)]
        source = Source("2026-05-03-a.md", POST, post(*tags), included=(item,))
        return steps(lambda: parse(source, ParseOptions()))

    work(1)  # what is loaded once
    assert work(40) - work(10) < 30 * 2000


def test_a_region_is_the_first_of_its_name() -> None:
    text = "# region a b\n1\n# region a -->\n2\n# endregion\n# endregion\n# region a\n3\n# region b\n4\n"
    for name, shown in {"a b": "1\n# region a --&gt;\n2\n# endregion\n<", "a": ">2\n<", "b": ""}.items():
        read, html = parsed(f'region="{name}"', text)
        assert shown in html
        assert ("broken-inclusion" in {item.code for item in read.diagnostics}) == (not shown)


def test_numbered_lines_in_any_order() -> None:
    _, html = parsed('lines="6,2-3,1-2,5-6" linenos', "a\nb\nc\nd\ne\nf\ng\n")
    numbers = re.findall(r'aria-hidden="true">(\d+)</span>(\w)', html)
    assert numbers == [("1", "a"), ("2", "b"), ("3", "c"), ("5", "e"), ("6", "f")]


# -- files of a clone


@pytest.fixture
def lumen(tmp_path: Path) -> Path:
    """A clone, in which lines of a file have moved since 3 May."""
    root = write_site(tmp_path / "lumen", {"src/cache.c": OLD})
    repository(root, day="2026-05-01")
    git(root, "tag", "v1")
    write_site(root, {"src/cache.c": NEW})
    repository(root, day="2026-05-05")
    return root


@pytest.mark.slow
@pytest.mark.feature("source_references")
def test_lines_of_a_clone_are_shown_cited_and_checked(lumen: Path, tmp_path: Path) -> None:
    commit = git(lumen, "rev-parse", "v1").strip()
    tags = ['file="src/cache.c" lines="1-2"', f'file="src/cache.c" lines="2" commit="{commit}"']
    files = {"devlog.toml": CONFIG, POST: post(*tags, 'file="src/cache.c" commit="v1"')}
    site = write_site(tmp_path / "site", files)
    assert build_site(site).diagnostics == ()
    html = page(site)
    link = f'<div class="code-title"><a href="{HOST}/blob/'
    assert f'{link}HEAD/src/cache.c#L1-L2">src/cache.c</a></div>' in html
    assert f'{link}{commit}/src/cache.c#L2">' in html
    assert f'{link}v1/src/cache.c">' in html
    assert html.count("// New.") == 1
    refs = json.loads((site / "public/refs.json").read_text("utf-8"))["refs"]
    assert [(ref["kind"], ref["id"]) for ref in refs] == [("file", "src/cache.c")]
    found = {item.code: item.message for item in check_site(site).diagnostics}
    assert found["stale-citation"] == "“src/cache.c:1-2” has moved since this was written"
    assert found["changed-source"] == "“src/cache.c:2” has moved since this commit"
    assert "unpinned-link" not in found


@pytest.mark.parametrize("tag", ["core/v2", "v1.0+b1"])
def test_any_name_of_a_tag_may_be_cited(tag: str, lumen: Path, tmp_path: Path) -> None:
    git(lumen, "tag", tag, "v1")
    site = write_site(tmp_path / "site", {"devlog.toml": CONFIG, POST: post(f'file="src/cache.c" commit="{tag}"')})
    assert build_site(site).diagnostics == ()
    assert "// New." not in page(site)
    assert f'href="{HOST}/blob/{tag}/src/cache.c"' in page(site)


@pytest.mark.slow
def test_a_commit_of_the_clone_is_noticed(lumen: Path, tmp_path: Path) -> None:
    tags = ['file="src/cache.c"', 'file="src/cache.c" commit="v1"']
    site = write_site(tmp_path / "site", {"devlog.toml": CONFIG, POST: post(*tags)})
    build_site(site)
    assert build_site(site).parsed == 0
    write_site(lumen, {"src/cache.c": "int size;\n"})
    assert build_site(site).parsed == 0, "what is not committed is not read"
    repository(lumen, day="2026-05-06")
    assert build_site(site).parsed == 1
    assert "size" in page(site)
    assert page(site).count("lookup") == 1
    before = read_tree(site / "public")
    build_site(site, cache=False)
    assert read_tree(site / "public").keys() == before.keys()
    assert page(site).encode() == before["2026-05-03-a/index.html"]


def test_a_bare_clone_is_enough(lumen: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", "lumen", "bare")
    shutil.rmtree(lumen)
    (tmp_path / "bare").rename(lumen)
    site = write_site(tmp_path / "site", {"devlog.toml": CONFIG, POST: post('file="src/cache.c"')})
    assert build_site(site).diagnostics == ()
    assert "// New." in page(site)


WRONG = {
    'file="src/gone.c"': "there is no such file",
    'file=".git/config"': "there is no such file",
    'file="secret"': "there is no such file",
    'file="out"': "it is a symbolic link",
    'file="../site/devlog.toml"': "its path leads elsewhere",
    'file="src"': "there is no such file",
    'file="src/cache.c" commit="v2"': "it is not in the commit “v2”",
    'file="src/cache.c" commit="--help"': "“--help” cannot be a commit",
    'file="src/cache.c" commit="HEAD~1"': "“HEAD~1” cannot be a commit",
    'file="src/cache.c" commit="x/../../heads/main"': "it is not in the commit",
}


def test_only_what_is_committed_can_be_included(lumen: Path, tmp_path: Path) -> None:
    (lumen / "out").symlink_to("../secret")
    (lumen / "in").symlink_to("src/cache.c")
    repository(lumen, day="2026-05-06")
    write_site(tmp_path, {"secret": "hush\n", "lumen/secret": "hush\n"})
    site = write_site(tmp_path / "site", {"devlog.toml": CONFIG, POST: post(*WRONG, 'file="in"')})
    report = build_site(site)
    assert [item.code for item in report.diagnostics] == ["broken-inclusion"] * len(WRONG)
    for item, reason in zip(report.diagnostics, WRONG.values(), strict=True):
        assert reason in item.message
    assert page(site).count("// New.") == 1
    assert "hush" not in page(site)


@pytest.mark.slow
@pytest.mark.feature("source_references")
def test_a_clone_that_cannot_be_read(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site", {"devlog.toml": CONFIG, POST: post('file="src/cache.c"')})
    codes = [item.code for item in build_site(site).diagnostics]
    assert codes == ["broken-inclusion", "no-checkout"]
    write_site(tmp_path / "lumen", {"src/cache.c": NEW})
    repository(tmp_path / "lumen")
    assert build_site(site).diagnostics == ()


def test_without_a_repository_a_title_leads_nowhere(lumen: Path, tmp_path: Path) -> None:
    config = CONFIG.replace(f'source_repo = "{HOST}"\n', "")
    site = write_site(tmp_path / "site", {"devlog.toml": config, POST: post('file="src/cache.c"')})
    assert build_site(site).diagnostics == ()
    assert '<div class="code-title">src/cache.c</div>' in page(site)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of git that are run."""
    commands: list[list[str]] = []

    class Counted(subprocess.Popen[bytes]):
        def __init__(self, words: list[str], **more: Any) -> None:
            if "--no-pager" in words:  # else it is a test that asks
                commands.append(words[words.index("--no-pager") + 1 :])
            super().__init__(words, **more)

    monkeypatch.setattr(subprocess, "Popen", Counted)
    return commands


@pytest.mark.parametrize("held", [included._HELD, 30])
def test_one_process_reads_all_files_of_a_clone(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[list[str]], held: int
) -> None:
    monkeypatch.setattr(included, "_HELD", held)
    numbers = range(12)
    write_site(lumen, {f"{number}.c": f"int a{number};\n" for number in numbers})
    repository(lumen, day="2026-05-06")
    tags = [f'file="{number}.c"' for number in numbers]
    posts = {f"content/2026-05-03-{name}.md": post(*tags, 'file="src/cache.c"') for name in "abc"}
    site = write_site(tmp_path / "site", {"devlog.toml": CONFIG, **posts})
    content = with_included(read_content(site, "content"), lumen)
    read = Contents.of
    blobs: list[str] = []
    monkeypatch.setattr(Contents, "of", lambda self, blob, most: (blobs.append(blob), read(self, blob, most))[1])
    del asked[:]
    for source in read_with_included(site, lumen, content.sources):
        assert isinstance(source, Source)
        assert [item.text for item in source.included] == [*(f"int a{number};\n" for number in numbers), NEW]
    assert asked == [["cat-file", "--batch"]]
    assert len(blobs) == len({*blobs}) * (1 if held > 30 else 3)


def test_a_build_and_a_preview_read_all_files_of_a_clone_at_once(
    lumen: Path, tmp_path: Path, asked: list[list[str]]
) -> None:
    write_site(lumen, {"a.c": "int a;\n", "b.c": "int b;\n"})
    repository(lumen, day="2026-05-06")
    tags = 'file="a.c"', 'file="b.c"', 'file="src/cache.c"'
    site = write_site(tmp_path / "site", {"devlog.toml": CONFIG, POST: post(*tags), "content/b.md": post(*tags)})
    config = CONFIG.replace(f'source_repo = "{HOST}"\n', "")
    write_site(site, {"devlog.toml": config})
    build_site(site)
    assert [words for words in asked if words[0] == "cat-file" and len(words) == 2] == [["cat-file", "--batch"]]
    preview = Preview(Options(site, "http://127.0.0.1", drafts=False, now=lambda: NOW, jobs=1), Jobs(), list)
    try:
        preview.change(frozenset())
        write_site(site, {POST: post(*tags, 'file="src/cache.c" commit="v1"')})
        del asked[:]
        preview.change(frozenset([POST]))
    finally:
        preview.close()
    assert asked.count(["cat-file", "--batch"]) == 1


def test_what_git_does_not_say_of_one_blob_it_says_of_others(lumen: Path, asked: list[list[str]]) -> None:
    blob = git(lumen, "rev-parse", "HEAD:src/cache.c").strip()
    with closing(Contents(lumen)) as contents:
        assert [contents.of(str(number) * 40, 100) for number in range(4)] == [None] * 4
        assert contents.of(blob, 100) == NEW.encode()
        assert len(asked) == 1
        assert contents.of(blob, 5) is None
        assert contents.of(blob, 100) == NEW.encode()
        assert contents.of("HEAD^{tree}", 100) is None
        assert contents.of(blob, 100) == NEW.encode()
        while len(asked) < 5:
            assert [contents.of("HEAD^{tree}", 100), contents.of(blob, 100)] == [None, NEW.encode()]
        assert contents.of("HEAD^{tree}", 100) is None
        with pytest.raises(NoAnswerError):
            contents.of(blob, 100)
    with closing(Contents(lumen, seconds=0)) as contents, pytest.raises(NoAnswerError):
        contents.of(blob, 100)
    assert len(asked) == 5


def test_a_process_that_ends_costs_no_answer(lumen: Path, asked: list[list[str]]) -> None:
    blob = git(lumen, "rev-parse", "HEAD:src/cache.c").strip()
    with closing(Contents(lumen)) as contents:
        assert contents.of(blob, 100) == NEW.encode()
        assert contents._process
        contents._process.kill()
        contents._process.wait()
        assert contents.of(blob, 100) == NEW.encode()
        assert len(asked) == 2


def test_a_blob_that_git_cannot_read(lumen: Path, asked: list[list[str]]) -> None:
    """It ends git each time."""
    blob, damaged = (git(lumen, "rev-parse", f"{name}:src/cache.c").strip() for name in ("HEAD", "v1"))
    file = lumen / ".git/objects" / damaged[:2] / damaged[2:]
    file.chmod(0o600)
    file.write_bytes(zlib.compress(b"blob 50000\0" + bytes(50000), level=0)[:20000])
    with closing(Contents(lumen)) as contents:
        assert contents.of(blob, 100) == NEW.encode()
        with pytest.raises(NoAnswerError):
            contents.of(damaged, 1 << 20)
        assert contents.of(blob, 100) == NEW.encode()
    assert len(asked) == 3


def test_a_git_that_does_not_answer_has_changed_nothing(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = write_site(tmp_path / "site", {"devlog.toml": CONFIG, POST: post('file="src/cache.c"')})
    (source,) = with_included(read_content(site, "content"), lumen).sources
    monkeypatch.setattr(git_contents, "_MOST_STARTS", 0)
    (problem,) = read_with_included(site, lumen, [source])
    assert isinstance(problem, Diagnostic)
    assert (problem.code, problem.span.path) == ("unreadable", "src/cache.c")
    assert "git does not answer" in problem.message


@pytest.mark.feature("source_references")
def test_whether_a_link_is_committed_is_asked_once(lumen: Path, tmp_path: Path, asked: list[list[str]]) -> None:
    def questions() -> int:
        count = sum(words[0] == "ls-files" for words in asked)
        del asked[:]
        return count

    config = f'source_repo = "{HOST}"\nsource_checkout = "lumen"\n{PLAIN}'
    site = write_site(tmp_path / "site", {"devlog.toml": config, POST: post()})
    repository(site)
    (site / "lumen").symlink_to("../lumen")
    build_site(site)
    del asked[:]
    assert build_site(site).parsed == 0
    assert questions() == 1, "for the references"
    preview = Preview(Options(site, "http://127.0.0.1", drafts=False, now=lambda: NOW, jobs=1), Jobs(), list)
    try:
        preview.change(frozenset())
        for tags in ["file='gone'"], ['file="src/cache.c"'], ['file="src/cache.c" lines="1"']:
            del asked[:]
            write_site(site, {POST: post(*tags)})
            preview.change(frozenset([POST]))
            assert questions() <= 2
        del asked[:]
        preview.change(frozenset())
        assert questions() == 1
    finally:
        preview.close()
