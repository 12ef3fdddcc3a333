"""What of a link is sent, and what is never asked."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import steps

from devlog.http.request_url import Address, address_of, following, is_global


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("https://lumen.example.org", "https://lumen.example.org/"),
        ("http://Lumen.Example.org:80/a#part", "http://lumen.example.org/a"),
        ("//lumen.example.org/a", "https://lumen.example.org/a"),
        ("HTTPS://lumen.example.org:8443/a?b=c&d#e", "https://lumen.example.org:8443/a?b=c&d"),
        ("https://lumen.example.org/a b/ü?q=ö", "https://lumen.example.org/a%20b/%C3%BC?q=%C3%B6"),
        ("https://lumen.example.org/a%20b/(c)", "https://lumen.example.org/a%20b/(c)"),
        ("https://bücher.example.org/", "https://xn--bcher-kva.example.org/"),
        ("https://lumen.example.org./", "https://lumen.example.org/"),
        ("https://[2001:DB8::1]:8080/", "https://[2001:db8::1]:8080/"),
        ("https://2130706433/", "https://127.0.0.1/"),
        ("https://0x7f.1/", "https://127.0.0.1/"),
        ("https://127.1/", "https://127.0.0.1/"),
        ("https://０１２７.０.０.１/", "https://87.0.0.1/"),
        ("https://lumen.example.org/\r\nX-Evil: 1", "https://lumen.example.org/X-Evil:%201"),
    ],
)
def test_what_is_asked(url: str, asked: str) -> None:
    address = address_of(url)
    assert address
    assert address.url == asked


@pytest.mark.parametrize(
    "url",
    [
        "ftp://lumen.example.org/",
        "mailto:ada@example.org",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https:///a",
        "https://",
        "https://ada@lumen.example.org/",
        "https://ada:secret@lumen.example.org/",
        "https://@lumen.example.org/",
        "https://lumen.example.org\\@other.example.org/",
        "https://lumen.example.org:99999/",
        "https://lumen.example.org:x/",
        "https://[::1/",
        "https://[v1.a]/",
        "https://[fe80::1%25eth0]/",
        "https://localhost/",
        "https://LOCALHOST.:8000/",
        "https://a.localhost/",
        "https://printer.local/",
        "https://build.internal/",
        "https://router.home.arpa/",
        "https://lumen.test/",
        "https://1.2.3.4.5/",
        "https://999.1.1.1/",
        "https://a..b/",
        "https://fa\u00df.de/",
        "https://FA\u1e9e.de/",
        "https://\u03b2\u03cc\u03bb\u03bf\u03c2.com/",
        "https://\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com/",
        "https://\u0dc1\u0dca\u200d\u0dbb\u0dd3.com/",
        "https://\u13a0.example.org/",
        "https://\U0002f868.example.org/",
        f"https://{'a' * 64}.example.org/",
        "https://lumen example.org/",
        "https://a\x001/",
        "https://lumen\x00.1/",
        "https://lumen.example.org/\ud83d",
        "https://lumen.example.org/?\ud83d",
        f"https://lumen.example.org/{'a' * 4_000}",
    ],
)
def test_what_is_never_asked(url: str) -> None:
    assert address_of(url) is None


@pytest.mark.slow
@given(st.text(max_size=80).map(lambda text: f"https://lumen.example.org/{text}") | st.text(max_size=40))
def test_nothing_leaves_the_line_of_a_request(url: str) -> None:
    address = address_of(url)
    if isinstance(address, Address):
        sent = address.url
        assert sent.isascii()
        assert sent.isprintable()
        assert " " not in sent


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.9.9.9",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001::1",
        "2001:db8::1",
        "3fff::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "2606:2800:220:1::1%eth0",
        "fec0::1",
        "ff02::1",
        "no address",
        "",
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_global(address)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:2800:220:1::1", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_addresses_that_are_public(address: str) -> None:
    assert is_global(address)


@pytest.mark.slow
@given(st.ip_addresses(v=4))
def test_no_way_of_writing_an_address_hides_it(address: ipaddress.IPv4Address) -> None:
    plain = is_global(str(address))
    assert is_global(f"::ffff:{address}") == plain
    for host in (str(int(address)), hex(int(address)), ".".join(f"0{byte:o}" for byte in address.packed)):
        found = address_of(f"https://{host}/")
        assert found
        assert found.host == str(address)


@pytest.mark.parametrize("letters", [64, 254, 3_900])
def test_names_that_are_too_long_are_not_encoded(letters: int) -> None:
    """Encoding takes time that grows with the square of the length."""
    name = "".join(chr(0x4E00 + number) for number in range(letters))
    short = steps(lambda: address_of("https://\u4e00.example.org/"))
    assert steps(lambda: address_of(f"https://{name}.example.org/")) <= short
    assert address_of(f"https://{name}.example.org/") is None


def test_long_names() -> None:
    name = ".".join(["a" * 63] * 3 + ["b" * 61])
    for url in (f"https://{name}/", f"https://{name}./"):
        address = address_of(url)
        assert address
        assert address.host == name
    assert address_of(f"https://{name}b/") is None


def test_redirects_to_long_urls_are_not_followed() -> None:
    address = address_of("https://lumen.example.org/")
    assert address
    assert following(address, "./b") == address_of("https://lumen.example.org/b")
    assert following(address, "./" * 2_500 + "b") is None
