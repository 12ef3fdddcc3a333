"""Detects active files by their names: those that browsers or web servers run, and those that control web servers.

A file beside a post is published unchanged, in the site's origin. For markup, only its content tells whether it is
active, at which `devlog.model.active_content` looks.
"""

from __future__ import annotations

import re

from devlog.model.media import media_type
from devlog.model.outpath import collision_key

_RUN_BY_BROWSERS = frozenset(
    "cjs dhtml ecma hta htc htm html htt hxt js jse mht mhtml mjs svgz swf vbs xht xhtml xsl xslt".split()
)
_COMPRESSED = frozenset("br gz z zst".split())
"""Suffixes of files that servers decompress, or send instead of the file without the suffix."""
_RUN_BY_SERVERS = re.compile(
    r"php\d?|pht|phtml|phps|phar|shtml?|stm|aspx?|as[cmh]x|asax|asa|cer|cdx|cshtml|vbhtml|jspx?|jspf|jsw|jsv"
    r"|cfml?|cfc|f?cgi|svc|soap|rem|axd|xamlx"
)
_OBEYED = frozenset(
    ".htaccess .htpasswd .htgroup .user.ini php.ini web.config _headers _redirects _routes.json _worker.js "
    "netlify.toml now.json staticwebapp.config.json vercel.json".split()
)
_OBEYED_AT_ROOT = frozenset({"cname", "auth", "cors", "router"})
"""Files that some hosts obey only at the root of a site: GitHub Pages the first, Surge all of them."""
_SPEAK_FOR_SITE = frozenset(
    """robots.txt sitemap.xml sitemap_index.xml sitemap-index.xml sitemap.txt llms.txt llms-full.txt llms-small.txt
    llms-ctx.txt llms-ctx-full.txt ai.txt humans.txt ads.txt app-ads.txt sellers.json trust.txt security.txt keybase.txt
    bingsiteauth.xml apple-app-site-association assetlinks.json crossdomain.xml clientaccesspolicy.xml""".split()
)
"""Files that crawlers, language models, advertisers, app stores and plugins of browsers read at the root of a site, to
learn what is on it, who owns it and what is allowed."""
_WELL_KNOWN = ".well-known"
"""The folder of such files (RFC 8615)."""
MARKUP = re.compile(
    r"svg|xml|xsd|rng|xul|xbl|rss|atom|rdf|owl|mml|mathml|kml|gpx|wsdl|plist|opf|ncx|ttml|dae|xspf|jnlp|smil?"
)
"""Suffixes of markup, in lower case."""
SCRIPT = "it is a script"
PAGE = "it is a page of its own"
PACKED = "servers may send it as the page or script that it holds"
SERVER = "web servers run such files"
OBEYED = "web servers obey such files"
SPEAKS_FOR_SITE = "crawlers and other services read it as a statement of the site's owner"


def active_by_name(path: str) -> str:
    """Why the name of a file makes it active; empty if it does not.

    Args:
        path: the path of the file, with ``/`` between segments.
    """
    *folders, name = path.lower().split("/")
    name = name.rstrip(". ")  # Windows drops trailing dots and spaces
    if name in _OBEYED or not _OBEYED.isdisjoint(folders):
        return OBEYED
    if "cgi-bin" in folders:
        return SERVER
    # Some servers also obey the first suffix of “run.php.txt”, and the middle of “a.asp;.png” or “a.asp:x”.
    endings = [re.split("[:;]", ending)[0].rstrip() for ending in name.split(".")[1:]]
    if any(_RUN_BY_SERVERS.fullmatch(ending) for ending in endings):
        return SERVER
    return _active_by_ending(endings)


def obeyed(path: str) -> str:
    """Why no page may have a path: web servers would obey a file or folder of that name. Empty if it is allowed."""
    name = next((name for name in path.lower().split("/") if name in _OBEYED), "")
    return f"web servers obey what is named “{name}”" if name else obeyed_at_root(path)


def obeyed_at_root(path: str) -> str:
    """Why no file of a post may have a path: hosts and other services would apply it to the whole site.

    Empty if it may have the path. If the content folder is the site's own folder, as in the Jekyll dialect, such a file
    belongs to the site's owner.
    """
    name = collision_key(path)
    while (ending := name.rpartition(".")[2]) in _COMPRESSED:  # servers send these instead of the file itself
        name = name.removesuffix(f".{ending}")
    if name in _OBEYED_AT_ROOT:
        return OBEYED
    return SPEAKS_FOR_SITE if name in _SPEAK_FOR_SITE or name.startswith(f"{_WELL_KNOWN}/") else ""


def _active_by_ending(endings: list[str]) -> str:
    """Why browsers run a file with these suffixes; empty if they do not. Trailing suffixes that no server knows are
    ignored.
    """
    known = len(endings)
    while known > 1 and (endings[known - 1] in _COMPRESSED or not is_known(endings[known - 1])):
        known -= 1
    if not known:
        return ""
    last, others = endings[known - 1], endings[known:]
    if last in _RUN_BY_BROWSERS:
        own = SCRIPT if media_type(f"x.{last}") == "text/javascript" else PAGE
        return PACKED if others and _COMPRESSED.issuperset(others) else own
    is_packed = bool(others) and _COMPRESSED.issuperset(others)
    return PACKED if is_packed and MARKUP.fullmatch(last) else ""


def is_known(ending: str) -> bool:
    """Whether a suffix stands for a known type."""
    is_typed = media_type(f"x.{ending}") != "application/octet-stream"
    return is_typed or ending in _RUN_BY_BROWSERS or MARKUP.fullmatch(ending) is not None
