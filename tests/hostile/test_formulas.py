"""Formulas of any kind: nothing gets out of them, nothing ends the process, nothing takes long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import lxml.html
import pytest
from apart import Apart
from formulas import DEEP, written
from harm import harm_in
from hypothesis import given, settings
from hypothesis import strategies as st
from payloads import PAYLOADS

MATHML = frozenset(
    "math mrow mi mo mn mtext mspace msup msub msubsup mover munder munderover mfrac msqrt mroot mtable mtr mtd "
    "mpadded mphantom menclose mmultiscripts mprescripts mstyle a b i u s em code span".split()
)


WAYS: dict[str, Callable[[str], str]] = {
    "between dollars": lambda payload: f"a $x {payload} y$ b",
    "as a display": lambda payload: f"$$\n{payload}\n$$",
    "as text": lambda payload: f"$\\text{{{payload}}}$",
    "as an operator": lambda payload: f"$\\operatorname{{{payload}}}$",
    "as an enclosed operator": lambda payload: f"$\\cancel\\operatorname{{{payload.replace(' ', chr(92) + ' ')}}}$",
    "as an operator with its own room": lambda payload: f"$\\mathop\\operatorname{{{payload}}}$",
    "as a color": lambda payload: f"$\\textcolor{{{payload}}}{{x}}$",
    "as a label": lambda payload: f"\\begin{{equation}}x\\label{{{payload}}}\\end{{equation}}",
    "as a reference": lambda payload: f"$\\eqref{{{payload}}}$",
    "as a tag": lambda payload: f"\\begin{{equation}}x\\tag{{{payload}}}\\end{{equation}}",
    "as an address": lambda payload: f"$\\href{{{payload}}}{{x}}$",
    "as a length": lambda payload: f"$\\hspace{{{payload}}}$",
    "as a command": lambda payload: f"$\\newcommand{{\\x}}{{{payload}}}\\x$",
    "in a fence": lambda payload: f"```math\n{payload}\n```",
    "in brackets": lambda payload: f"\\( = {payload} \\) <b>x</b>",
}


@pytest.mark.parametrize(
    "tex",
    [
        r"\limsup_{x} \injlim x < y > z",
        r"\text{a \& b < \textbf{c} \texttt{d}}",
        r"\boxed{\cancel{x}} \xrightarrow[a]{b} \phase{x} \angl n",
        r"\begin{array}{|c|r|}\hline a&\sqrt[3]{b}\\ \hline c&\binom nk\end{array}",
        r"\textcolor{red}{\raisebox{1em}{x}} \sideset{_1^2}{_3^4}\sum \prescript{a}{b}{c} \not=",
    ],
)
def test_nothing_sound_is_refused(tex: str) -> None:
    html, diagnostics = written(f"$$\n{tex}\n$$")
    assert "<math" in html
    assert not diagnostics


@pytest.mark.parametrize(
    "tex",
    [
        r"\raisebox{15em}{x}",
        r"\raisebox{-15em}{x}",
        r"\raisebox{100pt}{x}",
        r"\raisebox{1.5em}{a} \raisebox{1.5em}{b}",
        r"\!" * 80 + "x",
        r"\negthickspace" * 13 + "x",
    ],
)
def test_nothing_leaves_its_line(tex: str) -> None:
    html, diagnostics = written(f"[${tex}$](https://canary.example/)")
    assert "<math" not in html
    assert [item.code for item in diagnostics] == ["bad-formula"]


@pytest.mark.parametrize(
    "name",
    [
        "<",
        "\\lt",
        "<b>",
        "\\lt script\\gt",
        "<img\\ src=x\\ onerror=alert(1)>",
        "</mo></math></p><script>",
        "<!--",
        "<mi>",
        "</mo><mo>",
        "<b/>",
        "<?x?>",
        "<![CDATA[<script>]]>",
    ],
)
@pytest.mark.parametrize("before", ["", "\\cancel", "\\mathop", "\\mathrel", "\\boxed"])
def test_names_of_operators(before: str, name: str) -> None:
    html, diagnostics = written(f"a ${before}\\operatorname{{{name}}}$ b")
    assert "<math" in html or [item.code for item in diagnostics] == ["bad-formula"]
    assert harm_in(html, ()) == []
    for element in lxml.html.fragment_fromstring(html, create_parent="div").iter():
        assert element.tag in MATHML | {"div", "p", "code"}
    assert "<" not in html.replace("</", "").replace("<m", "").replace("<p>", "").replace("<code>", "")


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["safe", "trusted"])
def test_nothing_gets_out(way: str, mode: str) -> None:
    for payload in PAYLOADS:
        one_line = " ".join(payload.split())
        html, _ = written(WAYS[way](one_line), mode)
        if "<math" not in html and "<code" not in html:
            continue  # it was no formula, but text: see test_payloads.py
        tree = lxml.html.fragment_fromstring(html, create_parent="div")
        inside = [element for math in tree.iter("math") for element in math.iter()]
        assert {str(element.tag) for element in inside} <= MATHML, html
        for element in inside:
            assert not [name for name in element.attrib if name.startswith("on") or name in ("style", "src")], html
            assert element.get("href", "#eq:").startswith("#eq:"), html
        if mode == "safe":
            assert harm_in(html, ()) == []


pieces = st.sampled_from(
    r"\frac \sqrt \left( \right) \left. \begin{align} \end{align} \begin{matrix} \end{matrix} & \\ { } ^ _ x 1 ' $ $$"
    r" \$ \text{ \hat \newcommand{\a}{ \a \def\b{\b\b} \b % # ~ < > \( \) \[ \] \label{a} \tag{b} \eqref{a} `"
    r" \color{red} \, \middle| \over \limits é 日".split(" ")
)


@pytest.mark.slow
@settings(max_examples=400)
@given(st.lists(pieces, max_size=30), st.sampled_from(["$", "$$", "```math\n", "\\(", "\\["]))
def test_any_pieces(parts: list[str], opening: str) -> None:
    closing = {"```math\n": "\n```", "\\(": "\\)", "\\[": "\\]"}.get(opening, opening)
    html, _ = written(f"<b>a</b> {opening}{' '.join(parts)}{closing} b\n\n{opening}{''.join(parts)}{closing}")
    assert "devlog-placeholder" not in html
    assert " style=" not in html


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    with Apart("formulas") as process:
        yield process


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_nothing_ends_the_process(apart: Apart, kind: str) -> None:
    """On the smallest stack that a thread has anywhere: each in a fork of its own, which must live."""
    assert apart.do("write_deep_formulas", kind) == [40, 59, 100, 150, 700, 2000, 8000]


@pytest.mark.parametrize("count", [MAX := 8 * 1024, MAX + 1])
def test_a_long_formula(count: int) -> None:
    html, found = written("$$" + "x" * count + "$$")
    assert ("<math" in html) == (count == MAX)
    assert [item.code for item in found] == ["bad-formula"] * (count > MAX)


@pytest.mark.slow
def test_all_formulas_of_a_text_are_bounded_together() -> None:
    text = "\n\n".join("$" + "x'" * 2000 + "$" for _ in range(90))
    html, found = written(text)
    assert len(html) < 8_000_000
    assert {item.code for item in found} == {"bad-formula"}


@pytest.mark.slow
def test_the_stack_of_other_threads_stays_what_it_was() -> None:
    before = threading.stack_size()
    html, found = written("$" + r"\alpha " * 120 + "x$")
    assert "<math" in html
    assert not found
    assert threading.stack_size() == before
