"""Messages about diagrams."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import info, warning


def diagrams_as_text(span: Span, language: str, advice: str) -> Diagnostic:
    """A site has diagrams in a language that no installed program draws. It is reported once for each language."""
    hint = f"{advice}, or set a “command” in [diagrams.{language}]"
    return info("diagrams-as-text", span, f"no renderer found for “{language}” diagrams", hint)


def old_diagram_script(span: Span, folder: str, version: str, first: tuple[int, ...]) -> Diagnostic:
    """The installed script of Mermaid has known faults, which a diagram could use."""
    wanted = ".".join(map(str, first))
    reason = f"“mermaid” diagrams shown as text: {folder} has version {version}, which is not safe"
    hint = f"run “npm install mermaid@latest” for version {wanted} or later"
    return info("diagrams-as-text", span, reason, hint)


def diagram_failed(span: Span, language: str, reason: str) -> Diagnostic:
    """What renders diagrams has produced none that can be shown."""
    return warning("diagram-failed", span, f"“{language}” diagram shown as text: {reason}")


def diagram_refused(span: Span, language: str, program: str) -> Diagnostic:
    """A diagram would make a program read files or the network, which only a configured command may do."""
    reason = f"{program} would read other files for it"
    return diagram_failed(span, language, reason)


def no_diagram_script(span: Span, script: str) -> Diagnostic:
    """The site's own script for rendering diagrams does not exist."""
    return warning("bad-diagrams", span, f"file not found in the site: “{script}”", "put it in the static folder")
