"""Sidebar and order of the pages of one edition."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.editions import write_editions
from support.files import save_over
from support.publishing import open_docs

from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.navigation.sidebar import SidebarItem
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.pages.edition_pages import list_edition

LANGUAGES = EditionRules(
    languages={"en": "en", "fr": "fr"}, default_language="en", language="en"
)


def open_urls(root: Path) -> DocUrls:
    """Return the addresses of the tree at a folder."""
    docs = open_docs(str(root)).snapshot.docs
    assert docs is not None
    return docs


def write(root: Path, files: Mapping[str, str]) -> DocUrls:
    """Return the addresses of a tree with a folder for each of two languages."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        save_over(root / name, text)
    configuration = TreeConfiguration(root=root, editions=LANGUAGES)
    return DocUrls(DocLibrary(root, lambda: configuration).load())


def outline(docs: DocUrls, path: str) -> list[tuple[str, str]]:
    """Return titles and addresses of the sidebar on a page."""
    page = docs.catalog.by_path[path]
    return [(e.title, e.address) for e in docs.open_sidebar(page.edition).entries]


def test_a_page_has_the_sidebar_of_its_edition(tmp_path: Path) -> None:
    """Without the group of the edition, which is all that it has."""
    docs = open_urls(write_editions(tmp_path))
    default = [
        ("Guide", ""),
        ("Use", "/docs/2.0/guide/use"),
        ("Intro", "/docs/2.0/intro"),
    ]
    assert outline(docs, "2.0/intro.md") == default
    edition = docs.catalog.by_path["2.0/intro.md"].edition
    assert list(docs.open_sidebar().entries) == list(docs.open_sidebar(edition).entries)
    assert outline(docs, "1.10/old.md") == [
        ("Intro of ten", "/docs/1.10/intro"),
        ("Old", "/docs/1.10/old"),
    ]
    assert outline(docs, "fr/2.0/intro.md") == [
        ("Guide", ""),
        ("Utiliser", "/docs/fr/2.0/guide/use"),
        ("Début", "/docs/fr/2.0/intro"),
    ]


def test_previous_and_next_are_of_the_edition(tmp_path: Path) -> None:
    """In the order of its sidebar."""
    docs = open_urls(write_editions(tmp_path))

    def find(path: str) -> list[str]:
        links = docs.find_neighbours(docs.catalog.by_path[path])
        return [link.address if link is not None else "" for link in links]

    assert find("2.0/guide/use.md") == ["", "/docs/2.0/intro"]
    assert find("2.0/intro.md") == ["/docs/2.0/guide/use", ""]
    assert find("intro.md") == ["", "/docs/planned"]
    assert find("1.9/intro.md") == ["", ""]


def test_a_sidebar_of_the_default_language_is_translated(tmp_path: Path) -> None:
    """As far as there are translations."""
    menu = (
        "* [Start](en/start.md)\n* More\n  * [Use](en/use.md)\n  * [New](en/new.md)\n"
    )
    docs = write(
        tmp_path,
        {
            "sidebar.md": menu,
            "en/start.md": "# Start\n",
            "en/use.md": "# Use\n",
            "en/new.md": "# New\n",
            "fr/start.md": "# Début\n",
            "fr/use.md": "# Utiliser\n",
            "fr/other.md": "# Autre\n",
        },
    )
    page = docs.catalog.by_path["fr/use.md"]
    edition = list_edition(docs.catalog, page.edition)
    assert edition.sidebar == (
        SidebarItem("Début", "fr/start.md"),
        SidebarItem("More", below=(SidebarItem("Utiliser", "fr/use.md"),)),
    )
    paths = [page.path for page in edition.pages]
    assert paths == ["fr/start.md", "fr/use.md", "fr/other.md"]


def test_links_in_the_group_of_another_edition_are_not_shown(tmp_path: Path) -> None:
    """Elsewhere would be a group of them alone, next to what the reader's has."""
    link = "  * [Blog](https://example.com/blog)\n"
    menu = f"* English\n  * [Use](en/use.md)\n{link}* Français\n  * [Use](fr/use.md)\n"
    files = {"sidebar.md": menu + link, "en/use.md": "# Use\n", "fr/use.md": "# Util\n"}
    docs = write(tmp_path, files)
    for name in ("en", "fr"):
        addresses = [where for _, where in outline(docs, f"{name}/use.md")]
        assert addresses == [f"/docs/{name}/use", "https://example.com/blog"]


def test_without_a_sidebar_pages_are_grouped_in_their_edition(tmp_path: Path) -> None:
    """By folder, as in a tree with one edition."""
    files = {"en/a.md": "# A\n", "fr/a.md": "# Aa\n", "fr/b.md": "# Bb\n"}
    docs = write(tmp_path, files)
    assert outline(docs, "en/a.md") == [("A", "/docs/en/a")]
    assert outline(docs, "fr/a.md") == [("Aa", "/docs/fr/a"), ("Bb", "/docs/fr/b")]


@pytest.mark.parametrize("name", ["index", "start"])
def test_the_site_begins_with_the_default_edition(tmp_path: Path, name: str) -> None:
    """With its index or introduction."""
    pages = {"en": "# A\n", "fr": "# B\n", "en/guide": "# C\n"}
    files = {f"{folder}/{name}.md": text for folder, text in pages.items()}
    docs = write(tmp_path, files)
    assert docs.home == ("/docs/en/" if name == "index" else "/docs/en/start")


def test_other_trees_stay_in_the_sidebar(tmp_path: Path) -> None:
    """Those of the default edition."""
    (tmp_path / "two").mkdir()
    save_over(tmp_path / "two" / "x.md", "# X\n")
    one = write_editions(tmp_path / "one")
    docs = open_docs(f"one={one}", f"two={tmp_path / 'two'}").snapshot.docs
    assert docs is not None
    titles = [title for title, _ in outline(docs, "one/1.10/old.md")]
    assert titles == ["Site 1.10", "Intro of ten", "Old", "Two", "X"]
