"""Bodies of requests to the MCP endpoint: valid, odd and malformed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.recordings import calls
from benchmarks.recordings.calls import Message

COMMON: Final[Sequence[tuple[str, Message]]] = (
    ("tools/call", {"name": "list_articles", "arguments": {"limit": 3}}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": "alpha"}}),
    ("tools/call", {"name": "get_article", "arguments": {"slug": "draft-one"}}),
    ("tools/call", {"name": "search_articles", "arguments": {"query": "gamma"}}),
    ("tools/call", {"name": "search_articles", "arguments": {"query": '"id":1'}}),
    ("tools/call", {"name": "search_articles", "arguments": {"query": "1"}}),
    ("tools/call", {"name": "search_docs", "arguments": {"query": "rate"}}),
    ("tools/call", {"name": "list_articles", "arguments": {"limit": 1, "id": 1}}),
    ("tools/list", {}),
    ("ping", {}),
)
"""Calls that are repeated so often that servers answer them from their caches."""

ALL: Final = tuple(calls.list_calls())
IDS: Final = (
    *(b"1", b"0", b"-1", b"-0", b"7", b"12345678901234567890", b"1" + b"0" * 40),
    *(b"1.0", b"1.5", b"1e3", b"1E-2", b"01", b"+1", b"0x1", b".5", b"1_000", b"NaN"),
    *(b'"a"', b'""', b'"1"', b'"\\u0061"', b'"\\u2028"', b'"\xe2\x80\xa8"', b'"\\""'),
    *(b'"\\\\"', b'"\\ud83d\\ude00"', b'"\\ud83d"', b'"\xf0\x9f\x98\x80"', b'"a\\nb"'),
    *(b'"a\nb"', b'"\xff"', b'"\\x"', b'"' + b"i" * 300 + b'"', b'"</script>"'),
    *(b"null", b"true", b"false", b"[]", b"[1]", b"{}", b'{"id":1}', b"", b" 1 "),
)
"""JSON of ids, some of them none."""

_BLANKS: Final = (b"", b" ", b"\n", b"\t", b"\r\n", b"  \n\t", b"\x0c", b"\xc2\xa0")
_FURTHER: Final = (
    *(b'"id":2', b'"id":null', b'"\\u0069d":3', b'"ID":4', b'"extra":{"id":5}'),
    *(b'"jsonrpc":"2.0"', b'"jsonrpc":"1.0"', b'"method":"ping"', b'"params":{}'),
    *(b'"params":null', b'"params":[]', b'"result":{}', b'"error":{}', b'"":""'),
)
"""Further members, some of which repeat a key."""
_AROUND: Final = (b"x", b"{}", b"\0", b"\xef\xbb\xbf", b",", b"]", b"//", b"\n\n")


@dataclass(frozen=True)
class Body:
    """A body, and what a client states about it in the header."""

    data: bytes
    version: str
    method: str = ""
    name: str = ""


def make_body(
    pick: Random, number: int, versions: Sequence[str] = calls.VERSIONS
) -> Body:
    """Return a body; `number` is the id of a valid call."""
    kind = pick.random()
    version = pick.choice(versions)
    if kind < 0.45:
        method, params = pick.choice(COMMON)
        return _describe(method, params, version, str(number).encode())
    if kind < 0.65:
        method, params = pick.choice(ALL)
        return _describe(method, params, version, str(number).encode())
    if kind < 0.85:
        return _make_odd(pick, version, number)
    if kind < 0.93:
        return Body(pick.choice(calls.MALFORMED)[1], version)
    return _make_other(pick, version)


def write_initialize(version: str) -> bytes:
    """Return the message that opens a session."""
    params = calls.write_initialize(version)
    return _write(_members("initialize", params, version, b"1"))


def _describe(method: str, params: Message, version: str, number: bytes) -> Body:
    data = _write(_members(method, params, version, number))
    name = params.get("name", params.get("uri", ""))
    return Body(data, version, method, name if isinstance(name, str) else "")


def _members(method: str, params: Message, version: str, number: bytes) -> list[bytes]:
    stated = calls.add_meta(params, version)
    return [
        b'"jsonrpc":"2.0"',
        b'"id":' + number,
        b'"method":' + _dump(method),
        b'"params":' + _dump(stated),
    ]


def _make_odd(pick: Random, version: str, number: int) -> Body:
    """Return a call with ids, members and blanks as no client writes them."""
    written = pick.choice((b"%d" % number, pick.choice(IDS)))
    method, params = pick.choice(COMMON if pick.random() < 0.7 else ALL)
    members = _members(method, params, version, written)
    changes = pick.sample(range(5), pick.randint(0, 3))
    if 0 in changes:
        pick.shuffle(members)
    if 1 in changes:
        members.insert(pick.randrange(len(members) + 1), pick.choice(_FURTHER))
    if 2 in changes:
        del members[pick.randrange(len(members))]
    blank = pick.choice(_BLANKS) if 3 in changes else b""
    data = _write(members, blank)
    if 4 in changes:
        data = _mutate(pick, data)
    described = _describe(method, params, version, b"1")
    return Body(data, version, described.method, described.name)


def _mutate(pick: Random, data: bytes) -> bytes:
    """Return the bytes with one change anywhere."""
    place = pick.randrange(len(data) + 1)
    match pick.randrange(4):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + bytes([pick.randrange(256)]) + data[place + 1 :]
        case 2:
            return data[:place] + pick.choice(_AROUND) + data[place:]
        case _:
            return pick.choice((data + pick.choice(_AROUND), b"\xef\xbb\xbf" + data))


def _make_other(pick: Random, version: str) -> Body:
    """Return a notification, a response, a batch, or a message in another charset."""
    match pick.randrange(4):
        case 0:
            method, params = pick.choice(calls.NOTIFICATIONS)
            message = {"jsonrpc": "2.0", "method": method, "params": params}
            return Body(_dump(message), version, method)
        case 1:
            return Body(write_initialize(version), version, "initialize")
        case 2:
            several = [make_body(pick, place) for place in range(pick.randrange(5))]
            data = b"[" + b",".join(body.data for body in several) + b"]"
            return Body(data, pick.choice((version, calls.BATCHES)))
        case _:
            encoding = pick.choice(("utf-16", "utf-16-le", "utf-32", "utf-7"))
            method, params = pick.choice(COMMON)
            text = _describe(method, params, version, b"1").data.decode()
            return Body(text.encode(encoding), version)


def _write(members: Sequence[bytes], blank: bytes = b"") -> bytes:
    between = blank + b"," + blank
    return blank + b"{" + blank + between.join(members) + blank + b"}" + blank


def _dump(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
