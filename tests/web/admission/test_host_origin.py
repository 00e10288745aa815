"""Validation of Host and Origin: tables, and arbitrary strings."""

import ipaddress
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asdlc_kb.web.admission.host_origin import (
    LOOPBACK,
    HostOriginPolicy,
    is_public,
)

LOCAL = HostOriginPolicy(listens_on="127.0.0.1")
OPEN = HostOriginPolicy(listens_on="0.0.0.0")
HERE = "localhost:8420"

LOOPBACK_HOSTS = [
    "localhost",
    "localhost:8420",
    "localhost:1",
    "LocalHost:8420",
    "127.0.0.1",
    "127.0.0.1:8420",
    "[::1]",
    "[::1]:8420",
]

REBOUND_HOSTS = [
    "evil.example",
    "evil.example:8420",
    "localhost.evil.example",
    "localhost.evil.example:8420",
    "127.0.0.1.evil.example",
    "127.0.0.1.nip.io",
    "evil-localhost",
    "localhost@evil.example",
    "localhost:8420@evil.example",
    "evil.example@localhost",
    "localhost,evil.example",
    "localhost evil.example",
    "evil.example#localhost",
    "evil.example/localhost",
]

MALFORMED_HOSTS = [
    "",
    " ",
    " localhost",
    "localhost ",
    "localhost\n",
    "localhost\x00",
    "localhost:",
    "localhost:http",
    "localhost:-1",
    "localhost:842000",
    "localhost:80:80",
    "localhost/",
    "localhost?",
    "http://localhost",
    "::1",
    "[::1",
    "::1]",
    "[::1]evil",
    "[::1%lo]",
    "[::1]:",
    "l\u00f6calhost",
    "\uff4cocalhost",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
]

OTHER_ADDRESSES = [
    "10.0.0.1",
    "192.168.1.5:8420",
    "[2001:db8::1]",
    "[2001:db8::1]:8420",
    "[::ffff:10.0.0.1]:8420",
]

FOREIGN_ORIGINS = [
    "null",
    "",
    "https://evil.example",
    "http://evil.example:8420",
    "http://localhost:1@evil.example",
    "http://localhost:8420@evil.example",
    "http://localhost:8420:1@evil.example",
    "http://evil.example@localhost:8420",
    "http://user:word@localhost:8420",
    "http://localhost:8420.evil.example",
    "http://localhost.evil.example:8420",
    "http://evil.example/http://localhost:8420",
    "http://evil.example#http://localhost:8420",
    "http://evil.example?http://localhost:8420",
    "http://localhost:8420/",
    "http://localhost:8420/path",
    "http://localhost:8420\\@evil.example",
    "http://localhost:8420 http://evil.example",
    "http://localhost:8420,http://evil.example",
    " http://localhost:8420",
    "http://localhost:8420\n",
    "http://localhost:8421",
    "http://localhost",
    "http://localhost:",
    "http://",
    "http:localhost:8420",
    "//localhost:8420",
    "localhost:8420",
    "ftp://localhost:8420",
    "file://localhost:8420",
    "chrome-extension://localhost:8420",
    "javascript:alert(1)",
    "http://[localhost]:8420",
]


@pytest.mark.parametrize("host", LOOPBACK_HOSTS)
def test_a_loopback_name_is_served_at_any_port(host: str) -> None:
    """D-074: a tunnel or a container may show another port than ours."""
    assert LOCAL.admit(host, None) is None


@pytest.mark.parametrize("host", [*REBOUND_HOSTS, *MALFORMED_HOSTS])
@pytest.mark.parametrize("gate", [LOCAL, OPEN], ids=["loopback", "beyond"])
def test_any_other_name_is_refused(gate: HostOriginPolicy, host: str) -> None:
    """D-074: the rebound page's own name is in Host: strict parsing, not a prefix."""
    denial = gate.admit(host, None)
    assert denial is not None
    assert "--allow-host" in denial


@pytest.mark.parametrize("host", OTHER_ADDRESSES)
def test_an_address_is_served_only_beyond_loopback(host: str) -> None:
    """D-074: names can be rebound, addresses cannot; loopback has its own names."""
    assert LOCAL.admit(host, None) is not None
    assert OPEN.admit(host, None) is None


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1", "LOCALHOST"])
def test_every_loopback_address_counts_as_loopback(address: str) -> None:
    """All of 127/8 is this machine, not only its first address."""
    gate = HostOriginPolicy(listens_on=address)
    assert gate.admit("10.0.0.1", None) is not None
    assert gate.admit("evil.example", None) is not None


@pytest.mark.parametrize("address", ["kb.internal", "192.168.1.5", "2001:db8::5"])
def test_the_name_we_listen_on_is_ours(address: str) -> None:
    """D-074: the operator named it on the command line."""
    host = f"[{address}]" if ":" in address else address
    gate = HostOriginPolicy(listens_on=address.upper())
    assert gate.admit(f"{host}:8420", None) is None
    assert gate.admit("localhost", None) is None
    assert gate.admit("evil.example", None) is not None


def test_allowed_hosts_are_served_besides_our_own() -> None:
    """The flag --allow-host: exact names, whatever case and port."""
    gate = HostOriginPolicy(
        listens_on="127.0.0.1", hosts=["KB.example.com:8443", "kb2"]
    )
    assert gate.admit("kb.EXAMPLE.com:443", None) is None
    assert gate.admit("kb2", None) is None
    assert gate.admit("localhost:8420", None) is None
    assert gate.admit("www.kb.example.com", None) is not None
    assert gate.admit("kb.example.com.evil.example", None) is not None


@pytest.mark.parametrize(
    "base_url", ["https://kb.example.com", "https://KB.example.com:8443/docs/"]
)
def test_the_host_of_the_public_address_is_served(base_url: str) -> None:
    """The setting base_url is the server's public name."""
    gate = HostOriginPolicy(listens_on="127.0.0.1", base_url=base_url)
    assert gate.admit("kb.example.com", None) is None
    assert gate.admit("kb.example.com", "https://kb.example.com") is None
    assert gate.admit("example.com", None) is not None
    assert gate.admit("kb.example.com", "https://evil.example") is not None


@pytest.mark.parametrize("listens_on", ["127.0.0.1", "0.0.0.0", "10.0.0.1"])
@pytest.mark.parametrize("host", [*LOOPBACK_HOSTS, "10.0.0.1:8420"])
def test_with_a_public_address_content_is_for_its_host_alone(
    listens_on: str, host: str
) -> None:
    """D-074: a proxy puts the address of its upstream in place of the client's Host.

    The host that a page requested is unknown then; a probe reads no content.
    """
    gate = HostOriginPolicy(listens_on=listens_on, base_url="https://kb.example.com")
    denial = gate.admit(host, None)
    assert denial is not None
    is_own = gate.admit(host, None, is_probe=True) is None
    assert is_own == (listens_on != "127.0.0.1" or host in LOOPBACK_HOSTS)
    # A probe that was admitted opens nothing for others.
    assert gate.admit(host, None) == denial
    assert gate.admit("evil.example", None, is_probe=True) is not None
    allowed = HostOriginPolicy(
        listens_on=listens_on, hosts=[host], base_url="https://kb.example.com"
    )
    assert allowed.admit(host, None) is None


@pytest.mark.parametrize("base_url", ["http://localhost:8420", "http://127.0.0.2:80"])
def test_a_public_address_of_this_machine_is_none(base_url: str) -> None:
    """D-074: then every client is on this machine, and loopback names are valid."""
    gate = HostOriginPolicy(listens_on="127.0.0.1", base_url=base_url)
    assert all(gate.admit(host, None) is None for host in LOOPBACK_HOSTS)
    assert not is_public(base_url)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:8420", "http://localhost:8420"),
        ("LOCALHOST:8420", "HTTP://LocalHost:8420"),
        ("127.0.0.1:8420", "http://127.0.0.1:8420"),
        ("[::1]:8420", "http://[::1]:8420"),
        ("localhost", "http://localhost"),
        ("localhost:80", "http://localhost"),
        ("localhost", "http://localhost:80"),
        ("localhost:443", "https://localhost"),
        ("localhost:8420", "https://localhost:8420"),
    ],
)
def test_our_own_pages_may_call(host: str, origin: str) -> None:
    """An Origin equal to the host of the request is no foreign page."""
    assert LOCAL.admit(host, origin) is None
    assert not LOCAL.allows_origin(origin)


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    """An Origin that is present and not ours is refused, `null` too (2026-07-28)."""
    denial = LOCAL.admit(HERE, origin)
    assert denial is not None
    assert "--allow-origin" in denial


def test_allowed_origins_may_call_exactly() -> None:
    """The flag --allow-origin: scheme, host and port as the browser sends them."""
    gate = HostOriginPolicy(
        listens_on="127.0.0.1",
        origins=[
            "https://App.example.com:443/",
            "http://localhost:3000",
            "http://[::1]:80",
            "chrome-extension://abcdef",
        ],
    )
    for other in ("http://[::1]", "chrome-extension://abcdef"):
        assert gate.admit(HERE, other) is None
    for origin in ("https://app.example.com", "HTTPS://APP.example.com"):
        assert gate.admit(HERE, origin) is None
        assert gate.allows_origin(origin)
    assert gate.admit(HERE, "http://localhost:3000") is None
    for other in (
        "http://app.example.com",
        "https://app.example.com:8443",
        "https://app.example.com.evil.example",
        "https://app.example.com/",
        "http://localhost:3001",
        "null",
    ):
        assert gate.admit(HERE, other) is not None
        assert not gate.allows_origin(other)


def test_the_public_address_may_call_whatever_host_a_proxy_sends() -> None:
    """The setting base_url allows our own pages too, and no others."""
    gate = HostOriginPolicy(
        listens_on="127.0.0.1",
        hosts=["localhost"],
        base_url="https://kb.example.com/docs",
    )
    assert gate.admit(HERE, "https://KB.example.com") is None
    assert not gate.allows_origin("https://kb.example.com")
    assert gate.admit(HERE, "http://kb.example.com") is not None
    assert gate.admit(HERE, "://") is not None
    assert LOCAL.admit(HERE, "://") is not None


def test_an_allowed_origin_does_not_open_other_hosts() -> None:
    """Host and Origin are checked separately; both must be valid."""
    gate = HostOriginPolicy(listens_on="127.0.0.1", origins=["https://app.example.com"])
    assert gate.admit("evil.example", "https://app.example.com") is not None


WORDS = ["http", "https", "://", "null", "localhost", "127.0.0.1", "::1", "8420"]
ODD = ["evil.example", "\u0130", "\u2025", "\uff0e", *"[]:/@?#%.\\,- \t\r\n\x00"]
PIECES = st.lists(st.sampled_from(WORDS + ODD) | st.characters(), max_size=12).map(
    "".join
)


@given(host=PIECES, origin=st.none() | PIECES)
@example(host="\u0130", origin="http://\u0130")
@example(host=HERE, origin="http://[")
def test_no_string_makes_the_gate_raise(host: str, origin: str | None) -> None:
    """A header is any text; the answer is accept or reject, never a failure."""
    for gate in (LOCAL, OPEN):
        assert isinstance(gate.admit(host, origin), str | None)


@given(host=PIECES)
def test_whatever_is_admitted_names_this_machine(host: str) -> None:
    """Read by another parser, an admitted Host is still loopback or an address."""
    if LOCAL.admit(host, None) is None:
        assert urlsplit(f"//{host}").hostname in LOOPBACK
    if OPEN.admit(host, None) is None:
        name = urlsplit(f"//{host}").hostname
        assert name is not None
        assert name in LOOPBACK or ipaddress.ip_address(name)


@given(origin=PIECES)
def test_whatever_origin_is_admitted_is_this_very_host(origin: str) -> None:
    """Read by another parser, an admitted Origin is our name and port, and no more."""
    if LOCAL.admit(HERE, origin) is None:
        parts = urlsplit(origin)
        assert (parts.hostname, parts.port) == ("localhost", 8420)
        assert (parts.username, parts.path, parts.query) == (None, "", "")
