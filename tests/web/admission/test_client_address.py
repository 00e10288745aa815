"""The client address of a request: which header entries are trusted."""

import ipaddress
import json
import socket

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import JSON, message, open_app, serving
from support.wire import ask, dial

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.web.admission.client_address import (
    UNIX,
    TrustedProxies,
    find_peer,
    rate_limit_key,
)

CALL = {"name": "get_article", "arguments": {"slug": "links-to-hidden"}}
BODY = json.dumps(message("tools/call", CALL)).encode()

NEAR, FAR, CLIENT, TALE = "10.0.0.1", "10.0.0.2", "192.0.2.7", "198.51.100.9"
BEHIND = TrustedProxies(("10.0.0.0/8", "2001:db8:1::/48"))

CLAIMS = {
    "X-Real-IP": TALE,
    "X-Client-IP": TALE,
    "X-Cluster-Client-IP": TALE,
    "True-Client-IP": TALE,
    "CF-Connecting-IP": TALE,
    "Forwarded": f"for={TALE}",
    "X-Forwarded": f"for={TALE}",
    "X_Forwarded_For": TALE,
}
"""Headers that claim an address, and are not read."""

WALKS = [
    (f"{CLIENT}", CLIENT),
    (f"{CLIENT}, {FAR}", CLIENT),
    (f"{TALE}, {CLIENT}", CLIENT),
    (f"{TALE}, {CLIENT}, {FAR}", CLIENT),
    (f"{TALE},{CLIENT},{FAR}", CLIENT),
    (f"{TALE}\t,\t{CLIENT} ", CLIENT),
    (f"{FAR}", FAR),
    (f"10.0.0.3, {FAR}", "10.0.0.3"),
    (f"{CLIENT}:51000", CLIENT),
    ("2001:db8::7", "2001:db8::7"),
    ("2001:DB8:0::7", "2001:db8::7"),
    ("[2001:db8::7]", "2001:db8::7"),
    ("[2001:db8::7]:443", "2001:db8::7"),
    (f"::ffff:{CLIENT}", CLIENT),
    (f"{CLIENT}, ::ffff:{FAR}", CLIENT),
    (f"{CLIENT}, 2001:db8:1::5", CLIENT),
]
"""The header, and the client of the request."""

GARBAGE = [
    "",
    " ",
    "unknown",
    "_hidden",
    "evil",
    "192.0.2",
    "192.0.2.256",
    "192.0.2.07",
    "3221226119",
    "0xc0.0.2.7",
    "192.0.2.7/32",
    "192.0.2.7 evil",
    "192.0.2.7\x00",
    "192.0.2.7\x0b",
    "192.0.2.7:",
    "192.0.2.7:port",
    "192.0.2.7:1:2",
    "[192.0.2.7]",
    "[2001:db8::7",
    "2001:db8::7]",
    "fe80::1%eth0",
    "for=192.0.2.7",
    '"192.0.2.7"',
    "\uff11.2.3.4",
    "1.2.3.\u0664",
]
"""Entries that are no address."""


@pytest.mark.parametrize(("header", "client"), WALKS)
def test_the_first_that_is_not_trusted_is_the_client(header: str, client: str) -> None:
    """From the right: each trusted proxy guarantees the entry that it added."""
    assert BEHIND.find(NEAR, header) == client


@pytest.mark.parametrize("entry", GARBAGE)
def test_garbage_ends_the_walk(entry: str) -> None:
    """D-075: at the last good entry: what comes before garbage is not trusted."""
    assert BEHIND.find(NEAR, entry) == NEAR
    assert BEHIND.find(NEAR, f"{TALE}, {entry}") == NEAR
    assert BEHIND.find(NEAR, f"{TALE}, {entry}, {FAR}") == FAR
    assert BEHIND.find(NEAR, f"{entry}, {CLIENT}") == CLIENT


LOCAL = ["127.0.0.1", "127.9.9.9", "::1", "[::1]:80", "::ffff:127.0.0.1", "0.0.0.0"]


@pytest.mark.parametrize("entry", LOCAL)
def test_a_forwarded_address_of_loopback_is_nobodys(entry: str) -> None:
    """D-075: a remote client does not have that address: the client wrote it."""
    for proxies in (BEHIND, TrustedProxies((NEAR, "127.0.0.0/8", "::1"))):
        assert not proxies.names_client(NEAR, entry)
        assert not proxies.names_client(NEAR, f"{CLIENT}, unknown, {entry}")
    # Two proxies in a row, the nearer one on this machine.
    row = TrustedProxies(("127.0.0.1",))
    assert row.find("127.0.0.1", f"{CLIENT}, 127.0.0.1") == CLIENT
    assert row.names_client("127.0.0.1", f"{CLIENT}, 127.0.0.1")


def test_proxies_that_name_each_other_vouch_for_nobody() -> None:
    """D-075: a client in a trusted network could otherwise name any address of it."""
    assert not BEHIND.names_client(NEAR, FAR)
    assert not BEHIND.names_client(NEAR, f"10.0.0.3, {FAR}")
    assert not BEHIND.names_client(NEAR, None)
    assert not BEHIND.names_client(CLIENT, CLIENT)
    assert BEHIND.names_client(NEAR, f"{CLIENT}, {FAR}")


@pytest.mark.parametrize("header", [None, TALE, f"{CLIENT}, {FAR}", "evil", ""])
def test_a_peer_that_is_not_trusted_is_the_client(header: str | None) -> None:
    """D-075: whatever it states about others, and whatever else is trusted."""
    for proxies in (TrustedProxies(), TrustedProxies((UNIX,)), BEHIND):
        assert proxies.find(CLIENT, header) == CLIENT
        assert not proxies.is_trusted(CLIENT)


def test_a_peer_of_ipv4_over_ipv6_is_one_of_ipv4() -> None:
    """A dual-stack socket formats it this way."""
    assert TrustedProxies().find("::ffff:192.0.2.7") == "192.0.2.7"
    assert BEHIND.find("::ffff:10.0.0.1", CLIENT) == CLIENT
    assert TrustedProxies(("::ffff:10.0.0.0/104",)).find("10.9.9.9", CLIENT) == CLIENT
    assert TrustedProxies(("::/0",)).find("10.9.9.9", CLIENT) == "10.9.9.9"


def test_peers_over_a_unix_socket_are_trusted_by_name_alone() -> None:
    """D-075: without an address all are one client, unless a proxy names it."""
    for nameless in (None, "", "0.0.0.0"):
        assert TrustedProxies().find(nameless, CLIENT) == UNIX
        assert TrustedProxies(("0.0.0.0/0", "::/0")).find(nameless, CLIENT) == UNIX
        assert TrustedProxies((UNIX,)).find(nameless, CLIENT) == CLIENT
        assert TrustedProxies((UNIX,)).find(nameless) == UNIX
        assert TrustedProxies((UNIX, "10.0.0.0/8")).find(
            nameless, f"{CLIENT}, {FAR}"
        ) == (CLIENT)


def test_only_so_many_entries_are_read() -> None:
    """A header of 30 kB of trusted addresses costs as much as one of twenty."""
    long = ", ".join([CLIENT, *[FAR] * 2_000])
    assert BEHIND.find(NEAR, long) == FAR
    assert BEHIND.find(NEAR, ", ".join([CLIENT, *[FAR] * 19])) == CLIENT


@pytest.mark.parametrize(
    "text", ["", "proxy", "10.0.0.0/33", "10.0.0.1-9", "unix", "*"]
)
def test_what_is_no_address_is_a_wrong_setting(text: str) -> None:
    """A typing error must neither add nor remove trust."""
    with pytest.raises(SettingsError, match="trusted_proxy"):
        TrustedProxies(("10.0.0.1", text))


@given(st.text() | st.text("0123456789abcdef.:[], %x\t"), st.sampled_from([NEAR, FAR]))
@example(f"{CLIENT},", NEAR)
def test_no_header_makes_anything_but_an_address(header: str, peer: str) -> None:
    """The result is logged and is a key of limits: always a complete address."""
    found = BEHIND.find(peer, header)
    assert str(ipaddress.ip_address(found)) == found


ADDRESSES = st.ip_addresses().map(str)


@given(st.lists(ADDRESSES | st.text("0123456789.,: ")), ADDRESSES)
def test_no_tale_hides_the_client_that_a_proxy_saw(
    tale: list[str], client: str
) -> None:
    """Whatever the client sent, the entry of its proxy is to the right of it."""
    proxies = TrustedProxies((NEAR,))
    expected = proxies.find(NEAR, client)
    if expected != NEAR:
        assert proxies.find(NEAR, ",".join([*tale, client])) == expected
        assert proxies.find(NEAR, ",".join([*tale, client, NEAR])) == expected


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_an_ipv6_client_is_counted_by_its_site(site: int, one: int, two: int) -> None:
    """D-055: a customer has 2^64 addresses and may use another for each request."""
    first, second = (str(ipaddress.IPv6Address(site << 64 | n)) for n in (one, two))
    if site:
        assert rate_limit_key(first) == rate_limit_key(second)
        assert ipaddress.ip_address(second) in ipaddress.ip_network(
            rate_limit_key(first)
        )
        assert rate_limit_key(
            str(ipaddress.IPv6Address((site ^ 1) << 64))
        ) != rate_limit_key(first)


def test_others_are_counted_one_by_one() -> None:
    """IPv4, also in IPv6 notation; and peers without an address."""
    assert (
        rate_limit_key("192.0.2.7") == rate_limit_key("::ffff:192.0.2.7") == "192.0.2.7"
    )
    assert rate_limit_key("192.0.2.8") != rate_limit_key("192.0.2.7")
    assert rate_limit_key(UNIX) == UNIX


async def test_nobody_chooses_an_address_by_a_header(knowledge: KnowledgeBase) -> None:
    """Nine headers that claim one, on the fast path and in the handler."""
    app = open_app(knowledge)
    headers = {**JSON, **CLAIMS, "X-Forwarded-For": TALE}
    async with serving(app) as site:
        with captured() as lines:
            for _ in "123":
                await ask(site.port, "POST", headers=headers, body=BODY)
            await ask(site.port, "GET", "/health", headers)
    assert [row["address"] for row in lines.rows] == ["127.0.0.1"] * 4


async def test_a_trusted_proxy_says_whose_request_it_is(
    knowledge: KnowledgeBase,
) -> None:
    """By X-Forwarded-For and nothing else, for each request of a connection."""
    app = open_app(knowledge, trusted_proxy=("127.0.0.0/8",))
    told = [f"{TALE}, {CLIENT}", None, "2001:db8::7", "evil", CLIENT]
    async with serving(app) as site, dial(site.port) as wire:
        with captured() as lines:
            for path, body in (("/mcp", BODY), ("/mcp", BODY), ("/health", None)):
                for entry in told:
                    more = {} if entry is None else {"X-Forwarded-For": entry}
                    method = "POST" if body else "GET"
                    await wire.request(method, path, {**JSON, **CLAIMS, **more}, body)
                    assert (await wire.answer()).status == 200
    expected = [CLIENT, "127.0.0.1", "2001:db8::7", "127.0.0.1", CLIENT]
    assert [row["address"] for row in lines.rows] == expected * 3


async def test_a_header_that_came_twice_is_one(knowledge: KnowledgeBase) -> None:
    """RFC 9110, 5.3: in the order received, so the proxy's is the last."""
    app = open_app(knowledge, trusted_proxy=("127.0.0.1",))
    async with serving(app) as site, dial(site.port) as wire:
        with captured() as lines:
            twice = f"X-Forwarded-For: {TALE}\r\nx-forwarded-for: {CLIENT}\r\n"
            head = f"GET /health HTTP/1.1\r\nHost: localhost\r\n{twice}\r\n"
            await wire.send(head.encode())
            assert (await wire.answer()).status == 200
    assert [row["address"] for row in lines.rows] == [CLIENT]


async def test_a_forgotten_proxy_is_told_of_once(knowledge: KnowledgeBase) -> None:
    """All clients share one limit then, which would be hard to find out."""
    async with serving(open_app(knowledge)) as site:
        with captured("asdlc_kb.web.admission.client_address") as lines:
            for entry in (CLIENT, TALE, CLIENT):
                headers = {"X-Forwarded-For": entry}
                await ask(site.port, "GET", "/health", headers)
    (row,) = lines.rows
    assert "--trusted-proxy 127.0.0.1" in row["event"]
    assert CLIENT not in json.dumps(row)


def test_a_peer_is_its_address_without_the_port() -> None:
    """A Unix socket has none."""
    ours, theirs = socket.socketpair()
    with ours, theirs, socket.socket() as four, socket.socket(socket.AF_INET6) as six:
        assert find_peer(ours, "") == UNIX
        assert find_peer(four, ("192.0.2.1", 5)) == "192.0.2.1"
        assert find_peer(six, ("::1", 5, 0, 0)) == "::1"
