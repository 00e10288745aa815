"""Pictures and downloads over HTTP: headers, ranges, and nothing that is hidden."""

import json
import os
from pathlib import Path

import pytest
from support.canary import CANARY
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.peers import open_app, serving
from support.pictures import SECRET_PNG, make_png, make_svg
from tornado.httpclient import HTTPResponse

from asdlc_kb.app import Runtime
from asdlc_kb.attachments.store import CHUNK_BYTES
from asdlc_kb.ops.auth.bearer_tokens import format_line
from asdlc_kb.web.site.attachments import (
    ByteRange,
    UnsatisfiableRange,
    read_range,
)

PNG = make_png(40, 30)
TOKEN = "akb_s3cret"
LARGE = os.urandom(3 * CHUNK_BYTES + 5)
PAGE = """# A

![a](img/a.png) ![s](/img/s.svg) [pdf](m.pdf) [csv](data/t%20a.csv) ![none](img/no.png)
[zip](l.zip) <video src="v.mp4"></video> [html](x.html) ![d](img/draft.png)
"""
FILES = {
    "img/a.png": PNG,
    "img/s.svg": make_svg(4, 3),
    "img/unnamed.png": SECRET_PNG,
    "img/hidden.png": SECRET_PNG,
    "m.pdf": b"%PDF-1.4\n",
    "data/t a.csv": b"a,b\n",
    "v.mp4": bytes(100),
    "l.zip": LARGE,
    "x.html": f"<script>{CANARY}</script>".encode(),
}


def write_files(root: Path) -> None:
    """Write every file below a folder."""
    for name, data in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


@pytest.fixture
def app(tmp_path: Path) -> Runtime:
    """An application with a page and an article that refer to files, and drafts."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", PAGE)
    tree.write("draft.md", "---\ndraft: true\n---\n![h](img/hidden.png)\n")
    write_files(tree.root)
    knowledge = KnowledgeBase(tmp_path / "content")
    knowledge.write("concepts/a", body="![a](img/a.png) ![b](/img/a.png)\n")
    knowledge.write("concepts/b", status="Draft", body="![h](/img/hidden.png)\n")
    write_files(knowledge.root)
    write_files(knowledge.root / "concepts")
    return open_app(knowledge, docs=tree, base_url="https://example.com/kb")


@pytest.mark.parametrize(
    ("path", "media_type", "name"),
    [
        ("/docs/img/a.png", "image/png", "img/a.png"),
        ("/docs/img/s.svg", "image/svg+xml", "img/s.svg"),
        ("/docs/m.pdf", "application/pdf", "m.pdf"),
        ("/docs/data/t%20a.csv", "text/csv; charset=utf-8", "data/t a.csv"),
        ("/docs/v.mp4", "video/mp4", "v.mp4"),
        ("/docs/l.zip", "application/zip", "l.zip"),
        ("/articles/concepts/img/a.png", "image/png", "img/a.png"),
        ("/articles/img/a.png", "image/png", "img/a.png"),
    ],
)
async def test_a_file_is_sent_as_what_it_is_and_can_do_nothing(
    app: Runtime, path: str, media_type: str, name: str
) -> None:
    """Its type is not guessed, its scripts do not run, and a download is saved."""
    async with serving(app) as site:
        answer = await site.fetch(path)
        headers = answer.headers
        assert (answer.code, answer.body) == (200, FILES[name])
        assert headers["Content-Type"] == media_type
        assert headers["X-Content-Type-Options"] == "nosniff"
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; ") and "script-src" not in policy
        assert ("sandbox" in policy) is (name not in ("m.pdf", "v.mp4"))
        assert ("Content-Disposition" in headers) is name.endswith((".csv", ".zip"))
        assert headers["Cache-Control"] == "no-cache"
        assert "Vary" not in headers
        head = await site.fetch(path, method="HEAD")
        assert (head.code, head.body) == (200, b"")
        assert head.headers["Content-Length"] == str(len(FILES[name]))
        assert head.headers["ETag"] == headers["ETag"]
        known = await site.fetch(path, headers={"If-None-Match": headers["ETag"]})
        assert (known.code, known.body) == (304, b"")


async def test_a_download_keeps_its_name(app: Runtime) -> None:
    """RFC 6266, in UTF-8."""
    async with serving(app) as site:
        answer = await site.fetch("/docs/data/t%20a.csv")
        disposition = answer.headers["Content-Disposition"]
        assert disposition == "attachment; filename*=UTF-8''t%20a.csv"


def describe(answer: HTTPResponse) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return all of an answer but its date, and the address in it."""
    varying = ("Date", "X-Request-Id")
    return (
        answer.code,
        sorted(pair for pair in answer.headers.get_all() if pair[0] not in varying),
        answer.body,
    )


@pytest.mark.parametrize(
    "path",
    [
        *("/docs/img/hidden.png", "/docs/img/unnamed.png", "/docs/img/draft.png"),
        *("/docs/x.html", "/docs/.env", "/docs/img/no.png", "/docs/img/../a.md.png"),
        *("/articles/img/hidden.png", "/articles/img/unnamed.png", "/img/a.png"),
        *("/docs/img/%2e%2e/img/hidden.png", "/docs/img/a.png%00", "/docs/img/b/"),
        *("/docs//img/a.png", "/docs/img%5Ca.png", "/docs/img/a.PNG", "/docs/img"),
        *("/docs/..%2fcontent%2fimg%2fa.png", "/docs/%FF.png", "/docs/img/a.png.html"),
    ],
)
async def test_what_no_visible_text_refers_to_is_missing(
    app: Runtime, path: str
) -> None:
    """Hidden, unmentioned, unsafe and missing files have the same answer."""
    async with serving(app) as site:
        missing = describe(await site.fetch("/docs/img/never.png"))
        assert describe(await site.fetch(path)) == missing


async def test_a_file_is_hidden_with_its_last_page(tmp_path: Path) -> None:
    """At once, before any scan; and shown with the first one."""
    tree = DocsTree(tmp_path / "docs")
    write_files(tree.root)
    for name in "abc":
        tree.write(f"{name}.md", "# A\n\n![a](/img/a.png)\n")
    async with serving(open_app(None, docs=tree)) as site:
        assert (await site.fetch("/docs/img/a.png")).code == 200
        for name in "abc":
            assert (await site.fetch("/docs/img/a.png")).code == 200
            tree.write(f"{name}.md", "---\ndraft: true\n---\n# A\n\n![a](/img/a.png)\n")
        assert (await site.fetch("/docs/img/a.png")).code == 404
        tree.write("d.md", "# A\n\n![a](/img/a.png)\n")
        assert (await site.fetch("/docs/d")).code == 200
        assert (await site.fetch("/docs/img/a.png")).code == 200


async def test_a_page_shows_a_picture_when_it_appears(tmp_path: Path) -> None:
    """Until then its text; a new version has its own size."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\n![Map](a.png) [m](m.pdf)\n")
    async with serving(open_app(None, docs=tree)) as site:
        body = (await site.fetch("/docs/a")).body
        assert b'<span class="picture">[Map]</span> <a>m</a>' in body
        for sides in ((40, 30), (50, 20)):
            tree.root.joinpath("a.png").write_bytes(make_png(*sides))
            body = (await site.fetch("/docs/a")).body
            size = f'width="{sides[0]}" height="{sides[1]}"'
            assert f'<img src="/docs/a.png" alt="Map" {size}'.encode() in body
        tree.root.joinpath("a.png").unlink()
        assert b"[Map]" in (await site.fetch("/docs/a")).body


async def test_a_part_is_sent_where_one_is_requested(app: Runtime) -> None:
    """RFC 9110, section 14; only of the version that the client has."""
    async with serving(app) as site:
        whole = await site.fetch("/docs/l.zip")
        etag = whole.headers["ETag"]
        part = await site.fetch("/docs/l.zip", headers={"Range": "bytes=5-9"})
        assert (part.code, part.body) == (206, LARGE[5:10])
        assert part.headers["Content-Range"] == f"bytes 5-9/{len(LARGE)}"
        end = {"Range": f"bytes=-{CHUNK_BYTES + 3}", "If-Range": etag}
        assert (await site.fetch("/docs/l.zip", headers=end)).body == LARGE[
            -CHUNK_BYTES - 3 :
        ]
        other = await site.fetch("/docs/l.zip", headers={**end, "If-Range": '"other"'})
        assert (other.code, other.body) == (200, LARGE)
        behind = await site.fetch(
            "/docs/l.zip", headers={"Range": f"bytes={len(LARGE)}-"}
        )
        assert behind.code == 416
        assert behind.headers["Content-Range"] == f"bytes */{len(LARGE)}"


@pytest.mark.parametrize(
    ("header", "found"),
    [
        *(("bytes=0-0", (0, 1)), ("bytes=5-", (5, 10)), ("bytes=-3", (7, 10))),
        *(("bytes=3-99", (3, 10)), ("bytes=-99", (0, 10)), ("BYTES=1-2", (1, 3))),
        *(("bytes=1-2,4-5", None), ("bytes=5-2", None), ("bytes=-", None)),
        *(("lines=1-2", None), ("bytes=a-b", None), ("", None), ("bytes=1-2-3", None)),
    ],
)
def test_a_range_is_read(header: str, found: tuple[int, int] | None) -> None:
    """Several ranges, and what is no range, are ignored; so are those of nothing."""
    assert read_range(header, 10) == (ByteRange(*found) if found else None)
    assert read_range(header, 0) is None


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=-0", "bytes=99-100"])
def test_a_range_behind_the_end_cannot_be_sent(header: str) -> None:
    """Status 416."""
    with pytest.raises(UnsatisfiableRange):
        read_range(header, 10)


async def test_pictures_do_not_count_as_pages(tmp_path: Path) -> None:
    """A page with many pictures would use up the limit of its reader."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\n![a](a.png)\n")
    tree.root.joinpath("a.png").write_bytes(PNG)
    app = open_app(None, docs=tree, page_rate_limit="3/minute")
    async with serving(app) as site:
        assert (await site.fetch("/docs/a.png")).code == 200
        codes = [(await site.fetch("/docs/a.png")).code for _ in range(9)]
        assert codes == [200] * 9
        misses = [(await site.fetch("/docs/b.png")).code for _ in range(3)]
        assert misses == [404, 404, 429]


async def test_a_token_protects_files_too(tmp_path: Path) -> None:
    """No shared cache stores them."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\n![a](a.png)\n")
    tree.root.joinpath("a.png").write_bytes(PNG)
    tokens = tmp_path / "tokens"
    tokens.write_text(format_line("reader", TOKEN))
    async with serving(open_app(None, docs=tree, auth_tokens_file=str(tokens))) as site:
        assert (await site.fetch("/docs/a.png")).code == 401
        given = {"Authorization": f"Bearer {TOKEN}"}
        answer = await site.fetch("/docs/a.png", headers=given)
        assert (answer.code, answer.body) == (200, PNG)
        assert answer.headers["Cache-Control"] == "private, no-cache"


async def test_the_feed_shows_pictures_at_full_addresses(app: Runtime) -> None:
    """Feed readers have no base address."""
    async with serving(app) as site:
        feed = (await site.fetch("/feed.xml")).body.decode()
        assert 'img src="https://example.com/kb/articles/concepts/img/a.png"' in feed


async def test_lists_for_programs_have_no_files(app: Runtime) -> None:
    """Neither the sitemap nor llms.txt."""
    async with serving(app) as site:
        for path in ("/sitemap.xml", "/llms.txt", "/docs/llms.txt"):
            assert b".png" not in (await site.fetch(path)).body
        found = json.loads((await site.fetch("/-/search.json?q=hidden.png")).body)
        assert CANARY not in json.dumps(found)
