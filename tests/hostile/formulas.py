"""Formulas that are nested as deep as they can be, and texts with formulas as HTML."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


def written(text: str, html: str = "safe") -> tuple[str, tuple[Diagnostic, ...]]:
    """The HTML of a text, and what is wrong with it."""
    parsed, body, _ = parse(Source("a.md", "content/a.md", f"---\ntitle: A\n---\n{text}"), ParseOptions(html=html))
    return "".join(piece for piece in body.pieces if isinstance(piece, str)), parsed.diagnostics


DEEP = {
    "braces": lambda n: "{" * n + "x" + "}" * n,
    "fractions": lambda n: r"\frac{1}{" * n + "x" + "}" * n,
    "fractions without braces": lambda n: r"\frac a" * n + "x",
    "roots": lambda n: r"\sqrt" * n + " x",
    "accents": lambda n: r"\hat{" * n + "x" + "}" * n,
    "accents without braces": lambda n: r"\hat" * n + " x",
    "exponents": lambda n: "x^{" * n + "x" + "}" * n,
    "optional arguments": lambda n: r"\sqrt[" * n + "x" + "]{x}" * n,
    "delimiters": lambda n: r"\left(" * n + "x" + r"\right)" * n,
    "environments": lambda n: r"\begin{matrix}" * n + "x" + r"\end{matrix}" * n,
    "colors": lambda n: r"\color{red}" * n + " x",
    "brackets": lambda n: "(" * n + "x" + ")" * n,
    "brackets that close what is not open": lambda n: "x)" * n,
    "signs": lambda n: "∑" * n + "x",
    "primes": lambda n: "x" + "'" * n,
    "a command that is itself": lambda n: r"\def\a{" + r"\hat" * min(n, 240) + r"\a}\a",
    "commands of commands": lambda n: (
        r"\def\a{" + r"\hat" * 80 + r"}\def\b{" + r"\a" * 80 + "}" + r"\b" * min(n, 60) + " x"
    ),
    "growing commands": lambda n: (
        r"\def\a{xx}" + "".join(rf"\def\{chr(98 + i)}{{\{chr(97 + i)}\{chr(97 + i)}}}" for i in range(20)) + r"\u" * n
    ),
}
