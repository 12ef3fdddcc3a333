"""Finds what draws the diagrams of a language: what the configuration names, else what is installed, else a script."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from devlog import config
from devlog.disk.read import read_bytes
from devlog.model.character_references import unescape
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.document import Diagram
from devlog.model.target import Copy
from devlog.packages import version
from devlog.programs import program_of, recordable

MERMAID = "merman"
"""The package that draws Mermaid diagrams, of the extra ``mermaid``."""
NPM_PACKAGE = "node_modules/mermaid"
"""The folder of Mermaid's own package where ``npm install mermaid`` ran, in the folder that is trusted as the theme."""
SAFE_SCRIPT = (11, 16, 1)
"""The first version of Mermaid's script in which no known diagram changes the objects of the page that shows it."""

_MOST_OF_PACKAGE = 1 << 20
_NUMBERS = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:\+.*)?")


class Program(msgspec.Struct, frozen=True):
    """A program that many people have, and which draws diagrams without configuration.

    Attributes:
        name: what people call it.
        command: the command, as in the configuration.
        environment: variables that it needs to read no file of the machine.
        refused: what a diagram may not contain, because the program would read files or the network for it.
    """

    name: str
    command: tuple[str, ...]
    environment: dict[str, str] = {}
    refused: str = ""


class Renderer(msgspec.Struct, frozen=True):
    """What draws the diagrams of a language.

    Attributes:
        function: the function that draws, as in `devlog.model.derived.Work`.
        parts: what it needs besides the diagram: if one changes, all are drawn again.
        identity: a string that changes when another program would draw.
        refused: a regular expression of what a diagram may not contain.
    """

    function: str
    parts: dict[str, Any]
    identity: str = ""
    refused: str = ""


class Script(msgspec.Struct, frozen=True):
    """Mermaid's script, for a language that nothing else draws.

    Attributes:
        version: its version.
        files: the script, and its license.
    """

    version: str
    files: tuple[Copy, Copy]

    @property
    def package(self) -> str:
        """The folder that it was found in, relative to the site's."""
        return self.files[1].file.rpartition("/")[0]

    @property
    def is_safe(self) -> bool:
        """Whether it may draw the diagrams of posts, which are not trusted."""
        numbers = _NUMBERS.fullmatch(self.version)  # nothing that is still to become a version
        return numbers is not None and tuple(map(int, numbers.groups())) >= SAFE_SCRIPT

    @property
    def identity(self) -> str:
        """A string that changes with the script."""
        return " ".join((self.version, *(file.digest for file in self.files)))


_FONT = "fontname=Helvetica"
_GRAPHVIZ = Program(
    "Graphviz",
    ("dot", "-Tsvg", "-Gbgcolor=transparent", f"-G{_FONT}", f"-N{_FONT}", f"-E{_FONT}"),
    # A graph may name images in ways that no expression recognizes, such as "ima" + "ge". Programs that serve others
    # read them from these folders only, of which there are none; older versions also want to be told that they serve.
    {"GV_FILE_PATH": os.devnull, "SERVER_NAME": "devlog"},
)
_PLANTUML = Program(
    "PlantUML",
    ("plantuml", "-tsvg", "-pipe", "-charset", "UTF-8"),
    # Formulas in TeX may name images, which are read whatever the profile is, but only where there is a screen.
    {"PLANTUML_SECURITY_PROFILE": "SANDBOX", "JAVA_TOOL_OPTIONS": "-Djava.awt.headless=true"},
    # Versions before 1.2020.11 do not know the variable, and later ones tell about the machine.
    r"!\s*(?:include|import)|^(?>[^\n]*?!\s*theme\b)[^\n]*\bfrom\b|<\s*img|\\\s*includegraphics"
    r"|%\s*(?:load|getenv|get_|file|dir|filename|invoke|call)"
    r"|^[^\S\n]*(?:sprite\b[^\n{]*$|testdot|version|listfonts|stdlib|license|about|checkversion)"
    r"|\\[^\S\n]*$",  # the next line is part of this one, so that any of these words may be in two pieces
)
# mermaid-cli's browser loads what labels and styles show. Names in what it reads as JSON, YAML or CSS can be quoted and
# have escapes, and it removes some parts of a text before it reads the rest: such text is refused unread.
_LOADED_BY_MERMAID = (
    r"<(?:audio|body|embed|feimage|iframe|im(?:g|age)|input|link|object|picture|script|source|style|svg|use|video)\b",
    r"<t(?:able|body|d|h|r)\b",
    r"\b(?:background|poster|src|srcset|style)\s*=|!\[",
    r"\burl\s*\(|image-set\s*\(|@import|themeCSS",
    # The image of a node, whatever makes the word a key: a colon, `?`, or the alias of an anchor.
    r"(?s:\A(?=.*@\{).*\bimg\b)",
    # The icons of participants.
    r"(?s:\A(?=.*\bsequenceDiagram)(?=.*\{).*properties)",
    # Escapes. `\n` is a line break in labels, and `[\` and `\]` are the sides of shapes.
    r"(?<!\[)\\(?![n\]])",
    # Directives, which are removed: what is before and after them would become one word, or one line.
    r"[^\n \t][ \t]*%%\{|%%\{(?![ \t\n]*[a-z]+[ \t\n]*(?::[ \t\n]*\{|\}%%))|\}%%[ \t]*[^\n \t]|%%\}|[\u2028\u2029]",
    # A language of its own, with Markdown.
    r"^[^\S\n]*zenuml\b",
)
PROGRAMS: Mapping[str, Program] = {
    # Imports, in any spelling: an `@` that neither text nor a name precedes on its line, as where a value begins.
    "d2": Program("D2", ("d2", "--bundle=false", "--pad=8", "-", "-"), refused=r"(?:^|[^\w \t])[ \t]*@"),
    "dot": _GRAPHVIZ,
    "graphviz": _GRAPHVIZ,
    "mermaid": Program(
        "mermaid-cli",
        ("mmdc", "--quiet", "-t", "neutral", "-b", "transparent", "-i", "{input}", "-o", "{output}"),
        refused="|".join(_LOADED_BY_MERMAID),
    ),
    "plantuml": _PLANTUML,
    "puml": _PLANTUML,
}
"""The programs that draw diagrams without configuration, by language."""

_BY_COMMAND = "devlog.features.diagrams.derive.draw:draw"
_BY_PACKAGE = "devlog.features.diagrams.derive.mermaid:draw"


def renderer_of(
    language: str, configured: config.Diagram | None, root: Path, named: Mapping[str, str]
) -> Renderer | None:
    """What draws the diagrams of a language; `None` if nothing does, so that a script may, or they stay text.

    Args:
        language: the language.
        configured: its table in the configuration; `None` without one.
        root: the site's folder.
        named: the identities of the files that commands name, see `devlog.inputs.identity_of`.
    """
    if configured is None:
        return _found(language)
    if not configured.command:
        return None
    program, place = _run(configured, root)
    parts: dict[str, Any] = {"command": list(configured.command), "program": program, "dark": not configured.paper}
    if place:
        parts |= {"root": place, "programs": [named[file] for file in configured.programs]}
    return Renderer(_BY_COMMAND, parts, f"{program} {place}")


def _run(configured: config.Diagram, root: Path) -> tuple[str, str]:
    """What a configured command runs that is not among the inputs of a build: its program, and the path of the site if
    the command contains it."""
    return program_of(configured.command), recordable(root.resolve()) if configured.names_root else ""


def _found(language: str) -> Renderer | None:
    """What is installed and draws a language."""
    if language == "mermaid" and (number := version(MERMAID)):
        identity = f"{MERMAID} {number}"
        return Renderer(_BY_PACKAGE, {"package": identity, "dark": True}, identity)
    program = PROGRAMS.get(language)
    identity = program_of(program.command) if program else ""
    if not program or not identity:
        return None
    parts = {"command": list(program.command), "program": identity, "environment": program.environment, "dark": True}
    return Renderer(_BY_COMMAND, parts, identity, program.refused)


def script_of(language: str, root: Path, package: str) -> Script | None:
    """The script that npm has installed in a site for a language; `None` if there is none.

    Args:
        language: the language.
        root: the site's folder.
        package: the folder of the package, relative to it.
    """
    if language != "mermaid":
        return None
    described = read_bytes(root, f"{package}/package.json", limit=_MOST_OF_PACKAGE)
    if isinstance(described, Diagnostic):
        return None
    try:
        number = msgspec.json.decode(described, type=_Package).version
    except (msgspec.MsgspecError, ValueError):  # UnicodeDecodeError is the latter
        return None
    names = (f"{package}/dist/mermaid.min.js", f"{package}/LICENSE")
    script, notice = (read_bytes(root, name) for name in names)
    if isinstance(script, Diagnostic) or isinstance(notice, Diagnostic):
        return None
    copies = (Copy("", "site", name, digest_bytes(data)) for name, data in zip(names, (script, notice), strict=True))
    return Script(number, (next(copies), next(copies)))


class _Package(msgspec.Struct, frozen=True):
    """What a ``package.json`` tells."""

    version: str


def identities(languages: Iterable[str], root: Path, configured: config.Config) -> list[str]:
    """What would draw some languages; an empty string for a language that nothing draws.

    Args:
        languages: the languages, without those for which the configuration names a script.
        root: the site's folder.
        configured: the configuration.
    """
    return [_identity(language, root, configured) for language in languages]


def _identity(language: str, root: Path, configured: config.Config) -> str:
    if diagram := configured.diagrams.get(language):
        return " ".join(_run(diagram, root))
    found = _found(language) or script_of(language, root, configured.in_theme_folder(NPM_PACKAGE))
    return found.identity if found else ""


def is_refused(diagram: Diagram, renderer: Renderer) -> bool:
    """Whether a diagram contains what would make the program read files of the machine, or the network."""
    if not renderer.refused:
        return False
    text = diagram.text.replace("\r", "\n")
    # Mermaid decodes entities, which it writes as `#40;`, and removes some semicolons.
    decoded = unescape(_ENTITY.sub(lambda found: f"&{'#' * found[1].isdecimal()}{found[1]};", text))
    texts = dict.fromkeys((text, decoded, decoded.replace(";", "")))
    return any(re.search(renderer.refused, one, re.IGNORECASE | re.MULTILINE) for one in texts)


_ENTITY = re.compile(r"&?#([0-9A-Za-z]{1,40});")
