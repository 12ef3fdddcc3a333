"""Counting the brackets of a formula that nothing closes: never too few, and none where a person would see none."""

from __future__ import annotations

import pytest

from devlog.model.source import Source
from devlog.parse.markdown.math_brackets import FEW, Brackets
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

TIMES = 24


def unclosed(tex: str, *before: str) -> int:
    brackets = Brackets(100)
    for formula in before:
        brackets.unclosed(formula)
    return brackets.unclosed(tex)


@pytest.mark.parametrize("part", [
    "(", "(a", "[", "\\{a", "([", "\\lfloor a", "\\langle", "\\ulcorner a", "\\lvert a", "⟨a", "⌜a",
    "\\bigl(", "\\Bigl|a", "\\mathopen|a", "(\\mathclose|a",
    "{(}a", "{{(}}a", "\\mathrel(a", "({)}", "\\overset{a}{(}b", "(\\begingroup)\\endgroup",
    "(x^)", "(x_)", "(\\text )", "(\\hat)", "(\\frac a)", "(\\frac{a})", "(\\sqrt)", "(\\operatorname)", "(\\unknown)",
    "(\\sqrt[)]a", "(\\xrightarrow[)]a", "(\\prescript{a}{b})", "(\\mathchoice{a}{a}{a})", "(\\genfrac{}{}{}{}{a})",
    "\\pmod^", "\\pod_", "\\bra^", "\\braket\\hat", "\\pmod\\big(", "\\pmod{a^}",
    "(\\over)", "{(\\over a)}", "(\\displaystyle a)", "(\\color{red} a)", "(\\choose a)",
    "(\\left.)\\right.", "(\\middle)", "(a%)\n",
])  # fmt: skip
def test_what_nothing_closes_is_counted(part: str) -> None:
    assert unclosed(part * TIMES) >= TIMES


@pytest.mark.parametrize("part", [
    "(a)", "[0,1)", "(0,1]", "]a,b[", "\\{a\\}", "\\lfloor a \\rfloor", "\\langle a \\rangle",
    "\\left(a\\right)", "\\left(a\\right.", "\\bigl(a\\bigr)", "\\big(a\\big)",
    "(\\alpha)", "(\\varepsilon)", "(x^2)", "(x^{2})", "(\\hat x)", "(\\hat{x})", "x_{(i)}", "(a \\preceq b)",
    "\\frac{(a)}{(b)}", "\\sqrt[3]{(a)}", "(\\text{a})", "\\mathbb{E}[X]", "O(n \\log n)", "(a\\%)",
])  # fmt: skip
def test_what_is_closed_is_not_counted(part: str) -> None:
    assert unclosed(part * TIMES) == 0


def test_an_argument_is_one_token() -> None:
    assert unclosed("\\pmod\\big(" * TIMES) >= 2 * TIMES


def test_cells_and_lines_of_a_table_are_rows_of_their_own() -> None:
    assert unclosed("\\begin{aligned}" + "(a &= b \\\\" * TIMES + "\\end{aligned}") == 0
    assert unclosed("(a &= b \\\\" * TIMES) >= TIMES


@pytest.mark.parametrize(("definition", "tex", "least"), [
    ("\\newcommand{\\o}{(}", "\\o" * TIMES, TIMES),
    ("\\newcommand{\\o*}{(}", "\\o*" * TIMES, TIMES),
    ("\\newcommand{\\o}{(}\\newcommand{\\p}{\\o\\o\\o}", "\\p" * 8, TIMES),
    ("\\def\\o{(}", "\\left\\o a\\right." * TIMES, TIMES),
    ("\\newcommand{\\o}{(\\o}", "\\o", TIMES),
    ("\\newcommand{\\t}[1]{#1#1#1#1#1}", "\\t{\\t{(((((}}", TIMES),
    ("\\newcommand{\\f}[2]{#1 + #2}", "(\\f{a})" * TIMES, TIMES),
    ("\\let\\f\\frac", "(\\f{a})" * TIMES, TIMES),
    ("\\newcommand{\\f}[1]{(#1)}", "\\f^" * TIMES, TIMES),
    ("\\newcommand{\\f}[1]{(#1)}", "\\f{a^}" * TIMES, TIMES),
    ("\\newcommand{\\f}[1]{(#1)}", "\\f\\big(" * TIMES, TIMES),
    ("\\def\\f#1#2{#1}", "(\\f{a})" * TIMES, TIMES),
    ("\\newcommand{\\f}[2]{#1}", "(\\f{a})" * TIMES, TIMES),
    ("\\newcommand{\\o}[1][{x}]{(((}", "\\o" * 8, TIMES),
    ("\\newcommand{\\f}[1]{(#1)}\\newcommand{\\g}[1]{\\f{#1}}", "\\g^" * TIMES, TIMES),
    ("\\newcommand{\\f}{\\hat}", "(\\f)" * TIMES, TIMES),
    ("\\newcommand{\\f}{a^}", "(\\f)" * TIMES, TIMES),
    ("\\def\\f{\\frac}", "(\\f a)" * TIMES, TIMES),
    ("\\newcommand{\\f}[1]{#1^}", "(\\f{a})" * TIMES, TIMES),
    ("\\let\\o=(", "\\o" * TIMES, TIMES),
])  # fmt: skip
def test_commands_of_a_post_count(definition: str, tex: str, least: int) -> None:
    assert unclosed(tex, definition) >= least


@pytest.mark.parametrize("formula", [
    "\\newcommand{\\E}{\\mathbb{E}}\\E[X+Y] = \\E[X] + \\E[Y]",
    "\\def\\eps{\\varepsilon} \\eps > 0",
    "\\def\\sq#1{\\frac{#1}{#1}} \\sq{a+b}",
    "\\def\\p#1{\\left(#1\\right)^{#1}} \\p{x}",
    "\\def\\inner#1{\\langle{#1,#1}\\rangle} \\inner{a} + \\inner{b}",
    "\\newcommand{\\norm}[1]{\\lVert #1 \\rVert} \\norm{x} + \\norm{y}",
    "\\newcommand\\set[1]{\\{#1\\}} \\set{x_\\alpha}",
    "\\DeclareMathOperator{\\rank}{rank} \\rank(A)",
    "\\let\\eps\\varepsilon f(\\eps)",
    "a \\equiv b \\pmod{n} \\pmod 2",
])  # fmt: skip
def test_a_formula_may_use_what_it_defines(formula: str) -> None:
    assert unclosed(formula) == 0
    assert unclosed(formula * 2) == 0


def test_usual_commands_of_a_post_count_little() -> None:
    definitions = "\\newcommand{\\norm}[1]{\\left\\lVert #1 \\right\\rVert}", "\\newcommand{\\bra}[1]{\\langle #1|}"
    assert unclosed("\\norm{f(x)}" * TIMES, *definitions) == 0
    assert unclosed("\\bra{a}" * FEW, *definitions) == 0


def test_other_formulas_of_a_post_are_converted() -> None:
    text = "$a$\n\n$" + "(" * 40 + "$\n\n$b$\n\n$(((((c$\n"
    parsed, body, _ = parse(Source("a.md", "content/a.md", text), ParseOptions())
    assert [problem.span.line for problem in parsed.diagnostics] == [3]
    assert "".join(piece for piece in body.pieces if isinstance(piece, str)).count("<math") == 3


def test_each_definition_of_a_command_counts() -> None:
    assert unclosed("\\def\\o{(((}" + "\\o" * 8 + "\\def\\o{}") >= TIMES
    assert unclosed("\\o" * 8, "\\def\\o{(((}", "\\def\\o{}") >= TIMES
    assert unclosed("(\\f)" * TIMES, "\\def\\f{\\frac}", "\\def\\f{a}") >= TIMES
    assert unclosed("\\o", "".join(f"\\def\\o{{{number}}}" for number in range(99))) >= TIMES
    assert unclosed("(\\o)" * TIMES, "\\def\\o{a}", "\\def\\o{a}") == 0


def test_definitions_that_perhaps_do_not_apply() -> None:
    brackets = Brackets(100)
    brackets.unclosed("\\unknown \\def\\frac{a}")
    assert brackets.unclosed("(\\frac)" * TIMES) == 0
    brackets.unclosed("\\unknown \\def\\sqrt{a}")
    brackets.doubt()
    assert brackets.unclosed("(\\frac)" * TIMES) >= TIMES
    assert brackets.unclosed("(\\alpha)" * TIMES) == 0


def test_doubts_about_what_is_defined_already_change_nothing() -> None:
    brackets = Brackets(100)
    for _ in range(2):
        brackets.unclosed("\\newcommand{\\o}{a}")
    brackets.doubt()
    assert brackets.unclosed("(\\o)" * TIMES) == 0
