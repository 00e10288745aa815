"""Pages as agents read them: links are paths that `get_doc_page` accepts."""

from pathlib import Path

import pytest
from support.docs import DocsTree, loaded

from asdlc_kb.docs.linked_pages import link_page


def shown(tmp_path: Path, text: str) -> str:
    """Return the body of the page `guide/a.md` as agents read it."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Home\n")
    tree.write("guide/b c.md", "# B\n\n## Second part\n")
    tree.write("guide/install.mdx", "# Install\n")
    tree.write("guide/a.md", f"# A\n\n{text}")
    catalog = loaded(tree).catalog
    return link_page(catalog.by_path["guide/a.md"], catalog).body.removeprefix(
        "# A\n\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](install.mdx)", "[a](guide/install.mdx)"),
        ("[a](../install/#ports 'T')", "[a](guide/install.mdx#ports 'T')"),
        ("[a](/en/guide/install)", "[a](guide/install.mdx)"),
        ("[a](<b c.md#Second_Part>)", "[a](<guide/b%20c.md#Second_Part>)"),
        ("[a]: ..\n", "[a]: index.md\n"),
        ("<a href='install'>x</a>", "<a href='guide/install.mdx'>x</a>"),
    ],
)
def test_a_link_is_the_path_of_its_page(
    tmp_path: Path, text: str, expected: str
) -> None:
    """From the root, with the anchor as it is written."""
    assert shown(tmp_path, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("[a](none.md)", "[a](../known-draft.md)", "[a](#second)", "[a](b.png)"),
        *("[a](https://a.example/install)", "[a](kb://doc/guide/install.mdx)"),
        *("`[a](install)`", "```\n[a](install)\n```", "    [a](install)"),
    ],
)
def test_other_links_and_code_stay(tmp_path: Path, text: str) -> None:
    """D-151: hidden and missing pages alike."""
    assert shown(tmp_path, text) == text


def test_a_page_without_links_is_the_same(tmp_path: Path) -> None:
    """Not a copy."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\n[x](none.md)\n")
    catalog = loaded(tree).catalog
    page = catalog.by_path["a.md"]
    assert link_page(page, catalog) is page
