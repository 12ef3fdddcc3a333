"""Programs that are found without configuration read no file and no network for a diagram, however it asks for them."""

from __future__ import annotations

import pytest

from devlog.engine.work import time_limit
from devlog.features.diagrams import disk
from devlog.model.diagnostic import Span
from devlog.model.document import Diagram

URL = "http://10.0.0.1/x"


def is_refused(language: str, text: str) -> bool:
    renderer = disk.Renderer("", {}, refused=disk.PROGRAMS[language].refused)
    return disk.is_refused(Diagram(language, text, Span("a.md")), renderer)


@pytest.mark.parametrize(
    "text",
    [
        "@/srv/s",
        "x: @ /srv/s",
        "x:\t@\t/srv/s",
        "x: a\ny:@ '../s'",
        "...@ '/srv/s'",
        "b: @|md /srv/s |",
        "b: @ |`md /srv/s `|",
        "x: [1; @ /srv/s]",
        "x: [\n@\u00a0/srv/s\n]",
        "x: {...@ /srv/s}",
        "x: # a comment\n  @ /srv/s",
        "x:\u00a0@s",
        "x: @{s}",
    ],
)
def test_d2_imports_nothing(text: str) -> None:
    assert is_refused("d2", text)


@pytest.mark.parametrize(
    "text",
    [
        "a -> b: mail ada@example.org @ noon",
        "a: written by @ada",
        'a: "ada@example.org"',
        "a: |md\n  # Hello\n  Mail ada@example.org, or ask @ada.\n|",
        "vars: {d2-config: {sketch: true}}\na: {shape: cylinder}\na -> b: x {style.stroke: red}\n...${x}",
    ],
)
def test_d2_draws_other_signs(text: str) -> None:
    assert not is_refused("d2", text)


FRONT_MATTER = "---\nconfig:\n  {}\n---\nflowchart TD\n a"
STYLED = "flowchart TD\n a\n style a "


@pytest.mark.parametrize(
    "text",
    [
        f'flowchart TD\n a@{{ "img": "{URL}" }}',
        f"flowchart TD\n a@{{ 'img': '{URL}' }}",
        f'flowchart TD\n a@{{ "\\x69mg": "{URL}" }}',
        f'flowchart TD\n a@{{ "\\u0069mg": "{URL}" }}',
        f"flowchart TD\n a@{{\n ? img\n : {URL}\n}}",
        f"flowchart TD\n a@{{ label: &x img, *x : {URL} }}",
        f'%%{{init: {{"theme\\u0043SS": "\\u0040import \\u0027{URL}\\u0027;"}}}}%%\nflowchart TD\n a',
        f'%%{{init: {{"theme%%}}%%\nCSS": "{URL}"}}}}%%\nflowchart TD\n a',
        FRONT_MATTER.format(f'"theme\\x43SS": "\\x40import {URL}"'),
        FRONT_MATTER.format(f"fontFamily: 'x;}} * {{ background: image-set(\"{URL}\" 1x) }}'"),
        f"{STYLED}fill:u\\72l({URL})",
        f"{STYLED}fill:u\\rl({URL})",
        f"{STYLED}fill:u#114;l({URL})",
        f"{STYLED}fill:url#lpar;{URL})",
        f"{STYLED}fill:#fff,stroke:u;rl({URL})",
        f"{STYLED}fill:#fff,stroke:u#114;;l({URL})",
        f'{STYLED}background:image-set("{URL}" 1x)',
        f"flowchart TD\n a[\"<i%%{{wrap}}%%mg alt='{URL}'>\"]",
        f'sequenceDiagram\n participant A\n properties A: {{"icon": "{URL}"}}',
        f'sequenceDiagram\r participant A\r properties A: {{"\\u0069con": "{URL}"}}',
        f'%%{{a b properties A: {{"icon": "{URL}"}}\nsequenceDiagram\n participant A',
        f"zenuml\n // ![x]({URL})\n A.b()",
    ],
)
def test_mermaid_loads_nothing(text: str) -> None:
    assert is_refused("mermaid", text)


@pytest.mark.parametrize(
    "text",
    [
        'flowchart LR\n a["two\\nlines"] --> b[\\text\\] --> c[/text\\]\n c --> d[\\text/]',
        "flowchart TD\n a@{ shape: cyl, label: \"A 'database'\" }\n e1@{ animate: true }",
        'flowchart TD\n img["an img"] --> b{src}\n b -->|"50 #percnt;"| c["#quot;x#quot;"]',
        "flowchart TD\n a:::x;\n classDef x fill:#f9f,stroke:#333;\n style a fill:#bbf,stroke-width:2px;",
        "%%{init: {'theme': 'base', 'themeVariables': {'primaryColor': '#fff'}}}%%\nflowchart TD\n a",
        '%%{\n  init: {\n    "theme": "forest"\n  }\n}%%\nflowchart TD\n %% a comment\n a',
        "%%{wrap}%%\nsequenceDiagram\n Alice->>Bob: Hi\n Note over Alice: x",
        "---\ntitle: A\nconfig:\n  theme: forest\n  flowchart:\n    curve: linear\n---\nflowchart TD\n a",
        "sequenceDiagram\n A->>B: read the properties\n B-->>A: done",
        "classDiagram\n class A {\n +dict properties\n +read(x) int\n }",
        "erDiagram\n A ||--o{ B : has\n A {\n json properties\n }",
    ],
)
def test_mermaid_draws_ordinary_diagrams(text: str) -> None:
    assert not is_refused("mermaid", text)


def test_very_long_numbers_of_characters_are_read() -> None:
    """The library's own reader raises on them."""
    assert not is_refused("mermaid", f"flowchart LR\nA[&#{'1' * 5000};] --> B")


def test_plantuml_puts_no_word_together() -> None:
    assert is_refused("plantuml", "@startuml\n!inc\\\nlude /srv/s\n@enduml")
    assert is_refused("plantuml", "@startuml\nA -> B : &#60;img:/srv/s.png>\n@enduml")
    assert is_refused("plantuml", "@startuml\nA -> B : <latex>\\includegraphics{/srv/s.png}</latex>\n@enduml")
    assert not is_refused("plantuml", "@startuml\nA -> B : <latex>\\frac{1}{n}</latex>\n@enduml")
    assert not is_refused("plantuml", "@startuml\n!$x = 1\nA -> B : two\\nlines\n@enduml")


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["@{ img ", " ", "%%{", "%%{a ", "}%% ", "a \t", "#a;", "&#1;", "&", "#1", "properties {", "[\\", "\\n"]
)
def test_long_diagrams_take_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    with time_limit(10):
        for language in disk.PROGRAMS:
            is_refused(language, text)
