"""Formulas with commands of a post: they do not become longer than the converter can take, and others are converted."""

from __future__ import annotations

import pytest

from devlog.model.source import Source
from devlog.parse.markdown.math_expansion import Expansion
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

DOUBLE = "\\def\\d#1{#1#1}"
APPLY = "\\def\\q#1#2{#1#1{#2#2}}"


def is_too_long(tex: str, *before: str) -> bool:
    expansion = Expansion(100)
    for formula in before:
        expansion.is_too_long(formula)
    return expansion.is_too_long(tex)


@pytest.mark.parametrize(("definition", "tex"), [
    ("\\def\\a#1{" + "#1" * 2000 + "}", "\\a{" + "x" * 4000 + "}"),
    ("\\newcommand{\\a}[1]{" + "#1" * 99 + "}", "\\a{\\a{" + "x" * 7000 + "}}"),
    ("\\newcommand\\a[1]{" + "#1" * 99 + "}", "\\a{" + "x" * 700 + "}"),
    ("\\renewcommand{\\frac}[2]{" + "#1" * 99 + "}", "\\frac{" + "x" * 700 + "}{}"),
    ("\\def\\a{" + "x" * 7000 + "}", "\\a" * 100),
    (DOUBLE, "\\d{" * 20 + "x" + "}" * 20),
    (DOUBLE, "\\text{" + "\\d{" * 20 + " " + "}" * 20 + "}"),
    ("\\newcommand { \\d } [1] {#1 #1}", "\\d {" * 20 + "x" + "}" * 20),
    ("\\def\\d*#1{#1#1}", "\\d*{" * 20 + "x" + "}" * 20),
    ("\\newcommand*{\\d*}[1]{#1#1}", "\\d* {" * 20 + "x" + "}" * 20),
    ("\\let \\e = \\d" + DOUBLE + "\\let \\e = \\d", "\\e { " * 20 + "x" + "}" * 20),
    (APPLY, "\\q{\\q}{x}"),
    (APPLY, "\\q\\q x"),
    (APPLY + "\\let\\e=\\q", "\\e\\e x"),
    (APPLY + "\\let\\e\\q\\let\\f\\e", "\\f\\f x"),
    ("\\def\\a#1{\\b{#1#1}}\\def\\b#1{\\a{#1#1}}", "\\a x"),
    ("\\def\\q%#1{}\n#1#2{#1#1{#2#2}}", "\\q{\\q}{x}"),
    ("\\def\\f#1#2{}" + APPLY, "\\f{\\q{\\q}{x}}{}"),  # perhaps the formula that defines it is not converted
])  # fmt: skip
def test_what_becomes_too_long(definition: str, tex: str) -> None:
    assert is_too_long(tex, definition)
    assert is_too_long(definition + tex)
    assert not is_too_long("x" * 8000, definition)


@pytest.mark.parametrize(("definition", "tex"), [
    ("\\newcommand{\\inner}[1]{\\langle #1, #1 \\rangle}", "\\inner{\\inner{x^2}} + \\inner y" * 9),
    ("\\newcommand{\\pair}[2]{(#1, #2; #1)}", "\\pair{a}{\\pair{b}{c}}" * 20),
    ("\\def\\R{\\mathbb{R}}", "\\R" * 100),
    ("\\newcommand{\\norm}[1]{\\left\\lVert #1 \\right\\rVert}", "\\norm{" * 50 + "x" + "}" * 50),
    ("\\let\\eps\\varepsilon", "\\eps > 0"),
    (DOUBLE, "\\d{" * 6 + "x" + "}" * 6),
    ("\\def\\a", "\\a{"),
    ("\\newcommand", "x"),
    ("\\let", "x"),
    ("\\def\\a#1", "\\a}"),
])  # fmt: skip
def test_what_does_not(definition: str, tex: str) -> None:
    assert not is_too_long(tex, definition)
    assert not is_too_long(definition + tex)
    assert not is_too_long(tex, definition, definition)


def test_what_repeats_its_argument_needs_one_meaning() -> None:
    assert not is_too_long("\\d x", DOUBLE)
    assert is_too_long("\\d x", DOUBLE, "\\def\\d#1{#1}")
    assert is_too_long("\\r x", DOUBLE, "\\def\\r{}", "\\def\\r{\\d}")
    assert not is_too_long("\\r x", "\\def\\r{}", "\\def\\r{x}")
    assert is_too_long("\\r x", "\\def\\r{}", "\\def\\r{" + "x" * 999 + "}")


def test_definitions_that_perhaps_do_not_apply() -> None:
    expansion = Expansion(100)
    for formula in (DOUBLE, "\\unknown" + DOUBLE):
        expansion.is_too_long(formula)
    expansion.doubt()  # about nothing: it was defined like this
    assert not expansion.is_too_long("\\d x")
    expansion.is_too_long("\\unknown \\def\\frac#1#2{{#1}{#2}}")
    expansion.doubt()
    assert expansion.is_too_long("\\d x")


@pytest.mark.parametrize("definition", [DOUBLE, "\\newcommand{\\d}[1]{#1#1}"])
def test_other_formulas_are_converted(definition: str) -> None:
    text = f"${definition}$\n\n$" + "\\d{" * 15 + "x" + "}" * 15 + "$\n\n$\\d{\\d{x}}$\n"
    parsed, body, _ = parse(Source("a.md", "content/a.md", text), ParseOptions())
    (problem,) = parsed.diagnostics
    assert (problem.code, problem.span.line) == ("bad-formula", 3)
    assert "its commands could make it too long" in problem.message
    assert "".join(piece for piece in body.pieces if isinstance(piece, str)).count("<mi>x</mi>") == 4
