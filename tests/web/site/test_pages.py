"""The website over HTTP: types, tags, policies, and content negotiation."""

import asyncio
import re
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.pages import PERSON
from support.peers import Site, open_app, serving
from support.publication import fill_both
from support.wire import BOUND, Answer, ask, dial, until, write_request

from asdlc_kb.app import Runtime
from asdlc_kb.site import page_cache
from asdlc_kb.site.publications import llms_full
from asdlc_kb.web.connections import monitored_stream

BASE = "https://example.com/kb"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
CLOSED = "default-src 'none'; frame-ancestors 'none'"
TYPES = {
    "/": "text/html; charset=utf-8",
    "/concepts/first": "text/html; charset=utf-8",
    "/concepts/first.md": "text/markdown; charset=utf-8",
    "/concepts/": "text/html; charset=utf-8",
    "/tags/": "text/html; charset=utf-8",
    "/docs/a": "text/html; charset=utf-8",
    "/docs/a.md": "text/markdown; charset=utf-8",
    "/map": "text/html; charset=utf-8",
    "/connect": "text/html; charset=utf-8",
    "/search": "text/html; charset=utf-8",
    "/search?q=first": "text/html; charset=utf-8",
    "/-/search.json?q=first": "application/json; charset=utf-8",
    "/llms.txt": "text/plain; charset=utf-8",
    "/concepts/llms.txt": "text/plain; charset=utf-8",
    "/llms-full.txt": "text/plain; charset=utf-8",
    "/robots.txt": "text/plain; charset=utf-8",
    "/sitemap.xml": "application/xml; charset=utf-8",
    "/feed.xml": "application/atom+xml; charset=utf-8",
    "/concepts/feed.xml": "application/atom+xml; charset=utf-8",
    "/.well-known/llms.txt": "text/plain; charset=utf-8",
    "/.well-known/agent-skills/index.json": "application/json; charset=utf-8",
    "/.well-known/skills/index.json": "application/json; charset=utf-8",
    "/docs/llms.txt": "text/plain; charset=utf-8",
}


@pytest.fixture
def odd_app(tmp_path: Path) -> Runtime:
    """Return an application over content that is hard to render."""
    knowledge, tree = fill_both(tmp_path)
    return open_app(knowledge, docs=tree, base_url=BASE)


def visible(answer: Answer) -> dict[str, str]:
    """Return a response's headers without those that differ each time."""
    return {
        name: value
        for name, value in answer.headers.items()
        if name not in ("date", "x-request-id")
    }


async def test_every_kind_of_page_has_its_headers(odd_app: Runtime) -> None:
    """Type, policy, tag; HEAD has the same; a current tag gets 304; no cookies."""
    async with serving(odd_app) as site:
        for path, kind in TYPES.items():
            answer = await ask(site.port, "GET", path, PERSON)
            assert (answer.status, answer.headers["content-type"]) == (200, kind), path
            assert answer.headers["content-length"] == str(len(answer.body))
            assert answer.headers["cache-control"] == "no-cache"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            policy = CLOSED if path == "/llms-full.txt" else POLICY
            assert answer.headers["content-security-policy"] == policy
            assert "set-cookie" not in answer.headers
            await _check_again(site, path, answer)


async def _check_again(site: Site, path: str, answer: Answer) -> None:
    head = await ask(site.port, "HEAD", path, PERSON)
    assert (head.status, visible(head)) == (200, visible(answer)), path
    tag = answer.headers["etag"]
    assert tag.startswith('"')
    for known in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        kept = await ask(site.port, "GET", path, {**PERSON, "If-None-Match": known})
        assert (kept.status, kept.body) == (304, b"")
        assert kept.headers["etag"] == tag
        assert kept.headers.get("vary") == answer.headers.get("vary")
    other = await ask(site.port, "GET", path, {**PERSON, "If-None-Match": '"x"'})
    assert (other.status, other.body) == (200, answer.body)


async def test_assets_last_for_ever(odd_app: Runtime) -> None:
    """Their addresses change with their bytes."""
    async with serving(odd_app) as site:
        home = await ask(site.port, "GET", "/")
        assets = set(re.findall(rb'"/kb(/-/[a-z]+\.[0-9a-f]+\.[a-z]+)"', home.body))
        assert len(assets) == 6
        for path in assets:
            answer = await ask(site.port, "GET", path.decode())
            assert answer.status == 200
            lasting = "public, max-age=31536000, immutable"
            assert answer.headers["cache-control"] == lasting
            head = {"If-None-Match": answer.headers["etag"]}
            kept = await ask(site.port, "GET", path.decode(), head)
            assert (kept.status, kept.headers["cache-control"]) == (304, lasting)


@pytest.mark.parametrize("path", ["/concepts/first", "/docs/guide/", "/docs/a"])
async def test_who_asks_for_markdown_gets_it(odd_app: Runtime, path: str) -> None:
    """The same bytes as at its own address; caches keep the two apart."""
    markdown = {"Accept": "text/markdown, text/html, */*"}
    async with serving(odd_app) as site:
        page = await ask(site.port, "GET", path, PERSON)
        text = await ask(site.port, "GET", path, markdown)
        where = text.headers["content-location"]
        own = await ask(site.port, "GET", where.removeprefix("/kb"))
        head = await ask(site.port, "HEAD", path, markdown)
        tag = {"If-None-Match": text.headers["etag"]}
        kept = await ask(site.port, "GET", path, {**markdown, **tag})
        other = await ask(site.port, "GET", path, {**PERSON, **tag})
    assert page.headers["vary"] == "Accept, Accept-Encoding"
    assert text.headers["vary"].startswith("Accept")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert text.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "content-location" not in page.headers
    assert own.body == text.body
    assert own.headers["etag"] == text.headers["etag"] != page.headers["etag"]
    assert f'<{where}>; rel="alternate"; type="text/markdown"' in page.headers["link"]
    assert f'<link rel="alternate" type="text/markdown" href="{where}"'.encode() in (
        page.body
    )
    tokens = -(-len(text.body.decode()) // 4)
    assert text.headers["x-markdown-tokens"] == str(tokens)
    assert "x-markdown-tokens" not in page.headers
    links = text.headers["link"].split(", ")
    assert links[0] == '</kb/llms.txt>; rel="llms-txt"'
    assert links[-1] == f'</kb{path}>; rel="canonical"'
    assert visible(head) == visible(text)
    assert (kept.status, other.status) == (304, 200)
    assert kept.headers["vary"] == text.headers["vary"]


async def test_pages_say_where_everything_is(odd_app: Runtime) -> None:
    """Agents find the lists in a header, without reading the page."""
    async with serving(odd_app) as site:
        answer = await ask(site.port, "GET", "/tags/", PERSON)
    assert answer.headers["x-llms-txt"] == "/kb/llms.txt"
    assert answer.headers["link"] == (
        '</kb/llms.txt>; rel="llms-txt", </kb/llms-full.txt>; rel="llms-full-txt", '
        '</kb/mcp/server-card>; rel="mcp-server-card"'
    )


MOVED = {
    "/concepts": "/kb/concepts/",
    "/concepts/first/": "/kb/concepts/first",
    "/concepts/first/?next=//evil.example": "/kb/concepts/first",
    "/docs": "/kb/docs/",
    "/articles/second": "/kb/concepts/second",
    "//": "/kb/",
}


@pytest.mark.parametrize(("path", "there"), MOVED.items())
async def test_another_spelling_is_a_redirect(
    odd_app: Runtime, path: str, there: str
) -> None:
    """Below the public path, never to an address that the request made up."""
    async with serving(odd_app) as site:
        for headers in (PERSON, {"Accept": "text/markdown"}, None):
            answer = await ask(site.port, "GET", path, headers)
            head = await ask(site.port, "HEAD", path, headers)
            assert (answer.status, answer.headers["location"]) == (301, there)
            assert (answer.body, visible(head)) == (b"", visible(answer))
            assert answer.headers["cache-control"] == "no-cache"


ELSEWHERE = (
    *(
        "//evil.example",
        "//evil.example/",
        "//evil.example/concepts",
        "///evil.example",
    ),
    *(
        "/\\evil.example",
        "/%5Cevil.example/",
        "/%2F/evil.example/",
        "/%2F%2Fevil.example",
    ),
    *("/concepts%0D%0ASet-Cookie:%20a=b", "/concepts%0d%0a/", "/concepts/first%0A/"),
    *("http://evil.example/", "http://evil.example/concepts", "/http://evil.example/"),
    *("/articles//evil.example", "/articles/%2Fevil.example/x", "/docs//evil.example/"),
    *("/tags//evil.example", "/%FF", "/concepts/%C3%28", "/concepts/first%00"),
)


@pytest.mark.parametrize("path", ELSEWHERE)
async def test_no_request_leads_to_another_host(odd_app: Runtime, path: str) -> None:
    """D-076: no part of a request is used as an address."""
    async with serving(odd_app) as site:
        answer = await ask(site.port, "GET", path, PERSON)
        is_foreign = path.startswith("http:")
        assert answer.status in ((403,) if is_foreign else (200, 404))
        assert "location" not in answer.headers
        assert "set-cookie" not in answer.headers
        assert b"evil" not in answer.body


async def test_what_is_missing_is_a_page_for_people_only(
    odd_app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs get one line; people get similar titles."""
    monkeypatch.setattr(page_cache, "PAUSE", 0)
    async with serving(odd_app) as site:
        page = await ask(site.port, "GET", "/concepts/frist", PERSON)
        head = await ask(site.port, "HEAD", "/concepts/frist", PERSON)
        word = await ask(site.port, "GET", "/concepts/frist", {"Accept": "*/*"})
        posted = await ask(site.port, "POST", "/concepts/first", PERSON, b"")
    assert (page.status, word.status, posted.status) == (404, 404, 404)
    assert page.headers["content-security-policy"] == POLICY
    assert page.headers["vary"] == word.headers["vary"] == "Accept"
    assert "etag" not in page.headers
    assert b'<a href="/kb/concepts/first">First</a>' in page.body
    assert b"frist" not in page.body
    assert (head.body, visible(head)) == (b"", visible(page))
    assert word.json == {"error": "Not Found"}


async def test_many_misses_in_a_row_are_cheap(
    odd_app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Repeated misses look for similar names again only after a pause."""
    clock = iter([0.0, 0.1, 0.2, 10.0])
    monkeypatch.setattr(page_cache, "monotonic", lambda: next(clock))
    async with serving(odd_app) as site:
        bodies = [
            (await ask(site.port, "GET", "/concepts/frist", PERSON)).body
            for _ in range(4)
        ]
    near = [b">First</a>" in body for body in bodies]
    assert near == [True, False, False, True]


@pytest.mark.parametrize("accept", ["text/html", "*/*", "text/markdown"])
async def test_hidden_is_the_same_as_missing(tmp_path: Path, accept: str) -> None:
    """D-002: every byte and header, with and without the hidden file."""
    knowledge, tree = fill_both(tmp_path)
    hidden = (
        *("/concepts/known-draft", "/concepts/known-draft.md", "/docs/known-draft"),
        *("/docs/known-draft.md", "/articles/known-draft", "/concepts/known-draft/"),
        *("/concepts/known-draft.html", "/tags/shared", "/docs/known-draft.html"),
    )

    async def ask_all() -> list[tuple[int, dict[str, str], bytes]]:
        async with serving(open_app(knowledge, docs=tree)) as site:
            answers = [
                await ask(site.port, "GET", path, {"Accept": accept}) for path in hidden
            ]
        return [(answer.status, visible(answer), answer.body) for answer in answers]

    there = await ask_all()
    for path in (*knowledge.root.rglob("*.md"), *tree.root.rglob("*.md")):
        if "draft" in path.name or "canary" in str(path):
            path.unlink()
    assert await ask_all() == there
    assert {status for status, _, _ in there} == {404}


POISONS = (
    {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher"},
    {"X-Forwarded-Prefix": "/evil", "X-Forwarded-For": "evil.example"},
    {"Forwarded": "host=evil.example;proto=gopher"},
    {"X-Original-URL": "/evil", "X-Rewrite-URL": "/evil"},
    {"X-Host": "evil.example", "X-HTTP-Host-Override": "evil.example"},
    {"Host": "localhost:9"},
    {"Referer": "https://evil.example/"},
)


async def test_no_header_of_a_request_is_on_a_page(odd_app: Runtime) -> None:
    """D-076: absolute addresses come from the settings, also after a forged one."""
    paths = ("/", "/concepts/first", "/llms.txt", "/feed.xml", "/sitemap.xml", "/none")
    skills = ("/.well-known/agent-skills/index.json", "/.well-known/skills/index.json")
    others = ("/llms-full.txt", "/robots.txt", "/search?q=first", "/search?q=a&page=2")
    async with serving(odd_app) as site:
        for path in (*paths, *skills, *others):
            clean = await ask(site.port, "GET", path, PERSON)
            for poison in POISONS:
                answer = await ask(site.port, "GET", path, {**PERSON, **poison})
                assert answer.body == clean.body
                assert visible(answer) == visible(clean)
        for poison in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            answer = await ask(site.port, "GET", "/", poison)
            assert answer.status == 403
            assert b"evil" not in answer.body


async def test_without_a_public_address_nothing_is_absolute(
    knowledge: KnowledgeBase,
) -> None:
    """D-076: addresses that cannot be known are left out."""
    knowledge.write("concepts/a")
    async with serving(open_app(knowledge)) as site:
        for path in ("/", "/concepts/a", "/llms.txt", "/llms-full.txt", "/robots.txt"):
            answer = await ask(site.port, "GET", path, PERSON)
            assert b"http://127" not in answer.body
            assert b'rel="canonical"' not in answer.body
        for path in ("/feed.xml", "/concepts/feed.xml", "/sitemap.xml"):
            assert (await ask(site.port, "GET", path, PERSON)).status == 404


async def test_everything_is_streamed_whole(odd_app: Runtime) -> None:
    """llms-full.txt has the stated length; a reader that disconnects is no failure."""
    with captured("") as lines:
        async with serving(odd_app) as site:
            async with dial(site.port) as wire:
                await wire.request("GET", "/llms-full.txt")
                head = await wire.head()
                assert int(head.headers["content-length"]) > 1000
            answer = await ask(site.port, "GET", "/llms-full.txt")
            listed = await ask(site.port, "GET", "/llms.txt")
    assert len(answer.body) == int(answer.headers["content-length"])
    assert answer.body.count(b"\nSource: ") == listed.body.count(b"\n- [")
    assert not [row for row in lines.rows if row["level"] in ("warning", "error")]


async def test_a_reader_that_stops_reading_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It must not hold the server's text for ever, nor mistake this for the end."""
    monkeypatch.setattr(monitored_stream, "STALL_SECONDS", 0.05)
    monkeypatch.setattr(llms_full, "MAX_CHARS", 100_000_000)
    tree = DocsTree(tmp_path / "docs")
    for number in range(16):
        tree.write(f"{number}.md", "# Page\n\n" + "```\n" + "x" * 1_000_000 + "\n```\n")
    app, loop = open_app(None, docs=tree), asyncio.get_running_loop()
    with captured("") as lines, socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        async with serving(app) as site:
            reader.connect(("127.0.0.1", site.port))
            reader.sendall(write_request(site.port, "GET", "/llms-full.txt"))
            await until(lambda: bool(lines.rows))
            reader.setblocking(False)
            taken = b""
            with suppress(ConnectionError):
                while part := await asyncio.wait_for(
                    loop.sock_recv(reader, 1_000_000), BOUND
                ):
                    taken += part
    head, _, body = taken.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK")
    (size,) = re.findall(rb"Content-Length: (\d+)", head)
    assert len(body) < 16_000_000 < int(size)
    assert [row["level"] for row in lines.rows] == ["info"] * 2
    assert {row["event"] for row in lines.rows} == {"connections closed", "request"}
