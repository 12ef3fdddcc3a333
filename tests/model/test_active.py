"""Which files do more than be shown."""

from __future__ import annotations

import codecs
import gzip
import random
import weakref

import pytest

from devlog.assemble import problems
from devlog.model import active_content
from devlog.model.active import ACTING, HOLDS_PAGE, active_by_name, obeyed_at_root, run_by_servers
from devlog.model.active_content import Look

SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'


def reason(name: str, data: bytes | str, piece: int = 1 << 20) -> str:
    """What is said of a file that is read in pieces."""
    whole = data.encode() if isinstance(data, str) else data
    look = Look(name)
    for start in range(0, len(whole), piece):
        look.feed(whole[start : start + piece])
    return look.reason()


@pytest.mark.parametrize(
    "name",
    [
        *("a.js", "a.mjs", "A.JS", "a.html", "a.htm", "a.xhtml", "a.xht", "a.svgz", "a.swf", "a.mht", "a.hta"),
        *("a.php", "a.php5", "a.phtml", "a.PhP", "a.php.txt", "a.php.png", "a.phar", "a.shtml", "a.asp", "a.aspx"),
        *("a.jsp", "a.cgi", "a.cfm", "a.ashx", "a.php.", "a.php ", "a.asp:x.png", "cgi-bin/run", "x/cgi-bin/a.txt"),
        *(
            ".htaccess",
            "x/.htaccess",
            ".htpasswd",
            ".user.ini",
            "web.config",
            "Web.Config",
            "_headers",
            "_redirects",
            "_header\u017f",
        ),
        *("_worker.js", "staticwebapp.config.json", "netlify.toml", "vercel.json", "php.ini", "web.config."),
        *("a.html.orig", "a.htm.de.x", "a.svgz.1", "a.html.gz", "a.svg.br", "feed.xml.gz", "a.asp;.png", "a.svc"),
        *(
            "a.xsl",
            "a.xslt",
            "a.var",
            "a.VAR",
            "a.var.txt",
            "a.png.var.de",
            "a.asis",
            "a.imap.png",
            "a.cshtm",
            "a.aspq",
        ),
        *("a.html.toml", "a.html.cast", "a.html.ipynb", "a.html.map", "a.html.cast.toml", "a.html.md"),
        *("a.html.gz.orig", "a.html.gz.toml", "a.html.xz", "a.js.gz", "a.svgz.yaml", "a.br", "a.some.br"),
        *("a.html.csv", "a.html.tar", "a.html.docx", "a.xhtml.mp3", "a.html.log"),  # WEBrick does not know the last
        *("httpd.conf", "x/HTTPD.conf", "a.rhtml", "a.rpy", "a.epy", "a.yaws", "a.rhtml.txt"),
    ],
)
def test_names(name: str) -> None:
    assert active_by_name(name)
    assert reason(name, "x")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("a.php.html", ".php"), ("x/A.PHP5.md", ".php5"), ("a.de.shtml.json", ".shtml"), ("a.p\u200bhp.md", ".php")),
        *(("cgi-bin/index.html", "cgi-bin"), ("x/CGI-Bin/a.html", "cgi-bin"), ("a.php/cgi-bin/x.md", "cgi-bin")),
        *(("a.php/index.html", ""), ("node.js.html", ""), ("v1.2.py.html", ""), ("cgi-bin.html", ""), ("php.html", "")),
    ],
)
def test_paths_that_servers_run(path: str, name: str) -> None:
    why = run_by_servers(path)
    assert (f"“{name}”" in why) if name else not why


@pytest.mark.parametrize(
    "name",
    [
        *("a.png", "a.jpg", "a.pdf", "a.mp4", "a.vtt", "a.css", "a.json", "a.csv", "a.txt", "a.py", "a.sh", "a.pl"),
        *("a.rb", "a.c", "a.zip", "a.tar.gz", "a.ipynb", "a.wasm", "a.cast", "a.log", "a.patch", "a.bin", "CNAME"),
        *(
            "a.html.png",
            "a.html.csv.gz",
            "a.html.docx.bak",
            "a.js.de.x",
            "a.js.xz",
            "a.js.zip",
            "a.css.gz",
            "a.svg.zip",
            "a.xml.parquet",
            "a.svg.jxl",
            "a.svg.png",
            "v1.2.3",
            "a.es",
            "html.x",
        ),
        *("a.json.png", "jspaper.png", "php.png", "html.txt", "my.css.map", "htaccess", "LICENSE", "a.config", "a.inc"),
    ],
)
def test_other_names(name: str) -> None:
    assert active_by_name(name) == ""
    assert reason(name, "data, and no markup < here") == ""


@pytest.mark.parametrize(
    "name",
    [
        *("llms.txt", "LLMS-full.txt", "llm\u017f.txt", "llms.txt.gz", "sitemap_index.xml", "CNAME"),
        *("serve.json", "amplify.yml", "wrangler.toml", "render.yaml", "Procfile", "vercel.ts", "zuul.yaml"),
        *(
            "vercel.mts",
            "middleware.ts",
            "firebase.json",
            "customHttp.yml",
            "Caddyfile",
            "nginx.conf.sigil",
            "Staticfile.auth",
            "nginx.conf",
            "start.sh",
        ),
        *("appspec.yml", "serverless.yml", "compose.override.yaml", "Vagrantfile", "main.py", "mime.types"),
        *("functions/_middleware.ts", "functions/a/[[path]].TSX", "API/index.py", "netlify/edge-functions/a.ts.gz"),
        *("composer.json", "Cargo.TOML.gz", "llms.txt.GZ.br", "compose.yaml", "railway.json", "captain-definition"),
        *("Jenkinsfile", "bitbucket-pipelines.yml", "azure-pipelines.yml", "package.json", "_config.yml"),
        *(
            "config.toml",
            "config.YAML",
            "config.json",
            "config.rb",
            "hugo.toml",
            "hugo.yaml.gz",
            "mkdocs.yml",
            "book.toml",
        ),
        *("zola.toml", "_config.json", "CODEOWNERS", "conf.py", "gems.rb", "astro.config.ts", "mise.toml", "Brewfile"),
        *("favicon.ico", "Favicon.ICO.gz", "apple-touch-icon.png", "apple-touch-icon-precomposed.png"),
        *("apple-touch-icon-120x120.png", "apple-touch-icon-120x120-precomposed.png", "browserconfig.xml"),
    ],
)
def test_names_at_the_root_of_a_site(name: str) -> None:
    assert obeyed_at_root(name)
    assert obeyed_at_root(f"lab/{name}") == ""


@pytest.mark.parametrize(
    "name",
    [
        *("data.json", "results.toml", "notes.yml", "run.cast", "LICENSE", "gz", "br.gz", ".gz"),
        *(
            "favicon.svg",
            "favicon-32x32.png",
            "icon.ico",
            "site.webmanifest",
            "my-config.toml",
            "config.txt",
            "docs/x.toml",
        ),
        *("functions/a.png", "api/data.zip", "api.py", "apis/a.py", "functions/a.py.txt"),
    ],
)
def test_other_names_at_the_root_of_a_site(name: str) -> None:
    assert obeyed_at_root(name) == ""


def test_owners_of_code_are_named_in_two_folders() -> None:
    assert obeyed_at_root("docs/CODEOWNERS")
    assert obeyed_at_root("docs/a/CODEOWNERS") == ""


def test_programs_in_folders_of_functions_get_a_hint() -> None:
    problem = problems.active_content("content/functions/a.ts", obeyed_at_root("functions/a.ts"))
    assert "hosts run programs in this folder" in problem.message
    assert problem.hint == "put it into another folder, or rename it to “a.ts.txt”"


ACTIVE = {
    "script": f"<svg {SVG}><script>x</script></svg>",
    "empty script": f'<svg {SVG}><script href="a.js"/></svg>',
    "prefix": '<a:svg xmlns:a="http://www.w3.org/2000/svg"><a:script/></a:svg>',
    "handler": f'<svg {SVG} onload="x"/>',
    "deep handler": f'<svg {SVG}><g><rect ONclick="x"/></g></svg>',
    "link": f'<svg {SVG}><a xlink:href="javascript:x"/></svg>',
    "link with entities": f'<svg {SVG}><a href="java&#9;script:x"/></svg>',
    "link, encoded": f'<svg {SVG}><a href="%6aavascript:x"/></svg>',
    "link to data": f'<svg {SVG}><a href="data:text/html,x"/></svg>',
    "animated": f'<svg {SVG}><a><animate attributeName="href" to="javascript:x"/></a></svg>',
    "animated among others": f'<svg {SVG}><a><animate attributeName="href" values="#;javascript:x"/></a></svg>',
    "used": f'<svg {SVG}><use href="data:image/svg+xml,x"/></svg>',
    "frame": f'<svg {SVG}><foreignObject><iframe {XHTML} src="x"/></foreignObject></svg>',
    "html script": f"<svg {SVG}><script {XHTML}>x</script></svg>",
    "html handler": f'<svg {SVG}><foreignObject><img {XHTML} src="x" onerror="x"/></foreignObject></svg>',
    "page": f"<html {XHTML}><script/></html>",
    "entity": f'<!DOCTYPE svg [<!ENTITY x "<script/>">]><svg {SVG}>&x;</svg>',
    "entity in attribute": f'<!DOCTYPE svg [<!ENTITY x "javascript:1">]><svg {SVG}><a href="&x;"/></svg>',
    "default": f'<!DOCTYPE svg [<!ATTLIST svg onload CDATA "x">]><svg {SVG}/>',
    "default namespace": '<!DOCTYPE svg [<!ATTLIST svg xmlns CDATA "http://www.w3.org/2000/svg">]><svg><script/></svg>',
    "parameter entity": f"""<!DOCTYPE svg [<!ENTITY % x "<!ENTITY y 'z'>"> %x;]><svg {SVG}/>""",
    "unknown parameter entity": f"""<!DOCTYPE a SYSTEM "x" [%x; <!ENTITY y '<script {SVG}/>'>]><svg {SVG}>&y;</svg>""",
    "parameter entity of none": f"""<!DOCTYPE svg [%x; <!ENTITY y '<script {SVG}/>'>]><svg {SVG}>&y;</svg>""",
    "parameter entity, attribute": f'<!DOCTYPE svg SYSTEM "x" [ %x;<!ATTLIST svg onload CDATA "1">]><svg {SVG}/>',
    "parameter entity, comment": f'<!DOCTYPE svg SYSTEM "x" [<!--%-->%x;<!ATTLIST svg onload CDATA "1">]><svg {SVG}/>',
    "parameter entity alone": f"""<?xml version="1.0" standalone="yes"?><!DOCTYPE svg [%x;]><svg {SVG}/>""",
    "parameter entity, not used": f"""<!DOCTYPE svg [<!ENTITY % x "y">]><svg {SVG}/>""",
    "declared element": f"<!DOCTYPE svg [<!ELEMENT svg ANY>]><svg {SVG}/>",
    "declared attribute": f"<!DOCTYPE svg [<!ATTLIST svg x CDATA #IMPLIED>]><svg {SVG}/>",
    "declared namespace": f'<!DOCTYPE svg [<!ATTLIST svg xmlns:xlink CDATA "u:1">]><svg {SVG}/>',
    "declared notation": f'<!DOCTYPE svg [<!NOTATION x SYSTEM "x">]><svg {SVG}/>',
    "instruction among declarations": f"<!DOCTYPE svg [<?a b?>]><svg {SVG}/>",
    "entity of another": f'<!DOCTYPE svg [<!ENTITY x "y"><!ENTITY z "&x;">]><svg {SVG}/>',
    "entity of a character of markup": f'<!DOCTYPE svg [<!ENTITY x "&#60;a/>">]><svg {SVG}/>',
    "entity of a hexadecimal character of markup": f'<!DOCTYPE svg [<!ENTITY x "&#x003c;a/>">]><svg {SVG}/>',
    "entity that all programs know": f'<!DOCTYPE svg [<!ENTITY lt "x">]><svg {SVG}/>',
    "entity that is not parsed": f'<!DOCTYPE svg [<!ENTITY x SYSTEM "x" NDATA y>]><svg {SVG}/>',
    "external entity": f'<!DOCTYPE svg [<!ENTITY x SYSTEM "x.xml">]><svg {SVG}>&x;</svg>',
    "style sheet": f'<?xml-stylesheet type="text/xsl" href="x.xsl"?><svg {SVG}/>',
    "style sheet, with the type elsewhere": """<?xml-stylesheet type="text/xsl" title='type="text/css"' href="x"?>"""
    f"<svg {SVG}/>",
    "style sheet, with two types": f'<?xml-stylesheet type="text/xsl" type="text/css" href="x"?><svg {SVG}/>',
    "style sheet, with another key": f'<?xml-stylesheet subtype="text/css" type="text/xsl" href="x"?><svg {SVG}/>',
    "entity that browsers know": '<!DOCTYPE svg PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
    f'<svg {SVG}><a href="javascript&colon;x"/></svg>',
    "entity of a formula": '<!DOCTYPE svg PUBLIC "-//W3C//DTD MathML 2.0//EN" "x">'
    f'<svg {SVG}><a href="javascript&colon;x"/></svg>',
    "entities in a file of Firefox": '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x/htmlmathml-f.ent">'
    f'<svg {SVG}><a href="javascript&colon;x"/></svg>',
    "entities in a file of Firefox, escaped": '<!DOCTYPE svg PUBLIC "x" "h%74mlma%74hml-f.ent?x.dtd">'
    f'<svg {SVG}><a href="javascript&colon;x"/></svg>',
    "two marks and a reference in the namespace": codecs.BOM_UTF8 * 2
    + b'<svg xmlns="http://www.w3.org/200&#48;/svg"><script/></svg>',
    "sixteen bits declared, eight written": '<?xml version="1.0" encoding="utf-16"?>'
    '<svg xmlns="http://www.w3.org/200&#48;/svg"><script/></svg>',
    "escapes in the namespace": '<svg xm\x1b(Blns="http://www.w3.org/2000/svg"><scr\x1b(Bipt/></svg>',
    "style sheet without a type": f'<?xml-stylesheet href="x.xsl"?><svg {SVG}/>',
    "bomb": "<!DOCTYPE s ["
    + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12)).replace("&a0;", "x")
    + f"]><svg {SVG}>&a12;</svg>",
    "broken": f"<svg {SVG}><g></svg>",
    "broken before": f"<svg {SVG}></g><script/></svg>",
    "unknown encoding": f'<?xml version="1.0" encoding="utf-7"?><svg {SVG}/>',
    "odd encoding": f'<?xml version="1.0" encoding="cp037"?><svg {SVG}/>',
    "sixteen bits": codecs.BOM_UTF16_LE + f"<svg {SVG}><script/></svg>".encode("utf-16-le"),
    "sixteen bits, the other way": codecs.BOM_UTF16_BE + f"<svg {SVG}><script/></svg>".encode("utf-16-be"),
    "mark": codecs.BOM_UTF8 + f"<svg {SVG}><script/></svg>".encode(),
    **{
        f"half of a letter, {codec}": mark
        + f"<svg {SVG}><desc>{half}<script a='>'>x//{half}</script></desc></svg>".encode(codec, "surrogatepass")
        for codec, mark in (("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE))
        for half in ("\ud800",)
    },
    "half of a letter at the end": codecs.BOM_UTF16_LE + f"<svg {SVG}/>\ud800".encode("utf-16-le", "surrogatepass"),
    "half of a letter in eight bits": f"<svg {SVG}>\ud800</svg>".encode("utf-8", "surrogatepass"),
    "letters longer than they need be": f"<svg {SVG}>".encode() + b"\xc0\xbcscript/></svg>",
    "letters that ASCII does not have": b'<?xml version="1.0" encoding="us-ascii"?>' + f"<svg {SVG}>é</svg>".encode(),
    "no letter": f"<svg {SVG}>\uffff</svg>",
    "zero byte": f"<svg {SVG}>\0</svg>",
    "refresh": f'<svg {SVG}><foreignObject><meta {XHTML} http-equiv="refresh"/></foreignObject></svg>',
}
SHOWN = {
    "empty": f"<svg {SVG}/>",
    "declared": f'<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<svg {SVG}><path d="M0 0"/></svg>',
    "doctype": '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    f"<svg {SVG}/>",
    "percent signs": f"<!DOCTYPE svg [<!-- %x; -->]><svg {SVG}><!-- %x; -->%x;</svg>",
    "declarations of an editor": """<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
        "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
        <!-- Files of an editor - with its namespaces -->
        <!ENTITY ns_extend "http://ns.example.com/Extensibility/1.0/">
        <!ENTITY ns_svg 'http://www.w3.org/2000/svg'>
        <!ENTITY st0 "fill:#FFFFFF;stroke:none;"> <!ENTITY nbsp "&#160;&#x2003;">
        ]><svg xmlns="&ns_svg;" xmlns:x="&ns_extend;" style="&st0;">&nbsp;</svg>""",
    "declarations of older versions of Graphviz": f"""<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.0//EN"
        "http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd" [
        <!ATTLIST svg xmlns:xlink CDATA #FIXED "http://www.w3.org/1999/xlink">
        ]><svg {SVG}><a xlink:href="https://example.org/"/></svg>""",
    "letters of two surrogates": codecs.BOM_UTF16_BE + f"<svg {SVG}><text>\U0001f600</text></svg>".encode("utf-16-be"),
    "entities of an editor": '<!DOCTYPE svg [<!ENTITY ns_svg "http://www.w3.org/2000/svg">]><svg xmlns="&ns_svg;"/>',
    "text about scripts": f"<svg {SVG}><text>&lt;script&gt; onload=1 javascript:x</text></svg>",
    "data": f"<svg {SVG}><desc><![CDATA[<script>x</script>]]></desc></svg>",
    "comment": f"<svg {SVG}><!-- <script>x</script> --></svg>",
    "style": f"<?xml-stylesheet type='text/css' href='x.css'?><svg {SVG}><style>rect {{ fill: red }}</style></svg>",
    "named style": f'<?xml-stylesheet href="x.css" title="a" type="text/css" media="all" alternate="no"?><svg {SVG}/>',
    "links": f'<svg {SVG}><a href="https://example.org/"/><use xlink:href="#a"/></svg>',
    "picture": f'<svg {SVG}><image xlink:href="data:image/png;base64,AAAA"/><image href="data:image/svg+xml,x"/></svg>',
    "labels as HTML": f'<svg {SVG}><foreignObject><div {XHTML}><p class="x">a<br/>b</p></div></foreignObject></svg>',
    "animation": f'<svg {SVG}><animate attributeName="r" values="1;2;3" to="4"/></svg>',
    "metadata": f'<svg {SVG} xmlns:i="http://www.inkscape.org/" i:version="1" i:onload="x"><metadata/></svg>',
    "sixteen bits": codecs.BOM_UTF16_LE + f"<svg {SVG}/>".encode("utf-16-le"),
}


@pytest.mark.parametrize("name", ACTIVE)
@pytest.mark.parametrize("piece", [1 << 20, 1])
def test_markup_that_runs(name: str, piece: int) -> None:
    for file in ("a.svg", "a.xml", "A.SVG", "a.rss"):
        assert reason(file, ACTIVE[name], piece), file


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("piece", [1 << 20, 1])
def test_markup_that_is_only_shown(name: str, piece: int) -> None:
    assert reason("a.svg", SHOWN[name], piece) == ""


@pytest.mark.parametrize(
    "data",
    [
        "<testsuite><script/><object/><form action='x'/><item onload='x'/></testsuite>",
        "<project><listener class='x'/><frame/></project>",
        '<rss version="2.0"><channel><description>&lt;script&gt;</description></channel></rss>',
        "<a>one</a>\n<b>two</b>\n",
        "no markup & no end <",
        "",
    ],
)
def test_data_in_markup_is_not_run(data: str) -> None:
    assert reason("a.xml", data) == ""


@pytest.mark.parametrize(
    ("data", "is_active"),
    [
        (b"<!DOCTYPE html><p>", True),
        (b" \n\t<HTML >", True),
        (b"<script>x</script>", True),
        (b"<!-- x --><script>", True),
        (b"<?xml version='1.0'?><x:script xmlns:x='http://www.w3.org/1999/xhtml'/>", True),
        (b"<?xml version='1.0'?><project><script/></project>", False),
        (codecs.BOM_UTF8 + b"<html>", True),
        ("\ufeff<html>".encode("utf-16-le"), True),
        (b"#!/bin/sh\n<html>", False),
        (b"#!/bin/sh\n<html><script>", True),
        (b"one two <html> three", False),
        (b"one two <html> three <script>", True),
        (b"one\r<H1><Script/x>", True),
        (b"one <!-- two <script\n>", True),
        (b"x" * 1010 + b" <h1><script>", True),
        (b"x" * 5000 + b" <h1><script>", False),
        (b"one two\0 <html> three<script>", False),
        (b"one two three <script>", False),
        (b'print("<html>")', False),
        (b"<template>", False),
        (b"<htmlx>", True),
        (b"\x0b<a/>", True),
        (b"<project>", True),
        (b"<!x>", True),
        (b"<?php", True),
        (b"<meta charset=x>", True),
        (b"<mxfile>", False),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", True),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", False),
        (b"a < html", False),
        (b"", False),
    ],
)
def test_files_without_a_known_ending(data: bytes, is_active: bool) -> None:
    """Where a server says nothing of a file, browsers look into it."""
    for name in ("noending", "a.unknown", "Makefile", "a.cast", "a.toml", "a.yml", "a.ipynb", "a.map", "a.JSONL"):
        assert bool(reason(name, data)) is bool(reason(name, data, 7)) is is_active, name
    for name in ("a.png", "a.txt", "a.json", "a.csv"):  # of these, servers say what they are
        assert reason(name, data) == ""


@pytest.mark.parametrize("name", ["a.ico", "a.tar", "a.flac", "a.webm", "a.m4a", "a.epub", "a.ics", "a.tar.gz"])
def test_files_of_kinds_that_some_servers_do_not_know(name: str) -> None:
    """Jetty and sirv send no type for them, and browsers look at how they begin."""
    assert reason(name, b"<html><script>x</script>")
    assert not reason(name, b"RIFF <html> <script>x</script>")


ACTS = {
    "script": b"<script>x</script>",
    "script with an attribute": b"<SCRIPT/src=x>",
    "script behind line breaks": b"<script\n\n\n>",
    "handler": b"<img src=x onerror=x>",
    "handler behind a form feed": b"<SVG\fonload=x>",
    "handler behind a slash": b"<svg/onload=x>",
    "handler behind a quote": b"""<img src="x"onerror='x'>""",
    "handler, far from its value": b"<img onerror" + b"\n" * 500 + b"= x>",
    "frame": b"<iframe src=x>",
    "frame with a page": b"<iframe\tsrcdoc='x'>",
    "object": b"<object data=x>",
    "embedded": b"<embed src=x>",
    "base": b"<base href=//example.com>",
    "form": b"<form action=//example.com>",
    "form of a button": b"<form><button formaction=//example.com>",
    "refresh": b"<meta http-equiv=refresh content='0;url=x'>",
    "link": b"<a href=javascript:x>",
    "link in quotes": b"<a href = ' JavaScript:x'>",
    "link with line breaks": b"<a href=j" + b"\n" * 500 + b"avascri\tpt:x>",
    "link with a reference": b"<a href='java&#115;cript:x'>",
    "link with a reference to a blank": b"<a href=javascript&NewLine;:x>",
    "link with a reference at its beginning": b"<math><a xlink:href=&#x6a;avascript:x>",
    "link to a page": b"<a href=data:text/html,x>",
    "animated": b"<svg><a><animate attributeName=href values='#;javascript:x'>",
    "animated, with references": b"<svg><a><set attributeName='hr&#101;f' to='x'>",
    "escapes": b"<scr\x1b(Bipt>",
}


@pytest.mark.parametrize("name", ACTS)
def test_files_that_servers_take_for_pages(name: str) -> None:
    """With mod_mime_magic, Apache takes many a text for a page, by a word near its beginning."""
    for file in ("NOTES", "a.patch", "a.cast"):
        for between in (b" ", b"x" * 4000, b"<p>" * 10_000):
            data = b"one <h1> " + between + ACTS[name] + b" two"
            for piece in (1 << 20, 1000, 7):
                assert reason(file, data, piece) == ACTING, (file, len(between), piece)
        assert reason(file, b"one " + ACTS[name]) == ""
        marked = codecs.BOM_UTF16_LE + f"one <h1> {ACTS[name].decode()} two".encode("utf-16-le")
        assert reason(file, marked) == reason(file, marked, 3) == ACTING
    assert reason("a.c", b"one <h1> " + ACTS[name]) == ""  # Apache knows this suffix


TITLE = "<title>One</title>"
BESIDE_POSTS = {
    "fix.patch": "--- a/page.html\n+++ b/page.html\n@@ -1,3 +1,4 @@\n <html>\n <head>\n"
    f'-<meta charset="utf-8">\n {TITLE}\n'
    '+<link rel="stylesheet" href="style.css">\n <!-- badge -->\n <a href="https://example.org/?a=b&amp;c=d">x</a>\n',
    "fix.diff": f"--- a\n+++ b\n <h1>\n+  <svg width='8'><path d='M0 0'/></svg>\n {TITLE}\n",
    "build.log": "\x1b[31merror\x1b[0m in <title> parsing; online = 3, only = 4\n",
    "conf.yaml": "# <!-- x -->\ndata: text\nfrom: a\nonline: 1\n",
    "conf.toml": "# <!-- x -->\nonce = 1\nonly = 2\n",
    "gen.py": 'print("a <!-- hi -->")\nonce = x & y\n',
    "m.rs": "/// <title>\nfn one<Form>(a: List<Object>) {}\n",
    "m.c": "/* <h1> <script> */\n",
    "m.cs": "/// one <title> two\nList<Object> all; <base>\n",
    "page.tmpl": "{{ header }} <title>{{ title }}</title> <p>{{ body }}</p>",
    "README": "One <!-- two -->\nJavaScript: a language, <img src='data:image/png;base64,AAAA'>\n",
    "README.md": "# One\n\n <!-- badges --> <details><summary>x</summary></details>\n",
    "run.ipynb": '{"cells": [{"source": ["Text <!-- note -->"], "text/html": "<style scoped>x</style><table>"}]}',
    "three.js.avif": b"\0\0\0\x1cftypavif\0\0\0\0avif",
    "node.js.docx": b"PK\x03\x04",
    "next.js.pptx": b"PK\x03\x04",
    "node.js.mkv": b"\x1aE\xdf\xa3",
    "d3.js.py": "print(1)\n",
    "node.js.ipynb": '{"cells": []}',
    "node.js.cast": '{"version": 2}\n',
    "intro-to-node.js.md": "# One\n",
    "app.js.patch": "--- a/app.js\n+++ b/app.js\n",
    "app.js.map": '{"version": 3}',
    "app.mjs.diff": "--- a/app.mjs\n",
}


@pytest.mark.parametrize("name", BESIDE_POSTS)
def test_files_that_people_put_beside_posts(name: str) -> None:
    """They are what a log is for: none of them acts, whatever a server sends it as."""
    assert reason(name, BESIDE_POSTS[name]) == reason(name, BESIDE_POSTS[name], 7) == ""


def test_the_reason_says_by_which_suffix_a_file_is_sent_as_a_page() -> None:
    assert active_by_name("index.html.diff") == "some servers send it as a page, because its name contains “.html”"


TWO_READINGS = (
    f"<svg {SVG}><desc><![CDATA[\u3043]]></desc><?x ]]></desc><script/><desc><![CDATA[ \u3043]]></desc><?y ?>"
    "<desc><![CDATA[ ]]></desc></svg>"
)
"""A drawing with a script, if one reads it as Shift JIS: the end of the letter and “]” are one character there."""


@pytest.mark.parametrize("piece", [1 << 20, 1])
@pytest.mark.parametrize(
    "name",
    [
        *("a.svg.sjis", "a.sjis.svg", "a.svg.SJIS", "a.svg.sjis.orig", "a.svg.big5", "a.svg.gb2312", "a.xml.euc-kr"),
        *("a.svg.gb", "a.svg.de", "a.svg.some", "a.big5.some", "a.rng.cn-big5"),
    ],
)
def test_markup_that_its_name_may_put_into_another_encoding(name: str, piece: int) -> None:
    assert reason("a.svg", TWO_READINGS, piece) == ""
    assert reason(name, TWO_READINGS, piece) == active_content.ENCODED
    assert reason(name, f"<svg {SVG}/>", piece) == ""
    assert reason(name, "<svg xm\x1b(Blns='x'/>", piece)
    assert reason(name, f"<svg {SVG}><a>+ADw-script+AD4-</a></svg>", piece) == active_content.ENCODED


def test_names_that_put_markup_into_no_other_encoding() -> None:
    for name in ("a.v2.svg", "a.drawio.svg", "a.de.svg", "a.2.some", "a.svg.png", "a.sjis.txt", "sjis.svg", "sjis"):
        assert reason(name, TWO_READINGS) == "", name


def test_a_file_that_begins_with_an_escape_sequence() -> None:
    """ISO-2022 may write markup behind one; in other files, it sets colors of a terminal."""
    text = f"\x1b(B<html {XHTML}><script/></html>"
    assert reason("a.gml.jis", text) == active_content.ENCODED
    assert reason("a.log", "\x1b[32m<b>ok</b>") == ""


def test_compressed_markup() -> None:
    """The suffix of a compressed file counts at each place, and is not all that some servers go by."""
    packed = gzip.compress(f"<x {XHTML}><script/></x>".encode())
    for name in ("a.gz.xml", "a.svg.gz.orig"):
        assert reason(name, packed), name


@pytest.mark.parametrize("text", ["<!DOCTYPE html><p>", "\n <script>", "<?xml version='1.0'?><x/>"])
def test_compressed_pages_that_servers_and_browsers_recognize(text: str) -> None:
    """With mod_mime_magic, Apache sends files without a known suffix as what they hold."""
    packed = gzip.compress(text.encode())
    hidden = packed[:3] + b"\x08" + packed[4:10] + b"n" * 100 + b"\0" + packed[10:]  # with a long name
    for name in ("a", "a.some", "a.1", "a.tgz", "a.gz", "a.sql.gz"):
        assert reason(name, packed) == HOLDS_PAGE
        assert reason(name, hidden) == reason(name, hidden[:50]) == HOLDS_PAGE
        assert reason(name, packed[:12] + b"\xff" + packed[13:]) == HOLDS_PAGE
        for plain in ("text <p>", "", "x y " * 5_000):
            assert reason(name, gzip.compress(plain.encode())) == ""
        late = gzip.compress(b"x") + gzip.compress(b" <h1> y")
        assert reason(name, gzip.compress(b"x <h1> y")) == reason(name, late) == HOLDS_PAGE
    for name in ("a.csv.gz", "a.png"):
        assert reason(name, packed) == ""


def test_files_that_apache_unpacks_and_browsers_do_not() -> None:
    """Apache declares the old formats by what they hold, and browsers show their bytes."""
    for name in ("a", "a.some", "a.z"):
        assert reason(name, b"\x1f\x9d\x90<script>x</script>") == HOLDS_PAGE
    assert reason("a.png", b"\x1f\x9d\x90<script>x</script>") == ""


@pytest.mark.parametrize("name", ["a.xspf", "a.plist", "a.svg.orig"])
def test_markup_of_which_some_servers_do_not_say_that_it_is(name: str) -> None:
    assert reason(name, "<html><script>x</script></html>")
    assert reason(name, f'<?xml version="1.0"?>\n<svg {SVG}/>') == ""


def test_long_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(active_content, "LIMIT", 1000)
    assert reason("a.svg", f"<svg {SVG}>{' ' * 800}</svg>") == ""
    assert "too long" in reason("a.svg", f"<svg {SVG}>{' ' * 1000}</svg>", 100)


@pytest.mark.slow
def test_declarations_that_make_markup_far_longer() -> None:
    """What expat allows takes gigabytes, and what it copies for each element takes minutes."""

    def drawing(declarations: str, content: str, own: str = SVG) -> str:
        return f"<!DOCTYPE svg [{declarations}]><svg {own}>{content}</svg>"

    long = "a;" * 5_000
    nested = drawing(f'<!ENTITY a "{long}"><!ENTITY b "&a;&a;">', '<animate values="&b;"/>')
    assert reason("a.svg", nested) == "its document type declares more than entities of plain text"
    grown = "its entities make it far longer than it is"
    flat = drawing(f'<!ENTITY a "{long}">', f'<animate values="{"&a;" * 200}"/>')
    text = drawing(f'<!ENTITY a "{long}">', "&a;" * 500)
    early = drawing(f'<!ENTITY a "{long}">', "<g/>" * 2_000 + "&a;" * 500)
    for data in (flat, text, early):
        for piece in (1 << 20, 100):
            assert reason("a.svg", data, piece) == grown
        assert reason("a.svg", data.encode("utf-16")) == grown
    assert "name of a namespace in it is very long" in reason("a.svg", f'<svg {SVG} xmlns:x="{"x" * 2_000}"/>')
    names = '<!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY name "a &#233; b">'
    known = '<!ATTLIST svg xmlns:xlink CDATA #FIXED "http://www.w3.org/1999/xlink">'
    text = "<text>&name; &#233;&#233;&#233;</text>" * 5_000
    assert reason("a.svg", drawing(names + known, text, 'xmlns="&ns_svg;"')) == ""


def test_a_style_sheet_with_very_many_attributes() -> None:
    """Each takes a hundred times its length of memory while an expression matches it."""
    for count, found in ((100, ""), (1_000, "a style sheet makes something else of it")):
        sheet = "<?xml-stylesheet" + " a=''" * count + ' type="text/css"?>'
        assert reason("a.svg", f"{sheet}<svg {SVG}/>") == found


def test_nothing_of_a_file_is_held_once_it_was_examined() -> None:
    """Commands run without the collector of cycles, and a file may have 64 MiB."""
    for data in (f"<svg {SVG}/>", f"<svg {SVG}><script/></svg>", "<svg"):
        look = Look("a.svg")
        look.feed(data.encode())
        look.reason()
        held = weakref.ref(look)
        del look
        assert held() is None


def test_deep_markup_is_read_to_its_end() -> None:
    assert reason("a.svg", f"<svg {SVG}>{'<g>' * 99_999}{'</g>' * 99_999}</svg>") == ""


def test_random_bytes_raise_nothing() -> None:
    source = random.Random(1)
    for _ in range(300):
        data = bytes(source.choice(b'<svg xmlns="a">&;!?/[]\0\xff') for _ in range(60))
        assert isinstance(reason("a.svg", data, 7), str)


@pytest.mark.parametrize("before", [b" " * 2000, b"\n" * 100_000, b" " * 1445 + b"\r\n", b"\xef\xbb\xbf" + b" " * 3000])
@pytest.mark.parametrize("name", ["a.rng", "a.owl", "a.some", "a"])
def test_markup_behind_any_white_space(name: str, before: bytes) -> None:
    """Servers that know the ending send it as XML, which may begin with as much white space as one likes."""
    script = f"<x {XHTML}><script/></x>".encode()
    for piece in (100, 1 << 20):
        assert reason(name, before + script, piece=piece) == "it has an element <script>"
        assert reason(name, before + b"<x/>", piece=piece) == ""
        assert reason(name, before + b"x < y", piece=piece) == ""
        assert reason(name, before, piece=piece) == ""


@pytest.mark.parametrize("name", ["a.rng", "a.svg", "a.some"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_markup_in_sixteen_bits_without_a_mark(name: str, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="utf-16"?><x {XHTML}><script/></x>'
    assert reason(name, text.encode(encoding)) == "it has an element <script>"
