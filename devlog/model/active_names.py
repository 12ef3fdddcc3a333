"""The names and suffixes of files that browsers, servers and hosts run, obey or know: tables without any logic.

They come from the documentation, the source and the default configuration of the programs that each of them names. To
extend one, add a name in lower case, and a test of it in ``tests/model/test_active.py``.
"""

from __future__ import annotations

import re

PAGES = frozenset("dhtml hta htc htm html htt hxt jse mht mhtml svgz swf vbs xht xhtm xhtml xsl xslt".split())
"""Suffixes of what browsers run when they show it."""
SCRIPTS = frozenset("cjs ecma js mjs".split())
"""Suffixes of scripts. Browsers show one that they open as text, and run it only if a page asks for it."""
COMPRESSED = frozenset("br gz z zst".split())
"""Suffixes of files that servers decompress, or send instead of the file without the suffix."""
KNOWN_TO_ALL = frozenset(
    "bmp css csv gif gz jpeg jpg json mov mp3 mp4 ogg otf pdf png svg tsv ttf txt wav webp woff woff2 xml zip".split()
)
"""Suffixes for which every server sends a media type; for newer ones, such as “cast” and “toml”, many send none, and
Jetty or sirv for older ones, such as “ico” and “tar”."""
KNOWN_TO_APACHE = KNOWN_TO_ALL | frozenset(
    "7z aac ai apk atom avi bz2 c cc class cpp crt csh deb djvu dmg doc docx dvi dxf eot eps epub etx exe flac gv h "
    "hdf hh ico ics iso jar java jpe latex m3u m3u8 m4a m4v man me mid mkv mpe mpeg mpg ms msi n3 nc odp ods odt oga "
    "ogv p p12 pas pbm pgm pnm ppm ppt pptx ps psd qt rar roff rss rtf sh sql src t tar tcl tex texi texinfo tif tiff "
    "torrent ttl vcard vcf vcs webm wmv xbm xls xlsx xpm xwd xz".split()
)
"""Suffixes in both of the tables that Apache goes by, its own (``conf/mime.types``) and that of Debian."""
KNOWN_TO_WEBRICK = frozenset(
    "ai avi bmp class crt css doc dvi eps exe gif ico jpe jpeg jpg json mov mp4 mpe mpeg mpg otf pbm pdf pgm png pnm "
    "ppm ppt ps qt rtf svg tif tiff ttf txt webm webp woff woff2 xbm xls xml xpm xwd zip".split()
)
"""Of these, those in the table of WEBrick (``DefaultMimeTypes``)."""
RUN_BY_SERVERS = re.compile(
    r"php\d?|pht|phtml|phps|phar|shtml?|stm|aspx?|aspq|as[cmh]x|asax|asa|cer|cdx|cshtml?|vbhtml?|jspx?|jspf|jsw|jsv|xsp"
    r"|cfml?|cfc|[fs]?cgi|svc|soap|rem|axd|xamlx|xoml|rhtml|rpy|epy|trp|yaws|adp|gsp|jhtml|dtml|rxml|ssjs|xtp"
    r"|var|asis|imap"
)
"""Suffixes of files that servers run, such as “rhtml” in WEBrick and “rpy” in Twisted. For the last three, Apache has
handlers: a type map, “var”, contains pages."""
ENCODED = re.compile(
    r"(?:cn-)?big-?5|b5|gbk?|gb\d+|euc-?\w+|(?:s|shift[_-]?)?jis|[ck]is|iso-?(?:2022|10646)-.+|utf-?(?:7|16|32)(?:[bl]e)?"
    r"|ucs-?[24]|cp-?9\d\d|hz"
)
"""Suffixes for which Apache declares an encoding in which bytes of ASCII may mean something else."""
OBEYED_ANYWHERE = frozenset(
    ".htaccess .htpasswd .htgroup .user.ini php.ini web.config httpd.conf _headers _redirects _routes.json _worker.js "
    "netlify.toml now.json staticwebapp.config.json vercel.json".split()
)
OBEYED_AT_ROOT = frozenset(
    "cname auth caddyfile cors router customhttp.yml edgeone.json firebase.json middleware.ts mime.types nginx.conf "
    "nginx.conf.sigil routes.json serve.json static.json staticfile staticfile.auth superstatic.json vercel.mts "
    "vercel.ts".split()
)
"""Files that some hosts and servers obey only at the root of a site: GitHub Pages the first, Surge the first four, and
the program “serve” the file of its name."""
RUN_AT_ROOT = frozenset(
    """_config.json _config.toml _config.yaml _config.yml _quarto.yaml _quarto.yml amplify.yml
    antora-playbook.yml antora.yml app.json app.yaml app.yml apprunner.yaml appspec.yaml appspec.yml
    appveyor.yml aptfile astro.config.mts astro.config.ts azure-pipelines.yaml azure-pipelines.yml
    bitbucket-pipelines.yml bitrise.yml book.toml bower.json brewfile buddy.yaml buddy.yml build.boot
    build.gradle build.gradle.kts build.sbt build.xml buildspec.yaml buildspec.yml bun.lock bun.lockb
    bunfig.toml captain-definition cargo.lock cargo.toml circle.yml clever.json cloudbuild.json cloudbuild.yaml
    cloudbuild.yml cmakelists.txt codefresh.yml codemagic.yaml codeowners codeship-services.yml
    codeship-steps.json codeship-steps.yml compose.override.yaml compose.override.yml compose.yaml compose.yml
    composer.json composer.lock conf.py config.json config.rb config.ru config.toml config.yaml config.yml
    configure containerfile default.nix deno.json deno.jsonc docker-bake.hcl docker-bake.json
    docker-compose.override.yaml docker-compose.override.yml docker-compose.yaml docker-compose.yml dockerfile
    docs/codeowners docusaurus.config.ts eleventy.config.ts environment.yaml environment.yml flake.nix fly.toml
    garnix.yaml gatsby-config.ts gatsby-node.ts gemfile gemfile.lock gems.locked gems.rb gnumakefile go.mod
    gradlew heroku.yml hugo.json hugo.toml hugo.yaml hugo.yml jenkinsfile justfile koyeb.yaml lerna.json main.go
    main.py main.ts makefile manifest.yml meson.build mise.toml mix.exs mkdocs.yaml mkdocs.yml mvnw myst.yml
    next.config.mts next.config.ts nixpacks.json nixpacks.toml northflank.json noxfile.py npm-shrinkwrap.json
    nuxt.config.ts nx.json package-lock.json package.json package.swift package.yaml packit.yaml pelicanconf.py
    pipfile pipfile.lock pnpm-lock.yaml pnpm-workspace.yaml poetry.lock pom.xml procfile project.clj
    project.toml publishconf.py pyproject.toml railpack.json railway.json railway.toml rakefile readthedocs.yaml
    readthedocs.yml rebar.config render.yaml renovate.json renovate.json5 requirements.txt scalingo.json
    screwdriver.yaml serverless.yaml serverless.yml settings.gradle settings.gradle.kts setup.cfg setup.py
    shell.nix shippable.yml skaffold.yaml stack.yaml start.sh swa-cli.config.json taskfile.yaml taskfile.yml
    tox.ini turbo.json uv.lock vagrantfile vite.config.mts vite.config.ts wercker.yml wrangler.json
    wrangler.jsonc wrangler.toml yarn.lock zbpack.json zeabur.json zola.toml zuul.yaml""".split()
)
"""Files that hosts and CI services run or obey at the root of a repository, with its secrets: a site is deployed to a
branch of one, which they may build like any other. By the configuration of a generator, such as “config.toml”, some
choose that generator. Scripts, such as “astro.config.js”, are missing here: no attachment may be one."""
ICONS = re.compile(r"favicon\.ico|apple-touch-icon(?:-\d+x\d+)?(?:-precomposed)?\.png|browserconfig\.xml")
"""Files for which browsers and other programs ask at the root of a site, even if no page names them, to show its
icon."""
FUNCTION_FOLDERS = ("api/", "cloud-functions/", "edge-functions/", "functions/", "netlify/", "node-functions/")
"""Folders at the root of a site in which hosts look for functions: programs that answer requests or change answers.
Vercel looks in the first, Cloudflare Pages in “functions”, Netlify in the one of its name, EdgeOne in the others."""
FUNCTIONS = frozenset("cjs cts go js jsx mjs mts py rb ts tsx wasm".split())
"""Suffixes of functions."""
SPEAK_FOR_SITE = frozenset(
    """robots.txt sitemap.xml sitemap_index.xml sitemap-index.xml sitemap.txt llms.txt llms-full.txt llms-small.txt
    llms-ctx.txt llms-ctx-full.txt ai.txt humans.txt ads.txt app-ads.txt sellers.json trust.txt security.txt keybase.txt
    bingsiteauth.xml apple-app-site-association assetlinks.json crossdomain.xml clientaccesspolicy.xml""".split()
)
"""Files that crawlers, language models, advertisers, app stores and plugins of browsers read at the root of a site, to
learn what is on it, who owns it and what is allowed."""
WELL_KNOWN = ".well-known"
"""The folder of such files (RFC 8615)."""
MARKUP = re.compile(
    r"svg|xml|xsd|rng|xul|xbl|rss|atom|rdf|owl|mml|mathml|kml|gpx|wsdl|plist|opf|ncx|ttml|dae|xspf|jnlp|smil?"
)
"""Suffixes of markup, in lower case."""
SHOWN_FOR_MISSING = frozenset({"200.html", "404.htm", "404.html", "500.html", "50x.html"})
SHOWN_FOR_FOLDER = frozenset({"default.htm", "default.html", "index.htm", "index.xhtml"})
"""Names of files that some hosts and servers show in the place of others: of missing ones, and of their folder."""
