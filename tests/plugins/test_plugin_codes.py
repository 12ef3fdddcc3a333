"""The codes of a plugin's problems have severities and waivers like those of devlog."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugin_sites import HEAD, POST, SITE, broken, checked, codes, with_plugin
from sites import build_site

RULE = HEAD + (
    "def needs_summary(evidence):\n"
    '    """A post has a summary."""\n'
    "    for text in evidence.posts:\n"
    "        yield problem(text.parsed.front_matter.span('title', text.parsed.file), 'this post has no summary')\n"
    "plugin = Plugin('lumen', checks=(needs_summary,))\n"
)


def ruled(root: Path) -> list[str]:
    return [item.severity for item in checked(root).diagnostics if item.code == "lumen.needs-summary"]


@pytest.mark.parametrize(("severity", "found"), [("error", ["error"]), ("info", ["info"]), ("off", [])])
def test_severities_of_plugins(severity: str, found: list[str], tmp_path: Path) -> None:
    config = f'plugins = ["plugins.py"]\n[severity]\n"lumen.needs-summary" = "{severity}"\n'
    assert ruled(with_plugin(tmp_path, RULE, devlog_toml=config)) == found


def test_a_severity_of_a_rule_that_nobody_has(tmp_path: Path) -> None:
    config = 'plugins = ["plugins.py"]\n[severity]\n"lumen.needs-sumary" = "off"\n'
    problem = broken(with_plugin(tmp_path, RULE, devlog_toml=config))
    assert (problem.code, problem.span.line) == ("unknown-config-key", 3)
    assert problem.hint == "did you mean “lumen.needs-summary”?"


@pytest.mark.slow
def test_a_waiver_for_a_plugin(tmp_path: Path) -> None:
    root = with_plugin(tmp_path, RULE)
    (root / POST).write_text(SITE[POST] + "\n<!-- devlog: allow lumen.needs-summary: it is short -->\n", "utf-8")
    assert not ruled(root)
    (root / POST).write_text(SITE[POST] + "\n<!-- devlog: allow lumen.needs-sumary: it is short -->\n", "utf-8")
    assert ruled(root) == ["warning"]
    assert "bad-waiver" in codes(checked(root).diagnostics)


@pytest.mark.slow
def test_a_plan_finds_problems(tmp_path: Path) -> None:
    text = (
        HEAD
        + "from devlog.model.diagnostic import Span\ndef years(o):\n    yield problem(Span('content'), 'no year')\n"
    )
    root = with_plugin(tmp_path, text + "plugin = Plugin('lumen', plans=(years,))\n")
    report = build_site(root)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("lumen.years", "warning")]
    assert not report.failed
