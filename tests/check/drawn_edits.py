"""Random texts with random edits of them."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from devlog.model.diagnostic import Edit, Span

CHARACTERS = st.sampled_from("ab c#:\t\x0b\x0c\x1c\x85\u2028\U0001f388é")
NEW = st.text(st.sampled_from("xyz \né"), max_size=4)


class DrawnEdits(NamedTuple):
    """A text, edits of it, and its pieces after them: each as it is kept, or as an edit puts it in."""

    text: str
    edits: list[Edit]
    kept_or_new: list[tuple[str, str]]


@st.composite
def texts_with_edits(draw: st.DrawFn) -> DrawnEdits:
    text = draw(st.sampled_from(["", "\ufeff"]))
    edits, after = list[Edit](), [(text, "")]
    count = draw(st.integers(1, 6))
    for number in range(1, count + 1):
        whole, line, pieces = draw(st.booleans()), "", list[tuple[str, str]]()
        for _ in range(draw(st.integers(0, 3))):
            between, old, new = (
                draw(st.text(CHARACTERS, min_size=1, max_size=3)),
                draw(st.text(CHARACTERS, max_size=3)),
                draw(NEW),
            )
            span = Span("a.md", number, len(line + between) + 1, len(old))
            edits += [] if whole else [Edit(span, old, new)]
            pieces.append((between, new))
            line += between + old
        ends = ["\r"] if text.endswith("\r") and not line else ["\n", "\r\n", "\r"]  # two must not become one
        end = draw(st.sampled_from([*ends, ""] if number == count and line else ends))
        if whole:
            edits.append(Edit(Span("a.md", number), "", draw(NEW), lines=1))
        after += [("", edits[-1].new)] if whole else [*pieces, (end, "")]
        text += line + end
    return DrawnEdits(text, draw(st.permutations(edits)), after)
