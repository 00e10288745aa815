"""What the server is called: by its operator, or by its content."""

from pathlib import Path
from typing import Any

import pytest

from asdlc_kb.app.identity import (
    MAX_ENTRY_CHARS,
    MAX_TITLE_CHARS,
    NAME,
    NEUTRAL_ENTRY,
    ServerIdentity,
    identify_server,
)
from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.catalogs.collection_catalog import Mount
from asdlc_kb.docs.collection import DocCollection, DocTree
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.settings import Settings
from asdlc_kb.site.layout.frame import SiteIdentity


def identify(root: Path, kind: str = "docs", **settings: Any) -> ServerIdentity:
    """Return what a server of one folder is called."""
    articles = ArticleLibrary(root) if kind == "articles" else None
    docs = DocCollection.of(DocLibrary(root)) if kind == "docs" else None
    return identify_server(Settings(**settings), ConfiguredSources(articles, docs))


def make_tree(root: Path, **files: str) -> Path:
    """Return a folder with files, named without suffix."""
    root.mkdir(parents=True)
    for name, text in files.items():
        (root / f"{name}.md").write_text(text)
    return root


def test_the_operator_s_words_come_first(tmp_path: Path) -> None:
    """Whatever the content is called."""
    root = make_tree(tmp_path / "docs", README="# Herons\n")
    named = identify(root, title="Birds", tagline="All.", server_name="birds")
    assert named == ServerIdentity("birds", "Birds", "All.")


def test_the_title_of_the_generator_s_configuration_comes_next(tmp_path: Path) -> None:
    """Before that of the index page."""
    root = make_tree(tmp_path / "docs", index="# Start here\n")
    configuration = TreeConfiguration(root=root, title="The Heron Site")
    docs = DocCollection.of(DocLibrary(root, lambda: configuration))
    assert identify_server(Settings(), ConfiguredSources(None, docs)).title == (
        "The Heron Site"
    )


def test_a_tree_with_a_name_is_a_part(tmp_path: Path) -> None:
    """Its title is that of the server only if it is the only source."""
    api = make_tree(tmp_path / "api", index="# The Heron Index\n")
    configuration = TreeConfiguration(root=api, title="The Heron Interface")
    named = DocTree(Mount("api/", "api"), DocLibrary(api, lambda: configuration))
    old = DocTree(Mount("api/1.0/", "api"), DocLibrary(api, lambda: configuration))
    other = DocTree(
        Mount("on-call/", "on-call"), DocLibrary(api, lambda: configuration)
    )
    manual = make_tree(tmp_path / "manual", index="# The Heron Book\n")
    unnamed = DocTree(Mount(), DocLibrary(manual))
    articles = ArticleLibrary(make_tree(tmp_path / "lagoon" / "content"))
    for library, trees, title in (
        (None, [named, unnamed], "The Heron Book"),
        (None, [named, old], "The Heron Interface"),
        (None, [named, other], "Api, On call"),
        (articles, [named], "Lagoon"),
        (articles, [named, other], "Lagoon"),
        (articles, [unnamed, other], "The Heron Book"),
    ):
        sources = ConfiguredSources(library, DocCollection(trees))
        assert identify_server(Settings(), sources).title == title


@pytest.mark.parametrize("kind", ["docs", "articles"])
def test_content_is_called_by_its_index_or_readme(tmp_path: Path, kind: str) -> None:
    """A title that any tree could have is passed over."""
    root = make_tree(tmp_path / "x", index="# Welcome\n", README="# The *Heron* Book\n")
    named = identify(root, kind)
    assert (named.name, named.title) == (NAME, "The Heron Book")


@pytest.mark.parametrize(
    ("folder", "title"),
    [
        ("cook", "Cook"),
        ("my-handbook/docs", "My handbook"),
        ("my-handbook/content", "My handbook"),
        ("my_site/docs/en", "My site"),
    ],
)
def test_without_a_title_the_folder_names_the_content(
    tmp_path: Path, folder: str, title: str
) -> None:
    """Its parent, where many folders have the same name."""
    assert identify(make_tree(tmp_path / folder)).title == title


def test_a_hidden_page_names_nothing(tmp_path: Path) -> None:
    """A draft of the README is no title."""
    root = make_tree(tmp_path / "cook", README="---\ndraft: true\n---\n# Secret\n")
    assert identify(root).title == "Cook"


def test_a_title_from_content_is_short_plain_words(tmp_path: Path) -> None:
    """It is shown to models by the server itself."""
    hostile = "Ignore<b>\u202e\u0007 `all` {{x}} " + "word " * 100
    root = make_tree(tmp_path / "cook", README=f"# {hostile}\n")
    title = identify(root).title
    assert len(title) <= MAX_TITLE_CHARS
    assert not set("<>`{}\u202e\u0007") & set(title)


@pytest.mark.parametrize(
    ("title", "entry"),
    [
        ("ASDLC Knowledge Base", "asdlc"),
        ("The Documentation of FastAPI", "fastapi"),
        ("Birds & Co.: 2nd edition", "birds-co-2nd-edition"),
        ("42 herons", "herons"),
        ("Größe", "gr-e"),
        ("鷺", "knowledge-base"),
        ("Knowledge base", "knowledge-base"),
        ("my very long title with too many words", "my-very-long-title-with-too-many"),
        ("x" * 80, "x" * MAX_ENTRY_CHARS),
    ],
)
def test_the_entry_in_clients_is_named_by_the_title(title: str, entry: str) -> None:
    """Two servers on one machine do not replace each other."""
    assert ServerIdentity(NAME, title, "").entry == entry
    assert SiteIdentity("T").entry == NEUTRAL_ENTRY


def test_the_tagline_names_the_kinds_of_content(tmp_path: Path) -> None:
    """Nobody else's content is described as ours."""
    root = make_tree(tmp_path / "cook")
    assert identify(root).tagline == "Documentation for people and AI agents."
    both = ConfiguredSources(ArticleLibrary(root), DocCollection.of(DocLibrary(root)))
    tagline = identify_server(Settings(), both).tagline
    assert tagline == "Articles and documentation for people and AI agents."
