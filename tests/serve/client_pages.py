"""Pages that the browser's script is tried on."""

from __future__ import annotations

import io
import math
import struct
import wave


def post(
    *blocks: str, head: str = "", title: str = "Lumen", kind: str = "kind-post", header: str = "<h1>Lumen</h1>"
) -> str:
    """A post of blocks, each of them HTML."""
    body = "\n".join(blocks)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n{head}\n</head>\n'
        f'<body class="{kind}">\n<header class="top">{header}</header>\n<main>\n<article>\n'
        f'<div class="e-content">{body}</div>\n</article>\n</main>\n<footer>The end.</footer>\n</body>\n</html>\n'
    )


def paragraphs(count: int, *, first: int = 0) -> list[str]:
    """Paragraphs of some length, which tell their number."""
    words = "The planner keeps the statistics of every table and reads them before it chooses. " * 2
    return [f'<p class="n{number}">Paragraph {number}. {words}</p>' for number in range(first, first + count)]


def sound(seconds: int = 30) -> bytes:
    """A quiet tone as a WAV file."""
    rate = 8000
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        samples = (int(300 * math.sin(i / 8)) for i in range(rate * seconds))
        writer.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return file.getvalue()


def square(color: str) -> bytes:
    """A picture."""
    shape = f'<rect width="8" height="8" fill="{color}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">{shape}</svg>'.encode()
