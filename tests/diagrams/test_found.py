"""Diagrams are drawn without configuration by what is installed, and each has a version for dark mode."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image
from sites import build_site, write_site

from devlog.engine.work import time_limit
from devlog.features.diagrams import disk
from devlog.features.diagrams.derive import mermaid
from devlog.features.diagrams.derive.dark import drawn, mirrored
from devlog.features.diagrams.derive.draw import draw as draw_by_command
from devlog.features.diagrams.derive.mermaid import draw
from devlog.model.diagnostic import Span
from devlog.model.document import Diagram
from devlog.out_of_time import OutOfTimeError

PROGRAM = """#!PYTHON
import os, sys
text = sys.stdin.read()
names = ("PLANTUML_SECURITY_PROFILE", "JAVA_TOOL_OPTIONS")
profile = " ".join(os.environ[name] for name in names if name in os.environ)
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>{text} by NAME {profile}</text></svg>')
"""
POST = """---
title: A
---
```dot
digraph {}
```

```graphviz
digraph { a }
```

```d2
a
```

```plantuml
@startuml
A -> B
@enduml
```

```puml
@startuml
!include /etc/hostname
@enduml
```

```mermaid
graph TD; A-->B
```
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs in PATH, which has nothing that draws, and no package that does."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(disk, "version", lambda _name: "")
    return folder


def install(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(PROGRAM.replace("NAME", name).replace("PYTHON", sys.executable))
        (folder / name).chmod(0o755)


@pytest.mark.slow
def test_programs_are_found_when_they_are_installed(tmp_path: Path, programs: Path) -> None:
    root = write_site(tmp_path / "site", {"content/2026-05-01-a.md": POST})
    first = [item for item in build_site(root).diagnostics if item.code == "diagrams-as-text"]
    assert [(item.span.line, item.hint.partition(",")[0]) for item in first[:5]] == [
        (4, "install Graphviz"),
        (8, "install Graphviz"),
        (12, "install D2"),
        (16, "install PlantUML"),
        (22, "install PlantUML"),
    ]
    assert first[5].hint.startswith("run ")
    assert "[mermaid]" in first[5].hint
    assert build_site(root).written == ()
    assert not (root / "public/diagrams").exists()
    install(programs, "dot", "d2", "plantuml")
    wrong = [(item.code, item.span.line) for item in build_site(root).diagnostics]
    assert wrong == [("diagram-failed", 22), ("diagrams-as-text", 28)]
    texts = {path.read_text().partition("<text>")[2] for path in (root / "public/diagrams").iterdir()}
    assert len(list((root / "public/diagrams").iterdir())) == 8
    assert "a\n by d2 </text></svg>" in texts
    assert "@startuml\nA -&gt; B\n@enduml\n by plantuml SANDBOX -Djava.awt.headless=true</text></svg>" in texts
    assert not any("hostname" in text for text in texts)
    page = (root / "public/2026-05-01-a/index.html").read_text()
    assert page.count('class="only-light"') == page.count('class="only-dark"') == 4
    feed = (root / "public/index.xml").read_text()
    assert feed.count("/diagrams/") == 4  # readers would show both
    assert build_site(root).written == ()


@pytest.mark.usefixtures("programs")
def test_the_hint_is_that_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path / "site", {"content/2026-05-01-a.md": POST})
    for python in ("venv/bin/python", "../venv/bin/python"):
        monkeypatch.setattr("devlog.installation._python", lambda python=python: python)
        (hint,) = (item.hint for item in build_site(root).diagnostics if "[mermaid]" in item.hint)
        assert hint.startswith((f"run {python} -m pip", f"run uv pip install --python {python} "))


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("!include x.puml", True),
        (" ! INCLUDESUB x", True),
        ("!theme a from /tmp", True),
        ("A : %load_json('/x')", True),
        ("A : %getenv(HOME)", True),
        ("A : <img:/x.png>", True),
        ("sprite $a /x.svg", True),
        ("version", True),
        ("!theme plain\nA -> B : the version <b>x</b>, include it", False),
        ("sprite $a [4x4/16] {\n0123\n}", False),
    ],
)
def test_plantuml_reads_no_other_file(text: str, refused: bool) -> None:
    program = disk.PROGRAMS["plantuml"]
    renderer = disk.Renderer("", {}, refused=program.refused)
    assert disk.is_refused(Diagram("plantuml", f"@startuml\n{text}\n@enduml", Span("a.md")), renderer) is refused


@pytest.mark.parametrize(
    ("language", "text", "refused"),
    [
        ("d2", "x: @../other", True),
        ("d2", "...@'/srv/other'", True),
        ("d2", "a: [...@other]", True),
        ("d2", "a -> b: mail ada@example.org @ noon", False),
        ("mermaid", "flowchart TD\n a@{ img: 'http://10.0.0.1/x' }", True),
        ("mermaid", "flowchart TD\n a[\"<img src='file:///x.png'>\"]", True),
        ("mermaid", "flowchart TD\n a\n style a fill:url(http://10.0.0.1/)", True),
        ("mermaid", '%%{init: {"themeCSS": "@import \'http://10.0.0.1/\'"}}%%\nflowchart TD\n a', True),
        ("mermaid", "classDiagram\n class A~T~ {\n <<interface>>\n }\n B <|-- A : x < y <b>z</b><br/>an image", False),
    ],
)
def test_other_programs_read_no_other_file(language: str, text: str, refused: bool) -> None:
    renderer = disk.Renderer("", {}, refused=disk.PROGRAMS[language].refused)
    assert disk.is_refused(Diagram(language, text, Span("a.md")), renderer) is refused


@pytest.mark.slow
@pytest.mark.parametrize("text", ["\n" * 200_000, "!theme " * 30_000, "! " * 100_000, "%\n" * 100_000, "<" * 200_000])
def test_looking_for_what_is_refused_takes_linear_time(text: str) -> None:
    for program in disk.PROGRAMS.values():
        renderer = disk.Renderer("", {}, refused=program.refused)
        with time_limit(10):
            assert not disk.is_refused(Diagram("x", text, Span("a.md")), renderer)


@pytest.mark.graphviz
def test_graphviz_reads_no_other_file(tmp_path: Path) -> None:
    picture = tmp_path / "secret.png"
    Image.new("L", (700, 700)).save(picture)
    program = disk.PROGRAMS["dot"]
    for graph in (
        f'digraph {{ a ["ima" + "ge"="{picture}"] }}',
        f'digraph {{ a [shape=custom, shapefile="{picture}"] }}',
        f'digraph {{ a [label=<<TABLE><TR><TD><IMG SRC="{picture}"/></TD></TR></TABLE>>] }}',
    ):
        parts = {"language": "dot", "text": graph, "command": list(program.command), "environment": program.environment}
        assert draw_by_command(parts).facts.get("width", 0) < 300, graph


KINDS = {
    "flowchart TD\n A[Read it] --> B{Changed?}\n B -->|yes| C": "Changed?",
    "sequenceDiagram\n A->>B: ask\n B-->>A: answer": "answer",
    "classDiagram\n class Tensor {\n +int shape\n }\n Tensor <|-- Leaf": "Tensor",
    "stateDiagram-v2\n [*] --> Idle\n Idle --> [*]": "Idle",
    "erDiagram\n AUTHOR ||--o{ POST : writes": "writes",
    "gantt\n dateFormat YYYY-MM-DD\n section Compiler\n Optimizer :a1, 2026-01-05, 20d": "Optimizer",
    'pie title Time\n "Parse" : 40\n "Render" : 60': "Parse",
    'gitGraph\n commit id: "init"\n branch side\n commit': "init",
    "mindmap\n  root((devlog))\n    Stages": "Stages",
    "timeline\n title History\n 2025 : SQLite": "SQLite",
    "quadrantChart\n title Effort\n x-axis Low --> High\n y-axis Low --> High\n Cache: [0.3, 0.6]": "Cache",
    "xychart-beta\n title Latency\n x-axis [jan, feb]\n bar [4, 2]": "Latency",
}


@pytest.mark.slow
def test_kinds_of_mermaid() -> None:
    pytest.importorskip("merman")
    for text, label in KINDS.items():
        made = draw({"text": text, "dark": True})
        assert made.problem == "", text
        light, dark = (blob.decode() for blob in made.blobs)
        assert label in light, text
        assert label in dark
        assert light != dark
        assert "foreignObject" not in light  # images do not show HTML everywhere
        assert min(made.facts["width"], made.facts["height"]) > 20
    assert draw({"text": "flowchart TD\n a-->b", "dark": False}).blobs[1:] == ()


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("flowchart TD\n a-->b\n b --> c[x", "Unterminated node label (missing `]`)", 3),
        ("nonsense", "No Mermaid diagram type detected", 0),
        ('flowchart TD\n a["$$x^2$$"]', "it contains a formula, which this version of Mermaid does not draw", 0),
        ("flowchart TD\n" + "a-->b\n" * 9000, "it is too large for Mermaid", 0),
        ("flowchart TD\n" + "\n" * 2000 + "a-->b\n", "it is too large for Mermaid", 0),
        ("flowchart TD\n" + "&".join("abcdef" * 60) + "-->x", "it is too large for Mermaid", 0),
        (
            f"graph LR\n{'&'.join('abcdefghijklmnopqrstu')}-->{'&'.join('ABCDEFGHIJKLMNOPQRSTU')}",
            "it is too large for Mermaid",
            0,
        ),
        ("mindmap\n" + "".join(f"{' ' * i}x\n" for i in range(1, 300)), "it is too large for Mermaid", 0),
    ],
)
def test_what_mermaid_refuses(text: str, reason: str, line: int) -> None:
    pytest.importorskip("merman")
    made = draw({"text": text, "dark": True})
    assert (made.problem, made.line, made.blobs) == (reason, line, ())


def test_labels_fit_into_their_boxes() -> None:
    """The wider letters are, the wider is the box."""
    pytest.importorskip("merman")
    wide, narrow = (draw({"text": f'block-beta\n a["{label}"]', "dark": False}) for label in ("WWWWWW", "iiiiii"))
    assert wide.facts["width"] > 1.9 * narrow.facts["width"]


def lightness(color: str) -> float:
    return sum(int(color[place : place + 2], 16) for place in (1, 3, 5)) / 765


def test_colors_are_mirrored() -> None:
    assert lightness(mirrored("black")) > 0.8
    assert lightness(mirrored("#fff")) < 0.15
    assert lightness(mirrored("rgb(255, 255, 255)")) < 0.15
    assert lightness(mirrored("hsl(240, 100%, 97%)")) < 0.3
    red = mirrored("#ff0000")
    assert int(red[1:3], 16) > 2 * int(red[3:5], 16)  # the hue stays
    assert mirrored("#00000080").endswith("80")
    assert mirrored("rgba(0,0,0,50%)").endswith("80")
    for value in (
        "none",
        "inherit",
        "currentColor",
        "url(#fade)",
        "url(#Abc)",
        "transparent",
        "var(--x)",
        "#abcdefg",
        "12px",
    ):
        assert mirrored(value) == value
    assert mirrored("1px solid black") == f"1px solid {mirrored('black')}"


def test_a_dark_version_has_other_colors_and_nothing_else_changes() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>#fade .a:hover { fill: #fff; '
        "font-family: black; filter: drop-shadow(0 0 1px black); mix-blend-mode: multiply }</style>"
        '<mask id="m"><rect fill="white"/></mask>'
        '<text class="red" style="color:black;stroke:none">black #fff</text></svg>'
    )
    light, dark = (blob.decode() for blob in drawn(svg.encode(), dark=True).blobs)
    ink, paper = mirrored("black"), mirrored("white")
    changes = [
        ("fill: #fff", f"fill: {paper}"),
        ("multiply", "screen"),
        ("color:black", f"color:{ink}"),
        (
            '<svg xmlns="http://www.w3.org/2000/svg"',
            f'<svg xmlns="http://www.w3.org/2000/svg" fill="{ink}" color="{ink}"',
        ),
    ]
    for old, new in changes:
        assert old in light
        light = light.replace(old, new)
    assert dark == light
    adapts = svg.replace("<style>", "<style>@media (prefers-color-scheme: dark) { a { fill: red } }")
    assert len(drawn(adapts.encode(), dark=True).blobs) == 1


def test_a_fault_of_merman(monkeypatch: pytest.MonkeyPatch) -> None:
    merman = pytest.importorskip("merman")

    def fail(*_arguments: object) -> None:
        raise merman.merman_uniffi.InternalError("a panic")

    monkeypatch.setattr(merman.MermanEngine, "execute", fail)
    assert draw({"text": "graph TD; A-->B", "dark": True}).problem == "merman failed on it"


def test_a_drawing_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends by itself, also where it runs in the process of the command."""
    pytest.importorskip("merman")
    monkeypatch.setattr(mermaid, "SECONDS", 0)
    with pytest.raises(OutOfTimeError):
        draw({"text": "kanban\n" + " a[A]\n" * 300, "dark": True})
    monkeypatch.setattr(mermaid, "SECONDS", 30)
    assert draw({"text": "kanban\n a[A]\n", "dark": True}).problem == ""
