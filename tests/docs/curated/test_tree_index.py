"""Where the links of an llms.txt lead."""

from pathlib import Path

import pytest
from support.docs import DocsTree, loaded
from support.editions import write_editions

from asdlc_kb.app.doc_trees import open_trees
from asdlc_kb.docs.catalogs.collection_catalog import Mount
from asdlc_kb.docs.checks import check_pages
from asdlc_kb.docs.collection import DocCollection, DocTree
from asdlc_kb.docs.curated.tree_index import TreeIndex, list_indexes
from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.settings import Settings

SITE = "https://docs.example.com/"
FILES = {
    "index.md": "# Home\n",
    "guide/install.md": "# Install\n",
    "guide/topic/index.md": "# Topic\n",
    "guide/draft.md": "---\ndraft: true\n---\n# Draft\n",
}


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("guide/install.md", "guide/install.md"),
        ("/guide/install/", "guide/install.md"),
        ("./guide/install.html.md", "guide/install.md"),
        (f"{SITE}guide/install", "guide/install.md"),
        (f"{SITE}guide/install/index.md", "guide/install.md"),
        (f"{SITE}guide/topic.md", "guide/topic/index.md"),
        (f"{SITE}guide/topic/index.html.md#x", "guide/topic/index.md"),
        (SITE, "index.md"),
        ("kb://doc/guide/install.md", "guide/install.md"),
        ("/llms-full.txt", "FULL"),
        (f"{SITE}llms-full.txt", "FULL"),
        ("#part", "#part"),
        ("https://other.example/guide/draft", "https://other.example/guide/draft"),
        (f"{SITE}blog/", f"{SITE}blog/"),
        ("mailto:a@example.com", "mailto:a@example.com"),
        ("guide/draft.md", None),
        ("guide/missing.md", None),
        (f"{SITE}guide/draft", None),
        (f"{SITE}guide/draft.md", None),
        ("/openapi.json", None),
        ("kb://doc/guide/draft.md", None),
    ],
)
def test_a_link_leads_to_the_visible_page_it_means(
    tmp_path: Path, href: str, address: str | None
) -> None:
    """As a path, as an address of the published site, as that of its Markdown."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    configuration = TreeConfiguration(root=tmp_path, generator="hugo", site_url=SITE)
    library = DocLibrary(tmp_path, lambda: configuration)
    index = TreeIndex(library.load(), DocTree(Mount(), library))
    found = index.resolve(href, lambda page: page.path, {"llms-full.txt": "FULL"})
    assert found == address


@pytest.mark.parametrize(
    ("href", "path"),
    [
        ("/intro", "2.0/intro.md"),
        (f"{SITE}docs/intro#x", "2.0/intro.md"),
        (f"{SITE}docs/1.9/intro", "1.9/intro.md"),
        (f"{SITE}docs/next/intro", "intro.md"),
        ("/fr/2.0/intro", "fr/2.0/intro.md"),
        ("intro.md", "intro.md"),
        ("/planned", "planned.md"),
    ],
)
def test_a_published_address_is_of_the_default_version(
    tmp_path: Path, href: str, path: str
) -> None:
    """A path of a file is of the version with that file."""
    root = write_editions(tmp_path)
    config = root / "docusaurus.config.js"
    text = config.read_text().replace("presets", f'url: "{SITE[:-1]}", presets')
    config.write_text(text)
    docs = open_trees(Settings(), [str(root)])
    for tree in docs.trees:
        tree.library.load()
    (index,) = list_indexes(docs, docs.catalog)
    assert index.resolve(href, lambda target: target.path, {}) == path


def test_entries_that_lead_nowhere_are_reported(tmp_path: Path) -> None:
    """Hidden pages, so that an author does not name them, and missing ones."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n")
    entries = ("[A](a.md)", "[B](known-draft.md)", "[C](nope.md)", "[F](llms-full.txt)")
    text = "".join(f"- {entry}\n" for entry in entries)
    tree.write("llms.txt", f"# T\n\n{text}")
    collection = DocCollection.of(loaded(tree))
    problems = check_pages(collection.trees[0], collection.catalog)
    assert [str(problem) for problem in problems if problem.path == "llms.txt"] == [
        "llms.txt:4:3: KB031 links to 'known-draft.md', which is hidden: "
        "remove the entry",
        "llms.txt:5:3: KB030 no page 'nope.md': correct or remove the entry",
    ]
