"""The absolute addresses of the website's pages."""

from pathlib import Path

from support.docs import DocsTree, loaded, rescan
from support.knowledge import KnowledgeBase
from support.library import loaded as loaded_articles

from asdlc_kb.app.website_urls import WebsiteUrls
from asdlc_kb.site.layout.frame import SiteIdentity


def test_an_article_has_the_address_of_its_page(knowledge: KnowledgeBase) -> None:
    """With the path of the public address, quoted."""
    (article, *_) = loaded_articles(knowledge).catalog.articles
    website = WebsiteUrls(SiteIdentity("T", base_url="https://kb.example/ä/"))
    address = "https://kb.example/%C3%A4/concepts/links-to-hidden"
    assert website.of_article(article) == address


async def test_a_page_has_an_address_of_its_own_in_each_catalog(tmp_path: Path) -> None:
    """Of two files with one name, the one that is served there."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n")
    library = loaded(tree)
    website = WebsiteUrls(SiteIdentity("T", base_url="https://kb.example"))
    before = library.catalog
    assert await website.of_page(before, "a.md") == "https://kb.example/docs/a"
    tree.write("a.mdx", "# Other\n")
    after = rescan(library)
    found = {await website.of_page(after, path) for path in ("a.md", "a.mdx")}
    assert len(found) == 2
    assert await website.of_page(before, "a.md") == "https://kb.example/docs/a"
