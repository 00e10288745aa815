"""Links between editions, on pages and for search engines."""

import re
from pathlib import Path

import pytest
from support.editions import write_editions
from support.knowledge import KnowledgeBase
from support.publishing import BASE, find_page, open_docs

from asdlc_kb.docs.edition import Edition
from asdlc_kb.site.layout.texts import choose_texts
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.pages.edition_links import EditionLinks, name_edition


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> PageRenderer:
    """Return a site with versions and languages and a public address."""
    root = write_editions(tmp_path_factory.mktemp("editions"))
    return open_docs(str(root), base_url=BASE)


def find_links(site: PageRenderer, path: str) -> EditionLinks:
    """Return the links of a page."""
    docs = site.snapshot.docs
    assert docs is not None
    return docs.linker.find(docs.catalog.by_path[path], choose_texts(""))


def read(site: PageRenderer, where: str) -> str:
    """Return a page."""
    return find_page(site, where).body.decode()


def test_a_page_leads_to_its_other_versions_and_languages(site: PageRenderer) -> None:
    """The default one first, then the newest; the page's own is marked."""
    links = find_links(site, "1.10/intro.md")
    assert links.title == "Version 1.10, English"
    assert [(link.title, link.address) for link in links.versions] == [
        ("Version 2.0", "/docs/2.0/intro"),
        ("Version next", "/docs/intro"),
        ("Version 1.10", "/docs/1.10/intro"),
        ("Version 1.9", "/docs/1.9/intro"),
    ]
    assert [link.is_current for link in links.versions] == [False, False, True, False]
    assert not links.languages
    links = find_links(site, "fr/2.0/intro.md")
    assert [(link.title, link.address) for link in links.languages] == [
        ("English", "/docs/2.0/intro"),
        ("العربية", "/docs/ar/2.0/intro"),
        ("Français", "/docs/fr/2.0/intro"),
    ]
    assert not links.versions


def test_the_switcher_needs_no_script(site: PageRenderer) -> None:
    """Plain links, with the languages of what they lead to."""
    text = read(site, "/docs/fr/2.0/intro")
    start = text.index('<nav class="editions"')
    switcher = text[start : text.index("</nav>", start)]
    assert "<summary>Version 2.0, Français</summary>" in switcher
    assert '<a href="/docs/2.0/intro" hreflang="en" lang="en">English</a>' in switcher
    assert '<a href="/docs/fr/2.0/intro" lang="fr" aria-current="page">' in switcher
    assert "<script" not in switcher


def test_a_page_has_its_language(site: PageRenderer) -> None:
    """With the words of the site."""
    english = read(site, "/docs/2.0/intro")
    assert '<html lang="en">' in english
    assert "data-texts" not in english
    french = read(site, "/docs/fr/2.0/intro")
    assert '<html lang="fr">' in french
    assert '<header class="bar">' in french
    assert '<a class="skip" href="#KB-main">Aller au contenu</a>' in french
    assert "&quot;Copied&quot;: &quot;Copié&quot;" in french
    arabic = read(site, "/docs/ar/2.0/intro")
    assert '<html lang="ar" dir="rtl">' in arabic
    assert '<a class="skip" href="#KB-main">تخطَّ إلى المحتوى</a>' in arabic


def test_a_page_in_another_language_has_english_words(tmp_path: Path) -> None:
    """They say so (D-207)."""
    configuration = 'module.exports = {i18n: {defaultLocale: "he", locales: ["he"]}};\n'
    (tmp_path / "docs").mkdir()
    (tmp_path / "docusaurus.config.js").write_text(configuration)
    (tmp_path / "docs" / "a.md").write_text("# א\n")
    hebrew = read(open_docs(str(tmp_path)), "/docs/a")
    assert '<html lang="he" dir="rtl">' in hebrew
    assert '<a class="skip" href="#KB-main" lang="en">Skip to content</a>' in hebrew


def test_home_is_that_of_the_edition(site: PageRenderer) -> None:
    """The title of the site and the breadcrumb lead to its first page."""
    for where, home in (
        ("fr/2.0/guide/use", "/docs/fr/2.0/intro"),
        ("1.10/old", "/docs/1.10/intro"),
        ("2.0/guide/use", "/"),
    ):
        text = read(site, f"/docs/{where}")
        brand, crumb = re.findall(r'(?:class="brand"|<li><a) href="([^"]*)"', text)[:2]
        assert (brand, crumb) == (home, home), where


def test_home_is_that_of_the_site_beside_articles(tmp_path: Path) -> None:
    """There the link to the documentation leads to that of the edition."""
    knowledge = KnowledgeBase(tmp_path / "content")
    knowledge.write("concepts/plover")
    root = write_editions(tmp_path / "docs")
    site = open_docs(str(root), content=knowledge.root)
    text = read(site, "/docs/fr/2.0/guide/use")
    links = re.findall(r'(?:class="brand"|<li><a) href="([^"]*)"', text)
    assert links[:3] == ["/", "/", "/docs/fr/2.0/intro"]
    assert '<a href="/docs/fr/2.0/intro" aria-current="true">' in text


def test_a_page_of_another_version_says_so(site: PageRenderer) -> None:
    """With a link to the default one, if the page is there."""

    def find_note(where: str) -> str:
        note = re.search(r'<p class="version-note">(.*?)</p>', read(site, where))
        return note[1] if note else ""

    assert find_note("/docs/1.10/intro") == (
        "<bdi>You are reading: Version 1.10. Default: Version 2.0</bdi> · "
        '<a href="/docs/2.0/intro">This page in the default version</a>'
    )
    assert find_note("/docs/1.10/old") == (
        "<bdi>You are reading: Version 1.10. Default: Version 2.0</bdi>"
    )
    assert find_note("/docs/2.0/intro") == find_note("/docs/fr/2.0/intro") == ""


def test_search_engines_are_led_to_the_default_version(site: PageRenderer) -> None:
    """If it has the page; its translations are alternates."""

    def find_head(where: str) -> list[str]:
        links = (
            r'<link rel="(canonical|alternate)"(?: hreflang="([^"]*)")? href="([^"]*)"'
        )
        found = re.findall(links, read(site, where))
        return [f"{tag or kind} {address}" for kind, tag, address in found]

    docs = f"{BASE}/docs"
    assert find_head("/docs/1.10/intro") == [f"canonical {docs}/2.0/intro"]
    assert find_head("/docs/1.10/old") == [f"canonical {docs}/1.10/old"]
    assert find_head("/docs/ar/2.0/intro") == [
        f"canonical {docs}/ar/2.0/intro",
        f"en {docs}/2.0/intro",
        f"x-default {docs}/2.0/intro",
        f"ar {docs}/ar/2.0/intro",
        f"fr {docs}/fr/2.0/intro",
    ]


def test_the_sitemap_has_canonical_addresses(site: PageRenderer) -> None:
    """Every language of the default version, and what only another version has."""
    found = re.findall(r"<loc>(.*?)</loc>", read(site, "/sitemap.xml"))
    assert sorted(where.removeprefix(f"{BASE}/docs/") for where in found) == [
        *("1.10/old", "2.0/guide/use", "2.0/intro", "ar/2.0/intro"),
        *("fr/2.0/guide/use", "fr/2.0/intro", "planned"),
    ]


def test_lists_for_models_have_the_default_edition(site: PageRenderer) -> None:
    """What is true in one version only would mislead them."""
    for path in ("/llms.txt", "/docs/llms.txt"):
        text = read(site, path)
        assert re.findall(r"\((.*?)\)", text) == [
            f"{BASE}/docs/2.0/guide/use.md",
            f"{BASE}/docs/2.0/intro.md",
        ]
    pieces = site.full_text(site.snapshot).write()
    assert pieces is not None
    text = b"".join(pieces).decode()
    assert ("plover two" in text, "plover ten" in text) == (True, False)


def test_without_editions_nothing_is_said(tmp_path: Path) -> None:
    """A tree with one version in one language."""
    (tmp_path / "a.md").write_text("# A\n")
    text = read(open_docs(str(tmp_path), base_url=BASE), "/docs/a")
    assert '<html lang="en">' in text
    for mark in ("editions", "hreflang", "version-note", ' lang="en" ', "x-default"):
        assert mark not in text


@pytest.mark.parametrize(
    ("edition", "title"),
    [
        (Edition("", "1.0", "fr"), "Version 1.0, Français"),
        (Edition("", "", "xx"), "xx"),
        (Edition("", "1.0", ""), "Version 1.0"),
        (Edition(), ""),
    ],
)
def test_an_edition_has_a_title(edition: Edition, title: str) -> None:
    """Of what it states."""
    assert name_edition(edition, choose_texts("")) == title


@pytest.mark.parametrize(
    ("missing", "near"),
    [("/docs/introo", "/docs/intro"), ("/docs/1.10/introo", "/docs/1.10/intro")],
)
def test_a_missing_address_leads_to_one_edition_of_a_page(
    site: PageRenderer, missing: str, near: str
) -> None:
    """That of the address; links to others would lead to the same text."""
    body = site.not_found(site.snapshot, missing).body.decode()
    assert re.findall(r'href="([^"]*/intro)"', body) == [near]
