"""Names of pages as models write them, and near names."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.links.written_names import PageNames, list_page_names, page_uri
from asdlc_kb.exceptions import DocAmbiguous, DocNotFound

PAGES = {
    "index.md": "# Home\n",
    "guide/index.md": "# The Guide\n",
    "guide/first steps.md": "# First Steps\n",
    "guide/install.mdx": "# 🚀 Installation\n",
    "api/overview.md": "# Overview\n",
    "cli/overview.md": "# Overview\n",
    "docs/inner.md": "# Inner\n",
    "draft/secret.md": "---\ndraft: true\n---\n# Secret\n",
    "draft/overview.md": "---\ndraft: true\n---\n# Overview\n",
}


@pytest.fixture
def catalog(tmp_path: Path) -> DocCatalog:
    """A tree with two equal titles, and hidden pages."""
    for path, text in PAGES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return DocLibrary(tmp_path).load()


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("guide/install.mdx", "guide/install.mdx"),
        ("guide/install", "guide/install.mdx"),
        ("kb://doc/guide/first%20steps.md", "guide/first steps.md"),
        ("kb://doc/guide/install#linux", "guide/install.mdx"),
        (" /Guide/Install.md ", "guide/install.mdx"),
        ("/docs/guide/install", "guide/install.mdx"),
        ("docs/guide/", "guide/index.md"),
        ("docs/inner.md", "docs/inner.md"),
        ("https://example.org/docs/guide/install?x=1#y", "guide/install.mdx"),
        ("https://example.org/kb/docs/guide/install.md", "guide/install.mdx"),
        ("https://example.org/guide/install/", "guide/install.mdx"),
        ("https://example.org/guide/", "guide/index.md"),
        ("1. guide/install.mdx (score: 10.7)", "guide/install.mdx"),
        ("`guide/install.mdx`", "guide/install.mdx"),
        ("guide/install.mdx:42", "guide/install.mdx"),
        ("the guide", "guide/index.md"),
        ("FIRST  steps", "guide/first steps.md"),
        ("🚀 installation", "guide/install.mdx"),
    ],
)
def test_the_page_that_is_meant_is_found(
    catalog: DocCatalog, written: str, path: str
) -> None:
    """A path wins over an address, and both over a title."""
    assert catalog.look_up(written).path == path


@pytest.mark.parametrize(
    "written",
    [
        *("nope", "secret", "Secret", "draft/secret.md", "kb://doc/draft/secret"),
        *("http://[", "../guide/install", "x/draft/secret", "kb://article/guide"),
    ],
)
def test_nothing_else_is_found(catalog: DocCatalog, written: str) -> None:
    """D-002: hidden and missing alike, in the same words."""
    with pytest.raises(DocNotFound) as caught:
        catalog.look_up(written)
    assert str(caught.value) == f"Documentation page '{written}' not found"


def test_a_title_of_several_pages_is_ambiguous(catalog: DocCatalog) -> None:
    """The error names the visible ones."""
    with pytest.raises(DocAmbiguous) as caught:
        catalog.look_up("OVERVIEW")
    assert str(caught.value) == (
        "Documentation page 'OVERVIEW' is ambiguous: "
        "use one of api/overview.md, cli/overview.md"
    )


def test_an_error_names_ten_of_many(tmp_path: Path) -> None:
    """A title can be that of every page."""
    for number in range(13):
        (tmp_path / f"{number:02}.md").write_text("# Same\n")
    with pytest.raises(DocAmbiguous, match=r"09\.md, 3 more$") as caught:
        DocLibrary(tmp_path).load().look_up("same")
    assert len(caught.value.candidates) == 13


def test_near_names_are_paths_of_visible_pages(catalog: DocCatalog) -> None:
    """By path, file name or title."""
    assert catalog.find_near("guide/instal.md")[0] == "guide/install.mdx"
    assert catalog.find_near("frist-steps")[0] == "guide/first steps.md"
    assert catalog.find_near("instalation")[0] == "guide/install.mdx"
    assert catalog.find_near("overveiw") == ("api/overview.md", "cli/overview.md")
    assert catalog.find_near("draft/secret.md") == ()
    assert not PageNames(()).find("x")


@pytest.mark.parametrize("written", ["", "a/b.md", "kb://doc/", "https://e.org/docs/"])
def test_the_first_name_is_the_one_given(written: str) -> None:
    """So a path is found first; an empty one is added by none."""
    first, *others = list_page_names(written)
    assert first == written
    assert all(others)


def test_near_names_are_of_one_edition(tmp_path: Path) -> None:
    """Of the one in the name, else of the default one: the others only repeat it."""
    for path in ("guide/install.md", "2.0/guide/install.md", "1.0/guide/remove.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("# A page\n")
    rules = EditionRules(
        version="next",
        versions={"2.0": "2.0", "1.0": "1.0"},
        default_version="2.0",
    )
    configuration = TreeConfiguration(root=tmp_path, editions=rules)
    catalog = DocLibrary(tmp_path, partial(replace, configuration)).load()
    assert catalog.find_near("guide/instal") == ("2.0/guide/install.md",)
    assert catalog.find_near("remov") == ("1.0/guide/remove.md",)


def test_near_names_are_in_the_language_of_the_name(tmp_path: Path) -> None:
    """A reader of the German page gets it, and no other gets translations."""
    languages = ("de", "es", "fr", "ja", "pt-BR")
    for folder in ("", *(f"{language}/" for language in languages)):
        path = tmp_path / folder / "guide" / "install.md"
        path.parent.mkdir(parents=True)
        path.write_text("# A page\n")
    rules = EditionRules(
        language="en",
        languages={language: language for language in languages},
        default_language="en",
    )
    configuration = TreeConfiguration(root=tmp_path, editions=rules)
    catalog = DocLibrary(tmp_path, partial(replace, configuration)).load()
    for language in ("de", "pt-br", "ja"):
        (near,) = catalog.find_near(f"https://example.org/{language}/guide/instal/")
        assert near.casefold() == f"{language}/guide/install.md"
    assert catalog.find_near("guide/instal") == ("guide/install.md",)


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a/b.md", "kb://doc/a/b.md"),
        ("a b/[c].md", "kb://doc/a%20b/%5Bc%5D.md"),
        ("größe#1?.md", "kb://doc/gr%C3%B6%C3%9Fe%231%3F.md"),
    ],
)
def test_a_uri_is_percent_encoded_but_for_slashes(path: str, uri: str) -> None:
    """RFC 3986; a client that resolves it gets the path back."""
    assert page_uri(path) == uri
