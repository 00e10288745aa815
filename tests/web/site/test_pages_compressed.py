"""Compressed pages over HTTP: the same content, with tags and lengths of their own."""

from pathlib import Path

import pytest
from support.codings import decompress
from support.pages import PERSON
from support.peers import Site, open_app, serving
from support.publication import fill_both
from support.wire import Answer, ask

from asdlc_kb.app import Runtime
from asdlc_kb.site.content_coding import MIN_BYTES, list_codings
from asdlc_kb.site.layout import assets

PATHS = (
    "/",
    "/concepts/first",
    "/concepts/first.md",
    "/docs/a",
    "/docs/a.md",
    "/map",
    "/search?q=first",
    "/-/search.json?q=first",
    "/llms.txt",
    "/llms-full.txt",
    "/robots.txt",
    "/sitemap.xml",
    "/feed.xml",
    "/.well-known/agent-skills/index.json",
    assets.address("style.css"),
    assets.address("site.js"),
)
"""Addresses of every type, large and small."""


@pytest.fixture
def odd_app(tmp_path: Path) -> Runtime:
    """Return an application over content that is hard to render."""
    knowledge, tree = fill_both(tmp_path)
    return open_app(knowledge, docs=tree, base_url="https://example.com/kb")


def visible(answer: Answer) -> dict[str, str]:
    """Return a response's headers without those that differ each time."""
    varying = ("date", "x-request-id")
    return {name: v for name, v in answer.headers.items() if name not in varying}


async def test_every_large_page_is_compressed_for_clients_that_take_it(
    odd_app: Runtime,
) -> None:
    """The same bytes, with a tag for each coding, and 304 for this coding alone."""
    compressed = 0
    async with serving(odd_app) as site:
        for path in PATHS:
            plain = await ask(site.port, "GET", path, PERSON)
            for coding in list_codings():
                sent = {**PERSON, "Accept-Encoding": coding}
                answer = await ask(site.port, "GET", path, sent)
                used = answer.headers.get("content-encoding")
                assert decompress(answer.body, used) == plain.body, path
                assert answer.headers["content-length"] == str(len(answer.body))
                kind = plain.headers["content-type"]
                assert answer.headers["content-type"] == kind
                is_large = len(plain.body) >= MIN_BYTES and "full" not in path
                assert used == (coding if is_large else None), path
                vary = answer.headers.get("vary", "")
                assert ("Accept-Encoding" in vary) == is_large
                assert plain.headers.get("vary", "") == vary
                if is_large:
                    compressed += 1
                    await _check_coding(site, path, sent, answer, plain)
    assert compressed > 2 * len(list_codings())


async def _check_coding(
    site: Site, path: str, sent: dict[str, str], answer: Answer, plain: Answer
) -> None:
    tag = answer.headers["etag"]
    assert tag != plain.headers["etag"]
    head = await ask(site.port, "HEAD", path, sent)
    assert (head.status, visible(head)) == (200, visible(answer)), path
    kept = await ask(site.port, "GET", path, {**sent, "If-None-Match": tag})
    assert (kept.status, kept.body) == (304, b"")
    assert kept.headers["etag"] == tag
    assert kept.headers["vary"] == answer.headers["vary"]
    assert "content-encoding" not in kept.headers
    for headers, known in ((PERSON, tag), (sent, plain.headers["etag"])):
        other = await ask(site.port, "GET", path, {**headers, "If-None-Match": known})
        assert other.status == 200


async def test_errors_calls_and_metrics_are_never_compressed(
    odd_app: Runtime,
) -> None:
    """D-205: rejections are cheap, and messages are for programs nearby."""
    sent = {**PERSON, "Accept-Encoding": "gzip"}
    async with serving(odd_app) as site:
        for path in ("/concepts/none", "/metrics", "/health", "/mcp"):
            answer = await ask(site.port, "GET", path, sent)
            assert "content-encoding" not in answer.headers
            assert "Accept-Encoding" not in answer.headers.get("vary", "")
