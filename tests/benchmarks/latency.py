"""How long a writer waits: from the moment that a file is closed until its text is seen in a browser.

The previews of devlog and its peers run side by side, each with its own site of the same posts and its own tab in
Chromium. They are edited in turn: an edit waits until the one before it has been seen, and a random while longer. What
is timed ends with the second frame after the text has come into the document; the time until it is in the document is
told beside it. Both are read from the one clock of this machine, in the browser by whole milliseconds.

Every edit puts a new mark, such as `mark-17x`, in the place of the last one; the x is where its number ends, whatever
text comes next:

  body          into a paragraph in the middle of the newest post, whose file is truncated and written
  body_replace  the same, but a new file takes the place of the old one
  title         into that post's title, looked for in its heading
  tags          among its tags
  template      into the site's own footer, looked for on the post's page
  new_post      into the title of one more post, looked for on the home page

`first_page` is another kind of work: from the start of a preview until its home page has been answered, without
anything that an earlier run has kept, and with it. It needs no browser.

A peer's preview is at its best: what is unchanged is not rendered again, and it renders to memory.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from . import report
from .cache import CACHE
from .corpus import TEXT, FrontMatter, Post, front_matter, newest, write_devlog, write_post
from .peers import PEERS, NotInstalledError, Peer, with_authors
from .report import Waits, names, say
from .timing import ERRORS, FailedError
from .work import DEVLOG, REPOSITORY

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
OWN = "devlog"
BASE = "/devlogs/"
PATIENCE = 20.0
"""An edit that is not seen after so many seconds is missed."""
START_SECONDS = 600.0
"""A preview that has not answered by then has failed."""
END_SECONDS = 10.0
SETTLE = 1.0
"""Seconds for what a preview, or the script on its page, does after it has answered."""
PAUSES = (0.3, 0.8)
PARAGRAPH = 19
"""Which of a post's blocks an edit of the body extends: a paragraph in its middle."""
MOST = 150
"""More edits than that would date new posts later than today."""


class NoBrowserError(Exception):
    """Chromium or what drives it cannot be had; the message says why."""


@dataclass(frozen=True)
class Tool:
    """A live preview, and its site.

    Attributes:
        name: as the table shows it.
        command: starts it, in the site's folder; the port follows.
        folder: the site's, with `count` posts.
        head: how the site's posts begin.
        footer: the file in the site whose text is at the end of every page.
        whole: a path below the base that is answered once everything has been read.
        leavings: what it keeps in the folder from one run to the next.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    count: int
    head: FrontMatter
    footer: str
    whole: str
    leavings: tuple[str, ...]

    @property
    def post(self) -> Post:
        """The post that is edited: the newest."""
        return newest(self.count - 1)

    def forget(self) -> None:
        """Remove what an earlier run has kept."""
        for name in self.leavings:
            path = self.folder / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Amount:
    """How much is done: by devlog, and by each peer."""

    edits: int
    peer_edits: int
    warmup: int = 0
    starts: int = 1
    peer_starts: int = 1
    seed: int = 1

    def has_edit(self, tool: Tool, turn: int) -> bool:
        """Whether a tool's site is edited in a turn. A peer's fewer ones are spread evenly."""
        return spread_out(turn, self.edits, self.edits if tool.name == OWN else self.peer_edits)

    def has_start(self, tool: Tool, turn: int) -> bool:
        """The same for starts."""
        return spread_out(turn, self.starts, self.starts if tool.name == OWN else self.peer_starts)


def spread_out(turn: int, turns: int, chosen: int) -> bool:
    """Whether a turn is one of so many chosen ones among all."""
    return (turn + 1) * chosen // turns > turn * chosen // turns


def path_of(post: Post) -> str:
    """Where a post is found below the base."""
    return f"{post.topic}/{post.name}/"


def devlog(folder: Path, count: int) -> Tool:
    """devlog, with a new site."""
    shutil.rmtree(folder, ignore_errors=True)
    write_devlog(folder, count - 1)
    command = (*DEVLOG, "serve", "--no-open", "--port")
    tool = Tool(OWN, command, folder, count, front_matter, "templates/partials/footer.html", "posts.json", (".devlog",))
    return _finished(tool, (REPOSITORY / "themes" / "default" / tool.footer).read_text("utf-8"))


def rival(peer: Peer, folder: Path, count: int) -> Tool:
    """A peer with a new site: that of the other benchmarks, and a footer.

    Raises:
        NotInstalledError: it cannot be had.
    """
    program = peer.install()
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    peer.write(folder, count - 1, TEXT)
    for layout in sorted((folder / "layouts").rglob("*.html")):
        text = layout.read_text("utf-8")
        layout.write_text(text.replace("</body>", '{{ partial "footer.html" . }}\n</body>'), "utf-8")
    command = (*program, *peer.preview[:1], *peer.build, *peer.preview[1:])
    whole = path_of(newest(count - 1))
    return _finished(
        Tool(peer.name, command, folder, count, with_authors, "layouts/partials/footer.html", whole, peer.leavings),
        "<footer><p>Lumen DevLog</p></footer>\n",
    )


def _finished(tool: Tool, footer: str) -> Tool:
    """Write what all sites have beside the first posts of the corpus."""
    path = tool.folder / tool.footer
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(footer, "utf-8")
    write_post(tool.folder / "content", tool.post, tool.head)
    return tool


# -- previews


class Preview:
    """A running preview: a group of processes with a port."""

    def __init__(self, tool: Tool) -> None:
        """Start it; what was written before is on the disk first."""
        self.tool = tool
        self.port = free_port()
        self._log = tool.folder.with_name(f"{tool.folder.name}.log")
        os.sync()
        self.began = time.perf_counter()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*tool.command, str(self.port)],
                cwd=tool.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
                start_new_session=True,
            )

    def address(self, path: str) -> str:
        """The URL of a path below the base."""
        return f"http://127.0.0.1:{self.port}{BASE}{path}"

    def answered(self, path: str) -> float:
        """Wait until a path below the base is answered well; returns the seconds since the start.

        Raises:
            FailedError: it has ended, or takes too long.
        """
        while time.perf_counter() < self.began + START_SECONDS:
            if _status(self.port, BASE + path) == http.client.OK:
                return time.perf_counter() - self.began
            self.check()
            time.sleep(0.002)
        raise FailedError(f"{self.tool.name} has not answered {path or 'its home page'}")

    def check(self) -> None:
        """See that it runs.

        Raises:
            FailedError: it does not; the message holds the end of what it said.
        """
        if self._process.poll() is not None:
            said = self._log.read_text("utf-8", "replace").splitlines()[-ERRORS:]
            raise FailedError("\n".join([f"the preview ended with {self._process.returncode}", *said]))

    def end(self) -> None:
        """End all of its processes: as a writer would, and whatever is left by force."""
        self._signal(signal.SIGINT)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            say(f"{self.tool.name} has to be killed")
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return


@contextmanager
def running(tool: Tool) -> Iterator[Preview]:
    """A preview, and its end."""
    preview = Preview(tool)
    try:
        yield preview
    finally:
        preview.end()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _status(port: int, path: str) -> int:
    """The status of an answer that has been read to its end; 0 without one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()
    return answer.status


@contextmanager
def previews_of(sides: list[Tool]) -> Iterator[list[Preview]]:
    """Previews that have read everything; those that fail are reported, and taken out of `sides`."""
    with ExitStack() as stack:
        previews = []
        for tool in tuple(sides):
            preview = stack.enter_context(running(tool))
            try:
                preview.answered(tool.whole)
                previews.append(preview)
            except FailedError as error:
                sides.remove(tool)
                say(f"{tool.name} is left out: {error}")
        yield previews


def first_pages(sides: list[Tool], amount: Amount) -> Iterator[Waits]:
    """Start previews in turn until their home page is answered: with nothing kept, then with what that run kept.

    Rows come as soon as they are begun, and grow. A tool that fails is reported, and taken out of `sides`.
    """
    rows: dict[tuple[str, str], Waits] = {}
    for turn in range(amount.starts):
        for tool in [side for side in sides if amount.has_start(side, turn)]:
            tool.forget()
            for state in ("cold", "warm"):
                try:
                    milliseconds = first_page(tool)
                except FailedError as error:
                    sides.remove(tool)
                    say(f"{tool.name} is left out: {error}")
                    break
                say(f"first page, {state}: {tool.name} {milliseconds:.0f} ms")
                if (state, tool.name) not in rows:
                    rows[state, tool.name] = Waits(f"first page, {state}, {tool.count:,} posts", tool.name)
                    yield rows[state, tool.name]
                rows[state, tool.name].painted.append(milliseconds)


def first_page(tool: Tool) -> float:
    """Milliseconds from the start of a preview until its home page has been answered.

    Raises:
        FailedError: it has not been.
    """
    with running(tool) as preview:
        seconds = preview.answered("")
        preview.answered(tool.whole)
        time.sleep(SETTLE)  # what it keeps for the next start is written now
        return seconds * 1000


# -- edits


@dataclass(frozen=True)
class Work:
    """A kind of edits.

    Attributes:
        page: what the tab shows, as a path below the base.
        selector: the elements in which the mark is looked for.
        change: the file that gets the mark, and its new text.
        replace: whether the file is put in the place of the old one, instead of being written over.
    """

    page: Callable[[Tool], str]
    selector: str
    change: Callable[[Tool, str, int], tuple[Path, str]]
    replace: bool = False


def _of_post(tool: Tool, post: Post) -> tuple[Path, str]:
    return tool.folder / "content" / post.topic / f"{post.name}.md", tool.head(post) + post.body


def _body(tool: Tool, mark: str, turn: int) -> tuple[Path, str]:
    blocks = tool.post.body.split("\n\n")
    blocks[PARAGRAPH] += f" We now set {mark} here."
    return _of_post(tool, replace(tool.post, body="\n\n".join(blocks)))


def _title(tool: Tool, mark: str, turn: int) -> tuple[Path, str]:
    return _of_post(tool, replace(tool.post, title=f"{tool.post.title} {mark}"))


def _tags(tool: Tool, mark: str, turn: int) -> tuple[Path, str]:
    return _of_post(tool, replace(tool.post, tags=(*tool.post.tags, mark)))


def _template(tool: Tool, mark: str, turn: int) -> tuple[Path, str]:
    path = tool.folder / tool.footer
    return path, path.read_text("utf-8").partition("<p>Mark: ")[0] + f"<p>Mark: {mark}</p>\n"


def _new_post(tool: Tool, mark: str, turn: int) -> tuple[Path, str]:
    one = newest(tool.count + turn)
    day = one.day + timedelta(days=1 + turn)
    name = f"{day.isoformat()}-{one.topic}-{tool.count + turn}"
    return _of_post(tool, replace(one, day=day, name=name, title=f"{one.title} {mark}"))


def _post_page(tool: Tool) -> str:
    return path_of(tool.post)


KINDS = {
    "body": Work(_post_page, "body", _body),
    "body_replace": Work(_post_page, "body", _body, replace=True),
    "title": Work(_post_page, "h1", _title),
    "tags": Work(_post_page, "body", _tags),
    "template": Work(_post_page, "body", _template),
    "new_post": Work(lambda _: "", "body", _new_post),
}
FIRST_PAGE = "first_page"

PROBE = """
(() => {
  const SELECTOR = %(selector)s;
  const found = new Map(); /* mark -> when it came into the document */

  const elements = () => [...document.querySelectorAll(SELECTOR)];
  const marksIn = (texts) => texts.flatMap((text) => text.match(/mark-\\d+x/g) || []);
  const present = () => marksIn(elements().map((one) => one.textContent));
  const visible = () => /* the inner text of what is hidden as a whole would be all its text */
    marksIn(elements().filter((one) => one.checkVisibility()).map((one) => one.innerText));

  /* Within the second frame after the change, the first has been painted. What is hidden is waited for. */
  function shown(mark) {
    const now = Date.now();
    if (visible().includes(mark)) {
      window.markSeen(mark, found.get(mark), now);
    } else if (present().includes(mark)) {
      requestAnimationFrame(() => shown(mark));
    } else {
      found.delete(mark);
    }
  }

  function look() {
    for (const mark of present()) {
      if (!found.has(mark)) {
        found.set(mark, Date.now());
        requestAnimationFrame(() => requestAnimationFrame(() => shown(mark)));
      }
    }
  }

  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
})();
"""
"""Runs in every document of a tab before the page's own scripts, so that a tab may load its page again."""


def probe(selector: str) -> str:
    """The script that tells when marks are seen in some elements."""
    return PROBE % {"selector": json.dumps(selector)}


@dataclass(frozen=True)
class Sighting:
    """When a mark came into the document, and when it was painted: milliseconds of the system's clock."""

    found: float
    painted: float


@dataclass
class Tab:
    """A page that is looked at; it knows the first sighting of each mark."""

    page: Page
    preview: Preview
    sightings: dict[str, Sighting] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def saw(self, mark: str, found: float, painted: float) -> None:
        """The page tells that a mark is there."""
        self.sightings.setdefault(mark, Sighting(found, painted))
        self._news.set()

    async def sighting(self, mark: str) -> Sighting | None:
        """Wait for a mark; `None` if it is not seen in time."""
        try:
            async with asyncio.timeout(PATIENCE):
                while mark not in self.sightings:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return None
        return self.sightings[mark]


async def opened(browser: Browser, preview: Preview, work: Work) -> Tab:
    """A tab that shows the work's page and listens for changes."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    tab = Tab(page, preview)
    await page.expose_function("markSeen", tab.saw)
    await page.add_init_script(probe(work.selector))
    await page.goto(preview.address(work.page(preview.tool)))
    return tab


def save(path: Path, text: str, *, as_new: bool) -> int:
    """Write a file, over the old one or as a new one in its place; returns the time when that was done, in ns."""
    target = path.with_name(f".{path.name}.new") if as_new else path
    with target.open("wb") as file:
        file.write(text.encode())
    if as_new:
        target.replace(path)
    return time.time_ns()


class Session:
    """Edits of all sites in turn, before the eyes of one browser."""

    def __init__(self, browser: Browser, previews: list[Preview], amount: Amount) -> None:
        """`previews`: those that fail are taken out."""
        self._browser = browser
        self._previews = previews
        self._amount = amount
        self._random = random.Random(amount.seed)
        self._marks = 0

    async def do(self, kind: str, rows: list[Waits]) -> None:
        """Do one kind of work. Its rows are added as soon as they are begun, and grow."""
        work, amount = KINDS[kind], self._amount
        tabs = [await opened(self._browser, preview, work) for preview in self._previews]
        await asyncio.sleep(SETTLE)
        begun: dict[str, Waits] = {}
        for turn in range(-amount.warmup, amount.edits):
            for tab in tabs:
                tool = tab.preview.tool
                counted = turn >= 0
                if tab.preview not in self._previews or (counted and not amount.has_edit(tool, turn)):
                    continue
                if counted and tool.name not in begun:
                    begun[tool.name] = Waits(f"{kind.replace('_', ' ')}, {tool.count:,} posts", tool.name)
                    rows.append(begun[tool.name])
                await self._edit(tab, kind, amount.warmup + turn, begun.get(tool.name))
        for tab in tabs:
            await tab.page.context.close()

    async def _edit(self, tab: Tab, kind: str, turn: int, row: Waits | None) -> None:
        tool = tab.preview.tool
        self._marks += 1
        mark = f"mark-{self._marks}x"
        path, text = KINDS[kind].change(tool, mark, turn)
        closed = save(path, text, as_new=KINDS[kind].replace) / 1e6
        sighting = await tab.sighting(mark)
        if sighting is None:
            say(f"{kind}: {tool.name} is not seen to follow")
            await self._after_miss(tab)
        else:
            say(f"{kind}: {tool.name} {sighting.painted - closed:.0f} ms{'' if row else ', not counted'}")
        if row and sighting:
            row.found.append(sighting.found - closed)
            row.painted.append(sighting.painted - closed)
        elif row:
            row.missed += 1
        await asyncio.sleep(self._random.uniform(*PAUSES))

    async def _after_miss(self, tab: Tab) -> None:
        """Load the page anew, so that only this edit is lost; without its preview, so are all others."""
        from playwright.async_api import Error

        try:
            tab.preview.check()
            await tab.page.reload(timeout=PATIENCE * 1000)
        except FailedError as error:
            self._previews.remove(tab.preview)
            say(f"{tab.preview.tool.name} is left out: {error}")
        except Error as error:
            say(f"{tab.preview.tool.name}: {error.message.splitlines()[0]}")


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser, and its end.

    Raises:
        NoBrowserError: it cannot be had.
    """
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError as error:
        raise NoBrowserError(f"playwright is not installed: {error}") from error
    if not CHROMIUM.exists():
        raise NoBrowserError(f"there is no {CHROMIUM}")
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(
                executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-background-networking"]
            )
        except Error as error:
            raise NoBrowserError(error.message.splitlines()[0]) from error
        yield browser
        await browser.close()


async def edited(previews: list[Preview], kinds: Iterable[str], amount: Amount, rows: list[Waits]) -> str:
    """Do all kinds of edits; what was measured is in `rows` even if the rest cannot be. Returns the browser's version.

    Raises:
        NoBrowserError: there is none.
    """
    async with chromium() as browser:
        session = Session(browser, previews, amount)
        for kind in kinds:
            await session.do(kind, rows)
        return browser.version


# -- the command


def tools(peers: Iterable[str], count: int) -> list[Tool]:
    """devlog and its peers, with new sites in the cache; peers that cannot be had are reported."""
    sites = CACHE / "sites"
    say(f"devlog: write {count:,} posts")
    found = [devlog(sites / f"latency-devlog-{count}", count)]
    for peer in PEERS:
        if peer.name.lower() not in peers:
            continue
        say(f"{peer.name}: install, write {count:,} posts")
        try:
            found.append(rival(peer, sites / f"latency-{peer.name.lower()}-{count}", count))
        except NotInstalledError as error:
            say(f"{peer.name} cannot be installed and is left out: {error}")
    return found


def parsed(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command's arguments, or those given."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.latency",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = [peer.name.lower() for peer in PEERS if peer.preview]
    works = [FIRST_PAGE, *KINDS]
    parser.add_argument("--posts", type=int, default=1000, help="how many; 1000 unless told")
    parser.add_argument("--edits", type=int, default=50, help=f"of each kind, at most {MOST}; 50 unless told")
    parser.add_argument("--peer-edits", type=int, help="fewer edits for peers, where they take long")
    parser.add_argument("--warmup", type=int, default=3, help="edits before, not counted; 3 unless told")
    parser.add_argument("--starts", type=int, default=3, help="for first_page; 3 unless told")
    parser.add_argument("--peer-starts", type=int, help="fewer starts for peers, where they take long")
    parser.add_argument("--seed", type=int, default=1, help="of the pauses; 1 unless told")
    parser.add_argument(
        "--peers", type=names, default=["hugo"], help=f"of {', '.join(known)}; hugo unless told; '' for none"
    )
    parser.add_argument("--work", type=names, default=works, help=f"of {', '.join(works)}; all unless told")
    found = parser.parse_args(given)
    if unknown := [name for name in found.peers if name not in known]:
        parser.error(f"no preview of: {', '.join(unknown)}")
    if unknown := [name for name in found.work if name not in works]:
        parser.error(f"unknown work: {', '.join(unknown)}")
    if found.posts < 2 or found.edits < 1 or found.starts < 1 or not 0 <= found.warmup <= MOST - found.edits:
        parser.error("too few posts, edits or starts, or too many edits")
    return found


def main() -> None:
    """Read the arguments, run, print."""
    arguments = parsed()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # previews are ended then too
    amount = Amount(
        arguments.edits,
        min(arguments.edits, arguments.peer_edits or arguments.edits),
        arguments.warmup,
        arguments.starts,
        min(arguments.starts, arguments.peer_starts or arguments.starts),
        arguments.seed,
    )
    sides = tools(arguments.peers, arguments.posts)
    versions = {peer.name: peer.version for peer in PEERS if peer.name in {tool.name for tool in sides}}
    kinds = [kind for kind in KINDS if kind in arguments.work]
    rows: list[Waits] = []
    try:
        if FIRST_PAGE in arguments.work:
            rows.extend(first_pages(sides, amount))
        if kinds:
            with previews_of(sides) as previews:
                versions["Chromium"] = asyncio.run(edited(previews, kinds, amount, rows))
    except NoBrowserError as error:
        say(f"edits cannot be seen: {error}")
    finally:
        print(f"{report.waits(rows)}\n" if rows else "Nothing was measured.", flush=True)
    print(report.circumstances(versions, report.WAITS))


if __name__ == "__main__":
    main()
