"""The format of the files in `tests/cases`: one small site, and what must come of it.

A file begins with a sentence that says what the case shows. Below it may stand options, one in a line:

    now: 2026-06-15T12:00:00Z     the moment of the build (this is the default)
    drafts: yes                   likewise `future`, `expired`, `strict`
    base_url: /preview/           likewise `output`: as the command's options
    exit: 1                       the command's exit status (0 unless said otherwise)
    features: images, episodes    features of `devlog/features` that it shows: without one of them it is left out

Then come sections. A section begins with a line between `--` and `--`; blank lines at its end do not count.

    -- content/dynamo/2026-05-04-first.md --              a file of the site, with this text
    -- content/dynamo/2026-05-04-first.md (escaped) --    the same, where \\r, \\x1b, \\ufeff, \\n and \\\\ are
                                                          escapes and line ends count only as written
    -- content/dynamo/chart.png (png 640x400) --          a picture of that size; the section is empty

What must come of it:

    -- expect public/index.html --                  each line stands in the output, in this order;
                                                    a line that begins with `! ` stands nowhere in it
    -- expect exactly public/robots.txt --          this is the whole output
    -- expect exactly public/x.md (if markdown_versions) --
                                                    the same, if devlog has this feature; likewise all others
    -- expect body public/dynamo/x/index.html --    this is all that the page shows of the post's text
    -- expect files public/tags/* --                these are all the outputs that match (`*` also matches `/`);
                                                    an empty section: none does
    -- expect skipped --                            these posts are left out, each with its reason
    -- expect diagnostics --                        these are all the problems, as the command prints them;
                                                    without this section there must be none

`pytest tests/test_cases.py --update` rewrites all but the first of these kinds in place, and adds a missing
section for problems. Read the difference before you keep it.
"""

from __future__ import annotations

import codecs
import fnmatch
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
from selection import lacks
from sites import build_site, read_tree, write_site

from devlog.model.report import Report
from devlog.parse.front_matter.dates import parse_date
from devlog.report import as_text

FLAGS = ("drafts", "future", "expired", "strict")
TEXTS = ("base_url", "output")
FEATURES = "features:"
EXACT = ("exactly", "body", "files", "skipped", "diagnostics")

_HEADING = re.compile(r"^-- (.+) --$")
_EXPECT = re.compile(rf"expect (?:({'|'.join(EXACT)})(?: |$))?(.*?)(?: \(if (\w+)\))?")
_NOTE = re.compile(r"(.+) \((escaped|png (\d+)x(\d+))\)")
_BODY = re.compile(r'<div class="(?:e-content )?prose">(.*?)</div>\n(?:  <footer|</article)', re.DOTALL)


@dataclass
class Section:
    """A section: its heading between the dashes, and its text without blank lines at the end."""

    heading: str
    text: str

    @property
    def expectation(self) -> tuple[str, str] | None:
        """Kind and path of an expectation; `None` for a file of the site."""
        found = _EXPECT.fullmatch(self.heading)
        return (found[1] or "contains", found[2]) if found else None

    @property
    def is_left_out(self) -> bool:
        """Whether it is an expectation of a feature that is not there."""
        found = _EXPECT.fullmatch(self.heading)
        return bool(found and found[3] and lacks([found[3]]))


@dataclass
class Case:
    """A case as its file has it."""

    intro: str
    sections: list[Section]
    options: dict[str, object] = field(default_factory=dict)
    exit: int = 0

    @property
    def files(self) -> dict[str, bytes]:
        """The files of the site."""
        return dict(_file(section) for section in self.sections if section.expectation is None)

    def __str__(self) -> str:
        return "\n".join([self.intro, *(f"\n-- {s.heading} --\n{s.text}".rstrip("\n") for s in self.sections)]) + "\n"


def features_of_case(file: Path) -> list[str]:
    """The features that a case shows beside the core."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("-- "):
                break
            if line.startswith(FEATURES):
                return line.removeprefix(FEATURES).replace(",", " ").split()
    return []


def read_case(text: str) -> Case:
    """Read a case from the text of its file."""
    intro, sections = _cut(text)
    case = Case(intro, sections)
    for line in intro.splitlines()[1:]:
        name, separator, value = (part.strip() for part in line.partition(":"))
        if not separator or " " in name:
            continue
        if name in FLAGS and value == "yes":
            case.options[name] = True
        elif name in TEXTS:
            case.options[name] = value
        elif name == "now" and (date := parse_date(value)):
            assert date.value.tzinfo, f"“now” needs a time zone: {value}"
            case.options[name] = date.value
        elif name == "exit":
            case.exit = int(value)
        elif line.startswith(FEATURES):
            continue  # see `features_of_case`
        else:
            raise ValueError(f"not an option: {line}")
    return case


def _cut(text: str) -> tuple[str, list[Section]]:
    headings = list(re.finditer(_HEADING.pattern, text, re.MULTILINE))
    ends = [*(heading.start() for heading in headings), len(text)]
    intro = text[: ends[0]]
    return intro.strip("\n"), [
        Section(heading[1], text[heading.end() + 1 : end].rstrip("\n"))
        for heading, end in zip(headings, ends[1:], strict=True)
    ]


def _file(section: Section) -> tuple[str, bytes]:
    note = _NOTE.fullmatch(section.heading)
    if note is None:
        return section.heading, f"{section.text}\n".encode() if section.text else b""
    if note[2] == "escaped":
        joined = section.text.replace("\n", "")
        plain = re.sub(
            r"\\(?:[nrt\\]|x[0-9a-f]{2}|u[0-9a-f]{4})", lambda m: codecs.decode(m[0], "unicode_escape"), joined
        )
        return note[1], plain.encode()
    return note[1], png(int(note[3]), int(note[4]))


def png(width: int, height: int) -> bytes:
    """A black picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compress(b"".join(b"\0" * (1 + (width + 7) // 8) for _ in range(height)))
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def run_case(case: Case, folder: Path) -> tuple[Report, dict[str, bytes]]:
    """Build a case's site in `folder`: the report, and all outputs by their path in it."""
    report = build_site(write_site(folder, case.files), **case.options)
    tree = read_tree(folder)
    return report, {path: data for path, data in tree.items() if path not in case.files and not path.startswith(".")}


def found_by(section: Section, report: Report, outputs: dict[str, bytes]) -> str:
    """What a build made of an expectation of an exact kind."""
    assert section.expectation
    kind, argument = section.expectation
    if kind == "diagnostics":
        return diagnostics_of(report)
    if kind == "skipped":
        return "\n".join(f"{item.path}: {item.reason}" for item in report.skipped)
    if kind == "files":
        return "\n".join(path for path in outputs if fnmatch.fnmatchcase(path, argument))
    text = outputs[argument].decode()
    if kind == "exactly":
        return text.rstrip("\n")
    body = _BODY.search(text)
    assert body, f"{argument} shows no text of a post"
    return body[1].strip("\n")


def diagnostics_of(report: Report) -> str:
    """All problems of a report, without colors."""
    return "\n".join(_stripped(click.unstyle(as_text(diagnostic))) for diagnostic in report.diagnostics)


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def missing_lines(lines: Iterable[str], text: str) -> Iterator[str]:
    """What is wrong with an output whose `lines` must stand in this order, or must not."""
    position = 0
    for line in filter(None, (line.strip() for line in lines)):
        if line.startswith("! "):
            if line[2:] in text:
                yield f"stands in the output: {line[2:]}"
            continue
        found = text.find(line, position)
        if found < 0:
            where = "too early in" if line in text else "not in"
            yield f"{where} the output: {line}"
        else:
            position = found + len(line)
