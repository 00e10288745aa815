"""Frontmatter of included files; that of pages is tested with `docs.pages.page`."""

import pytest

from asdlc_kb.docs.pages.page_frontmatter import (
    find_unknown_status,
    is_hidden,
    read_fragment,
    split_page,
)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("Text\n", "Text\n"),
        ("---\ntitle: A\n---\n\nText\n", "Text\n"),
        ("+++\ntitle = 'A'\n+++\nText\n", "Text\n"),
        ("---\na: [\n---\nText\n", "Text\n"),
        ("---\ndraft: true\n---\nText\n", None),
        ("---\nstatus: Draft\n---\nText\n", None),
        ("---\npublish: false\n---\nText\n", None),
        ("---\na: [\npublish: false\n---\nText\n", None),
        ("---\npublish: true\n---\nText\n", "Text\n"),
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


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("---\ntitle: A\nstatus: accepted\n---\n", (3, 9)),
        ("\n\n---\nstatus: [Live]\n---\n", (4, 9)),
        ("---\nstatus: Lvie\ndraft: false\n---\n", (2, 9)),
        ("---\nstatus: Lvie\ndraft: true\n---\n", None),
        ("---\nstatus: Lvie\nStatus: Draft\n---\n", None),
        ("---\nstatus: beta\n---\n", None),
        ("---\nstatus: deprecated\n---\n", None),
        ("---\nstatus: live\n---\n", None),
        ("# A\n", None),
    ],
)
def test_a_status_that_hides_by_mistake_is_found(
    text: str, place: tuple[int, int] | None
) -> None:
    """D-295: a word that is none of ours, if nothing else hides the page."""
    cut = split_page("a.md", text)
    problem = find_unknown_status("a.md", cut, "github", {"beta"})
    assert (problem and (problem.line, problem.column)) == place
    assert problem is None or problem.code == "KB013"
