"""llms-full.txt: whole, and in parts."""

from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.pages import PERSON
from support.peers import open_app, serving
from support.publishing import BASE, TITLE, find_page, open_site, read_full
from support.wire import ask

from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.outline import read_outline
from asdlc_kb.site.build import build_site
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.publications import llms_full


def test_everything_is_in_the_whole_text(local_site: PageRenderer) -> None:
    """Title, source and text of each page, one after the other, no title twice."""
    snapshot = local_site.snapshot
    assert snapshot.articles is not None
    assert snapshot.docs is not None
    pieces = read_full(local_site)
    text = b"".join(pieces).decode()
    count = len(snapshot.articles.by_address) + len(snapshot.docs.by_address)
    assert len(pieces) == count + 1
    assert text.count("\nSource: /") == count
    for url, article in snapshot.articles.by_address.items():
        assert f"\n# {article.title}\n\nSource: {url}\n\n> " in text
    for url, page in snapshot.docs.by_address.items():
        assert f"\n# {page.title}\n\nSource: {url}\n" in text
    assert text.count("\n# Welcome\n") == 1
    assert text.count("\n# First\n") == 1


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PageRenderer:
    """Return a site beyond small limits: two small sections, a large one, an odd one.

    The large section has pages of 300 characters, one of them too long for a part.
    """
    monkeypatch.setattr(llms_full, "MAX_CHARS", 3_000)
    monkeypatch.setattr(llms_full, "MAX_PART_CHARS", 1_000)
    monkeypatch.setattr(llms_full, "MAX_SHARED_CHARS", 200)
    knowledge = KnowledgeBase(tmp_path / "content")
    knowledge.write("concepts/a", title="First", body="plover one\n")
    knowledge.write("patterns/b", title="Second", body="plover two\n")
    tree = DocsTree(tmp_path / "docs")
    for number in range(6):
        size = 1_200 if number == 4 else 300
        text = f"# Page {number}\n\nplover {number} "
        tree.write(f"guide/p{number}.md", f"{text:x<{size}}\n")
    tree.write("other/z.md", f"# Z\n\nplover z {'x' * 300}\n")
    return open_site(knowledge, tree)


def test_a_large_site_is_listed_in_parts_by_section(large: PageRenderer) -> None:
    """Small sections share a part, a large one is divided between its pages."""
    text = b"".join(read_full(large)).decode()
    assert text.startswith(f"# {TITLE}\n\nAll texts have ")
    index = find_page(large, "/llms.txt").body.decode()
    assert (
        "Each page is Markdown at its address. All of it in parts: /llms-full.txt."
        in index
    )
    links = [line for line in text.splitlines() if line.startswith("- [")]
    assert [line.partition("](")[0][3:] for line in links] == [
        "Concepts, Patterns",
        "Guide, part 1 of 4",
        "Guide, part 2 of 4",
        "Guide, part 3 of 4",
        "Guide, part 4 of 4",
        "Other",
    ]
    assert links[1].startswith(
        "- [Guide, part 1 of 4](/llms-full-2.txt): "
        "3 pages, from “Page 0” to “Page 2”, 9"
    )
    assert links[-1].startswith("- [Other](/llms-full-6.txt): 1 page, 3")


def test_every_text_is_in_one_part(large: PageRenderer) -> None:
    """The links of the list lead to all of them, and each says what it is of."""
    paths = [
        link.href for link in read_outline(b"".join(read_full(large)).decode()).links
    ]
    full_text = large.full_text(large.snapshot)
    assert ["/llms-full.txt", *paths] == list(full_text.addresses)
    parts = [b"".join(read_full(large, path)).decode() for path in paths]
    assert parts[4].startswith(f"# {TITLE}: Guide, part 4 of 4\n\nEach page is one ")
    whole = "".join(parts)
    assert whole.count("plover") == 9
    assert whole.count("\nSource: ") == 10
    for number in range(6):
        assert whole.count(f"plover {number}") == 1
    for path in ("/llms-full-0.txt", "/llms-full-7.txt", "/llms-full-01.txt"):
        assert full_text.write(path) is None


def test_parts_are_built_too(large: PageRenderer, tmp_path: Path) -> None:
    """The same bytes as are served."""
    build_site(large, tmp_path / "out")
    for path in large.full_text(large.snapshot).addresses:
        built = (tmp_path / "out" / path.lstrip("/")).read_bytes()
        assert built == b"".join(read_full(large, path))


def test_many_small_sections_share_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The title names the first of them; links have the public address."""
    monkeypatch.setattr(llms_full, "MAX_CHARS", 10)
    tree = DocsTree(tmp_path / "docs")
    for name in ("one", "two", "three", "four", "five"):
        tree.write(f"{name}/a.md", "# A\n\nText\n")
    text = b"".join(read_full(open_site(None, tree, BASE))).decode()
    (line,) = [line for line in text.splitlines() if line.startswith("- [")]
    assert line.startswith(
        f"- [Five, Four, One and 2 more]({BASE}/llms-full-1.txt): 5 "
    )


async def test_a_part_is_served_as_the_whole_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With length and tag, for HEAD too; there are no parts of a small site."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\nplover\n")
    path = "/llms-full-1.txt"
    async with serving(open_app(None, docs=tree)) as site:
        assert (await ask(site.port, "GET", path, PERSON)).status == 404
    monkeypatch.setattr(llms_full, "MAX_CHARS", 5)
    async with serving(open_app(None, docs=tree)) as site:
        answer = await ask(site.port, "GET", path)
        assert answer.status == 200
        assert b"plover" in answer.body
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert int(answer.headers["content-length"]) == len(answer.body)
        again = await ask(
            site.port, "GET", path, {"If-None-Match": answer.headers["etag"]}
        )
        assert again.status == 304
        head = await ask(site.port, "HEAD", path)
        assert head.headers["content-length"] == answer.headers["content-length"]
        assert (await ask(site.port, "GET", "/llms-full-2.txt")).status == 404
        listed = await ask(site.port, "GET", "/llms-full.txt")
        assert b"plover" not in listed.body
        assert b"(/llms-full-1.txt)" in listed.body


def test_a_large_site_is_recognized_without_reading_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """llms.txt states it, and 100,000 texts take seconds to read."""
    tree = DocsTree(tmp_path / "docs")
    for number in range(9):
        tree.write(f"{number}.md", f"# {number}\n\n{'x' * 100}\n")
    site = open_site(None, tree)
    read: list[str] = []
    get_body = vars(DocPage)["body"].fget

    def record(page: DocPage) -> str:
        read.append(page.path)
        return str(get_body(page))

    monkeypatch.setattr(DocPage, "body", property(record))
    monkeypatch.setattr(llms_full, "MAX_CHARS", 250)
    assert "All of it in parts" in find_page(site, "/llms.txt").body.decode()
    assert read == ["0.md", "1.md", "2.md"]
