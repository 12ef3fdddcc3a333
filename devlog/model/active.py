"""Detects active files by their names: those that browsers or web servers run, and those that control web servers.

A file beside a post is published unchanged, in the site's origin. For markup, only its content tells whether it is
active, at which `devlog.model.active_content` looks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from devlog.model.outpath import collision_key

_PAGES = frozenset("dhtml hta htc htm html htt hxt jse mht mhtml svgz swf vbs xht xhtm xhtml xsl xslt".split())
"""Suffixes of what browsers run when they show it."""
_SCRIPTS = frozenset("cjs ecma js mjs".split())
"""Suffixes of scripts. Browsers show one that they open as text, and run it only if a page asks for it."""
COMPRESSED = frozenset("br gz z zst".split())
"""Suffixes of files that servers decompress, or send instead of the file without the suffix."""
KNOWN_TO_ALL = frozenset(
    "aac atom bmp bz2 css csv eot epub flac gif gz ico ics jpeg jpg json m4a m4v mov mp3 mp4 oga ogg ogv otf pdf png "
    "rss svg tar tsv ttf txt wav webm webp woff woff2 xml zip".split()
)
"""Suffixes for which every server sends a media type; for newer ones, such as “cast” and “toml”, many send none."""
KNOWN_TO_APACHE = KNOWN_TO_ALL | frozenset(
    "7z ai apk avi c cc class cpp crt csh deb djvu dmg doc docx dvi dxf eps etx exe gv h hdf hh iso jar java jpe "
    "latex m3u m3u8 man me mid mkv mpe mpeg mpg ms msi n3 nc odp ods odt p p12 pas pbm pgm pnm ppm ppt pptx ps psd qt "
    "rar roff rtf sh sql src t tcl tex texi texinfo tif tiff torrent ttl vcard vcf vcs wmv xbm xls xlsx xpm xwd xz"
    "".split()
)
"""Suffixes in both of the tables that Apache goes by: its own, and that of Debian."""
_KNOWN_TO_WEBRICK = frozenset(
    "ai avi bmp class crt css doc dvi eps exe gif ico jpe jpeg jpg json mov mp4 mpe mpeg mpg otf pbm pdf pgm png pnm "
    "ppm ppt ps qt rtf svg tif tiff ttf txt webm webp woff woff2 xbm xls xml xpm xwd zip".split()
)
"""Of these, those in the table of WEBrick."""
_RUN_BY_SERVERS = re.compile(
    r"php\d?|pht|phtml|phps|phar|shtml?|stm|aspx?|aspq|as[cmh]x|asax|asa|cer|cdx|cshtml?|vbhtml?|jspx?|jspf|jsw|jsv|xsp"
    r"|cfml?|cfc|[fs]?cgi|svc|soap|rem|axd|xamlx|xoml|rhtml|rpy|epy|trp|yaws|adp|gsp|jhtml|dtml|rxml|ssjs|xtp"
    r"|var|asis|imap"
)
"""Suffixes of files that servers run, such as “rhtml” in WEBrick and “rpy” in Twisted. For the last three, Apache has
handlers: a type map, “var”, contains pages."""
_ENCODED = re.compile(
    r"(?:cn-)?big-?5|b5|gbk?|gb\d+|euc-?\w+|(?:s|shift[_-]?)?jis|[ck]is|iso-?(?:2022|10646)-.+|utf-?(?:7|16|32)(?:[bl]e)?"
    r"|ucs-?[24]|cp-?9\d\d|hz"
)
"""Suffixes for which Apache declares an encoding in which bytes of ASCII may mean something else."""
_OBEYED = frozenset(
    ".htaccess .htpasswd .htgroup .user.ini php.ini web.config httpd.conf _headers _redirects _routes.json _worker.js "
    "netlify.toml now.json staticwebapp.config.json vercel.json".split()
)
_OBEYED_AT_ROOT = frozenset(
    "cname auth cors router edgeone.json firebase.json middleware.ts routes.json serve.json static.json staticfile "
    "superstatic.json vercel.mts vercel.ts".split()
)
"""Files that some hosts and servers obey only at the root of a site: GitHub Pages the first, Surge the first four, and
the program “serve” the file of its name."""
_RUN_AT_ROOT = frozenset(
    """amplify.yml app.json app.yaml app.yml apprunner.yaml appveyor.yml azure-pipelines.yaml azure-pipelines.yml
    bitbucket-pipelines.yml bitrise.yml bower.json buddy.yaml buddy.yml build.gradle build.gradle.kts build.sbt
    build.xml buildspec.yaml buildspec.yml captain-definition cargo.lock cargo.toml circle.yml clever.json
    cloudbuild.json cloudbuild.yaml cloudbuild.yml cmakelists.txt codefresh.yml codemagic.yaml codeship-services.yml
    codeship-steps.json codeship-steps.yml compose.yaml compose.yml composer.json composer.lock config.ru configure
    containerfile default.nix deno.json deno.jsonc docker-bake.hcl docker-bake.json docker-compose.yaml
    docker-compose.yml dockerfile environment.yaml environment.yml flake.nix fly.toml garnix.yaml gemfile
    gemfile.lock gnumakefile go.mod gradlew heroku.yml jenkinsfile justfile koyeb.yaml lerna.json makefile
    manifest.yml meson.build mix.exs mvnw nixpacks.json nixpacks.toml northflank.json noxfile.py npm-shrinkwrap.json
    nx.json package-lock.json package.json package.yaml packit.yaml pipfile pipfile.lock pnpm-lock.yaml
    pnpm-workspace.yaml poetry.lock pom.xml procfile project.clj project.toml pyproject.toml railpack.json
    railway.json railway.toml rakefile rebar.config render.yaml requirements.txt scalingo.json screwdriver.yaml
    settings.gradle settings.gradle.kts setup.cfg setup.py shippable.yml skaffold.yaml stack.yaml
    swa-cli.config.json taskfile.yaml taskfile.yml tox.ini turbo.json uv.lock wercker.yml wrangler.json
    wrangler.jsonc wrangler.toml yarn.lock zbpack.json zeabur.json zuul.yaml
    _config.toml _config.yaml _config.yml""".split()
)
"""Files that hosts and CI services run at the root of a repository, with its secrets: a site is deployed to a branch of
one, which they may build like any other."""
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
NAMED = "some servers send it as a page, because its name contains"
PACKED = "servers may send it as the page or script that it holds"
SNIFFED = "it begins as HTML does, and its name does not say that it is something else"
ACTING = "some servers take it for a page, because it has HTML near its beginning, and its HTML would run or act"
SERVER = "web servers run such files"
OBEYED = "web servers obey such files"
BUILT = "hosts and CI services build or run such files at the root of a branch"
SPEAKS_FOR_SITE = "crawlers and other services read it as a statement of the site's owner"


def active_by_name(path: str) -> str:
    """Why the name of a file makes it active; empty if it does not.

    Args:
        path: the path of the file, with ``/`` between segments.
    """
    if _obeyed_name(path):
        return OBEYED
    *folders, name = path.lower().split("/")
    name = name.rstrip(". ")  # Windows drops trailing dots and spaces
    if "cgi-bin" in folders:
        return SERVER
    # Some servers also obey the first suffix of “run.php.txt”, and the middle of “a.asp;.png” or “a.asp:x”.
    endings = [re.split("[:;]", ending)[0].rstrip() for ending in name.split(".")[1:]]
    if any(_RUN_BY_SERVERS.fullmatch(ending) for ending in endings):
        return SERVER
    return _active_by_ending(endings)


def _obeyed_name(path: str) -> str:
    """The name of a file or folder in a path that web servers obey; empty if there is none."""
    names = (name.rstrip(". ") for name in collision_key(path).split("/"))
    return next((name for name in names if name in _OBEYED), "")


def obeyed(path: str) -> str:
    """Why no page may have a path: web servers would obey a file or folder of that name. Empty if it is allowed."""
    name = _obeyed_name(path)
    return f"web servers obey what is named “{name}”" if name else obeyed_at_root(path)


_SHOWN_FOR_MISSING = frozenset({"200.html", "404.htm", "404.html", "500.html", "50x.html"})
_SHOWN_FOR_FOLDER = frozenset({"default.htm", "default.html", "index.htm", "index.xhtml"})


def shown_for_missing(path: str) -> bool:
    """Whether some hosts show a file in the place of others that are missing, in its folder or in all of the site."""
    return collision_key(path).rpartition("/")[2] in _SHOWN_FOR_MISSING


def shown_for_folder(path: str) -> bool:
    """Whether some web servers show a file in the place of its folder, before ``index.html``."""
    return collision_key(path).rpartition("/")[2] in _SHOWN_FOR_FOLDER


def obeyed_at_root(path: str) -> str:
    """Why no file of a post may have a path: hosts and other services would apply it to the whole site.

    Empty if it may have the path. If the content folder is the site's own folder, as in the Jekyll dialect, such a file
    belongs to the site's owner.
    """
    name = collision_key(without_compression(path))
    if name in _OBEYED_AT_ROOT:
        return OBEYED
    if name in _RUN_AT_ROOT:
        return BUILT
    return SPEAKS_FOR_SITE if name in _SPEAK_FOR_SITE or name.startswith(f"{_WELL_KNOWN}/") else ""


def without_compression(path: str) -> str:
    """The path of a file in whose place some servers send this one: without suffixes of compressed files.

    Args:
        path: the path of a file, which need not have such a suffix.
    """
    stem, _, ending = path.rpartition(".")
    while stem and ending.lower() in COMPRESSED:
        path = stem
        stem, _, ending = path.rpartition(".")
    return path


def deciding(endings: Sequence[str]) -> list[str]:
    """The suffixes by which some server may choose the type of a file, the last one first.

    Apache looks behind each suffix that it does not know, and so sends “a.html.cast” as HTML. WEBrick looks behind the
    last one if it does not know that, and so sends “a.html.csv” as HTML.

    Args:
        endings: all suffixes, in lower case.
    """
    found: list[str] = []
    for ending in reversed(endings):
        known = KNOWN_TO_APACHE if found else _KNOWN_TO_WEBRICK
        found.append(ending)
        if ending in known and ending not in COMPRESSED:
            break
    return found


def may_be_encoded(endings: Sequence[str]) -> bool:
    """Whether a server may declare, by one of its suffixes, that markup is compressed or in an unusual encoding.

    Apache looks at all suffixes: also at that of “a.sjis.svg”. Behind the suffix of markup, any may be such a one.

    Args:
        endings: all suffixes, in lower case.
    """
    kind = next((ending for ending in deciding(endings) if MARKUP.fullmatch(ending)), "")
    is_last = not kind or endings[-1] == kind
    return not is_last or any(_ENCODED.fullmatch(ending) or ending in COMPRESSED for ending in endings)


def _active_by_ending(endings: Sequence[str]) -> str:
    """Why browsers run a file with these suffixes; empty if they do not."""
    if endings[-1:] == ["br"] and not KNOWN_TO_ALL.intersection(endings[-2:-1]):
        return PACKED  # unlike “gz”, nothing here unpacks it to see what it holds
    is_packed = is_behind = False
    for ending in deciding(endings):
        # Some servers send “d3.js.py” as a script, too. That is harmless: browsers that open it show it as text, and no
        # page of the site asks for it. A page that did could ask for “d3.py”, too: browsers run what is sent as text.
        if ending in _PAGES or (ending in _SCRIPTS and not is_behind) or (is_packed and MARKUP.fullmatch(ending)):
            if is_packed:
                return PACKED
            return f"{NAMED} “.{ending}”" if is_behind else SCRIPT if ending in _SCRIPTS else PAGE
        is_packed = is_packed or ending in COMPRESSED
        is_behind = is_behind or ending not in COMPRESSED
    return ""
