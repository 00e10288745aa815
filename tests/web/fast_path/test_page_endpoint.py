"""Pages on the fast path: byte for byte those of the handlers, and as current."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY
from support.knowledge import Drafts, KnowledgeBase
from support.loglines import captured
from support.pages import PERSON
from support.peers import open_app, serving
from support.publication import fill_both
from support.two_paths import Pair, pair
from support.wire import BOUND, ask, dial, until, write_request

from asdlc_kb.app import Runtime
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.site import urls
from asdlc_kb.site.content_coding import list_codings
from asdlc_kb.site.layout import assets
from asdlc_kb.web.routes import routes

BASE = "https://example.com/kb"
TOKEN = "akb_s3cret-of-ci"

READY = (
    "/",
    "/concepts/first",
    "/concepts/first.md",
    "/concepts/first.html",
    "/concepts/",
    "/concepts/llms.txt",
    "/concepts/feed.xml",
    "/feed.xml",
    "/tags/",
    "/map",
    "/connect",
    "/docs/a",
    "/docs/a.md",
    "/docs/llms.txt",
    "/llms.txt",
    "/.well-known/llms.txt",
    "/.well-known/agent-skills/index.json",
    "/robots.txt",
    "/sitemap.xml",
    assets.address("style.css"),
)
"""Addresses of pages that are cached once they were requested."""

HANDLED = (
    "/articles/first",
    "/concepts/first/",
    "/concepts/known-draft",
    "/concepts/none",
    "/concepts/%66irst",
    "/concepts/first?x",
    "/concepts//first",
    "//concepts/first",
    "/%",
    "/%ff",
    "/search",
    "/search?q=first",
    "/-/search.json?q=first",
    "/llms-full.txt",
    "/metrics",
    "/.well-known/oauth-protected-resource",
)
"""Addresses that the handlers answer: redirects, other spellings, 404s, searches."""

ACCEPTED: Mapping[str, Mapping[str, str]] = {
    "nothing": {},
    "a browser": {**PERSON, "User-Agent": "x", "Cookie": "a=b", "Referer": "/"},
    "anything": {"Accept": "*/*", "Connection": "Keep-Alive"},
    "Markdown": {"Accept": "text/markdown"},
    "Markdown first": {"Accept": "text/markdown, text/html;q=0.9, */*;q=0.1"},
    "Markdown last": {"Accept": "text/html, text/plain;q=0.5"},
    "gzip": {"Accept-Encoding": "gzip, deflate"},
    "brotli": {"Accept-Encoding": "gzip, deflate, br, zstd"},
    "no coding": {"Accept-Encoding": "identity, *;q=0"},
    "compressed Markdown": {"Accept": "text/markdown", "Accept-Encoding": "gzip"},
    "a range": {"Range": "bytes=0-9", "If-Range": '"x"'},
    "an old date": {"If-Modified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"},
    "no copy": {"If-None-Match": '"0"'},
}
"""Headers with which a cached page is sent on the fast path."""

DECLINED: Mapping[str, Mapping[str, str]] = {
    "several copies": {"If-None-Match": '"0", "1"'},
    "any copy": {"If-None-Match": "*"},
    "no tag": {"If-None-Match": "0"},
    "an Origin": {"Origin": "http://localhost"},
    "another Host": {"Host": "evil.example"},
    "a length": {"Content-Length": "0"},
    "an upgrade": {"Upgrade": "h2c"},
}
"""Headers with which the handlers answer."""

_VARYING = re.compile(rb"(?<=\r\n)(?:Date|X-Request-Id): [^\r]*\r\n")


async def fetch(port: int, requests: list[bytes]) -> list[bytes]:
    """Return the raw responses to GET or HEAD over connections of their own."""

    async def fetch_one(request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            assert len(_VARYING.findall(head)) == 2
            is_empty = request.startswith(b"HEAD") or head.startswith(b"HTTP/1.1 304")
            length = re.search(rb"(?<=\r\nContent-Length: )[0-9]+", head)
            size = int(length[0]) if length and not is_empty else 0
            body = await reader.readexactly(size)
            if b"\r\nConnection: close\r\n" not in head:
                writer.write(write_get("/none"))
                assert (await reader.readexactly(8)) == b"HTTP/1.1"
            return _VARYING.sub(b"", head) + body
        finally:
            writer.close()

    return [await asyncio.wait_for(fetch_one(each), BOUND) for each in requests]


def write_get(
    path: str, headers: Mapping[str, str] | None = None, method: str = "GET"
) -> bytes:
    """Return a request for a page."""
    return write_request(80, method, path, {"Host": "localhost", **(headers or {})})


async def fetch_both(both: Pair, requests: list[bytes]) -> tuple[list[bytes], int]:
    """Return the responses with the fast path, and how many of them are its own.

    Checks that they are those without it, and that their pages were cached before.
    """
    await fetch(both.site.port, requests)
    both.counting.answered = 0
    fast = await fetch(both.site.port, requests)
    answered = both.counting.answered
    for request, one, other in zip(
        requests, fast, await fetch(both.bare, requests), strict=True
    ):
        assert one == other, request
    return fast, answered


@pytest.fixture
def website(tmp_path: Path) -> Runtime:
    """Return an application over content that is hard to render, below a path."""
    knowledge, tree = fill_both(tmp_path)
    return open_app(knowledge, docs=tree, base_url=BASE)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_every_page_is_that_of_the_handler(website: Runtime, method: str) -> None:
    """To the byte: status, headers and their order, and body."""
    async with pair(website) as both:
        # Both forms of a page are cached before one of them is negotiated.
        await fetch(both.site.port, [write_get(path) for path in READY])
        for name, headers in {**ACCEPTED, **DECLINED}.items():
            requests = [write_get(path, headers, method) for path in READY]
            _, answered = await fetch_both(both, requests)
            assert answered == (len(READY) if name in ACCEPTED else 0), name


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
async def test_everything_else_is_left_to_the_handlers(
    website: Runtime, method: str
) -> None:
    """However often it is requested."""
    headers = {"Content-Length": "0"} if method in ("POST", "OPTIONS") else {}
    async with pair(website) as both:
        requests = [write_get(path, headers, method) for path in HANDLED]
        both.counting.answered = 0
        answers = await fetch(both.bare, requests)
        assert answers == await fetch(both.site.port, requests)
        assert both.counting.answered == 0


async def test_a_copy_that_is_current_is_not_sent_again(website: Runtime) -> None:
    """304 without a body, for HTML and Markdown, with a strong or a weak tag."""
    async with pair(website) as both:
        requests = [write_get(path) for path in READY]
        pages, _ = await fetch_both(both, requests)
        tags = [re.search(rb'\r\nEtag: ("[0-9a-f]+")', page) for page in pages]
        requests = [
            write_get(path, {"If-None-Match": f"{kind}{tag[1].decode()}"}, method)
            for path, tag in zip(READY, tags, strict=True)
            for kind, method in product(("", "W/"), ("GET", "HEAD"))
            if tag is not None
        ]
        answers, answered = await fetch_both(both, requests)
        assert answered == len(answers) == 4 * len(READY)
        for answer in answers:
            assert answer.startswith(b"HTTP/1.1 304 Not Modified\r\n")
            assert answer.endswith(b"\r\n\r\n")
            assert b"\r\nContent-" not in answer.replace(b"Content-Sec", b"").replace(
                b"Content-Location", b""
            )


async def test_a_compressed_copy_that_is_current_is_not_sent_again(
    website: Runtime,
) -> None:
    """304 for the coding of the copy only."""
    async with pair(website) as both:
        paths = ("/concepts/first", assets.address("style.css"))
        tags = set()
        for path, coding in product(paths, ("", *list_codings())):
            accepted = {"Accept-Encoding": coding} if coding else {}
            pages, _ = await fetch_both(both, [write_get(path, accepted)])
            tag = re.search(rb'\r\nEtag: ("[0-9a-f]+")', pages[0])
            assert tag is not None
            tags.add(tag[1])
            known = {**accepted, "If-None-Match": tag[1].decode()}
            other = {"Accept-Encoding": "x", "If-None-Match": tag[1].decode()}
            requests = [write_get(path, known), write_get(path, other)]
            answers, answered = await fetch_both(both, requests)
            assert answered == 2
            assert answers[0].startswith(b"HTTP/1.1 304 Not Modified\r\n")
            assert b"\r\nContent-Encoding:" not in answers[0]
            assert answers[1].startswith(b"HTTP/1.1 " + (b"200" if coding else b"304"))
        assert len(tags) == 2 * (1 + len(list_codings()))


async def test_the_first_of_a_coding_is_compressed_by_the_handler(
    website: Runtime,
) -> None:
    """The event loop never compresses; the next one is sent from the cache."""
    async with pair(website) as both:
        plain, packed = (
            [write_get("/concepts/first", {"Accept-Encoding": coding})]
            for coding in ("identity", "gzip")
        )
        await fetch_both(both, plain)
        for answered in (0, 1):
            both.counting.answered = 0
            (answer,) = await fetch(both.site.port, packed)
            assert b"\r\nContent-Encoding: gzip\r\n" in answer
            assert both.counting.answered == answered


async def test_a_saved_file_is_shown_at_once(tmp_path: Path) -> None:
    """D-066: article and page, as HTML and Markdown, and a picture within."""
    knowledge, tree = fill_both(tmp_path)
    paths = ("/concepts/first", "/concepts/first.md", "/docs/a", "/docs/a.md")
    requests = [write_get(path) for path in paths]
    async with pair(open_app(knowledge, docs=tree)) as both:
        for number in range(3):
            text = f"Version {number}."
            knowledge.write("concepts/first", body=text)
            tree.write("a.md", f"# A\n\n{text}\n")
            for answer in await fetch(both.site.port, requests):
                assert text.encode() in answer
            _, answered = await fetch_both(both, requests)
            assert answered == len(requests)


async def test_a_hidden_article_is_like_a_missing_one(tmp_path: Path) -> None:
    """D-002: at once, and neither is answered here; shown again it is."""
    knowledge, tree = fill_both(tmp_path)
    app = open_app(knowledge, docs=tree)
    async with pair(app) as both:
        requests, missing = (
            [write_get(f"/concepts/{name}"), write_get(f"/concepts/{name}.md")]
            for name in ("first", "fifth")
        )
        _, answered = await fetch_both(both, requests)
        assert answered == 2
        knowledge.write("concepts/first", title=CANARY, status="Draft")
        gone, answered = await fetch_both(both, requests)
        assert answered == 0
        assert gone == await fetch(both.site.port, missing)
        assert gone[0].startswith(b"HTTP/1.1 404 ")
        knowledge.write("concepts/first", title="First")
        _, answered = await fetch_both(both, requests)
        assert answered == 2


async def test_pages_count_towards_the_rate_and_assets_do_not(
    knowledge: KnowledgeBase,
) -> None:
    """The request beyond the rate is rejected as by the handlers."""
    knowledge.write("concepts/a")
    style = assets.address("style.css")
    async with pair(open_app(knowledge, page_rate_limit="4/hour")) as both:
        statuses = []
        async with dial(both.site.port) as wire:
            for path in ("/concepts/a",) * 2 + (style,) * 9 + ("/concepts/a",) * 3:
                await wire.request("GET", path)
                answer = await wire.answer()
                statuses.append(answer.status)
        assert statuses == [200] * 13 + [429]
        # The first of each was not cached.
        assert both.counting.answered == 11
        assert answer.headers["ratelimit-policy"] == '"pages";q=4;w=3600'


async def test_a_token_is_required_here_too(knowledge: KnowledgeBase) -> None:
    """An unknown one is rejected by the handler; nothing is for shared caches."""
    knowledge.write("concepts/a")
    file = knowledge.root.parent / "tokens"
    file.write_text(format_line("ci", TOKEN))
    async with pair(open_app(knowledge, auth_tokens_file=str(file))) as both:
        known = write_get("/concepts/a", {"Authorization": f"Bearer {TOKEN}"})
        unknown = write_get("/concepts/a", {"Authorization": f"Bearer {TOKEN}x"})
        answers, answered = await fetch_both(both, [known, write_get("/"), unknown])
        assert [answer[9:12] for answer in answers] == [b"200", b"401", b"401"]
        assert b"\r\nCache-Control: private, no-cache\r\n" in answers[0]
        assert answered == 1


async def test_a_page_is_logged_and_counted_like_any_other(
    knowledge: KnowledgeBase,
) -> None:
    """The same fields in the same order, and the same series."""
    knowledge.write("concepts/a")
    app = open_app(knowledge, trusted_proxy=("127.0.0.1",))
    trace = f"00-{'1' * 32}-{'2' * 16}-01"
    sent = {"X-Forwarded-For": "192.0.2.7", "X-Request-Id": "id-of-proxy"}
    kinds: list[dict[str, str]] = [{}, sent, {"Traceparent": trace}]
    async with pair(app) as both:
        page = await ask(both.site.port, "GET", "/concepts/a")
        kinds.append({"If-None-Match": page.headers["etag"]})
        both.counting.answered = 0
        for headers, method in product(kinds, ("GET", "HEAD")):
            rows = []
            for port in (both.site.port, both.bare):
                with captured() as lines:
                    answer = await ask(port, method, "/concepts/a", headers)
                    await until(lambda lines=lines: bool(lines.rows))  # type: ignore[misc]
                (row,) = lines.rows
                assert row["request_id"] == answer.headers["x-request-id"]
                assert 0 <= row["ms"] < 60_000
                generated = {} if headers is sent else {"request_id": ""}
                rows.append({**row, "time": "", "ms": 0, **generated})
            assert json.dumps(rows[0]) == json.dumps(rows[1])
        assert both.counting.answered == 2 * len(kinds)


def list_handled(app: Any) -> Iterator[re.Pattern[str]]:
    """Yield the paths that have another handler than that of pages."""
    for rule in routes(app):
        regex = getattr(rule.matcher, "regex", None)
        if regex is not None:
            yield regex


async def test_no_page_is_at_an_address_of_another_handler(website: Runtime) -> None:
    """A page that is found by its address is what Tornado's routes would send."""
    async with serving(website) as site:
        await ask(site.port, "GET", "/")
        cache = website.website.made
        assert cache is not None
        handled = list(list_handled(site.context))
        assert len(handled) > 5
        pages = 0
        for address in cache._site.snapshot.addresses():
            pages += 1
            assert not any(regex.fullmatch(address) for regex in handled), address
            assert urls.normalize(address) == address
        assert pages > 20


async def test_a_page_for_developers_is_never_cached(tmp_path: Path) -> None:
    """Its problems are those of now."""
    app = open_app(Drafts(tmp_path / "mine"), dev=True)
    async with pair(app) as both:
        _, answered = await fetch_both(both, [write_get("/problems"), write_get("/")])
        assert answered == 1
