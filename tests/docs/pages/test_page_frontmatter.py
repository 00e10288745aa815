"""Frontmatter of included files; that of pages is tested with `docs.pages.page`."""

import pytest

from asdlc_kb.docs.pages.page_frontmatter import is_hidden, read_fragment, split_page


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("Text\n", "Text\n"),
        ("---\ntitle: A\n---\n\nText\n", "Text\n"),
        ("+++\ntitle = 'A'\n+++\nText\n", "Text\n"),
        ("---\na: [\n---\nText\n", "Text\n"),
        ("---\ndraft: true\n---\nText\n", None),
        ("---\nstatus: Draft\n---\nText\n", None),
        ("---\na: [\nstatus: Draft\n---\nText\n", None),
        ("---\nstatus: Live\n", None),
        ("---\npublishDate: 2900-01-01\n---\nText\n", None),
        ("---\nexpiryDate: 1999-01-01\n---\nText\n", None),
        ("---\nbuild:\n  render: never\n---\nText\n", "Text\n"),
    ],
)
def test_a_hidden_file_is_not_included(text: str, body: str | None) -> None:
    """Of others the text below the frontmatter is."""
    fragment = read_fragment("a.md", text)
    assert fragment.body == body
    assert fragment.is_dated == ("Date" in text)


@pytest.mark.parametrize(
    ("dialect", "status", "hides"),
    [
        ("mkdocs", "deprecated", False),
        ("mkdocs", "New", False),
        ("mkdocs", "Draft", True),
        ("mkdocs", "Live", False),
        ("github", "deprecated", True),
        ("hugo", "new", True),
    ],
)
def test_what_a_generator_shows_as_a_label_hides_no_page(
    dialect: str, status: str, hides: bool
) -> None:
    """Material for MkDocs marks new and deprecated pages in its menus."""
    fields = split_page("a.md", f"---\nstatus: {status}\n---\n# A\n").fields
    assert is_hidden(fields, dialect) is hides
