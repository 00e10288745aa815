"""The rate limit over HTTP: counted requests, responses, log lines."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import JSON, Site, message, open_app, serving
from support.processes import serve_process
from support.wire import Answer, ask, dial

from asdlc_kb.app import Runtime
from asdlc_kb.ops.limits.rate_limiter import Rate
from asdlc_kb.ops.metrics.counters import Metrics, encode_key
from asdlc_kb.ops.metrics.definitions import LIMITED
from asdlc_kb.site.layout import assets
from asdlc_kb.web.admission.rate_limit import RateLimitExceeded, RateLimits

CALL = message("tools/call", {"name": "list_articles", "arguments": {}}, "seven")
BODY = json.dumps(CALL).encode()
HTML = {"Accept": "text/html"}
REFUSED = {
    "code": -32603,
    "message": "Rate limit exceeded",
    "data": {"limit": "3/hour"},
}


def open_limited(knowledge: KnowledgeBase, **given: Any) -> Runtime:
    """Return an application that allows a client three calls an hour."""
    limits = {"rate_limit": "3/hour", "page_rate_limit": "3/hour"}
    return open_app(knowledge, **{**limits, **given})


def read_refusal(answer: Answer) -> tuple[Any, Any]:
    """Return id and error of a refusal; the time to wait is the header's."""
    assert answer.status == 429
    told = answer.json
    seconds = told["error"]["data"].pop("retryAfter")
    assert answer.headers["retry-after"] == str(seconds)
    assert 1 <= seconds <= 2 * 3600
    assert answer.headers["content-type"] == "application/json"
    return told.get("id"), told["error"]


async def statuses(
    site: Site, *paths: str, headers: Mapping[str, str] | None = None
) -> list[int]:
    """GET one path after another."""
    return [(await site.fetch(path, headers=headers)).code for path in paths]


async def test_a_call_too_many_is_refused_with_its_id(knowledge: KnowledgeBase) -> None:
    """D-118: 429, Retry-After, -32603 and its data."""
    async with serving(open_limited(knowledge)) as site, dial(site.port) as wire:
        for _ in range(3):
            await wire.request("POST", headers=JSON, body=BODY)
            assert (await wire.answer()).status == 200
        for _ in range(2):
            # Over the same connection: it is not closed.
            await wire.request("POST", headers=JSON, body=BODY)
            assert read_refusal(await wire.answer()) == ("seven", REFUSED)


@pytest.mark.parametrize(
    "body",
    [b"{", b"[" + BODY + b"]", BODY.replace(b'"seven"', b"[7]"), BODY.ljust(9000)],
    ids=["nonsense", "batch", "no id", "long"],
)
async def test_without_an_id_that_is_cheap_to_read_it_is_null(
    knowledge: KnowledgeBase, body: bytes
) -> None:
    """D-052: refused requests get no expensive work."""
    async with serving(open_limited(knowledge, rate_limit="1/hour")) as site:
        await ask(site.port, "POST", headers=JSON, body=BODY)
        refused = await ask(site.port, "POST", headers=JSON, body=body)
        assert read_refusal(refused)[0] is None


async def test_chunks_of_a_call_too_many_are_not_waited_for(
    knowledge: KnowledgeBase,
) -> None:
    """There may be many: the response comes at once, and the connection ends."""
    limits = {"rate_limit": "1/hour"}
    async with serving(open_limited(knowledge, **limits)) as site:
        assert (await site.post(CALL)).code == 200
        async with dial(site.port) as wire:
            given = {**JSON, "Transfer-Encoding": "chunked"}
            await wire.request("POST", headers=given)
            answer = await wire.answer()
            assert answer.headers["connection"] == "close"
            _, error = read_refusal(answer)
            assert error["message"] == REFUSED["message"]
            assert await wire.rest() == b""
        assert site.web.state.in_flight == set()


async def test_remembered_answers_and_others_are_counted_once_each(
    knowledge: KnowledgeBase,
) -> None:
    """The fast path and the handler share one count."""
    bodies = [BODY, json.dumps(message("ping")).encode()]
    async with serving(open_limited(knowledge, rate_limit="8/hour")) as site:
        for number in range(8):
            answer = await ask(site.port, "POST", headers=JSON, body=bodies[number % 2])
            assert answer.status == 200
        for body in bodies:
            assert (await ask(site.port, "POST", headers=JSON, body=body)).status == 429


@pytest.mark.parametrize("body", [b"", b"{", b"\xff" * 2_000_000])
async def test_whatever_is_sent_to_the_endpoint_is_counted(
    knowledge: KnowledgeBase, body: bytes
) -> None:
    """Failures cost work too."""
    async with serving(open_limited(knowledge)) as site:
        told = [await ask(site.port, "POST", headers=JSON, body=body) for _ in range(4)]
        assert all(400 <= answer.status < 429 for answer in told[:3])
        assert told[3].status == 429


async def test_searches_of_the_website_have_a_rate_of_their_own(
    knowledge: KnowledgeBase,
) -> None:
    """D-056: that of pages; the palette and the page of results share it.

    Neither calls nor pages are less for it.
    """
    async with serving(open_limited(knowledge)) as site:
        paths = ("/search?q=x", "/-/search.json?q=x", "/search")
        assert await statuses(site, *paths) == [200] * 3
        assert await statuses(site, *paths) == [429] * 3
        answer = await ask(site.port, "POST", headers=JSON, body=BODY)
        assert answer.status == 200
        assert await statuses(site, "/", "/map", "/") == [200] * 3


async def test_pages_have_a_rate_of_their_own(knowledge: KnowledgeBase) -> None:
    """D-056: a higher one, which leaves calls alone; missing pages count too."""
    async with serving(open_limited(knowledge)) as site:
        assert await statuses(site, "/", "/nowhere", "/llms.txt") == [200, 404, 200]
        assert await statuses(site, "/", "/nowhere", "/llms-full.txt") == [429] * 3
        answer = await ask(site.port, "POST", headers=JSON, body=BODY)
        assert answer.status == 200


async def test_streams_and_sessions_count_as_pages(knowledge: KnowledgeBase) -> None:
    """A request that is no message is still a request."""
    async with serving(open_limited(knowledge)) as site:
        told = [await ask(site.port, verb) for verb in ("GET", "DELETE", "GET", "GET")]
        assert [answer.status for answer in told] == [405, 400, 405, 429]
        assert read_refusal(told[3])[1] == REFUSED


async def test_health_and_assets_are_never_refused(knowledge: KnowledgeBase) -> None:
    """Supervisors probe often, and a page consists of several files."""
    asset = assets.address("style.css")
    async with serving(open_limited(knowledge)) as site:
        for _ in range(9):
            assert await statuses(site, "/health", "/ready", asset) == [200] * 3
            assert await statuses(site, "/metrics") == [200]
        assert await statuses(site, "/") == [200]


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("GET", "/-/nothing.css"),
        ("HEAD", "/-/nothing.js"),
        ("GET", "/-/a/b.svg"),
        ("GET", "/-/style.000000000000.css"),
        ("POST", assets.address("style.css")),
        ("FOO", assets.address("style.css")),
    ],
)
async def test_what_only_looks_like_an_asset_is_a_page(
    knowledge: KnowledgeBase, verb: str, path: str
) -> None:
    """A miss costs work like any other, and only existing assets are free."""
    async with serving(open_limited(knowledge)) as site, dial(site.port) as wire:
        for status in (404, 404, 404, 429):
            await wire.request(verb, path)
            answer = await wire.answer(is_head=verb == "HEAD")
            assert answer.status == status


async def test_where_there_is_no_website_no_asset_is_free(
    knowledge: KnowledgeBase,
) -> None:
    """Its addresses belong to no asset then."""
    app = replace(open_limited(knowledge), website=None)  # type: ignore[arg-type]
    asset = assets.address("style.css")
    async with serving(app) as site:
        assert await statuses(site, *[asset] * 4) == [404, 404, 404, 429]


async def test_a_person_reads_a_sentence_and_a_program_json(
    knowledge: KnowledgeBase,
) -> None:
    """Each in its own format, and not cacheable."""
    async with serving(open_limited(knowledge, page_rate_limit="1/hour")) as site:
        assert await statuses(site, "/") == [200]
        page, told = await site.fetch("/", headers=HTML), await site.fetch("/")
    assert (page.code, told.code) == (429, 429)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    wait = page.headers["Retry-After"]
    assert f"Try again in {wait} seconds." in page.body.decode()
    assert "no-store" in page.headers["Cache-Control"]
    assert json.loads(told.body) == {
        "error": "Rate limit exceeded",
        "retryAfter": int(told.headers["Retry-After"]),
        "limit": "1/hour",
    }


async def test_who_is_refused_learns_the_limit_from_headers(
    knowledge: KnowledgeBase,
) -> None:
    """RateLimit header fields for HTTP, draft 11: which policy, and what is left.

    `Retry-After` is no earlier than the end of the stated window. Accepted requests get
    neither field: there they would cost more than the count.
    """
    given = {"rate_limit_requests": 2, "rate_limit_window": 90, "rate_limit": None}
    app = open_limited(knowledge, **given, page_rate_limit="2/hour")
    wanted = [("POST", "/mcp", "calls", 90), ("GET", "/search", "searches", 3600)]
    wanted += [("GET", "/", "pages", 3600), ("FOO", "/mcp", "pages", 3600)]
    async with serving(app) as site:
        for _ in range(2):
            for answer in (
                await ask(site.port, "POST", headers=JSON, body=BODY),
                await ask(site.port, "GET", "/map"),
                await ask(site.port, "GET", "/search"),
            ):
                assert answer.status == 200
                assert not [name for name in answer.headers if "ratelimit" in name]
        for verb, path, policy, seconds in wanted:
            for headers in (JSON, {**JSON, **HTML}):
                body = BODY if verb == "POST" else None
                refused = await ask(site.port, verb, path, headers, body)
                assert refused.status == 429
                wait = refused.headers["retry-after"]
                told = refused.headers["ratelimit-policy"], refused.headers["ratelimit"]
                assert told == (
                    f'"{policy}";q=2;w={seconds}',
                    f'"{policy}";r=0;t={wait}',
                )


async def test_a_head_too_many_has_no_body(knowledge: KnowledgeBase) -> None:
    """RFC 9110, 9.3.2."""
    async with (
        serving(open_limited(knowledge, page_rate_limit="1/hour")) as site,
        dial(site.port) as wire,
    ):
        for status in (200, 429, 429):
            await wire.request("HEAD", "/")
            assert (await wire.answer(is_head=True)).status == status


async def test_clients_behind_a_trusted_proxy_are_counted_apart(
    knowledge: KnowledgeBase,
) -> None:
    """D-055: no client pays for a neighbour; an IPv6 site is one client."""
    app = open_limited(knowledge, rate_limit="1/hour", trusted_proxy=("127.0.0.1",))
    addresses = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "192.0.2.1"]
    async with serving(app) as site:
        told = [
            await ask(
                site.port, "POST", headers={**JSON, "X-Forwarded-For": a}, body=BODY
            )
            for a in addresses
        ]
    assert [answer.status for answer in told] == [200, 200, 200, 429, 429]


@pytest.mark.parametrize(
    "header",
    [
        "X-Forwarded-For",
        "X-Real-IP",
        "Forwarded",
        "X-Client-IP",
        "True-Client-IP",
        "CF-Connecting-IP",
        "X-Cluster-Client-IP",
        "Fastly-Client-IP",
    ],
)
async def test_no_header_makes_somebody_else_of_a_client(
    knowledge: KnowledgeBase, header: str
) -> None:
    """D-075: eight headers that clients make up."""
    async with serving(open_limited(knowledge)) as site:
        told = []
        for number in range(4):
            sent = {**JSON, header: f"192.0.2.{number}"}
            told.append(await ask(site.port, "POST", headers=sent, body=BODY))
    assert [answer.status for answer in told] == [200, 200, 200, 429]


async def test_off_is_no_limit(knowledge: KnowledgeBase) -> None:
    """`--rate-limit off`."""
    app = open_limited(knowledge, rate_limit="off", page_rate_limit="off")
    async with serving(app) as site:
        assert await statuses(site, *["/search", "/"] * 5) == [200] * 10
    assert app.admission.limits.meters == ()


def test_hits_are_counted_by_the_limit() -> None:
    """For the metrics: each one, of any client."""
    metrics = Metrics()
    limits = RateLimits(Rate(1, 60), Rate(1, 60), metrics=metrics)
    for _ in range(3):
        limits.consume_call("192.0.2.1")
        limits.consume_page("192.0.2.1")
    limits.consume_page("192.0.2.1")
    hits = {kind: encode_key(LIMITED.series(kind)) for kind in ("calls", "pages")}
    numbers = metrics.read()
    assert {kind: numbers[key] for kind, key in hits.items()} == {
        "calls": 2,
        "pages": 3,
    }


def test_a_page_is_counted_within_its_rate_only() -> None:
    """A rejection is counted and logged where the response is sent."""
    limits = RateLimits(pages=Rate(2, 60))
    with captured("asdlc_kb.web.admission.rate_limit") as lines:
        assert [limits.try_page("192.0.2.7") for _ in "123"] == [True, True, False]
    assert lines.rows == []
    assert limits.consume_page("192.0.2.7") is not None
    assert limits.try_page("192.0.2.8")
    assert RateLimits().try_page("192.0.2.7")


def test_one_line_tells_of_many_hits() -> None:
    """D-053: a limit hit logs the address, sampled."""
    limits = RateLimits(Rate(2, 60))
    with captured("asdlc_kb.web.admission.rate_limit") as lines:
        told = [limits.consume_call("192.0.2.7") for _ in range(50)]
        assert not limits.try_call("192.0.2.7")
        assert limits.consume_call("2001:db8::7") is None
    assert told[:2] == [None, None]
    assert all(isinstance(excess, RateLimitExceeded) for excess in told[2:])
    (row,) = lines.rows
    assert (row["event"], row["level"]) == ("rate limit exceeded", "warning")
    assert (row["address"], row["limit"], row["hits"]) == ("192.0.2.7", "2/min", 1)


def test_other_settings_forget_nobody_whose_rate_is_the_same() -> None:
    """D-095: a reload does not reset counts."""
    before = RateLimits(Rate(1, 3600), Rate(1, 3600))
    assert before.consume_call("a") is None
    assert before.consume_page("a") is None
    after = RateLimits(Rate(1, 3600), Rate(2, 3600), before)
    assert after.consume_call("a") is not None
    assert after.consume_page("a") is None
    assert after.meters[0] is before.meters[0]


async def test_a_real_server_limits_as_its_settings_say(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Configurable, and a hit logs the address, sampled."""
    limit = ("--rate-limit", "120/hour")
    with serve_process(knowledge.root, *limit, scanner=scanner) as served:
        async with dial(served.port, scanner) as wire:
            statuses = []
            for _ in range(300):
                await wire.request("POST", headers=JSON, body=BODY)
                statuses.append((await wire.answer()).status)
        left = served.stop()
    assert left.code == 0
    assert statuses == [200] * 120 + [429] * 180
    rows = [json.loads(line) for line in left.stderr.splitlines()]
    hits = [row for row in rows if row["event"] == "rate limit exceeded"]
    assert 1 <= len(hits) < 180
    assert hits[0]["address"] == "127.0.0.1"
