"""Queries that name a page."""

from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import settled_clock

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.named_page import find_named_page
from asdlc_kb.docs.library import DocLibrary


@pytest.fixture
def catalog(tmp_path: Path) -> DocCatalog:
    """Some pages, one of them hidden."""
    tree = DocsTree(tmp_path)
    for path in ("index.md", "alone.md", "tutorial/cors.md", "guide/deploy/docker.md"):
        tree.write(path, f"# {path}\n")
    tree.write("guide/secret.md", "---\ndraft: true\n---\n# Secret\n")
    library = DocLibrary(tree.root, clock=settled_clock)
    library.load()
    return library.catalog


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("alone", "alone.md"),
        ("alone.md", "alone.md"),
        ("`tutorial/cors`", "tutorial/cors.md"),
        ("/tutorial/cors/", "tutorial/cors.md"),
        ("kb://doc/tutorial/cors.md", "tutorial/cors.md"),
        ("https://docs.example.com/tutorial/cors/", "tutorial/cors.md"),
        ("https://docs.example.com/en/latest/tutorial/cors.html", "tutorial/cors.md"),
        ("deploy/docker", "guide/deploy/docker.md"),
        ("docker.md", "guide/deploy/docker.md"),
    ],
)
def test_a_path_or_an_address_names_a_page(
    catalog: DocCatalog, query: str, path: str
) -> None:
    """Whole, or what stands for one path alone."""
    assert find_named_page(catalog, query) == path


@pytest.mark.parametrize(
    "query",
    ["docker", "tutorial cors", "", "  ", "guide/secret", "secret.md", "x/" * 400],
)
def test_other_queries_name_none(catalog: DocCatalog, query: str) -> None:
    """Words are searched; a hidden page is as a missing one."""
    assert find_named_page(catalog, query) is None
