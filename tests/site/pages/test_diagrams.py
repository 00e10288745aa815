"""Diagrams of visible texts as pictures at addresses of the site."""

from pathlib import Path

from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.publishing import find_page, open_libraries

from asdlc_kb.markup.diagrams import THEMES, draw, name_diagram
from asdlc_kb.site import urls
from asdlc_kb.site.build import build_site
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.representation import SVG

SHOWN, PAGE, HIDDEN = (f"graph TD\n  {name}-->b\n" for name in ("art", "page", "draft"))


def open_site(folder: Path) -> PageRenderer:
    """Return a site of texts with diagrams, one of them hidden, below `/kb`."""
    knowledge = KnowledgeBase(folder / "content")
    knowledge.write("concepts/a", body=f"Text.\n\n```mermaid\n{SHOWN}```\n")
    knowledge.write("concepts/b", status="Draft", body=f"```mermaid\n{HIDDEN}```\n")
    tree = DocsTree(folder / "docs")
    tree.write("x.md", f"# X\n\n```mermaid\n{PAGE}```\n")
    identity = SiteIdentity("Title", base_url="https://example.com/kb")
    libraries = open_libraries(knowledge.root, tree.root)
    return PageRenderer(identity, *libraries, is_blocking=True)


def test_a_diagram_of_a_visible_text_is_a_picture(tmp_path: Path) -> None:
    """In both themes, with the prefix of the site; its page refers to it."""
    site = open_site(tmp_path)
    prefix = site.identity.prefix
    for source, where in ((SHOWN, "/concepts/a"), (PAGE, "/docs/x")):
        body = find_page(site, where).body.decode()
        for theme in THEMES:
            path = urls.of_diagram(name_diagram(source), theme)
            assert f'<a class="only-{theme}" href="{prefix}{path}">' in body
            assert f'<img src="{prefix}{path}" alt="Diagram" width=' in body
            picture = find_page(site, path)
            assert picture.body.decode() == draw(source, theme)
            assert (picture.type, picture.is_lasting) == (SVG, True)


def test_a_diagram_of_a_hidden_text_is_missing(tmp_path: Path) -> None:
    """Like one that never existed."""
    site = open_site(tmp_path)
    snapshot = site.snapshot
    for name in (name_diagram(HIDDEN), "0" * 24):
        assert site.find(snapshot, urls.of_diagram(name, "light")) is None
    assert site.find(snapshot, urls.of_diagram(name_diagram(SHOWN), "blue")) is None


def test_a_feed_has_full_addresses_of_diagrams(tmp_path: Path) -> None:
    """Readers show it elsewhere."""
    site = open_site(tmp_path)
    path = urls.of_diagram(name_diagram(SHOWN), "light")
    feed = find_page(site, "/feed.xml").body.decode()
    assert f"src=&quot;{site.identity.locate(path)}" in feed.replace('"', "&quot;")


def test_a_build_has_the_pictures_of_diagrams(tmp_path: Path) -> None:
    """As files at their addresses."""
    site = open_site(tmp_path)
    build_site(site, tmp_path / "out")
    drawn = {file.name for file in (tmp_path / "out/-/diagrams").iterdir()}
    assert drawn == {
        f"{name_diagram(source)}.{theme}.svg"
        for source in (SHOWN, PAGE)
        for theme in THEMES
    }
