"""The representation of documentation."""

import pytest
from support.docs import raw_file

from asdlc_kb.docs.pages.page import DocPage, read_page
from asdlc_kb.providers.docs import views


def page(path: str = "a/x.md", text: str = "# T\n") -> DocPage:
    """Return a page."""
    value = read_page(raw_file(text, path)).value
    assert isinstance(value, DocPage)
    return value


@pytest.mark.parametrize(
    ("path", "text", "row"),
    [
        ("x.md", "# T\n", "- [T](x.md)"),
        ("a b.md", "# T\n", "- [T](<a b.md>)"),
        ("(a)/x.md", "# \\[T\\]\n", "- [\\[T\\]](<(a)/x.md>)"),
        ("x.md", "---\ndescription: D\n---\n# T\n", "- [T](x.md): D"),
        (
            "x.md",
            f"---\ndescription: {'d' * 300}\n---\n# T\n",
            f"- [T](x.md): {'d' * 199}…",
        ),
    ],
)
def test_a_row_is_a_link_in_a_list(path: str, text: str, row: str) -> None:
    """Titles and paths of any kind do not break it."""
    assert views.show_row(page(path, text)) == row
