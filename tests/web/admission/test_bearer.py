"""Bearer token authentication on every transport, and ownership of sessions."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.issuer import (
    AUDIENCE,
    ISSUER,
    NOW,
    make_key,
    sign,
    write_claims,
    write_set,
)
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import EVENTS, JSON, Site, envelope, message, open_app, serving
from support.wire import Answer, ask, dial

from asdlc_kb.app import Runtime
from asdlc_kb.ops.auth.bearer_tokens import TokenFile, format_line, read_tokens
from asdlc_kb.ops.auth.jwks import read_keys
from asdlc_kb.ops.auth.jwt import LEEWAY_SECONDS, JwtVerifier
from asdlc_kb.web.admission.bearer import INVALID_TOKEN, BearerAuth

CALL = message("tools/call", {"name": "list_articles", "arguments": {}})
BODY = json.dumps(CALL).encode()
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}
SECRETS = {"ci": "akb_s3cret-of-ci", "ada": "akb_s3cret-of-ada"}


def bearer_header(token: str = SECRETS["ci"]) -> dict[str, str]:
    """Return the Authorization header of a token."""
    return {"Authorization": f"Bearer {token}"}


def open_closed(knowledge: KnowledgeBase, folder: Path, **given: Any) -> Runtime:
    """Return an application that requires a token of a file."""
    file = folder / "tokens"
    lines = (format_line(name, token) for name, token in SECRETS.items())
    file.write_text("\n".join(lines))
    return open_app(knowledge, auth_tokens_file=str(file), **given)


@pytest.fixture
def closed(knowledge: KnowledgeBase, tmp_path: Path) -> Runtime:
    """An application that requires a token of a file."""
    return open_closed(knowledge, tmp_path)


async def post(
    site: Site, body: Any = BODY, /, **headers: str | None
) -> tuple[int, Answer]:
    """POST a message with the token of `ci` unless headers differ."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {
        k: v for k, v in {**JSON, **bearer_header(), **named}.items() if v is not None
    }
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = await ask(site.port, "POST", headers=sent, body=raw)
    return answer.status, answer


CLOSED = [
    *(("GET", path) for path in ("/", "/nowhere", "/search?q=x", "/llms.txt", "/map")),
    *(("GET", path) for path in ("/-/search.json", "/llms-full.txt", "/-/events")),
    *(("GET", "/-/style.000000000000.css"), ("HEAD", "/"), ("OPTIONS", "/")),
    *(("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("POST", "/mcp/")),
    *(("POST", "/mcp?session_id=x"), ("PUT", "/mcp"), ("POST", "/")),
]


@pytest.mark.parametrize(("verb", "path"), CLOSED)
async def test_everything_needs_a_token(closed: Runtime, verb: str, path: str) -> None:
    """D-123: tokens of a file have no issuer that a client could ask (RFC 6750, 3)."""
    async with serving(closed) as site:
        for sent in ({}, EVENTS, {"Accept": "text/html"}):
            answer = await ask(site.port, verb, path, sent)
            assert answer.status == 401
            assert answer.headers["www-authenticate"] == 'Bearer realm="asdlc-kb"'
            assert answer.headers["cache-control"] == "no-store, no-transform"
        known = await ask(site.port, verb, path, bearer_header())
        assert known.status != 401
        assert "www-authenticate" not in known.headers


@pytest.mark.parametrize("path", ["/health", "/ready"])
async def test_health_needs_none(closed: Runtime, path: str) -> None:
    """D-123: a supervisor of the process has no token."""
    async with serving(closed) as site:
        assert (await ask(site.port, "GET", path)).status == 200
        assert (await ask(site.port, "GET", path, bearer_header("wrong"))).status == 200


async def test_metrics_for_others_are_not_even_missing(closed: Runtime) -> None:
    """D-085: without permission, the answer is that of any address."""
    async with serving(closed) as site:
        forwarded = {"X-Forwarded-For": "192.0.2.1"}
        assert (await ask(site.port, "GET", "/metrics", forwarded)).status == 401
        known = {**forwarded, **bearer_header()}
        assert (await ask(site.port, "GET", "/metrics", known)).status == 404


WRONG = {
    "unknown": "Bearer akb_wrong",
    "a part": f"Bearer {SECRETS['ci'][:-1]}",
    "longer": f"Bearer {SECRETS['ci']}x",
    "another case": f"Bearer {SECRETS['ci'].upper()}",
}
NONE = {
    "another scheme": "Basic Y2k6czNjcmV0",
    "the token alone": SECRETS["ci"],
    "no token": "Bearer",
    "nothing": "",
    "two": f"Bearer {SECRETS['ci']} {SECRETS['ci']}",
    "a list": f"Bearer {SECRETS['ci']},Bearer {SECRETS['ci']}",
    "something behind": f"Bearer {SECRETS['ci']};",
    "quoted": f'Bearer "{SECRETS["ci"]}"',
    "too long": f"Bearer {'x' * 20_000}",
}


@pytest.mark.parametrize("name", [*WRONG, *NONE])
async def test_what_is_no_token_of_ours_is_refused(closed: Runtime, name: str) -> None:
    """RFC 6750, 3.1: `invalid_token` for a token, no error without one."""
    async with serving(closed) as site:
        status, answer = await post(site, Authorization={**WRONG, **NONE}[name])
    assert status == 401
    challenge = answer.headers["www-authenticate"]
    assert challenge == (
        'Bearer error="invalid_token"' if name in WRONG else 'Bearer realm="asdlc-kb"'
    )
    assert answer.json["error"]["code"] == -32600


async def test_a_token_sent_twice_is_none(closed: Runtime) -> None:
    """Two programs on the way could read different ones of two headers."""
    async with serving(closed) as site, dial(site.port) as wire:
        header = f"Authorization: Bearer {SECRETS['ci']}\r\n"
        head = f"GET / HTTP/1.1\r\nHost: localhost\r\n{header * 2}\r\n"
        await wire.send(head.encode())
        assert (await wire.answer()).status == 401


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
async def test_the_scheme_has_no_case(closed: Runtime, scheme: str) -> None:
    """RFC 9110, 11.1; the token is case-sensitive."""
    async with serving(closed) as site:
        status, _ = await post(site, Authorization=f"{scheme} {SECRETS['ada']}")
    assert status == 200


@pytest.mark.parametrize("path", ["/mcp", "/"])
async def test_a_token_in_the_address_is_not_looked_at(
    closed: Runtime, path: str
) -> None:
    """RFC 6750, 2.3: it would be in logs; MCP forbids it."""
    async with serving(closed) as site:
        for name in ("access_token", "token"):
            where = f"{path}?{name}={SECRETS['ci']}"
            told = await ask(site.port, "POST", where, JSON, BODY)
            assert told.status == 401
            assert (await ask(site.port, "GET", where)).status == 401


async def test_remembered_answers_need_a_token_too(closed: Runtime) -> None:
    """The fast path requires one too, for each request of a connection."""
    async with serving(closed) as site, dial(site.port) as wire:
        for token, status in [("ci", 200), ("ci", 200), ("", 401), ("ada", 200)] * 2:
            sent = {**JSON, **(bearer_header(SECRETS[token]) if token else {})}
            await wire.request("POST", headers=sent, body=BODY)
            assert (await wire.answer()).status == status


async def test_a_large_body_of_a_stranger_is_taken_and_refused(closed: Runtime) -> None:
    """The sender sees the response, and the connection goes on."""
    async with serving(closed) as site, dial(site.port) as wire:
        for _ in range(2):
            await wire.request("POST", headers=JSON, body=b"x" * 3_000_000)
            assert (await wire.answer()).status == 401


async def test_the_gate_and_the_limits_come_first(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """Guessing tokens is limited, and pages of other hosts are refused before."""
    app = open_closed(knowledge, tmp_path, rate_limit="2/hour")
    async with serving(app) as site:
        told = [await post(site, Authorization=f"Bearer {n}") for n in range(4)]
        assert [status for status, _ in told] == [401, 401, 429, 429]
        assert (await post(site))[0] == 429
        assert (await post(site, Host="evil.example", Authorization=None))[0] == 403


async def test_browsers_may_ask_whether_they_may_call(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """A preflight has no token; the call after it has, and may read the challenge."""
    page = "https://app.example.com"
    app = open_closed(knowledge, tmp_path, allow_origin=(page,))
    async with serving(app) as site:
        preflight = await ask(site.port, "OPTIONS", headers={"Origin": page})
        assert preflight.status == 204
        assert "Authorization" in preflight.headers["access-control-allow-headers"]
        status, answer = await post(site, Origin=page, Authorization=None)
        assert status == 401
        assert "WWW-Authenticate" in answer.headers["access-control-expose-headers"]
        other = await ask(site.port, "OPTIONS", headers={"Origin": "https://x.example"})
        assert other.status == 403


async def initialize(site: Site, token: str) -> str:
    """Begin a session; return its id."""
    headers = {**JSON, **bearer_header(token)}
    body = json.dumps(message("initialize", HELLO)).encode()
    answer = await ask(site.port, "POST", headers=headers, body=body)
    assert answer.status == 200
    return answer.headers["mcp-session-id"]


async def test_a_session_is_of_who_opened_it(closed: Runtime) -> None:
    """2026-07-28 basic/security: another principal cannot use it, even with its id."""
    async with serving(closed) as site:
        session = await initialize(site, SECRETS["ci"])
        ours = {"Mcp-Session-Id": session, **bearer_header()}
        theirs = {"Mcp-Session-Id": session, **bearer_header(SECRETS["ada"])}
        call = json.dumps(message("tools/list")).encode()
        for headers, status in ((theirs, 404), (ours, 200), (theirs, 404), (ours, 200)):
            told = await ask(site.port, "POST", "/mcp", {**JSON, **headers}, call)
            assert told.status == status
        assert (await ask(site.port, "GET", "/mcp", {**EVENTS, **theirs})).status == 404
        assert (await ask(site.port, "DELETE", "/mcp", theirs)).status == 404
        assert (await ask(site.port, "DELETE", "/mcp", ours)).status == 204


async def test_an_http_sse_stream_is_of_who_opened_it(closed: Runtime) -> None:
    """No other principal posts into it."""
    async with serving(closed) as site, dial(site.port) as wire:
        await wire.request("GET", headers={**EVENTS, **bearer_header()})
        assert (await wire.head()).status == 200
        frame = await wire.frame()
        assert frame is not None
        path = frame[1].decode()
        for token, status in (("ada", 404), ("ci", 202)):
            sent = {**JSON, **bearer_header(SECRETS[token])}
            assert (await ask(site.port, "POST", path, sent, BODY)).status == status
        assert (await ask(site.port, "POST", path, JSON, BODY)).status == 401


async def test_nothing_may_be_kept_for_others(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-036: `cacheScope` is private; pages are too (RFC 9111, 5.2.2.7)."""
    version = "2026-07-28"
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": "tools/list"}
    listing = message("tools/list", {"_meta": envelope(version)})
    paths = ("/", "/llms-full.txt", "/search")
    kept = {}
    for app in (open_app(knowledge), open_closed(knowledge, tmp_path)):
        async with serving(app) as site:
            _, answer = await post(site, listing, **headers)
            scope = answer.json["result"]["cacheScope"]
            told = [
                await ask(site.port, "GET", path, bearer_header()) for path in paths
            ]
            css = await find_style(site, told[0].body.decode())
            kept[scope] = [page.headers["cache-control"] for page in (*told, css)]
    assert kept == {
        "public": [*["no-cache"] * 3, "public, max-age=31536000, immutable"],
        "private": [
            *["private, no-cache"] * 3,
            "private, max-age=31536000, immutable",
        ],
    }


async def find_style(site: Site, page: str) -> Answer:
    """Return the style sheet of a page."""
    path = next(word for word in page.split('"') if word.endswith(".css"))
    return await ask(site.port, "GET", path, bearer_header())


class Clock:
    """A clock that a test sets."""

    now = float(NOW)

    def __call__(self) -> float:
        return self.now


async def test_a_signed_token_lets_in_until_it_expires(
    knowledge: KnowledgeBase,
) -> None:
    """D-122: a stream that a JWT opened ends with it."""
    clock = Clock()
    keys = read_keys(write_set(make_key("RSA")), "keys.json")
    tokens = TokenFile((), JwtVerifier(keys, ISSUER, AUDIENCE, clock), clock=clock)
    app = open_app(knowledge)
    app = replace(app, admission=replace(app.admission, bearer=BearerAuth(tokens)))
    good = bearer_header(sign(write_claims()))
    bad = bearer_header(sign(write_claims(), key=make_key("RSA", "other")))
    async with serving(app) as site, dial(site.port) as wire:
        await wire.request("GET", headers={**EVENTS, **good})
        assert (await wire.head()).status == 200
        frames = [await wire.frame()]
        for headers, status in ((bad, 401), (good, 200), (bad, 401), (good, 200)):
            sent = {**JSON, **headers}
            told = await ask(site.port, "POST", "/mcp", sent, BODY)
            assert told.status == status
        assert tokens.lookup_cached(good["Authorization"].split()[1]) is not None
        clock.now += 301 + LEEWAY_SECONDS
        told = await ask(site.port, "POST", "/mcp", {**JSON, **good}, BODY)
        assert told.status == 401
        (session,) = app.server.sessions
        app.server.sessions.send(session, b"{}")
        while frames[-1] is not None:
            frames.append(await wire.frame())
        assert [frame and frame[0] for frame in frames] == ["endpoint", None]


async def test_the_log_says_who_and_never_how(closed: Runtime) -> None:
    """The principal is in the request's line; tokens, right or wrong, are in none."""
    wrong = "akb_s3cret-of-nobody"
    with captured("") as lines:
        async with serving(closed) as site:
            for _ in range(3):
                await post(site)
            for token in (wrong, f"{wrong}-2"):
                await post(site, Authorization=f"Bearer {token}")
            await ask(site.port, "GET", f"/?access_token={wrong}")
            await ask(site.port, "GET", "/", bearer_header(SECRETS["ada"]))
    requests = [row for row in lines.rows if row["event"] == "request"]
    assert [row.get("principal") for row in requests] == [
        *["token:ci"] * 3,
        *[None] * 3,
        "token:ada",
    ]
    (refused,) = [row for row in lines.rows if row["event"] == "token refused"]
    assert (refused["reason"], refused["address"]) == ("unknown", "127.0.0.1")
    assert "s3cret" not in lines.text


def test_refusals_are_sampled() -> None:
    """D-053: guessing a thousand tokens fills no disk."""
    bearer = BearerAuth(TokenFile(tuple(read_tokens(format_line("ci", "t"), "tokens"))))
    with captured("asdlc_kb.web.admission.bearer") as lines:
        found = [bearer.identify(f"Bearer {n}", "192.0.2.1") for n in range(1000)]
    assert set(found) == {INVALID_TOKEN}
    assert len(lines.rows) == 1
