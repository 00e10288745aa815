"""Reading a tree by the rules of its generator."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from support.docs import DocsTree, raw_file, rescan
from support.knowledge import settled_clock

from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.generators import read_configuration
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.discovery import FAULT
from asdlc_kb.docs.generators.live_configuration import LiveConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.docs.tree_reader import TreeReader


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """The pages of a repository with a generator."""
    (tmp_path / ".git").mkdir()
    tree = DocsTree(tmp_path / "docs")
    # A nested repository has a configuration of its own.
    (tree.root / ".git").rename(tmp_path / ".git-of-docs")
    for name in ("a", "b"):
        tree.write(f"{name}.md", f"# {name.upper()}\n")
    return tree


def test_a_tree_is_listed_and_read_in_its_dialect(tree: DocsTree) -> None:
    """The named dialect is that of every page."""
    reader = TreeReader(
        LiveConfiguration(lambda: TreeConfiguration(root=tree.root)), "mdx"
    )
    assert "a.md" in reader.list(tree.root).files
    page = reader.read(raw_file("import X from './x'\n\n# Title\n", "a.md")).value
    assert isinstance(page, DocPage)
    assert (page.title, page.dialect) == ("Title", "mdx")
    assert "import" not in page.body


def test_a_change_of_the_configuration_is_followed(tree: DocsTree) -> None:
    """Order, dialect and left out files; also a configuration that appears."""
    library = DocLibrary(
        tree.root, lambda: read_configuration(tree.root), clock=settled_clock
    )
    assert [page.path for page in library.load().pages] == ["a.md", "b.md"]
    configuration = tree.root.parent / "mkdocs.yml"
    configuration.write_text("site_name: X\nnav: [b.md, a.md]\n")
    catalog = rescan(library)
    assert [page.path for page in catalog.pages] == ["b.md", "a.md"]
    assert {page.dialect for page in catalog.pages} == {"mkdocs"}
    configuration.write_text("site_name: X\nexclude_docs: b.md\n")
    assert list(rescan(library).by_path) == ["a.md"]
    generation = library.catalog.generation
    assert rescan(library).generation == generation


def faults(catalog: TreeCatalog) -> list[str]:
    """Return the files with the problem of an unusable configuration."""
    problems = catalog.snapshot.all_problems()
    return [each.path for each in problems if each.code == FAULT]


def test_an_unusable_configuration_leaves_the_last_one(tree: DocsTree) -> None:
    """It is a problem of the tree until it is corrected."""
    configuration = tree.root.parent / "mkdocs.yml"
    configuration.write_text("site_name: X\nexclude_docs: b.md\n")
    library = DocLibrary(
        tree.root, lambda: read_configuration(tree.root), clock=settled_clock
    )
    assert list(library.load().by_path) == ["a.md"]
    configuration.write_text("nav: [\n")
    catalog = rescan(library)
    assert list(catalog.by_path) == ["a.md"]
    assert faults(catalog) == ["../mkdocs.yml"]
    configuration.write_text("site_name: X\n")
    catalog = rescan(library)
    assert list(catalog.by_path) == ["a.md", "b.md"]
    assert faults(catalog) == []


def test_a_configuration_that_is_saved_slowly_publishes_nothing(
    tree: DocsTree,
) -> None:
    """Missing, then empty, then half written: each is reported until it is whole."""
    configuration = tree.root.parent / "mkdocs.yml"
    configuration.write_text("site_name: X\nexclude_docs: b.md\n")
    library = DocLibrary(
        tree.root, lambda: read_configuration(tree.root), clock=settled_clock
    )
    generation = library.load().generation
    configuration.unlink()
    assert list(rescan(library).by_path) == ["a.md"]
    with configuration.open("w") as writer:
        for text in ("", "site_name: Y\n", "exclude_docs: a.md\n"):
            writer.write(text)
            writer.flush()
            assert list(rescan(library).by_path) == ["a.md"]
            assert faults(library.catalog) == ["../mkdocs.yml"]
    catalog = rescan(library)
    assert list(catalog.by_path) == ["b.md"]
    assert faults(catalog) == []
    assert catalog.generation > generation


def test_another_root_is_left_to_the_next_start(tree: DocsTree) -> None:
    """The server serves one folder as long as it runs."""
    configurations = iter(
        [
            TreeConfiguration(root=tree.root, files=(tree.root / "a.md",)),
            TreeConfiguration(root=tree.root.parent, dialect="hugo"),
        ]
    )
    reader = TreeReader(LiveConfiguration(lambda: next(configurations)))
    tree.write("a.md", "# Changed\n")
    reader.list(tree.root)
    assert reader.configuration.root == tree.root
    assert reader.rules.dialect == "github"


def test_what_git_ignores_is_not_included(tree: DocsTree) -> None:
    """By its path in the repository."""
    configuration = TreeConfiguration(
        root=tree.root, repository=tree.root.parent, ignored=("secret/", "*.key")
    )
    accepts = TreeReader(LiveConfiguration(lambda: configuration)).rules.accepts_include
    top = tree.root.parent
    refused = [top / "secret/a.py", top / "code/x.key"]
    assert all(accepts(str(path)) is not None for path in refused)
    assert accepts(str(top / "code/a.py")) is None
    bare = replace(configuration, repository=None)
    assert (
        TreeReader(LiveConfiguration(lambda: bare)).rules.accepts_include(
            str(refused[0])
        )
        is None
    )


def _same(configuration: TreeConfiguration) -> TreeConfiguration:
    return configuration


def test_files_of_a_leaf_bundle_are_no_pages(tree: DocsTree) -> None:
    """Only in Hugo; a draft of its page changes nothing."""
    tree.write("x/index.md", "---\ndraft: true\n---\n# X\n")
    tree.write("x/note.md", "# Note\n")
    for generator, is_page in (("hugo", False), ("", True)):
        configuration = TreeConfiguration(root=tree.root, generator=generator)
        files = (
            TreeReader(LiveConfiguration(partial(_same, configuration)))
            .list(tree.root)
            .files
        )
        assert ("x/note.md" in files, "x/index.md" in files) == (is_page, True)
