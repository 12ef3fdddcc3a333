"""URLs as paths below the base of their site, so that sites with different base URLs can be compared."""

from __future__ import annotations

import re
from urllib.parse import unquote, urljoin, urlsplit

import msgspec

from devlog.model.composed import composed

_TAXONOMY = r"/(?:[^/]+/)?(?:tags?|categor(?:y|ies)|authors?|series)(?:/[^/]+){0,2}(?:/|\.html)"
_PAGINATED = r".*/page[/-]?[0-9]+(?:/|\.html)"
_PERIOD = r"/[0-9]{4}/(?:[0-9]{1,2}/){0,2}|/(?:.*/)?archives?(?:/|\.html)"
_LIST = re.compile(f"{_TAXONOMY}|{_PAGINATED}|{_PERIOD}")
_ASSET = re.compile(
    r"\.(?:css|scss|sass|less|js|mjs|cjs|map|wasm|woff2?|ttf|otf|eot|ico|cur|webmanifest|pf_\w+|pagefind)"
    r"|/(?:favicon|apple-touch-icon|android-chrome|mstile|safari-pinned-tab)[^/]*"
    r"|/(?:browserconfig\.xml|manifest\.json)"
)
_PAGES = (".html", ".htm", ".xhtml", "/")
_NOWHERE = "site.invalid"


class Base(msgspec.Struct, frozen=True):
    """The base URL of a site: its host, empty if unknown, and its path, with a slash at both ends."""

    host: str
    path: str


def base(url: str) -> Base:
    """Parse a base URL, such as ``https://docs.example.org/devlogs/`` or only ``/devlogs/``."""
    parts = urlsplit(url)
    path = unquote(parts.path).strip("/")
    return Base(_host(parts.netloc), f"/{path}/" if path else "/")


def host(url: str) -> str:
    """The host of an absolute URL; empty if there is none."""
    try:
        parts = urlsplit(url)
    except ValueError:  # invalid brackets in the host
        return ""
    return _host(parts.netloc) if parts.scheme in {"http", "https"} else ""


def _host(netloc: str) -> str:
    return re.sub(r":(?:80|443)$", "", netloc.rpartition("@")[2].lower())


def below(url: str, bases: tuple[Base, ...], at: str = "/", relative_to: str = "") -> str | None:
    """The part of a URL below the base of its site.

    Args:
        url: the URL as written in a page, a feed or a sitemap.
        bases: the possible base URLs of the site, the likeliest first.
        at: the path below the base of the page that contains the URL.
        relative_to: the base URL that this page declares for its links.

    Returns:
        A decoded path with a leading slash, without query and fragment; `None` for a URL on another site.
    """
    for place in bases:
        host = place.host or _NOWHERE
        try:
            start = urljoin(f"http://{host}{place.path}{at[1:]}", relative_to)
            parts = urlsplit(urljoin(start, url))
        except ValueError:  # invalid brackets in the host
            return None
        if parts.scheme not in {"http", "https"} or _host(parts.netloc) != host:
            continue
        path = canonical(parts.path)
        if f"{path}/" == place.path:
            return "/"
        if path.startswith(place.path):
            return path[len(place.path) - 1 :]
    return None


def canonical(path: str) -> str:
    """The path of a URL in the form for comparison: decoded, in Unicode form NFC, without a trailing ``index.html``."""
    path = composed(unquote(path, errors="surrogateescape"))
    return _folder_page(path if path.startswith("/") else f"/{path}")


def _folder_page(path: str) -> str:
    return re.sub(r"/index\.html?$", "/", path)


def of_file(file: str) -> str:
    """The URL of a file in an output, in the form for comparison."""
    return _folder_page(composed(f"/{file}"))


def is_page(url: str) -> bool:
    """Whether a URL is that of a page, judging by its name."""
    return url.lower().endswith(_PAGES)


def is_asset(url: str) -> bool:
    """Whether a file belongs to the theme or the infrastructure of the site, judging by its name."""
    found = _ASSET.fullmatch(_suffix(url).lower()) or _ASSET.fullmatch(url[url.rfind("/") :].lower())
    return bool(found) or "/pagefind/" in url


def is_list(url: str) -> bool:
    """Whether a page is a generated list, judging by its URL."""
    return bool(_LIST.fullmatch(url))


def is_first_page_of(url: str, goal: str) -> bool:
    """Whether a URL is ``page/1/`` of the list at `goal`, to which no list links."""
    return bool(goal) and url.removesuffix("/").removesuffix("/page/1") == goal.removesuffix("/")


def forms(url: str) -> tuple[str, ...]:
    """The URLs of the files that hosts may serve for a URL, the likeliest first."""
    return (url,) if url.endswith("/") else (url, f"{url}/", f"{url}.html")


def siblings(url: str) -> tuple[str, ...]:
    """The URLs that generators give to the same page with other settings."""
    stem = re.sub(r"(?:\.html?|/)$", "", url)
    return tuple(form for form in (f"{stem}/", f"{stem}.html", f"{stem}.htm", stem) if form not in {url, ""})


def _suffix(url: str) -> str:
    name = url[url.rfind("/") + 1 :]
    return name[name.rfind(".") :] if "." in name else ""
