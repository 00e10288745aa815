"""HTTP requests: valid, odd and hostile heads around a body."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from benchmarks.differential.messages import Body, make_body
from benchmarks.recordings.calls import VERSIONS
from benchmarks.recordings.mcp import ACCEPTS

Field = tuple[bytes, bytes]

SESSION: Final = b"{session}"
"""Replaced by the id of a session of the server that gets the request."""

SESSION_VERSION: Final = "2025-06-18"
"""Protocol of such sessions."""

IN_SESSION: Final = 0.1
"""Share of the calls that are of such a session."""

ETAG: Final = b"{etag}"
"""Replaced by the entity tag of an article's page."""

ASSET: Final = b"{asset}"
"""Replaced by the path of a style sheet."""

HOST: Final = b"Host: localhost\r\n"
"""Header of every plain request: a token is put behind it."""

PATHS: Final = (
    "{asset}",
    *("/", "/concepts/", "/concepts/alpha", "/concepts/alpha.md", "/patterns/gamma"),
    *("/concepts/draft-one", "/concepts/draft-one.md", "/hidden/", "/nosuch", "/root"),
    *("/llms.txt", "/llms-full.txt", "/robots.txt", "/sitemap.xml", "/feed.xml"),
    *("/search?q=gamma", "/search", "/-/search.json?q=gamma", "/-/nosuch.css"),
    *("/docs/", "/docs/guide/install", "/docs/guide/install.md", "/docs/guide/plans"),
    *("/concepts/alpha/", "/concepts/../concepts/alpha", "/concepts%2Falpha"),
    *("/concepts/%61lpha", "/CONCEPTS/alpha", "//concepts/alpha", "/concepts/alpha?"),
    *("/concepts/alpha?x=1", "/concepts/alpha#x", "/%2e%2e/etc/passwd", "/%00", "/é"),
    *("/ready", "/health", "/connect", "/favicon.ico", "/.well-known/mcp.json", "/mcp"),
)
ENDPOINTS: Final = (
    *("/mcp/", "/MCP", "//mcp", "/mcp?x=1", "/%6dcp", "/mcp#a", "/mcp;a", "mcp", "*"),
    *("http://localhost/mcp", "http://evil.example/mcp", "https://localhost/mcp"),
    *("HTTP://LOCALHOST/mcp", "http://localhost:80/mcp", "http://u@localhost/mcp"),
)
"""Other ways to write the target of a call."""

_METHODS: Final = (
    b"GET",
    b"HEAD",
    b"OPTIONS",
    b"PUT",
    b"DELETE",
    b"PATCH",
    b"get",
    b"X",
)
_HOSTS: Final = (
    *(b"localhost:80", b"LOCALHOST", b"localhost.", b"127.0.0.1", b"[::1]", b""),
    *(b"evil.example", b"localhost, evil.example", b"local host", b"localhost:x"),
)
_PAGE_FIELDS: Final[Sequence[Field]] = (
    *((b"Accept", accept.encode()) for accept in ACCEPTS),
    (b"Accept", b"text/markdown"),
    (b"Accept", b"text/html;q=0.1, text/markdown;q=0.9"),
    (b"Accept", b"text/html, */*;q=0.8"),
    (b"Accept", b"image/png"),
    (b"If-None-Match", b"*"),
    (b"If-None-Match", b'"nosuch"'),
    (b"If-None-Match", b"{etag}"),
    (b"If-None-Match", b"W/{etag}"),
    (b"If-None-Match", b'"a", {etag}, "b"'),
    (b"If-Modified-Since", b"Sat, 01 Jan 2050 00:00:00 GMT"),
    (b"Range", b"bytes=0-9"),
    (b"Accept-Encoding", b"gzip, br"),
    (b"Accept-Encoding", b"gzip"),
    (b"Accept-Encoding", b"gzip;q=0, *;q=0.1"),
    (b"Accept-Language", b"de"),
)

_FURTHER: Final[Sequence[Field]] = (
    (b"Origin", b"null"),
    (b"Origin", b"http://localhost"),
    (b"Origin", b"http://evil.example"),
    (b"Connection", b"keep-alive"),
    (b"Connection", b"Keep-Alive, Upgrade"),
    (b"Connection", b"close"),
    (b"Connection", b"Content-Length"),
    (b"Upgrade", b"websocket"),
    (b"Expect", b"100-continue"),
    (b"Expect", b"200-ok"),
    (b"Authorization", b"Bearer nosuch"),
    (b"Authorization", b"Basic YTpi"),
    (b"Mcp-Session-Id", SESSION),
    (b"Mcp-Session-Id", b"nosuch"),
    (b"Mcp-Session-Id", b""),
    (b"Last-Event-ID", b"1"),
    (b"Content-Encoding", b"gzip"),
    (b"X-Request-Id", b"mine"),
    (b"X-Forwarded-For", b"192.0.2.1"),
    (b"X-Forwarded-For", b"x, 192.0.2.1"),
    (b"X-Forwarded-Proto", b"https"),
    (b"Forwarded", b"for=192.0.2.1"),
    (b"traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    (b"traceparent", b"nonsense"),
    (b"Mcp-Method", b"tools/list"),
    (b"Mcp-Name", b"other"),
    (b"MCP-Protocol-Version", b"1999-01-01"),
    (b"MCP-Protocol-Version", b""),
    (b"Content-Type", b"text/plain"),
    (b"Content-Type", b"application/json; charset=utf-8"),
    (b"Content-Type", b"application/json; charset=latin-1"),
    (b"Accept", b"application/json;q=0, text/event-stream"),
    (b"Cookie", b"a=b"),
    (b"Transfer-Encoding", b"identity"),
    (b"X-Long", b"x" * 9_000),
    (b"X-Octets", b"a\x80\xff\tb"),
    (b"X-Empty", b""),
)
_LENGTHS: Final[Sequence[Callable[[int], bytes]]] = (
    lambda size: b"%d" % (size + 1),
    lambda size: b"%d" % max(size - 1, 0),
    lambda size: b"00%d" % size,
    lambda size: b"+%d" % size,
    lambda size: b"-%d" % size,
    lambda size: b"%d.0" % size,
    lambda size: b"0x%x" % size,
    lambda size: b"%d, %d" % (size, size),
    lambda size: b"%d, 0" % size,
    lambda size: b" %d\t" % size,
    lambda size: b"%d;" % size,
    lambda size: b"",
    lambda size: b"9" * 30,
    lambda size: "\u0661".encode(),
)
_OCTETS: Final = b'\0\t\n\v\f\r !"(),/:;<=>?@[\\]{}\x7f\x80\xff'


@dataclass(frozen=True)
class Request:
    """One HTTP request in parts; `end` separates its lines."""

    method: bytes
    target: bytes
    fields: Sequence[Field]
    body: bytes = b""
    version: bytes = b"HTTP/1.1"
    end: bytes = b"\r\n"

    def render(self) -> bytes:
        """Return its bytes."""
        line = b" ".join((self.method, self.target, self.version))
        lines = [line, *(name + b": " + value for name, value in self.fields), b"", b""]
        return self.end.join(lines) + self.body


def make_request(pick: Random, number: int) -> bytes:
    """Return one request; every second one is plain."""
    request = _make_page(pick) if pick.random() < 0.3 else _make_call(pick, number)
    if pick.random() < 0.5:
        return request.render()
    for _ in range(pick.randint(1, 2)):
        request = pick.choice(_CHANGES)(pick, request)
    data = _without_stream(request).render()
    return _change_octet(pick, data) if pick.random() < 0.15 else data


def _make_call(pick: Random, number: int) -> Request:
    is_in_session = pick.random() < IN_SESSION
    versions = (SESSION_VERSION,) if is_in_session else VERSIONS
    body = make_body(pick, number, versions)
    fields = [
        (b"Host", b"localhost"),
        (b"Content-Type", b"application/json"),
        (b"Accept", b"application/json, text/event-stream"),
        *_state(body),
        *([(b"Mcp-Session-Id", SESSION)] if is_in_session else []),
        (b"Content-Length", b"%d" % len(body.data)),
    ]
    return Request(b"POST", b"/mcp", fields, body.data)


def _state(body: Body) -> list[Field]:
    """Return the headers that repeat what a body says."""
    fields = [(b"MCP-Protocol-Version", body.version.encode())]
    if body.version == "2026-07-28" and body.method:
        fields.append((b"Mcp-Method", body.method.encode()))
        if body.name and body.name.isascii():
            fields.append((b"Mcp-Name", body.name.encode()))
    return fields


def _make_page(pick: Random) -> Request:
    path = pick.choice(PATHS)
    fields = [(b"Host", b"localhost")]
    if pick.random() < 0.6:
        fields += pick.sample(_PAGE_FIELDS, pick.randint(1, 2))
    return _without_stream(Request(b"GET", path.encode(), fields))


def _without_stream(request: Request) -> Request:
    """Return a request that opens no endless stream."""
    if request.method.upper() != b"GET" or b"mcp" not in request.target.lower():
        return request
    fields = [(k, v) for k, v in request.fields if b"event-stream" not in v]
    return replace(request, fields=[(k, v) for k, v in fields if v != SESSION])


def _change_method(pick: Random, request: Request) -> Request:
    return replace(request, method=pick.choice(_METHODS))


def _change_target(pick: Random, request: Request) -> Request:
    targets = PATHS if pick.random() < 0.3 else ENDPOINTS
    return replace(request, target=pick.choice(targets).encode())


def _change_version(pick: Random, request: Request) -> Request:
    choices = (b"HTTP/1.0", b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"http/1.1", b"")
    return replace(request, version=pick.choice(choices))


def _change_host(pick: Random, request: Request) -> Request:
    host = pick.choice(_HOSTS)
    hosts = [(k, host if k == b"Host" else v) for k, v in request.fields]
    return replace(request, fields=hosts)


def _add_field(pick: Random, request: Request) -> Request:
    """Add a header; for half of the names, this makes two of them."""
    fields = list(request.fields)
    fields.insert(pick.randrange(len(fields) + 1), pick.choice(_FURTHER))
    return replace(request, fields=fields)


def _replace_field(pick: Random, request: Request) -> Request:
    name, value = pick.choice(_FURTHER)
    fields = [(k, v) for k, v in request.fields if k.lower() != name.lower()]
    fields.insert(pick.randrange(len(fields) + 1), (name, value))
    return replace(request, fields=fields)


def _repeat_field(pick: Random, request: Request) -> Request:
    fields = list(request.fields)
    name, value = pick.choice(fields)
    changed = pick.choice((value, value + b"x", b""))
    fields.insert(pick.randrange(len(fields) + 1), (name, changed))
    return replace(request, fields=fields)


def _drop_field(pick: Random, request: Request) -> Request:
    """Leave out a header, but not the last one."""
    fields = list(request.fields)
    if len(fields) > 1:
        del fields[pick.randrange(len(fields))]
    return replace(request, fields=fields)


def _write_field(pick: Random, request: Request) -> Request:
    """Write one header in another case, with other blanks, or in two lines."""
    fields = list(request.fields)
    place = pick.randrange(len(fields))
    name, value = fields[place]
    fields[place] = pick.choice(
        (
            (name.lower(), value),
            (name.upper(), value),
            (name.swapcase(), value),
            (name, b"  \t" + value + b" \t "),
            (name, b"\r\n " + value),
            (name, value + b"\r\n\tmore"),
            (name + b" ", value),
            (b" " + name, value),
            (name.replace(b"-", b"_"), value),
        )
    )
    return replace(request, fields=fields)


def _shuffle_fields(pick: Random, request: Request) -> Request:
    return replace(request, fields=pick.sample(request.fields, len(request.fields)))


def _change_length(pick: Random, request: Request) -> Request:
    length = pick.choice(_LENGTHS)(len(request.body))
    fields = [(k, v) for k, v in request.fields if k != b"Content-Length"]
    return replace(request, fields=[*fields, (b"Content-Length", length)])


def _encode_chunks(pick: Random, request: Request) -> Request:
    """Send the body in chunks, sometimes wrongly, sometimes beside a length."""
    body, size = b"", pick.choice((1, 7, 64, 10_000))
    for start in range(0, len(request.body), size):
        part = request.body[start : start + size]
        line = pick.choice((b"%x", b"%x", b"%x", b"%X", b"0%x", b"%x;a=b", b"%x "))
        body += line % len(part) + b"\r\n" + part + b"\r\n"
    body += pick.choice((b"0\r\n\r\n",) * 4 + (b"0\r\nA: b\r\n\r\n", b"0\n\n", b"\r\n"))
    coding = pick.choice((b"chunked",) * 4 + (b"Chunked", b"gzip, chunked", b"x"))
    kept = pick.random() < 0.1
    fields = [(k, v) for k, v in request.fields if kept or k != b"Content-Length"]
    return replace(request, fields=[*fields, (b"Transfer-Encoding", coding)], body=body)


def _end_lines(pick: Random, request: Request) -> Request:
    return replace(request, end=pick.choice((b"\n", b"\r", b"\r\r\n", b"\n\r")))


def _add_many_fields(pick: Random, request: Request) -> Request:
    many = [(b"X-%d" % number, b"x") for number in range(pick.choice((20, 200)))]
    return replace(request, fields=[*request.fields, *many])


_CHANGES: Final = (
    _change_method,
    _change_target,
    _change_version,
    _change_host,
    _add_field,
    _add_field,
    _replace_field,
    _replace_field,
    _repeat_field,
    _drop_field,
    _write_field,
    _write_field,
    _shuffle_fields,
    _change_length,
    _encode_chunks,
    _encode_chunks,
    _end_lines,
    _add_many_fields,
)


def _change_octet(pick: Random, data: bytes) -> bytes:
    """Replace, add or remove one octet of the first kilobyte."""
    place = pick.randrange(min(len(data), 1_000))
    octet = bytes([pick.choice(_OCTETS)])
    kept = pick.choice((place, place + 1))
    return data[:place] + pick.choice((octet, octet, b"")) + data[kept:]


def fill(data: bytes, values: Mapping[bytes, bytes]) -> bytes:
    """Return a request with its placeholders replaced by what a server gave."""
    for name, value in values.items():
        data = data.replace(name, value)
    return data
