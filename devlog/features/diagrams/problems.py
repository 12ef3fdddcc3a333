"""Messages about diagrams."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import info, warning


def diagrams_as_text(span: Span, language: str) -> Diagnostic:
    """A site has diagrams in a language for which no renderer is configured. It is reported once for each language."""
    hint = f"set a “command” or a “script” in [diagrams.{language}]"
    return info("diagrams-as-text", span, f"no renderer configured for “{language}” diagrams", hint)


def diagram_failed(span: Span, language: str, reason: str) -> Diagnostic:
    """A configured command has produced no diagram that can be shown."""
    return warning("diagram-failed", span, f"“{language}” diagram shown as text: {reason}")


def no_diagram_script(span: Span, script: str) -> Diagnostic:
    """The site's own script for rendering diagrams does not exist."""
    return warning("bad-diagrams", span, f"file not found in the site: “{script}”", "put it in the static folder")
