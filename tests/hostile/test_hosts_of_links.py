"""A link to a path of the site stays on its host, however its slashes and dots are written."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from urllib.parse import urljoin, urlsplit

import pytest

from devlog.assemble.links import resolve_all
from devlog.assemble.references import link_index
from devlog.assemble.site import SiteFiles, Visibility, assemble
from devlog.config import Config
from devlog.model.git_dates import GitDates
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

HOST = "docs.example.org"
BEGINNINGS = [
    *("/", "%2F", ".", "@/", "{static}", "{filename}", "link://slug/"),
    *(f"https://{HOST}/", f"https://{HOST}/caf%C3%A9/", f"https://{HOST}/café/"),
]
PIECES = ["", "/", "%2F", "%2f", "%5C", "\\", ".", "%2E", "..", "@", "%09", "%0A", "?", "é", "%252F", "/caf%C3%A9/"]
TARGETS = [
    f"{beginning}{first}{second}elsewhere.example/"
    for beginning, first, second in product(BEGINNINGS, PIECES, PIECES)
    if not f"{beginning}{first}{second}".startswith(("//", "/\\"))  # to another host, as they are written
]


@pytest.mark.parametrize("path", ["/", "/caf%C3%A9/"])
def test_links_of_the_site_stay_on_its_host(path: str) -> None:
    config = Config(base_url=f"https://{HOST}{path}")
    text = "---\ntitle: A\n---\n" + "".join(f'<a href="{target}">x</a>\n' for target in TARGETS)
    parsed = parse(Source("lab/a.md", "content/lab/a.md", text), ParseOptions(own_url=config.base_url))[0]
    now = Visibility(datetime(2027, 1, 1, tzinfo=UTC))
    assembled = assemble(config, SiteFiles([parsed]), GitDates(), now)
    found = resolve_all(link_index(config, assembled, config.base_url), parsed, "/lab/a/")
    assert len(found) > 1000
    for ref, landing in zip(parsed.document.refs, found, strict=True):
        url = landing.link.url
        page = f"https://{HOST}{path}lab/a/"
        assert urlsplit(urljoin(page, url)).netloc == HOST, (ref.target, url)
        assert "\\" not in url  # browsers take it for a slash
