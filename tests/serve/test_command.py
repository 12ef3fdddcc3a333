"""``devlog serve`` as a program: what it prints, how it ends, what it survives, and that it writes nothing."""

from __future__ import annotations

import re
import signal
import threading
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from http_raw import Listener, ask, connect
from serve_process import BASE, CONFIG, FILE, PATH, SITE, TEXT, Serving, devlog, serving, until, write
from sites import build_site, read_tree, write_site

from devlog.serve.server import bind


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "site")


def as_built(root: Path, address: str, output: Path) -> dict[str, bytes]:
    """What a build of the same site writes."""
    seen = {"drafts": True, "future": True, "expired": True}
    report = build_site(root, base_url=address, output=output, now=datetime.now(UTC), cache=False, search=True, **seen)
    assert not report.failed, report.diagnostics
    return {path: data for path, data in read_tree(output).items() if not path.startswith(".devlog")}


def assert_as_built(running: Serving, output: Path) -> None:
    """Every path answers with what a build writes."""
    for path, data in as_built(running.root, running.address, output).items():
        if not path.startswith("."):
            got = running.page(BASE + path.removesuffix("index.html")) if path.endswith(".html") else None
            if got is not None:
                assert got == data.decode(), path
            else:
                assert running.get(BASE + path).body == data, path


# --- the address, and the end ---


@pytest.mark.slow
def test_the_address(root: Path) -> None:
    with serving(root) as running:
        assert re.fullmatch(rf"http://127\.0\.0\.1:\d+{BASE}", running.address)
        got = running.get(BASE)
        assert got.status == 200
        assert b"Under the log" in got.body
        assert running.until_told("Previewing “Lumen”: 2 posts, ready in")
        assert running.end() == 0
        assert running.out == [running.address]
        assert len(running.err) == 1, running.told()


@pytest.mark.slow
def test_another_root(root: Path) -> None:
    with serving(root.parent, "--root", "site") as running:
        assert "Under the log" in running.page()
        running.root = root
        running.edit("for a day", "for a week")
        running.until_page("for a week")
        assert [line.partition(" · ")[0] for line in told(running, 1)] == [FILE]


@pytest.mark.slow
def test_the_next_free_port(root: Path) -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with serving(root, "--port", str(port)) as running:
            assert port < running.port < port + 20
            assert running.get().status == 200
            assert running.until_told(rf"^Port {port} is taken\.$")


@pytest.mark.slow
def test_no_free_port(root: Path) -> None:
    done = devlog(root, "serve", "--host", "192.0.2.1", "--allow-host", "lumen.example")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Error: cannot listen on 192.0.2.1:8000: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once(root: Path, number: int) -> None:
    """Whoever listens, asks or reads."""
    (root / "static/large.mp4").write_bytes(bytes(24 << 20))
    with serving(root) as running, ExitStack() as stack:
        listeners = [Listener(running.port, PATH) for _ in range(10)]
        for listener in listeners:
            stack.callback(listener.close)
            listener.next()
        reader = stack.enter_context(connect(running.port, buffer=4096))
        reader.sendall(f"GET {BASE}large.mp4 HTTP/1.1\r\nHost: localhost:{running.port}\r\n\r\n".encode())
        assert reader.recv(12) == b"HTTP/1.1 200"
        half = stack.enter_context(connect(running.port))
        half.sendall(b"GET / HT")
        assert running.end(number) == 0
        until(lambda: not running.has_group(), "it leaves no child")
        assert len(running.err) == 1, running.told()
        with pytest.raises(ConnectionRefusedError):
            connect(running.port)


@pytest.mark.slow
def test_it_ends_before_it_has_begun(root: Path) -> None:
    for number in range(40):
        write_site(root, {f"content/kernels/2026-03-01-n{number}.md": TEXT})
    for number in (signal.SIGINT, signal.SIGTERM):
        with serving(root) as running:
            assert running.end(number) == 0
            assert "Traceback" not in running.told()


# --- who may reach it ---


@pytest.mark.slow
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "lumen.example"])
def test_others_must_be_named(root: Path, host: str) -> None:
    running = Serving(root, "--host", host)
    try:
        assert running.process.wait(60) == 2
        until(lambda: any("--allow-host" in line for line in running.err), running.told)
        assert running.out == []
    finally:
        running.kill()


@pytest.mark.slow
def test_others_that_are_named(root: Path) -> None:
    with serving(
        root, "--host", "0.0.0.0", "--allow-host", "devbox.example", "--allow-host", "lumen.example"
    ) as running:
        assert running.address == f"http://devbox.example:{running.port}{BASE}"
        assert running.until_told("^Warning: everyone who reaches 0.0.0.0 can read this site, drafts included")
        for name in ("devbox.example", "lumen.example", "127.0.0.1", "localhost"):
            assert ask(running.port, PATH, host=f"{name}:{running.port}").status == 200
        for name in ("other.example", "devbox.example.evil.example", "0.0.0.0"):
            got = ask(running.port, PATH, host=f"{name}:{running.port}")
            assert (got.status, b"statistics" in got.body) == (421, False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["https://box.example", "*"])
def test_names_that_no_request_can_give(root: Path, name: str) -> None:
    done = devlog(root, "serve", "--allow-host", "lumen.example", "--allow-host", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--allow-host" in done.stderr
    assert f"“{name}” is not the name of a host" in done.stderr


@pytest.mark.slow
def test_nobody_else_by_default(root: Path) -> None:
    with serving(root) as running:
        assert running.get(Origin="https://evil.example").status == 403
        assert running.get(method="POST").status == 405
        assert ask(running.port, PATH, host="evil.example").status == 421
        assert "Warning" not in running.told()


@pytest.mark.slow
def test_an_own_policy(root: Path) -> None:
    write_site(root, {"devlog.toml": CONFIG + "[serve]\ncontent_security_policy = \"default-src 'self'\"\n"})
    with serving(root) as running:
        assert running.get().one("content-security-policy") == "default-src 'self'; frame-ancestors 'none'"


# --- what is shown ---

UNPUBLISHED = {
    "content/kernels/2026-05-06-draft.md": TEXT.replace("tags:", "draft: true\ntags:"),
    "content/kernels/2999-01-01-future.md": TEXT.replace("2026-05-04", "2999-01-01"),
    "content/kernels/2020-01-01-old.md": TEXT.replace("2026-05-04", "2020-01-01\nexpires: 2021-01-01"),
}


def test_unpublished_posts(root: Path) -> None:
    write_site(root, UNPUBLISHED)
    paths = {
        "draft": f"{BASE}kernels/2026-05-06-draft/",
        "future": f"{BASE}kernels/2999-01-01-future/",
        "expired": f"{BASE}kernels/2020-01-01-old/",
    }
    with serving(root) as running:
        for state, path in paths.items():
            got = running.get(path)
            assert got.status == 200
            assert f'data-state="{state}"'.encode() in got.body
        assert b"data-state" not in running.get().body
        assert b"2999-01-01" in running.get(paths["future"]).body
        running.edit("draft: true\n", "", "content/kernels/2026-05-06-draft.md")
        until(lambda: b"data-state" not in running.get(paths["draft"]).body, running.told)
    with serving(root, "--no-drafts") as running:
        assert running.get(paths["draft"]).status == 200
        running.edit("tags:", "draft: true\ntags:", "content/kernels/2026-05-06-draft.md")
        until(lambda: running.get(paths["draft"]).status == 404, running.told)
        for state in ("future", "expired"):
            assert running.get(paths[state]).status == 404
        assert "2999" not in running.page(BASE + "kernels/")


def test_it_shows_what_a_build_writes(root: Path, tmp_path: Path) -> None:
    write_site(root, UNPUBLISHED)
    with serving(root) as running:
        assert_as_built(running, tmp_path / "first")
        running.edit("Under the log", "Over the log")
        running.write("content/planner/_index.md", "---\ntitle: Planner\n---\n")
        running.write("content/planner/2026-05-09-c.md", TEXT.replace("storage", "memory"))
        (root / "content/kernels/2026-05-05-b.md").unlink()
        running.until_page("Over the log")
        until(lambda: running.get(f"{BASE}planner/2026-05-09-c/").status == 200, running.told)
        until(lambda: running.get(f"{BASE}kernels/2026-05-05-b/").status == 404, running.told)
        assert_as_built(running, tmp_path / "second")


@pytest.mark.slow
def test_audio_is_answered_in_parts(root: Path) -> None:
    sound = bytes(range(256)) * 40
    write_site(root, {"content/kernels/talk.mp3": sound, "static/talk.mp3": sound})
    with serving(root) as running:
        for path in (f"{BASE}talk.mp3", f"{BASE}kernels/talk.mp3"):
            if running.get(path).status == 404:
                continue  # only what a post names is published
            head = running.get(path, "HEAD")
            assert (head.status, head.one("content-length"), head.body) == (200, str(len(sound)), b"")
            assert (head.one("accept-ranges"), head.one("content-type")) == ("bytes", "audio/mpeg")
            part = running.get(path, Range="bytes=100-299")
            assert (part.status, part.body) == (206, sound[100:300])
            assert part.one("content-range") == f"bytes 100-299/{len(sound)}"
            assert running.get(path, Range=f"bytes={len(sound)}-").status == 416
        assert running.get(f"{BASE}talk.mp3").status == 200


# --- what is told ---

LINE = r"{what} · parsed {parsed}, rendered \d+ · \d+ ms"


def told(running: Serving, count: int) -> list[str]:
    """So many lines of changes: there are no more."""
    until(lambda: len(running.changes()) >= count, running.told)
    assert len(running.changes()) == count, running.told()
    return running.changes()


@pytest.mark.slow
def test_a_line_for_every_change(root: Path) -> None:
    with serving(root) as running:
        running.edit("for a day", "for a week")
        assert re.fullmatch(LINE.format(what=re.escape(FILE), parsed=1), told(running, 1)[0])
        running.write("content/kernels/2026-05-07-c.md", TEXT)
        assert re.fullmatch(LINE.format(what=r"\+ content/kernels/2026-05-07-c\.md", parsed=1), told(running, 2)[1])
        (root / "content/kernels/2026-05-07-c.md").unlink()
        assert re.fullmatch(LINE.format(what=r"- content/kernels/2026-05-07-c\.md", parsed=0), told(running, 3)[2])
        running.write("static/extra.css", "body { color: red }\n")
        assert re.fullmatch(LINE.format(what=r"static/extra\.css", parsed=0), told(running, 4)[3])
        running.write("devlog.toml", CONFIG.replace("Lumen", "Umbra"))
        assert re.fullmatch(LINE.format(what=r"devlog\.toml", parsed=0), told(running, 5)[4])
        running.write("content/authors.yml", "adaquill:\n  name: Ada B. Quill\n")
        assert re.fullmatch(LINE.format(what=r"\+ content/authors\.yml", parsed=0), told(running, 6)[5])
        running.until_page("Ada B. Quill")
        assert all(re.match(r"\d\d:\d\d:\d\d |Previewing", line) for line in running.err)


@pytest.mark.slow
def test_problems_are_told_under_it(root: Path) -> None:
    with serving(root) as running:
        running.edit("title: Under the log", "title: [Under the log")
        running.until_told(r"^  hint: ")
        place = next(number for number, line in enumerate(running.err) if f" {FILE} · " in line)
        assert re.match(rf"{re.escape(FILE)}:2:?\d*: error\[front-matter-syntax\]: ", running.err[place + 1])
        assert "Under the log" in running.page()
        running.edit("title: [Under the log", "title: Over the log")
        running.until_told("^  all problems are fixed$")
        running.until_page("Over the log")
        running.edit("author: Ada Quill (@adaquill)", "autor: Ada Quill (@adaquill)")
        running.until_told(rf"{re.escape(FILE)}:4:1: warning\[")
        running.until_told(r"^  4 \| autor: Ada Quill \(@adaquill\)$")
        running.until_told(r"^ +\| \^{5}$")
        running.until_told("did you mean “author”")
        running.edit("for a day", "for a week")  # what was told is not told again
        told(running, 4)
        running.edit("autor:", "author:")
        until(lambda: running.err.count("  all problems are fixed") == 2, running.told)
        assert sum("[unknown-key]" in line for line in running.err) == 1


# --- mistakes ---

BROKEN: dict[str, tuple[dict[str, str], str]] = {
    "configuration": ({"devlog.toml": 'title = "Lum\n'}, r"^devlog\.toml:1:"),
    "key": ({"devlog.toml": CONFIG + "[excerpt]\nwords = 'many'\n"}, r"^devlog\.toml:\d+:"),
    "theme": ({"devlog.toml": CONFIG + 'theme = "umbra"\n'}, r"unknown-theme"),
    "template": ({"templates/post.html": "{% if %}"}, r"^templates/post\.html:1:.* error\[template-error\]"),
    "base": ({"templates/base.html": "{% block x %}"}, r"^templates/base\.html:1:.* error\[template-error\]"),
    "text": ({FILE: TEXT.replace("title:", "title: [")}, rf"^{re.escape(FILE)}:\d+:?\d*: error"),
    "size": ({FILE: TEXT + "a\n" * (1 << 20)}, rf"^{re.escape(FILE)}: error\[too-large\]"),
    "registry": ({"content/authors.yml": "a: [\n"}, r"^content/authors\.yml:\d+"),
    "same address": (
        {"content/kernels/c.md": TEXT.replace("tags:", "url: /kernels/2026-05-04-a/\ntags:")},
        r"error\[",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", BROKEN)
def test_mistakes(root: Path, what: str) -> None:
    """The last good page stays, edits go on where they can, and what is fixed is shown."""
    files, problem = BROKEN[what]
    with serving(root) as running:
        good = running.page()
        key = re.search(r'data-key="(.*?)"', running.get().body.decode())
        assert key
        listener = Listener(running.port, PATH)
        assert listener.next()["problems"] == []
        running.write(next(iter(files)), next(iter(files.values())))
        line = running.until_told(problem)
        update = listener.next()
        while not update["problems"]:
            update = listener.next()
        assert any(f"[{item['code']}]" in line for item in update["problems"])
        assert update["changed"] == {}
        assert running.page() == good
        assert f'data-key="{key[1]}"' in running.get().body.decode()
        other = f"{BASE}kernels/2026-05-05-b/"
        running.edit("for a day", "for a month", "content/kernels/2026-05-05-b.md")
        running.until_page("for a month", other)
        fix(root, next(iter(files)))
        running.until_told("^  all problems are fixed$")
        while (update := listener.next())["problems"]:
            pass
        running.edit("for a day", "for a week")
        running.until_page("for a week")
        listener.close()
        assert "Traceback" not in running.told()
        assert running.end() == 0


def fix(root: Path, file: str) -> None:
    if file in SITE:
        write_site(root, {file: SITE[file]})
    else:
        (root / file).unlink()


@pytest.mark.slow
@pytest.mark.parametrize("what", BROKEN)
def test_a_site_that_begins_broken(root: Path, what: str, tmp_path: Path) -> None:
    files, problem = BROKEN[what]
    write_site(root, files)
    with serving(root) as running:
        running.until_told(problem)
        assert running.get().status in {200, 404, 500, 503}
        fix(root, next(iter(files)))
        running.until_told("^  all problems are fixed$")
        until(lambda: running.get().status == 200, running.told)
        running.edit("for a day", "for a week")
        running.until_page("for a week")
        # An address that the configuration was to tell came too late for the one that was printed.
        base = running.page(BASE)
        assert "Under the log" in base
        assert "Traceback" not in running.told()


@pytest.mark.slow
def test_a_template_that_fails_when_it_is_used(root: Path) -> None:
    fails = "{% extends 'base.html' %}{% block main %}{{ nothing.at.all }}{% endblock %}"
    with serving(root) as running:
        good = running.page()
        listener = Listener(running.port, PATH)
        listener.next()
        running.write("templates/post.html", fails)
        running.until_told(r"template-error")
        update = listener.next()
        while not update["problems"]:
            update = listener.next()
        assert update["problems"][0]["path"] == "templates/post.html"
        assert running.page() == good
        running.write("templates/post.html", fails.replace("nothing.at.all", "7 * 6"))
        running.until_page("42")
        while listener.next()["problems"]:
            pass
        listener.close()


@pytest.mark.slow
def test_content_that_comes_and_goes(tmp_path: Path) -> None:
    root = tmp_path / "site"
    write_site(root, {"devlog.toml": CONFIG})
    with serving(root) as running:
        running.until_told(r"^content: error\[missing-folder\]")
        assert running.get().status == 404
        (root / "content").mkdir()
        running.until_told(r"^\d\d:\d\d:\d\d .*content")
        write(root)
        running.until_page("Under the log")
        (root / "content").rename(tmp_path / "away")
        running.until_told(r"showing the last successful build")
        assert "Under the log" in running.page()
        (tmp_path / "away").rename(root / "content")
        running.edit("for a day", "for a week")
        running.until_page("for a week")


@pytest.mark.slow
def test_another_base_url(root: Path) -> None:
    with serving(root) as running:
        assert running.get("/").one("location") == BASE
        running.write("devlog.toml", CONFIG.replace(BASE, "/logs/"))
        running.until_page("Under the log", PATH.replace(BASE, "/logs/"))
        assert running.get().status == 404
        assert running.get("/").one("location") == "/logs/"
        assert f'href="http://127.0.0.1:{running.port}/logs/' in running.page("/logs/")
        running.edit("for a day", "for a week")
        running.until_page("for a week", PATH.replace(BASE, "/logs/"))


@pytest.mark.slow
def test_other_folders(root: Path) -> None:
    """What the configuration names is followed from then on."""
    with serving(root) as running:
        write_site(root, {"texts/kernels/_index.md": "---\ntitle: K\n---\n", "texts/kernels/2026-05-04-a.md": TEXT})
        running.write("devlog.toml", CONFIG + 'content = "texts"\nstatic = "files"\n')
        until(lambda: running.get(f"{BASE}kernels/2026-05-05-b/").status == 404, running.told)
        running.edit("for a day", "for a week", "texts/kernels/2026-05-04-a.md")
        running.until_page("for a week")
        running.write("files/more.txt", "more")
        until(lambda: running.get(f"{BASE}more.txt").body == b"more", running.told)
        told(running, 3)
        running.edit("for a day", "for a month")  # in what is no part of the site now
        running.write("files/more.txt", "and more")
        until(lambda: running.get(f"{BASE}more.txt").body == b"and more", running.told)
        told(running, 4)


@pytest.mark.slow
def test_an_own_theme(root: Path) -> None:
    theme = {
        "themes/plain/theme.toml": 'name = "plain"\nextends = "default"\n',
        "themes/plain/templates/404.html": "{% extends 'base.html' %}{% block main %}Plain{% endblock %}",
        "themes/plain/static/plain.css": "p { margin: 0 }",
    }
    write_site(root, theme)
    with serving(root) as running:
        running.write("devlog.toml", CONFIG + 'theme = "plain"\n')
        running.until_page("Plain", f"{BASE}nothing/", 404)
        running.edit("Plain", "Plainer", "themes/plain/templates/404.html")
        running.until_page("Plainer", f"{BASE}nothing/", 404)
        listener = Listener(running.port, PATH)
        listener.next()
        running.write("themes/plain/static/plain.css", "p { margin: 1px }")
        update = listener.next()
        assert [file.rpartition("/")[2] for file in update["files"]] == ["plain.css"]
        assert running.get(update["files"][0]).body == b"p { margin: 1px }"
        listener.close()


# --- nothing is written ---


@pytest.mark.slow
def test_it_writes_nothing(root: Path, tmp_path: Path) -> None:
    """Nothing anywhere but in ``.devlog``, whatever is asked for and whatever changes."""
    write_site(root, {"public/index.html": "built before", "public/old/index.html": "built before"})
    (tmp_path / "home").mkdir()
    places = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "home")}
    places |= {"XDG_CACHE_HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "home")}
    own = (root / ".devlog").relative_to(tmp_path).as_posix()

    def tree() -> dict[str, bytes]:
        return {path: data for path, data in read_tree(tmp_path).items() if not path.startswith(own)}

    before = tree()
    with serving(root, **places) as running:
        for path in (
            BASE,
            PATH,
            f"{BASE}index.xml",
            f"{BASE}sitemap.xml",
            f"{BASE}extra.css",
            f"{BASE}../x",
            "/%2e%2e/",
        ):
            running.get(path)
        assert running.get(f"{BASE}old/").status == 404
        running.edit("for a day", "for a week")
        running.until_page("for a week")
        running.write("templates/post.html", "{% if %}")
        running.until_told("template-error")
        (root / "templates/post.html").unlink()
        (root / "templates").rmdir()
        running.until_told("all problems are fixed")
        assert running.end() == 0
    after = tree()
    assert after.pop(f"site/{FILE}") == TEXT.replace("for a day", "for a week").encode()
    del before[f"site/{FILE}"]
    assert after == before


@pytest.mark.slow
def test_a_folder_that_cannot_be_written(root: Path) -> None:
    """Where nothing can be remembered, the preview goes on without."""
    (root / ".devlog").write_text("not a folder")
    with serving(root) as running:
        running.edit("for a day", "for a week")
        running.until_page("for a week")
        assert "Traceback" not in running.told()


# --- together with others ---


@pytest.mark.slow
def test_two_previews_and_a_build(root: Path, tmp_path: Path) -> None:
    with serving(root) as one, serving(root) as two:
        assert one.port != two.port
        for number in range(5):
            one.edit(f"for a day{number or ''}", f"for a day{number + 1}")
            for running in (one, two):
                running.until_page(f"for a day{number + 1}")
            done = devlog(root, "build")
            assert done.returncode == 0, done.stderr
            built = (root / "public/kernels/2026-05-04-a/index.html").read_text("utf-8")
            assert f"for a day{number + 1}" in built
        for running in (one, two):
            assert_as_built(running, tmp_path / str(running.port))
            assert len(told(running, 5)) == 5
            assert running.end() == 0


# --- large sites, and texts that take too long ---


@pytest.mark.slow
def test_many_new_texts(root: Path, tmp_path: Path) -> None:
    """They are read behind the first page, which is right nevertheless, as every page is in the end."""
    body = "The planner reads the [other](2026-05-04-a.md) log.\n\n## Part\n\n```python\nx = 1\n```\n\n" * 3
    for number in range(300):
        name = f"content/kernels/2026-{number % 12 + 1:02}-{number % 28 + 1:02}-n{number:03}.md"
        write_site(root, {name: TEXT.replace("Under the log", f"Log {number}") + f"\nText {number}.\n\n{body}"})
    with serving(root) as running:
        first = running.page(f"{BASE}kernels/2026-05-13-n124/")
        feed = running.get(f"{BASE}index.xml").body
        home = running.page(BASE)
        listener = Listener(running.port, PATH)
        listener.next()
        running.until_told("302 posts, 30[0-9] posts still loading")
        running.until_told("all posts are loaded")
        assert sum("all posts are loaded" in line for line in running.err) == 1
        built = as_built(root, running.address, tmp_path / "built")
        assert built["kernels/2026-05-13-n124/index.html"].decode() == first
        assert built["index.xml"] == feed
        assert built["index.html"].decode() == home
        for path, data in built.items():
            if path.endswith(".html"):
                assert running.page(BASE + path.removesuffix("index.html")) == data.decode(), (path, running.told())
            elif not path.startswith("."):
                assert running.get(BASE + path).body == data, (path, running.told())
        running.edit("for a day", "for a week")
        while PATH not in listener.next()["changed"]:
            pass
        listener.close()
        assert running.end() == 0
        until(lambda: not running.has_group(), "it leaves no child")
    with serving(root) as running:  # what was read is remembered
        assert running.until_told("Previewing")
        assert "still loading" not in running.told()


SLOW = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.mark.slow
def test_a_page_that_takes_too_long(root: Path) -> None:
    with serving(root) as running:
        good = running.page()
        running.write("templates/post.html", "{% extends 'base.html' %}{% block main %}" + SLOW + "{% endblock %}")
        until(running.changes, running.told)
        answers: list[str] = []
        asking = threading.Thread(target=lambda: answers.append(running.page()))
        asking.start()
        assert running.get(f"{BASE}extra.css").status == 200  # others do not wait
        asking.join()
        assert answers == [good]
        (root / "templates/post.html").unlink()
        running.edit("for a day", "for a week")
        running.until_page("for a week")
        assert running.end() == 0


@pytest.mark.slow
def test_texts_that_take_long(root: Path) -> None:
    """Whether there is time for such a text or not, the preview goes on."""
    with serving(root) as running:
        for number, text in enumerate(("*a _b **c __d " * 60_000, "a&b" * 200_000 + "[" * 200_000, "> " * 200_000)):
            running.write(FILE, TEXT + text)
            until(lambda number=number: len(running.changes()) > 2 * number, running.told)
            assert running.get().status == 200
            running.write(FILE, TEXT + f"Text {number}.\n")
            running.until_page(f"Text {number}.")
        assert "Traceback" not in running.told()
        assert running.end() == 0


@pytest.mark.slow
def test_it_ends_while_a_page_takes_long(root: Path) -> None:
    write_site(root, {"templates/post.html": SLOW})
    with serving(root) as running, connect(running.port) as client:
        client.sendall(f"GET {PATH} HTTP/1.1\r\nHost: localhost:{running.port}\r\n\r\n".encode())
        running.get(f"{BASE}extra.css")
        assert running.end() == 0
        assert "Traceback" not in running.told()


# --- the time ---


@pytest.mark.slow
def test_a_post_appears_at_its_time(root: Path) -> None:
    """Without a change of any file."""
    moment = (datetime.now(UTC) + timedelta(seconds=6)).isoformat(timespec="seconds")
    later = TEXT.replace("date: 2026-05-04\n", f'date: 2026-05-04\npublishDate: "{moment}"\n')
    (root / FILE).write_text(later, "utf-8")
    with serving(root, "--no-drafts") as running:
        running.until_page("", status=404)
        running.until_page("The planner reads", status=200)
        assert datetime.now(UTC) >= datetime.fromisoformat(moment)
