"""XML of which a parser would make far more than there is: attachments, feeds and diagrams come from others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import islice, product
from pathlib import Path
from string import ascii_letters

import pytest

from devlog.compare.xml import RefusedError, read_feed
from devlog.model.active_content import Look

SVG = '<svg xmlns="http://www.w3.org/2000/svg" '


def attributes(count: int, prefix: str = "") -> str:
    names = islice(product(ascii_letters, repeat=4), count)
    return " ".join(f'{prefix}{"".join(name)}=""' for name in names)


LARGE: dict[str, tuple[str, Callable[[], str]]] = {
    "attributes in a namespace": (
        "more than 1,000 attributes",
        lambda: f'{SVG} xmlns:n="{"u" * 200}" {attributes(2_000_000, "n:")}/>',
    ),
    "attributes": ("more than 1,000 attributes", lambda: f"{SVG}{attributes(6_000_000)}/>"),
    "attributes of another element": (
        "more than 1,000 attributes",
        lambda: f"{SVG}><g {attributes(6_000_000)}/></svg>",
    ),
    "attributes of an entity": (
        "declarations in it are longer",
        lambda: f'<!DOCTYPE svg [<!ENTITY a "&#60;g{"&#32;a&#61;&#39;&#39;" * 2_500_000}/>">]>{SVG}>&a;</svg>',
    ),
    "elements in each other": ("more than 100,000 deep", lambda: SVG + ">" + "<g>" * 12_000_000),
    "names": ("more than 10,000 names", lambda: SVG + ">" + "".join(f"<a{number:x}/>" for number in range(5_000_000))),
    "names in a namespace": (
        "more than 10,000 names",
        lambda: f'{SVG} xmlns:n="{"u" * 250}">' + "".join(f"<n:a{number:x}/>" for number in range(3_000_000)),
    ),
    "names in many namespaces": (
        "more than 10,000 names",
        lambda: SVG + ">" + f'<g xmlns:n="%s{"u" * 240}">{"<n:a/>" * 5}</g>' * 20_000 % tuple(range(20_000)),
    ),
    "a long value": ("", lambda: f'{SVG}><image href="data:image/png;base64,{"A" * (40 << 20)}"/></svg>'),
}
SHOW_REASON = """
import resource, sys
from devlog.model.active_content import Look
look = Look("a.svg")
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
with open(sys.argv[1], "rb") as file:
    while piece := file.read(1 << 20):
        look.feed(piece)
print(look.reason())
"""
READ_FEED = """
import resource, sys
from pathlib import Path
from devlog.compare.xml import RefusedError, read_feed
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
with open(sys.argv[1], "rb") as file:
    try:
        read_feed("RSS", iter(lambda: file.read(1 << 20), b""))
    except RefusedError as error:
        print(error)
"""


def said(script: str, text: str, folder: Path) -> str:
    """What a script prints of a file, if it needs little memory."""
    file = folder / "file.xml"
    file.write_text(text)
    done = subprocess.run([sys.executable, "-c", script, file], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr[-1000:]
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("name", LARGE)
def test_memory_grows_with_an_attachment(name: str, tmp_path: Path) -> None:
    reason, text = LARGE[name]
    found = said(SHOW_REASON, text(), tmp_path)
    assert reason in found
    assert bool(reason) == bool(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        (f'<a xmlns:n="{"u" * (1 << 20)}">' + "".join(f"<n:a{number}/>" for number in range(900)), "namespace"),
        (f"<a {attributes(6_000_000)}/>", "attributes"),
    ],
    ids=["names in a long namespace", "attributes"],
)
def test_memory_grows_with_a_feed(inside: str, reason: str, tmp_path: Path) -> None:
    assert reason in said(READ_FEED, f"<rss>{inside}</rss>", tmp_path)


@pytest.mark.usefixtures("linear")
def test_names_in_a_long_namespace_take_no_longer() -> None:
    """A parser puts the name of the namespace in front of each: a feed of 2 MiB would take minutes."""
    feed = f'<rss><channel xmlns:n="{"u" * (1 << 20)}">{"<n:a/>" * 200_000}</channel></rss>'.encode()
    for size in (len(feed), 1 << 20, 5_000):
        with pytest.raises(RefusedError, match="namespace in it is very long"):
            read_feed("RSS", (feed[start : start + size] for start in range(0, len(feed), size)))


@pytest.mark.usefixtures("linear")
def test_declared_attributes_in_a_long_namespace_take_no_longer() -> None:
    """A parser gives them to each element, and puts the name of the namespace in front of each."""
    letters = "abcdefghijklmnpqrstuvwxyz"
    declared = " ".join(f'n:{one}{two} CDATA ""' for one in letters for two in letters)
    inside = "<!--" + "x" * 4_000_000 + "-->" + "<a/>" * 64_000
    look = Look("a.svg")
    look.feed(f'<!DOCTYPE svg [<!ATTLIST a {declared}>]>{SVG} xmlns:n="{"u" * 250}">{inside}</svg>'.encode())
    assert look.reason() == "its document type declares more than entities of plain text"


@pytest.mark.usefixtures("linear")
def test_what_has_no_tags_takes_no_longer() -> None:
    """Some parsers begin again with each piece while a tag or a comment has not ended."""
    for inside in (f"<!--{'x ' * 4_000_000}-->", f'<a b="{"x> " * 3_000_000}"/>', "x" * 8_000_000):
        feed = f"<rss>{inside}<item><guid>x</guid></item></rss>".encode()
        (entry,) = read_feed("RSS", (feed[start : start + 65_536] for start in range(0, len(feed), 65_536))).entries
        assert entry.id == "x"
