"""The whole site: every address, every link, and nothing hidden."""

import json
from pathlib import Path

import pytest
from support.canary import find
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.library import rescan
from support.pages import Document, crawl
from support.peers import open_app, serving
from support.publication import SIDEBAR, TOPBAR, fill_both, fill_docs
from support.publishing import BASE, find_page, open_libraries, open_site, read_full

from asdlc_kb.site.layout.assets import address
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.publications import well_known
from asdlc_kb.site.representation import HTML, Moved, Representation

BASES = (None, f"{BASE}/kb/deep/")
ELEMENTS = frozenset(
    "a article aside body button circle code dd del details dialog div dl dt em "
    "figcaption figure footer form g h1 h2 h3 head header hr html input kbd label li "
    "link main mark meta nav ol p path pre rect script section span strong sub summary "
    "sup svg table tbody td text th thead time title tr tspan ul".split()
)
"""Elements of the templates and of Markdown."""


@pytest.mark.parametrize("base_url", BASES)
async def test_every_link_leads_to_what_is_there(
    tmp_path: Path, base_url: str | None
) -> None:
    """No page links to a missing one, anchors included; and all can be reached.

    D-151: without a redirect, which a static build does not have.
    """
    knowledge, tree = fill_both(tmp_path)
    tree.write("sidebar.md", SIDEBAR)
    tree.write("topbar.md", TOPBAR)
    app = open_app(knowledge, docs=tree, base_url=base_url)
    site = open_site(knowledge, tree, base_url)
    prefix = site.identity.prefix
    async with serving(app) as served:
        found = await crawl(served, prefix=prefix)
    links = {link for link in found.links if link[1] != "/mcp"}
    assert len(links) > 1000
    for page, path, anchor in links:
        assert found.answers[path].status == 200, f"{path} in {page}"
        assert not anchor or anchor in found.documents[path].ids, f"{path}#{anchor}"
    _compare(site, {p for p, answer in found.answers.items() if answer.status == 200})


def _compare(site: PageRenderer, reached: set[str]) -> None:
    """Assert that every address is linked, and the other way round."""
    listed = list(site.snapshot.addresses())
    assert len(listed) == len(set(listed))
    for path in set(listed) - reached:
        # Clients find these at well-known paths.
        known = ("/robots.txt", "/sitemap.xml", *well_known.PATHS)
        # Style sheets, headers, static builds and /insights name these.
        assets = ("callouts.svg", "prefetch.json", "insights.css")
        scripts = ("minisearch.js", "static-search.js", "webmcp.js")
        named = map(address, (*assets, *scripts))
        assert (
            path in (*known, *named)
            or path.startswith("/.well-known/")
            or path.endswith(("/llms.txt", "/feed.xml"))
        )
    extra = {path for path in reached - set(listed) if "?" not in path}
    assert extra == {"/search", "/llms-full.txt"}


def test_every_address_has_its_own_page(local_site: PageRenderer) -> None:
    """No two items share an address, whatever their names."""
    site, snapshot = local_site, local_site.snapshot
    assert snapshot.articles is not None
    assert snapshot.docs is not None
    for path in snapshot.addresses():
        page = site.find(snapshot, path)
        assert isinstance(page, Representation), path
        assert (page.status, page.path) == (200, path)
    for url, article in snapshot.articles.by_address.items():
        assert find_page(site, url).alternate == f"{url}.md"
        assert f"\ntitle: {_json(article.title)}\n" in _text(site, f"{url}.md")
    for url, doc in snapshot.docs.by_address.items():
        markdown = find_page(site, url).alternate
        assert f"\ntitle: {_json(doc.title)}\n" in f"\n{_text(site, markdown)}"


def test_hostile_texts_are_shown_as_they_are(public_site: PageRenderer) -> None:
    """No title, tag, author, heading or file name becomes an element or attribute."""
    for path in public_site.snapshot.addresses():
        page = find_page(public_site, path)
        if page.type != HTML:
            continue
        document = Document(page.body)
        for tag, attributes in document.elements:
            assert tag in ELEMENTS, f"{tag} in {path}"
            assert not any(name.startswith("on") for name in attributes), path
            assert "style" not in attributes, path
            if tag == "script":
                kinds = (attributes.get("src", ""), attributes.get("type"))
                assert (
                    kinds[0].startswith("/kb/-/") or kinds[1] == "application/ld+json"
                )
        for target in document.targets:
            scheme = target.partition(":")[0].strip().lower()
            assert scheme not in ("javascript", "data", "vbscript"), f"{target} {path}"
        assert len(document.ids) == len(set(document.ids)), path


def test_nothing_hidden_is_in_any_byte(
    local_site: PageRenderer, public_site: PageRenderer
) -> None:
    """D-002: canaries in every hidden article and page, searched at every address."""
    for site in (local_site, public_site):
        snapshot = site.snapshot
        for path in snapshot.addresses():
            page = find_page(site, path)
            output = b"\n".join(
                (page.body, path.encode(), *map(str.encode, page.links))
            )
            assert find(output) is None, path
        assert find(b"".join(read_full(site))) is None
        for path in ("/concepts/known-draft", "/docs/known-draft", "/canary", "/"):
            missing = site.not_found(snapshot, path)
            assert find(missing.body) is None
            assert b"known-draft" not in missing.body


@pytest.mark.parametrize(
    "name", ["concepts/second", "patterns/größe", "hostile/number-1"]
)
def test_what_is_demoted_leaves_no_trace(tmp_path: Path, name: str) -> None:
    """D-002: from the next snapshot on it is as if it had never existed."""
    knowledge, tree = fill_both(tmp_path)
    unique = "a-plover-in-the-dunes"
    knowledge.write(
        name, title=unique, tags=f"[{unique}]", description=unique, body=unique
    )
    knowledge.write("concepts/namer", relatedIds=f"[{name}]", title="Namer")
    site = open_site(knowledge, tree, BASE)
    before = _all_text(site)
    assert before.count(unique) > 10
    knowledge.write(name, title=unique, status="Draft", tags=f"[{unique}]")
    site = open_site(knowledge, tree, BASE)
    assert unique not in _all_text(site)


def test_pages_follow_what_is_visible(knowledge: KnowledgeBase) -> None:
    """D-065: a snapshot never changes; the next one is of the next moment.

    D-293: an edit of a draft makes none.
    """
    knowledge.write("concepts/a", title="Before")
    library, _ = open_libraries(knowledge.root, None)
    assert library is not None
    site = PageRenderer(SiteIdentity("Title"), library)
    snapshot = site.snapshot
    assert site.snapshot is snapshot
    assert site.is_current(snapshot)
    knowledge.write("concepts/known-draft", status="Draft", title="Edited")
    catalog = library.catalog
    assert rescan(library) is not catalog
    assert site.snapshot is snapshot
    assert site.is_current(snapshot)
    knowledge.write("concepts/a", title="After it")
    rescan(library)
    assert not site.is_current(snapshot)
    assert site.snapshot is not snapshot
    assert b"Before" in find_page(site, "/concepts/a", snapshot).body
    assert b"After it" in find_page(site, "/concepts/a").body


SPELLINGS = {
    "/index.html": "/",
    "/index.htm": "/",
    "/concepts/index.html": "/concepts/",
    "/concepts/first.html": "/concepts/first",
    "/concepts/first.htm": "/concepts/first",
    "/docs/a.html": "/docs/a",
    "/docs/guide/index.html": "/docs/guide/",
    "/docs/index.html": "/docs/",
}


@pytest.mark.parametrize(("path", "same"), SPELLINGS.items())
def test_html_at_the_end_is_the_same_page(
    local_site: PageRenderer, path: str, same: str
) -> None:
    """Links that were written for files work, without a redirect."""
    assert find_page(local_site, path) == find_page(local_site, same)


MOVED = {
    "/concepts": "/concepts/",
    "/concepts/first/": "/concepts/first",
    "/concepts/first.md/": "/concepts/first.md",
    "/tags": "/tags/",
    "/tags/C++/": "/tags/c++",
    "/tags/CI/CD": "/tags/ci-cd",
    "/tags/CI-CD": "/tags/ci-cd",
    "/tags/Gr%C3%B6%C3%9Fe": "/tags/gr%C3%B6sse",
    "/articles/second": "/concepts/second",
    "/articles/second/": "/concepts/second",
    "/articles/second.md": "/concepts/second.md",
    "/articles/second.html": "/concepts/second",
    "/articles/concepts/first": "/concepts/first",
    "/articles/gr%C3%B6%C3%9Fe": "/patterns/gr%C3%B6%C3%9Fe",
    "/articles/docs/reserved/": "/articles/docs/reserved",
    "/docs": "/docs/",
    "/docs/guide": "/docs/guide/",
    "/docs/guide/README": "/docs/guide/",
    "/docs/guide/readme.md": "/docs/guide/index.md",
    "/docs/A": "/docs/a",
    "/docs/a/": "/docs/a",
    "/docs/index": "/docs/",
    "/a.html": "/docs/a",
    "/docs/en/guide/": "/docs/guide/",
    "/llms.txt/": "/llms.txt",
    "//": "/",
    "///": "/",
    "//docs": "/docs/",
    "/docs//a": "/docs/a",
    "/concepts//first": "/concepts/first",
    "//articles//second": "/concepts/second",
    "/Concepts/First": "/concepts/first",
    "/concepts/FIRST.md": "/concepts/first.md",
    "/Concepts/First.html": "/concepts/first",
    "/patterns/GR%C3%96%C3%9FE/": "/patterns/gr%C3%B6%C3%9Fe",
    "/CONCEPTS": "/concepts/",
    "/map/": "/map",
    "/connect/": "/connect",
}


@pytest.mark.parametrize(("path", "expected"), MOVED.items())
def test_another_spelling_leads_there(
    local_site: PageRenderer, path: str, expected: str
) -> None:
    """One address is canonical; the others redirect."""
    assert local_site.find(local_site.snapshot, path) == Moved(expected)
    assert find_page(local_site, expected).path == expected


MISSING = (
    *(
        "",
        "//evil.example",
        "//evil.example/",
        "/Concepts/Known-Draft",
        "/%5Cevil.example",
    ),
    *("/concepts/none", "/concepts/known-draft", "/concepts/known-draft.md", "/x/"),
    *("/articles/first", "/articles/known-draft", "/articles/", "/articles"),
    *("/articles/concepts/known-draft", "/docs/known-draft", "/docs/known-draft.md"),
    *("/docs/../a", "/docs/notes", "/docs/.hidden", "/docs/outside", "/docs/sidebar"),
    *("/tags/none", "/tags/canary-7q4x9", "/-/", "/-/style.css", "/-/x", "/-"),
    *("/.well-known/x", "/.well-known/skills/", "/.well-known/skills/x/SKILL.md"),
    *("/llms.txt.md", "/sitemap.xml", "/feed.xml"),
    *("/concepts/feed.xml", "/none/llms.txt", "/none/feed.xml", "/problems", "/404"),
    *("/concepts/first.md.md", "/concepts/first.md.html", "/index.md", "*"),
    *(
        "http://127.0.0.1/",
        "/concepts/%00",
        "/concepts//known-draft",
        "/concepts/./first",
    ),
)


@pytest.mark.parametrize("path", MISSING)
def test_what_is_not_there_is_nowhere(local_site: PageRenderer, path: str) -> None:
    """Neither page nor redirect: hidden, private, or only with a public address."""
    assert local_site.find(local_site.snapshot, path) is None


@pytest.mark.parametrize("has_index", [True, False])
def test_documentation_alone_begins_at_the_top(tmp_path: Path, has_index: bool) -> None:
    """`/` and `/index.html` are the same page, without a redirect."""
    tree = DocsTree(tmp_path / "docs")
    site = open_site(None, fill_docs(tree, has_index=has_index))
    snapshot = site.snapshot
    assert snapshot.docs is not None
    top = find_page(site, "/")
    assert top == find_page(site, "/index.html")
    assert top.body == find_page(site, snapshot.docs.home).body
    assert find_page(site, "/map").status == 200
    assert site.find(snapshot, "/tags/") is None


def test_empty_sources_have_pages_too(tmp_path: Path) -> None:
    """No content is no error: not at the top, not in lists and feeds."""
    for folder in ("content", "docs"):
        (tmp_path / folder).mkdir()
    for content, docs in (("content", None), (None, "docs"), ("content", "docs")):
        libraries = open_libraries(
            tmp_path / content if content else None, tmp_path / docs if docs else None
        )
        site = PageRenderer(SiteIdentity("Title", base_url=BASE), *libraries)
        for path in ("/", *site.snapshot.addresses()):
            assert find_page(site, path).status == 200
        if docs:
            assert find_page(site, "/docs/").status == 200


def _text(site: PageRenderer, path: str) -> str:
    return find_page(site, path).body.decode()


def _all_text(site: PageRenderer) -> str:
    snapshot = site.snapshot
    pages = (find_page(site, path) for path in snapshot.addresses())
    outputs = [f"{page.path} {page.links} {page.body.decode()}" for page in pages]
    outputs += [piece.decode() for piece in read_full(site)]
    outputs.append(site.not_found(snapshot, "/plover").body.decode())
    return "\n".join(outputs)


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
