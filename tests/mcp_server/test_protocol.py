"""`devlog mcp` as programs meet it: the official client, a process, and nothing but the protocol on its output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO, Any

import pytest
from click.testing import CliRunner
from lumen_log import SECRET, lumen_log
from sites import write_site
from steps import steps
from test_tools import HOSTILE, WARM, open_log

from devlog.cli import main
from devlog.mcp_server.site_snapshot import SCHEME

pytest.importorskip("mcp", reason="needs the extra mcp: pip install -e '.[dev]'")

import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from devlog.mcp_server.server import make_server

PACKAGE = Path(__file__).parents[2]
SECONDS = 60


def talk(root: Path, conversation: Callable[[Client], Awaitable[None]], *options: str, mode: str = "auto") -> str:
    """Start a server, talk to it, and end it; returns what it wrote to its log."""

    async def session() -> str:
        with tempfile.TemporaryFile("w+") as log:
            server = StdioServerParameters(
                command=sys.executable,
                args=["-m", "devlog", "mcp", "--root", str(root), *options],
                env={"PYTHONPATH": os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])},
            )
            async with Client(stdio_client(server, errlog=log), mode=mode, read_timeout_seconds=SECONDS) as client:
                await conversation(client)
            log.seek(0)
            return log.read()

    return asyncio.run(asyncio.wait_for(session(), 2 * SECONDS))


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


async def called(client: Client, name: str, **arguments: Any) -> types.CallToolResult:
    return await client.call_tool(name, arguments)


@pytest.mark.feature("markdown_versions", "reading_paths", "source_references")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_conversation(tmp_path: Path, mode: str) -> None:
    """From what there is to one section of one post, in both generations of the protocol."""
    root = lumen_log(tmp_path)

    async def conversation(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [
            "search_posts",
            "read_post",
            "list_topics",
            "list_recent",
            "list_paths",
            "posts_about",
        ]
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)

        found = await called(client, "search_posts", query="recompile_limit")
        assert not found.is_error
        first = found.structured_content["results"][0]
        assert (first["id"], first["source"]) == (WARM, f"content/{WARM}")
        assert first["line"] in range(10, 13)
        assert json.loads(text_of(found)) == found.structured_content

        read = await called(client, "read_post", post=first["url"])
        assert "Small print." in text_of(read)

        topics = await called(client, "list_topics")
        assert [topic["topic"] for topic in topics.structured_content["topics"]] == ["engine/cache", "engine"]
        recent = await called(client, "list_recent", topic="engine/cache")
        assert [post["title"] for post in recent.structured_content["posts"]] == ["Evicting lines"]
        about = await called(client, "posts_about", what="#185998")
        assert about.structured_content["references"][0]["posts"][0]["source"] == f"content/{WARM}"

    assert talk(root, conversation, mode=mode) == ""


@pytest.mark.slow
@pytest.mark.feature("source_references")
def test_searching(tmp_path: Path) -> None:
    root = lumen_log(tmp_path)

    async def conversation(client: Client) -> None:
        async def titles(**arguments: Any) -> list[str]:
            found = await called(client, "search_posts", **arguments)
            assert not found.is_error, text_of(found)
            return [hit["title"] for hit in found.structured_content["results"]]

        assert await titles(query="oldest line") == ["Evicting lines"]
        assert await titles(query="the", topic="engine/cache") == ["Evicting lines"]
        assert await titles(query="the", tag="speed") == ["Warm starts"]
        assert await titles(query="the", author="@boreed") == ["Evicting lines"]
        assert await titles(query="the", since="2026-05-05", topic="engine") == ["Evicting lines"]
        assert await titles(query="unripe") == []
        assert await titles(query="zzzzz") == []
        assert len(await titles(query="the", limit=1)) == 1
        for odd in ('"', "AND OR NOT", "a* NEAR(b", "'; DROP TABLE x; --", "(", "\0", "🦀", "-", "x" * 2000):
            assert isinstance(await titles(query=odd), list)
        about = await called(client, "posts_about", what="oldest line")
        assert about.structured_content["results"][0]["title"] == "Evicting lines"
        assert about.structured_content["note"] == "no post refers to it; these contain its words"

        write_site(root, {f"content/{WARM}": "---\ntitle: Warm starts\n---\n\nA zebra crossed the cache.\n"})
        await asyncio.sleep(1.2)  # for a second, files are not looked at again
        assert await titles(query="zebra") == ["Warm starts"]

        (root / "content").rename(root / "elsewhere")
        await asyncio.sleep(1.2)
        assert await titles(query="zebra") == ["Warm starts"]  # the last good state is searched, as it is listed

    assert talk(root, conversation) == ""


@pytest.mark.slow
def test_drafts_if_they_are_wanted(tmp_path: Path) -> None:
    async def conversation(client: Client) -> None:
        found = await called(client, "search_posts", query="unripe")
        assert [hit["title"] for hit in found.structured_content["results"]] == ["Not finished"]

    talk(lumen_log(tmp_path), conversation, "--drafts")


@pytest.mark.slow
def test_a_page_of_resources_costs_as_much_however_many_there_are(tmp_path: Path) -> None:
    def work(count: int) -> int:
        posts = {f"content/2026-04-01-p{number}.md": f"---\ntitle: P{number}\n---\n" for number in range(count)}
        log = open_log(write_site(lumen_log(tmp_path / str(count)), posts))
        snapshot = log.snapshot()

        async def ask(question: Callable[..., Any]) -> Any:
            return question(snapshot, lambda *_: ())

        handler = make_server(ask, "").get_request_handler("resources/list")
        assert handler
        listing: Any = handler.handler
        taken = steps(lambda: asyncio.run(listing(None, types.PaginatedRequestParams(cursor="50"))))
        log.close()
        return taken

    assert work(800) < 1.5 * work(100)


@pytest.mark.slow
@pytest.mark.feature("markdown_versions")
def test_resources(tmp_path: Path) -> None:
    posts = {f"content/engine/2026-04-01-p{number}.md": f"---\ntitle: P{number}\n---\n\nOne.\n" for number in range(60)}
    posts["content/engine/2026-04-02-long.md"] = f"---\ntitle: Long{'g' * 900}\n---\n\n" + "A line.\n\n" * 9000
    root = write_site(lumen_log(tmp_path), posts)

    async def conversation(client: Client) -> None:
        listed: list[types.Resource] = []
        cursor = None
        while True:
            page = await client.list_resources(cursor=cursor)
            assert len(page.resources) <= 50
            listed += page.resources
            cursor = page.next_cursor
            if not cursor:
                break
        assert len({item.uri for item in listed}) == len(listed) == 64
        assert all(len(item.title or "") <= 200 for item in listed)
        assert listed[0].title == "Evicting lines"
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template.startswith(SCHEME)

        (content,) = (await client.read_resource(f"{SCHEME}{WARM}")).contents
        assert isinstance(content, types.TextResourceContents)
        assert content.mime_type == "text/markdown"
        assert "Measuring." in content.text
        long = f"{SCHEME}engine/2026-04-02-long.md"
        for uri, end in ((long, " for the rest]"), (f"{long}?offset=70000", ": this is the end]")):
            note, content = (await client.read_resource(uri)).contents
            assert isinstance(note, types.TextResourceContents)
            assert isinstance(content, types.TextResourceContents)
            assert note.text.endswith(end)
            assert len(content.text) < 25_000
        called = await client.call_tool("read_post", {"post": "engine/2026-04-02-long.md"})
        note, content = called.content
        assert isinstance(note, types.TextContent)
        assert isinstance(content, types.TextContent)
        assert note.text.endswith(" for the rest]")

        for uri in (
            *HOSTILE[:20],
            f"{SCHEME}../outside.md",
            f"{SCHEME}{WARM}?offset=-1",
            f"{SCHEME}{WARM}?offset=9{'9' * 9}",
            f"{SCHEME}{WARM}?offset=-1&a=1&b=1&c=1&d=1&e=1",
        ):
            with pytest.raises(MCPError) as error:
                await client.read_resource(uri)
            assert "devlog has failed" not in str(error.value.error)
            assert SECRET not in str(error.value.error)
        with pytest.raises(MCPError):
            await client.list_resources(cursor="-1")

    assert talk(root, conversation) == ""


@pytest.mark.slow
@pytest.mark.feature("markdown_versions", "reading_paths", "source_references")
def test_no_answer_leaves_the_site_or_names_the_machine(tmp_path: Path) -> None:
    """Whatever is asked, whatever is wrong: no secret, no path, no traceback, and the server goes on."""
    root = lumen_log(tmp_path)
    (root / "content/engine/2026-05-08-link.md").symlink_to(tmp_path / "outside.md")
    write_site(root, {"content/engine/2026-05-08-broken.md": "---\ntitle: [\n---\n\nBroken.\n"})
    answers: list[str] = []

    async def conversation(client: Client) -> None:
        for name in HOSTILE:
            read = await called(client, "read_post", post=name)
            assert read.is_error, name
            answers.append(text_of(read))
            for tool, argument in (("posts_about", "what"), ("search_posts", "query")):
                answers.append(text_of(await called(client, tool, **{argument: name})))
            for tool, argument in (("list_recent", "topic"), ("list_recent", "tag"), ("list_recent", "author")):
                answers.append(text_of(await called(client, tool, **{argument: name})))
        for arguments in ({"post": None}, {"post": []}, {"post": {"$ref": "x"}}, {"post": WARM, "offset": 10**30}):
            read = await client.call_tool("read_post", arguments)
            assert read.is_error
            answers.append(text_of(read))
        with pytest.raises(MCPError):
            await called(client, "delete_post", post=WARM)
        everything = await called(client, "list_recent", limit=50)
        answers.append(text_of(everything))
        assert not everything.is_error

    log = talk(root, conversation)
    assert "Traceback" not in log
    for answer in answers:
        assert SECRET not in answer
        assert str(tmp_path) not in answer
        assert "Traceback" not in answer
        assert len(answer) < 25_000


@pytest.mark.slow
def test_a_site_that_cannot_be_read_is_a_clear_answer(tmp_path: Path) -> None:
    root = write_site(tmp_path, {"devlog.toml": "title = ", "content/a.md": "# A"})

    async def conversation(client: Client) -> None:
        answer = await called(client, "list_topics")
        assert answer.is_error
        assert text_of(answer).startswith("devlog.toml:1: this is not valid TOML")
        (root / "devlog.toml").write_text('title = "Fixed"')
        assert not (await called(client, "list_topics")).is_error

    assert "Traceback" not in talk(root, conversation)


@pytest.mark.slow
def test_standard_output_carries_nothing_but_the_protocol(tmp_path: Path) -> None:
    """Not even when a plugin of the site prints, and not when what comes in is no message."""
    root = lumen_log(tmp_path)
    plugin = "from devlog.plugin import Plugin\nprint('hello from the plugin')\nplugin = Plugin('chatty')\n"
    config = (root / "devlog.toml").read_text().replace("[authors", 'plugins = ["chatty.py"]\n[authors')
    write_site(root, {"chatty.py": plugin, "devlog.toml": config})
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_topics", "arguments": {}}}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with subprocess.Popen(
        [sys.executable, "-m", "devlog", "mcp", "--root", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
    ) as server:
        assert server.stdin
        assert server.stdout
        for message in (json.dumps(hello), json.dumps(ready), "this is no message", "{}", json.dumps(ask)):
            server.stdin.write(message + "\n")
            server.stdin.flush()
        lines = []
        while not any(json.loads(line).get("id") == 2 for line in lines):
            lines.append(server.stdout.readline())
        server.stdin.close()
        lines += server.stdout.readlines()
        assert server.wait(SECONDS) == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)


@pytest.mark.slow
def test_code_that_changes_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server goes on with the code that it has, whatever is asked."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    plugin = "import rowing_helper\nfrom devlog.plugin import Plugin\nplugin = Plugin('rowing')\n"
    write_site(tmp_path, {"rowing_helper.py": "WORD = 1\n"})
    site = {"devlog.toml": 'title = "Lumen"\nplugins = ["p.py"]\n', "p.py": plugin}
    root = write_site(tmp_path / "site", {**site, "content/engine/_index.md": "---\ntitle: Engine\n---\n"})

    async def conversation(client: Client) -> None:
        await called(client, "list_topics")
        write_site(tmp_path, {"rowing_helper.py": "WORD = 2\n"})
        for number in range(2):
            write_site(root, {f"content/engine/2026-05-0{number + 1}-a.md": "---\ntitle: A\nauthor: Ada\n---\nText.\n"})
            while f'"posts": {number + 1}' not in text_of(await called(client, "list_topics")):
                await asyncio.sleep(0.05)

    said = talk(root, conversation)
    assert said.count("Code has changed since the start: rowing_helper. Restart devlog to run it") == 1


@pytest.mark.slow
def test_who_sends_what_is_no_message_is_told_so(tmp_path: Path) -> None:
    """Half a surrogate pair is valid JSON for many programs: they would wait for their answer forever."""
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    search = {"name": "search_posts", "arguments": {"query": "half \ud83d"}}
    lines = {
        json.dumps({**call, "id": 1, "params": search}): (1, types.PARSE_ERROR),
        json.dumps({**call, "id": "two", "params": search}): ("two", types.PARSE_ERROR),
        json.dumps({**call, "id": "\ud83d", "params": search}): (None, types.PARSE_ERROR),
        json.dumps({**call, "id": 3, "params": {"a": json.loads("[" * 400 + "]" * 400)}}): (3, types.PARSE_ERROR),
        "[" * 100_000: (None, types.PARSE_ERROR),
        "this is no message": (None, types.PARSE_ERROR),
        "{}": (None, types.INVALID_REQUEST),
        json.dumps([{**call, "id": 4}]): (None, types.INVALID_REQUEST),
        json.dumps({**call, "id": 5, "params": 5}): (5, types.INVALID_REQUEST),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/\ud83d"}): None,
        json.dumps({"jsonrpc": "2.0", "id": 6, "result": "\ud83d"}): None,
        json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [7]}}): None,
        json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}): None,
        " ": None,
        '{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}': (None, types.INVALID_REQUEST),
        '{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}': (None, types.INVALID_REQUEST),
        json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping"}): (7, 0),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "devlog", "mcp", "--root", str(lumen_log(tmp_path))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
    ) as server:
        assert server.stdin
        assert server.stdout
        too_long = threading.Timer(SECONDS, server.kill)
        too_long.start()
        told = []
        for line, expected in lines.items():
            server.stdin.write(line + "\n")
            server.stdin.flush()
            if expected:
                told.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        assert server.stdout.read() == ""
        assert server.wait(SECONDS) == 0
        too_long.cancel()
    assert [(item["id"], item.get("error", {}).get("code", 0)) for item in told] == list(filter(None, lines.values()))


@pytest.mark.slow
def test_what_was_asked_before_the_end_of_input_is_answered(tmp_path: Path) -> None:
    """As a shell does it: all requests at once, and nothing after them."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "list_topics", "arguments": {}}}
    messages = [
        {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({**call, "id": number} for number in range(5)),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "devlog", "mcp", "--root", str(lumen_log(tmp_path))],
        input="".join(f"{json.dumps(message)}\n" for message in messages),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
    )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == {"hello", *range(5)}
    assert all("result" in answer for answer in answers.values())
    assert done.returncode == 0


def test_everything_is_closed_in_the_end(tmp_path: Path) -> None:
    """Python's development mode warned of a stream that was not."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-m", "devlog", "mcp", "--root", str(lumen_log(tmp_path))],
        input=f"{json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'ping'})}\n",
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
    )
    assert done.returncode == 0
    assert "ResourceWarning" not in done.stderr


def answering_into(stream: IO[str] | int, root: Path) -> subprocess.CompletedProcess[str]:
    """A server whose answers to lines that are no messages go into a stream."""
    return subprocess.run(
        [sys.executable, "-m", "devlog", "mcp", "--root", str(root)],
        input="this is no message\n" * 3,
        stdout=stream,
        stderr=subprocess.PIPE,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.slow
def test_answers_that_cannot_be_written(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = answering_into(full, lumen_log(tmp_path))
    assert (done.returncode, done.stderr) == (1, "Error: the output cannot be written: the disk is full\n")


@pytest.mark.slow
def test_who_has_gone_before_the_answer_leaves_no_traceback(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = answering_into(writing, lumen_log(tmp_path))
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_that_is_no_site(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["mcp", "--root", str(tmp_path)])
    assert done.exit_code == 1
    assert "no-site" in done.stderr
    assert not done.stdout


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("devlog.cli.mcp.find_spec", lambda _name: None)
    done = CliRunner().invoke(main, ["mcp", "--root", str(lumen_log(tmp_path))])
    assert done.exit_code == 1
    assert "[mcp]'" in done.output
    assert not done.stdout
