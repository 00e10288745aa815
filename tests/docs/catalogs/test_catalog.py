"""Pages of several editions in one catalog: order, names, the same page in others."""

from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import settled_clock

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary

RULES = EditionRules(
    version="2.0",
    language="en",
    versions={"v1": "1.0"},
    languages={"de": "de"},
    default_version="2.0",
    default_language="en",
)


@pytest.fixture
def catalog(tmp_path: Path) -> DocCatalog:
    """A tree of three editions, which has a menu of all of them."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("de/guide/intro.md", "# Intro\n\nDeutsch.\n")
    tree.write("guide/intro.mdx", "# Intro\n\nTwo.\n")
    tree.write("guide/new.md", "# New\n")
    tree.write("v1/guide/intro.md", "# Intro\n\nOne.\n")
    tree.write("v1/guide/old.md", "# Old\n")
    tree.write(
        "sidebar.md",
        "* [One](v1/guide/intro.md)\n* [Two](guide/intro.mdx)\n* [New](guide/new.md)\n",
    )
    configuration = TreeConfiguration(root=tree.root, editions=RULES)
    library = DocLibrary(tree.root, lambda: configuration, clock=settled_clock)
    return library.load()


def test_pages_of_the_default_edition_come_first(catalog: DocCatalog) -> None:
    """D-162: then the others, each in the order of the sidebar and of the paths."""
    assert [page.path for page in catalog.pages] == [
        *("guide/intro.mdx", "guide/new.md"),
        *("v1/guide/intro.md", "de/guide/intro.md", "v1/guide/old.md"),
    ]
    assert [(each.version, each.language) for each in catalog.editions] == [
        *(("2.0", "en"), ("2.0", "de"), ("1.0", "en")),
    ]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("intro", "guide/intro.mdx"),
        ("Intro", "guide/intro.mdx"),
        ("v1/guide/intro", "v1/guide/intro.md"),
        ("de/guide/intro", "de/guide/intro.md"),
        ("old", "v1/guide/old.md"),
    ],
)
def test_a_name_of_several_editions_is_that_of_the_default(
    catalog: DocCatalog, name: str, path: str
) -> None:
    """D-162: a path names any of them."""
    assert [page.path for page in catalog.match(name)] == [path]


def test_a_page_is_found_in_the_other_editions(catalog: DocCatalog) -> None:
    """Its suffix may differ; the default one comes first."""
    of_one = catalog.list_editions(catalog.by_path["v1/guide/intro.md"])
    assert [page.path for page in of_one] == ["guide/intro.mdx", "de/guide/intro.md"]
    assert catalog.list_editions(catalog.by_path["v1/guide/old.md"]) == ()


def test_another_language_is_another_content(catalog: DocCatalog) -> None:
    """Words are stemmed by language: the page is indexed again if that changes."""
    page = catalog.by_path["guide/new.md"]
    assert page.of_edition(page.edition) is page
    german = page.of_edition(catalog.by_path["de/guide/intro.md"].edition)
    assert german.digest != page.digest
