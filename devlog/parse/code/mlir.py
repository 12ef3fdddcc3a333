"""A lexer for MLIR, the textual form of the compiler infrastructure of that name, which Pygments does not know.

Every dialect adds operations, types and attributes, so the lexer knows the shape of names, and no list of them.
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace

_WORDS = tuple(
    """affine_map affine_set alignment any array attributes bounds case ceildiv default dense dense_resource distinct do
    else false floordiv for from hi in init ins iter_args loc mod opaque outs private public resource size sparse step
    strided symbol then to true unit while""".split()
)


class MlirLexer(RegexLexer):
    """Splits MLIR into tokens."""

    name = "MLIR"
    aliases: ClassVar[list[str]] = ["mlir"]
    tokens: ClassVar[dict[str, list[tuple[object, ...]]]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r'"', String, "string"),
            (r"%[\w$.-]+(?:[#:]\d+)?", Name.Variable),
            (r"@[\w$.-]+", Name.Function),
            (r'(@)(?=")', Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"#[\w$.-]+", Name.Decorator),
            (r"![\w$.-]+", Keyword.Type),
            # The shape of a tensor with its type, such as "4x?x[8]xf32".
            (r"(?<=<)(?:(?:\d+|\?|\*|\[\d+\])x)+", Number),
            (r"(?:[su]?i\d+|bf16|tf32|f\d+(?:[A-Z]\w*)?|index|none)\b", Keyword.Type),
            (r"(?:tensor|memref|vector|complex|tuple|function)\b", Keyword.Type),
            (words(_WORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (r"[A-Za-z_][\w$]*(?:\.[\w$]+)+", Name.Builtin),
            (r"(?:module|func|return|call|br|cond_br)\b", Name.Builtin),
            (r"[A-Za-z_][\w$]*(?=\s*=(?!=))", Name.Attribute),
            (r"-?(?:0x[0-9A-Fa-f]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+)", Number),
            (r"->|::|==|>=|[-+*=:]", Operator),
            (r"[()\[\]{}<>,?|]", Punctuation),
            (r"[A-Za-z_][\w$]*", Name),
            (r".", Text),
        ],
        "string": [
            (r'[^"\\\n]+', String),
            (r"\\.", String.Escape),
            (r'"|\n', String, "#pop"),
            (r"\\", String),
        ],
    }
