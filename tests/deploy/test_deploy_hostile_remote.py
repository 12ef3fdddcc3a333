"""What a hostile remote learns, and where it can lead a deployment."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, published, with_remote, wrong

OTHER = "a" * 40


@pytest.mark.slow
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_remote_learns_of_no_commit(tmp_path: Path, dry_run: bool) -> None:
    """Neither of those of the repository nor of those of a repository that it borrows objects from."""
    borrowed, _ = with_remote(tmp_path / "borrowed")
    with _asked() as (url, lines):
        root, _ = with_remote(tmp_path, f'{BRANCH}remote = "{url}"\n')
        (root / ".git/objects/info/alternates").write_text(f"{borrowed / '.git/objects'}\n")
        git(root, "update-ref", "refs/heads/unpublished", "HEAD")
        _, found = published(root, dry_run=dry_run)
    assert [item.code for item in found] == ["not-deployed"]
    assert any(line.startswith(f"want {OTHER}") for line in lines), "it has not fetched"
    assert [line for line in lines if line.startswith("have")] == []


@contextmanager
def _asked() -> Iterator[tuple[str, list[str]]]:
    """A server of git's own protocol with one branch that nobody has, and the lines that it gets."""
    lines: list[str] = []

    class Answering(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            flushes = 0
            self._line()
            self.wfile.write(_packet(f"{OTHER} refs/heads/gh-pages\0multi_ack side-band-64k ofs-delta\n") + b"0000")
            while (line := self._line()) is not None:
                lines.append(line)
                flushes += not line
                if line.startswith("done") or (not line and flushes > 1):
                    self.wfile.write(_packet("NAK\n"))
                if line.startswith("done"):
                    return

        def _line(self) -> str | None:
            """The next line; empty for a flush, `None` at the end."""
            head = self.rfile.read(4)
            return self.rfile.read(max(int(head, 16) - 4, 0)).decode() if len(head) == 4 else None

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answering) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"git://127.0.0.1:{server.server_address[1]}/lumen.git", lines
        server.shutdown()


def _packet(text: str) -> bytes:
    return b"%04x" % (len(text) + 4) + text.encode()


@pytest.mark.slow
@pytest.mark.parametrize("separator", ["\u2028", "\x85"])
def test_another_branch_does_not_pass_for_the_published_one(tmp_path: Path, separator: str) -> None:
    """Its name contains a character that Python takes for a line break, and ends in that of the published branch."""
    root, remote = with_remote(tmp_path)
    assert not published(root)[1]
    tip = git(remote, "rev-parse", "gh-pages").strip()
    git(remote, "update-ref", f"refs/heads/gh-pages{separator}/refs/heads/gh-pages", tip)
    assert published(root)[0][-1].startswith("No changes")
    git(remote, "update-ref", "-d", "refs/heads/gh-pages")
    lines, found = published(root)
    assert not found
    assert lines[-1].startswith("Published to the branch “gh-pages” of origin: ")
    assert git(remote, "rev-parse", "refs/heads/gh-pages")


@pytest.mark.slow
@pytest.mark.parametrize("advertised", [["HEAD\trefs/heads/gh-pages"], [f"{OTHER}\tX", "--output=x\tX"]])
def test_a_remote_names_commits_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, advertised: list[str]
) -> None:
    root, _ = with_remote(tmp_path)
    monkeypatch.setattr("devlog.deploy.git.Repository.talk", lambda *_: "\n".join(advertised))
    assert "the remote lists its branches in a way that git does not: “" in wrong(root)


@pytest.mark.slow
def test_a_remote_with_two_values_for_a_branch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = with_remote(tmp_path)
    answer = "\n".join(f"{letter * 40}\trefs/heads/gh-pages" for letter in "ab")
    monkeypatch.setattr("devlog.deploy.git.Repository.talk", lambda *_: answer)
    assert wrong(root).endswith("the remote has two branches “gh-pages”")


@pytest.mark.slow
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_remote_does_not_lead_to_another_one(tmp_path: Path, status: int) -> None:
    asked: list[str] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with _web(Other) as other:

        class Redirecting(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.send_header("Location", f"{other}{self.path}")
                self.end_headers()

        with _web(Redirecting) as url:
            root, _ = with_remote(tmp_path, f'{BRANCH}remote = "{url}/lumen.git"\n')
            _, (problem,) = published(root)
    assert f"returned error: {status}" in problem.message
    assert problem.hint == "the remote has moved: set its new URL, since devlog follows no redirects"
    assert asked == []


@contextmanager
def _web(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    handler.log_message = lambda *_: None  # type: ignore[method-assign, assignment]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
