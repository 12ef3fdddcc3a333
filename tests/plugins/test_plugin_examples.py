"""The examples of the documentation of plugins work as they are written there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from plugin_sites import POST, ROOT, SITE, built, checked
from sites import build_site, write_site

from devlog.deploy import run as deploying

_SECTION = re.compile(r"^## +(.*)$", re.MULTILINE)


_FENCE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def example(section: str, folder: Path) -> Path:
    """A site with the files of an example of docs/plugins.md."""
    parts = _SECTION.split((ROOT / "docs" / "plugins.md").read_text("utf-8"))
    files = dict(_FENCE.findall(dict(zip(parts[1::2], parts[2::2], strict=True))[section]))
    assert "plugins.py" in files
    if "devlog.toml" in files:
        files["devlog.toml"] = 'title = "The Lumen log"\n' + files["devlog.toml"]
    return write_site(folder, {**SITE, **files})


@pytest.mark.slow
def test_the_example_of_markdown(tmp_path: Path) -> None:
    site = built(example("Markdown", tmp_path))
    page = site["storage/2026-05-04-compaction/index.html"]
    assert '<p>It mends <a href="https://issues.example.org/12">LUM-12</a>.</p>' in page
    assert '<meta name="description" content="It mends LUM-12.">' in page
    assert '"summary": "It mends LUM-12."' in site["posts.json"]


def test_a_token_of_a_plugin_reads_as_it_says(tmp_path: Path) -> None:
    root = example("Markdown", tmp_path)
    (root / POST).write_text(SITE[POST] + "\n## About **LUM-13**\n", "utf-8")
    page = built(root)["storage/2026-05-04-compaction/index.html"]
    assert '<h2 id="about-lum-13">' in page


def test_the_example_of_markdown_in_links_and_words(tmp_path: Path) -> None:
    root = example("Markdown", tmp_path)
    (root / POST).write_text(SITE[POST] + "\n[see LUM-13](https://lumen.example.org/), preLUM-14\n", "utf-8")
    page = built(root)["storage/2026-05-04-compaction/index.html"]
    assert '<p><a href="https://lumen.example.org/">see LUM-13</a>, preLUM-14</p>' in page


def test_the_text_of_a_token_of_a_plugin_is_in_alt_texts(tmp_path: Path) -> None:
    root = example("Markdown", tmp_path)
    image = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
    write_site(root, {"content/storage/sizes.svg": image, POST: SITE[POST] + "\n![Sizes after LUM-13](sizes.svg)\n"})
    assert 'alt="Sizes after LUM-13"' in built(root)["storage/2026-05-04-compaction/index.html"]


def test_the_example_of_markdown_beside_raw_html(tmp_path: Path) -> None:
    root = example("Markdown", tmp_path)
    (root / POST).write_text(SITE[POST] + "\n<b onclick='x()'>LUM-13</b>\n", "utf-8")
    page = built(root)["storage/2026-05-04-compaction/index.html"]
    assert '<b><a href="https://issues.example.org/13">LUM-13</a></b>' in page
    (root / POST).write_text(SITE[POST].replace("mends", "<b>mends</b>"), "utf-8")
    page = built(root)["storage/2026-05-04-compaction/index.html"]
    assert '<meta name="description" content="It mends LUM-12.">' in page


MAIL = """\
From: Ada Quill <ada@lumen.example.org>
Subject: Compaction, at last
Date: Mon, 04 May 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="x"

--x
Content-Type: text/plain

It is *fast*, see [the other](2026-05-04-compaction.md). {{< oops >}}

--x
Content-Type: image/png
Content-Transfer-Encoding: base64

iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=
--x--
"""


@pytest.mark.slow
def test_the_example_of_sources(tmp_path: Path) -> None:
    root = example("Sources", tmp_path)
    mail = "content/storage/2026-05-04-announcement.eml"
    write_site(root, {mail: MAIL.replace(" {{< oops >}}", "")})
    pages = built(root)
    assert "It is <em>fast</em>" in pages["storage/2026-05-04-announcement/index.html"]
    image = root / "public/storage/2026-05-04-announcement/image-1.png"
    assert image.read_bytes().startswith(b"\x89PNG")
    assert built(root) == pages
    # A changed plugin changes pages, and its failure names the file.
    code = (root / "plugins.py").read_text("utf-8")
    write_site(root, {"plugins.py": code.replace("image-{number}", "figure-{number}")})
    assert not build_site(root).failed
    assert not image.exists()
    assert image.with_name("figure-1.png").exists()
    write_site(root, {mail: MAIL})
    (problem,) = build_site(root).diagnostics
    assert (problem.code, problem.span.path, problem.span.line) == ("unknown-shortcode", mail, 0)
    for end, reason in {
        "return 1 / 0": "ZeroDivisionError",
        "return 7": "malformed",
        "return Converted('', files=(ContainedFile('../x.png', b''),))": "“../x.png”",
    }.items():
        write_site(root, {"plugins.py": code.replace('text = json.dumps(head, indent=1) + "\\n\\n" + body', end)})
        (problem,) = build_site(root).diagnostics
        assert problem.code == "plugin-failed"
        assert mail in problem.message
        assert reason in problem.message


@pytest.mark.parametrize(
    ("mail", "codes"),
    [
        ("Subject: Compaction\nContent-Type: text/html\n\n<p>Fast</p>\n", {"lumen.read-mail"}),
        ("Subject: Compaction\nFrom: ada@lumen.example.org\nDate: soon\n\nFast\n", set()),
        ("\nFast\n", {"missing-title"}),
    ],
)
def test_the_example_of_sources_with_parts_missing(mail: str, codes: set[str], tmp_path: Path) -> None:
    root = example("Sources", tmp_path)
    write_site(root, {"content/storage/2026-05-04-announcement.eml": mail})
    report = build_site(root)
    assert {problem.code for problem in report.diagnostics} == codes
    assert (root / "public/storage/2026-05-04-announcement/index.html").is_file()


@pytest.mark.slow
@pytest.mark.feature("notebooks")
def test_formats_of_devlog_cannot_be_replaced(tmp_path: Path) -> None:
    for suffix in (".md", ".ipynb", "eml"):
        code = f"from devlog.plugin import Plugin\nplugin = Plugin('x', sources={{'{suffix}': print}})\n"
        (problem,) = build_site(write_site(tmp_path, {**SITE, "plugins.py": code})).diagnostics
        assert problem.code == "bad-plugin"
        assert suffix in problem.message


@pytest.mark.slow
def test_the_example_of_checks(tmp_path: Path) -> None:
    root = example("Checks", tmp_path)
    (problem,) = [item for item in checked(root).diagnostics if item.code.startswith("lumen.")]
    assert (problem.code, problem.severity, problem.span.path, problem.span.line) == (
        "lumen.needs-summary",
        "warning",
        POST,
        2,
    )
    done = subprocess.run(
        [sys.executable, "-m", "devlog", "check", "--root", str(root), "--explain", "lumen.needs-summary"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "A post has a `summary`, which lists and feeds show." in done.stdout


@pytest.mark.slow
def test_the_example_of_plans(tmp_path: Path) -> None:
    page = built(example("Plans", tmp_path))["numbers/index.html"]
    assert "<title>Numbers — The Lumen log</title>" in page
    assert "<li>Storage: 3 words</li>" in page


@pytest.mark.slow
def test_the_sitemap_names_pages_that_belong_to_those_of_the_site(tmp_path: Path) -> None:
    root = example("Plans", tmp_path)
    code = (root / "plugins.py").read_text("utf-8")
    free = "{outline.is_free('/numbers/'), outline.is_free('/archive/'), outline.is_free('/storage/')}"
    code = code.replace('title="Numbers"', f'title=f"{free}"').replace("plans=", "pages=")
    write_site(root, {"plugins.py": code})
    assert not build_site(root, base_url="https://docs.example.org/").failed
    named = re.findall("<loc>https://docs.example.org(.*?)</loc>", (root / "public/sitemap.xml").read_text("utf-8"))
    assert {"/archive/", "/numbers/"} <= set(named)
    assert "<title>(True, False, False) — " in (root / "public/numbers/index.html").read_text("utf-8")
    write_site(root, {"plugins.py": code.replace("pages=", "plans=")})
    assert not build_site(root, base_url="https://docs.example.org/").failed
    assert "/numbers/" not in (root / "public/sitemap.xml").read_text("utf-8")


@pytest.mark.slow
def test_the_example_of_recipes(tmp_path: Path) -> None:
    lines = built(example("Recipes", tmp_path))["calendar.ics"].split("\r\n")
    assert lines[:3] == ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:lumen"]
    assert lines[3:8] == [
        "BEGIN:VEVENT",
        "UID:/storage/2026-05-04-compaction/",
        "DTSTAMP:20260504T000000Z",
        "DTSTART;VALUE=DATE:20260504",
        "SUMMARY:Compaction\\, at last",
    ]


@pytest.mark.slow
def test_the_example_of_filters(tmp_path: Path) -> None:
    page = built(example("Filters", tmp_path))["storage/2026-05-04-compaction/index.html"]
    assert "<p>Written on a Monday.</p>" in page


@pytest.mark.slow
def test_the_example_of_deployers(tmp_path: Path) -> None:
    root = example("Deployers", tmp_path)
    outputs = built(root)
    (said,) = deploying.deploy(root)
    with ZipFile(root / "lumen-log.zip") as archive:
        assert archive.read("index.html").decode() == outputs["index.html"]
        assert said == f"Packed {len(archive.namelist())} files into lumen-log.zip"


@pytest.mark.slow
def test_the_example_of_derived_parts(tmp_path: Path) -> None:
    root = example("Derived parts", tmp_path)
    write_site(root, {"content/storage/sizes.csv": "a,b\n1,2\n3,4\n"})
    assert "/storage/sizes.csv</a>: 3 rows" in built(root)["data/index.html"]
    write_site(root, {"content/storage/sizes.csv": "a,b\n1,2\n"})
    assert "/storage/sizes.csv</a>: 2 rows" in built(root)["data/index.html"]


@pytest.mark.slow
def test_the_example_of_front_matter(tmp_path: Path) -> None:
    root = example("Front matter", tmp_path)
    written = SITE[POST].replace("author:", "Release: v2.3\nauthor:")
    write_site(root, {POST: written})
    outputs = built(root)
    assert "Lumen 2.3" in outputs["storage/2026-05-04-compaction/index.html"]
    assert '"_devlog": {"release": "2.3"}' in " ".join(outputs["feed.json"].split()).replace("{ ", "{").replace(
        " }", "}"
    )
    write_site(root, {POST: written.replace("2.3", "soon")})
    (problem,) = build_site(root).diagnostics
    assert (problem.code, problem.span.path, problem.span.line, problem.span.column) == (
        "lumen.read-release",
        POST,
        3,
        10,
    )
    assert problem.message == "“vsoon” is not a release"


@pytest.mark.slow
@pytest.mark.feature("supersession")
def test_a_plugin_and_a_feature_may_know_of_one_post(tmp_path: Path) -> None:
    """Each gets the keys that it asks for, and what both know is shown."""
    root = example("Front matter", tmp_path)
    code = (root / "plugins.py").read_text("utf-8").replace("lumen.release", "applies_to")
    written = SITE[POST].replace("author:", "status: historical\napplies_to: 2.3\nauthor:")
    write_site(root, {"plugins.py": code, POST: written})
    outputs = built(root)
    assert "Lumen 2.3" not in outputs["storage/2026-05-04-compaction/index.html"]  # a feature comes first
    (item,) = json.loads(outputs["feed.json"])["items"]
    assert item["_devlog"] == {"status": "historical", "applies_to": "2.3", "release": "2.3"}


TARGETS = """
from msgspec import Struct
from devlog.model.derived import LinkTargets
from devlog.plugin import PlannedFile, Plugin


class Part(Struct, frozen=True):
    targets: LinkTargets = LinkTargets()


def targets(work):
    return Part(LinkTargets({"storage/2026-05-04-compaction.md": ("part-2",)}, ("/numbers.txt",)))


def plan(outline):
    yield PlannedFile("/numbers.txt", "numbers", {})


plugin = Plugin("x", targets=targets, plans=(plan,), recipes={"numbers": lambda target, resources: "1 2 3"})
"""


@pytest.mark.slow
def test_links_to_what_a_plugin_makes(tmp_path: Path) -> None:
    text = SITE[POST] + "\n[numbers](/numbers.txt), [part](#part-2), [one more](#part-3)\n"
    root = write_site(tmp_path, {**SITE, POST: text, "plugins.py": TARGETS})
    report = build_site(root)
    assert [(item.code, item.message) for item in report.diagnostics if item.code.startswith("broken")] == [
        ("broken-anchor", next(item.message for item in report.diagnostics if "part-3" in item.message))
    ]


FINDING = """
from msgspec import Struct
from devlog.model.diagnostic import Span
from devlog.plugin import Plugin, problem


class Part(Struct, frozen=True):
    problems: tuple = ()


def look(work):
    return Part((problem(Span("devlog.toml", 1), "no data"),))


plugin = Plugin("x", derive=look)
"""


@pytest.mark.slow
def test_problems_of_derived_parts_have_the_name_of_their_function(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, "plugins.py": FINDING})
    report = build_site(root)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("x.look", "warning")]
    write_site(root, {"devlog.toml": SITE["devlog.toml"] + '[severity]\n"x.look" = "off"\n'})
    assert not build_site(root).diagnostics
