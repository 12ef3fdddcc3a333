"""Parts of a text: a section is found by its heading however that is written, and nothing is too long."""

from __future__ import annotations

import pytest

from devlog.mcp_server.sections import section, spoken
from devlog.model.document import Heading

TEXT = """---
title: "One"
---

# One

Lead.

## The *first* `part_one` [link](https://example.org/a_(b)) {#own}

First.

```md
## Second part
```

### Below

Deep.

Second part
-----------

~~~
### Below
~~~

Second.

## Second part ##

Third.
"""
HEADINGS = [
    Heading(2, "own", "The first part_one link"),
    Heading(3, "below", "Below"),
    Heading(2, "second-part", "Second part"),
    Heading(2, "second-part-1", "Second part"),
]


@pytest.mark.parametrize(
    ("wanted", "begins", "ends"),
    [
        ("own", "## The *first*", "Deep.\n\n"),
        ("#own", "## The *first*", "Deep.\n\n"),
        ("the FIRST part_one link", "## The *first*", "Deep.\n\n"),
        ("below", "### Below", "Deep.\n\n"),
        ("second-part", "Second part\n---", "Second.\n\n"),
        ("Second part", "Second part\n---", "Second.\n\n"),
        ("#second-part-1", "## Second part ##", "Third.\n"),
    ],
)
def test_a_section_with_all_below_it(wanted: str, begins: str, ends: str) -> None:
    found = section(TEXT, HEADINGS, wanted)
    assert found is not None
    assert found.startswith(begins)
    assert found.endswith(ends)


@pytest.mark.parametrize("wanted", ["", "#", "third", "part", "title", "own2"])
def test_no_such_section(wanted: str) -> None:
    assert section(TEXT, HEADINGS, wanted) is None


def test_a_heading_that_the_text_does_not_have() -> None:
    assert section("Words.\n", HEADINGS, "own") is None


@pytest.mark.parametrize(
    "container", ["<pre>\n{}\n</pre>\n", "- One\n\n  ```html\n  {}\n  ```\n", "> ```html\n> {}\n> ```\n"]
)
@pytest.mark.parametrize("heading", ["## Own", "Own\n---"])
def test_a_section_does_not_begin_inside_code(container: str, heading: str) -> None:
    """Another place may look like a heading of the post; what is below it there is an example, not HTML."""
    example = container.format(heading + "\n<img src=x onerror=y>")
    found = section(f"# One\n\n{example}\n## Own\n\nWords.\n", [Heading(2, "own", "Own")], "own")
    assert found == "## Own\n\nWords.\n"


def test_a_section_after_a_deep_list() -> None:
    deep = "".join(f"{'  ' * level}- Level {level}\n" for level in range(25))
    text = f"# One\n\n{deep}\n## Own\n\nWords.\n\n## Other\n"
    headings = [Heading(2, "own", "Own"), Heading(2, "other", "Other")]
    assert section(text, headings, "own") == "## Own\n\nWords.\n\n"


def test_a_section_in_a_list_comes_with_its_item() -> None:
    """An indented fence is code in the item, and would be an indented line of another block without it."""
    item = "2. ## Own\n\n   Words.\n\n     ```html\n   <img src=x onerror=y>\n     ```\n\n   ## Other\n\n   Words.\n\n"
    text = f"1. One\n{item}3. Three\n\n## Last\n"
    headings = [Heading(2, "own", "Own"), Heading(2, "other", "Other"), Heading(2, "last", "Last")]
    assert section(text, headings, "other") == f"{item}3. Three\n\n"
    assert section(text, headings, "own") == f"{item}3. Three\n\n"


@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("part", ["[", "[](", "{#", " #", "# ", " ", "> ", "]"])
def test_what_no_heading_is_ends_soon(part: str) -> None:
    """With an expression that looks at a rest again and again, each of these would take minutes."""
    assert section(f"# a{part * 60_000}b\n\n# One\n\nText.\n", [Heading(1, "one", "One")], "one") == "# One\n\nText.\n"


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
def test_headings_that_no_line_has_are_passed_over_soon() -> None:
    """A heading may be written in more ways than are read here. Looking for each in all lines would take minutes."""
    text = "# &copy;\n\n" * 60_000 + "# One\n\nText.\n"
    headings = [Heading(1, f"c-{number}", "©") for number in range(60_000)]
    assert section(text, [*headings, Heading(1, "one", "One")], "one") == "# One\n\nText.\n"


EPISODE = """# Radio

What is new.

## Transcript

About it.

**Ada Quill** [0:00:00] Good morning.

[0:01:12] Why they were slow.

**Bo Reed** [1:02:03] How so?
"""


@pytest.mark.parametrize(
    ("wanted", "begins"),
    [
        ("Transcript", "## Transcript\n\nAbout it."),
        ("#transcript", "## Transcript\n\nAbout it."),
        ("#t0", "**Ada Quill** [0:00:00]"),
        ("t=71", "**Ada Quill** [0:00:00]"),
        ("#t72", "[0:01:12] Why"),
        ("#t72-2", "[0:01:12] Why"),
        ("#t9999", "**Bo Reed** [1:02:03]"),
    ],
)
def test_what_is_spoken(wanted: str, begins: str) -> None:
    found = spoken(EPISODE, wanted)
    assert found is not None
    assert found.startswith(begins)
    assert found.endswith("How so?\n")


def test_what_is_not_spoken() -> None:
    assert spoken(EPISODE, "What") is None
    assert spoken("# Radio\n\nWords.\n", "Transcript") is None
