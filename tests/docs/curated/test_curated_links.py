"""Links of an index of authors: resolved, or left out with their entries."""

import pytest
from support.cpu_time import bounded_cpu_time

from asdlc_kb.docs.curated.curated_links import list_links, resolve_index


def resolve(href: str) -> str | None:
    """Resolve two pages; links to other sites stay."""
    if href in ("a.md", "https://site.example/a"):
        return "/docs/a.md"
    return href if "://" in href and "gone" not in href else None


@pytest.mark.parametrize(
    ("line", "resolved"),
    [
        ("- [A](a.md): note", "- [A](/docs/a.md): note"),
        ("* [A](<a.md> 'title')", "* [A](</docs/a.md> 'title')"),
        ("1. see [A](https://site.example/a)", "1. see [A](/docs/a.md)"),
        ("[a]: a.md", "[a]: /docs/a.md"),
        ("- [B](https://b.example/x_y)", "- [B](https://b.example/x_y)"),
        ("- https://b.example/x.", "- https://b.example/x."),
        ("- `[c](gone.md)` is code", "- `[c](gone.md)` is code"),
        ("- ![picture](gone.png) [A](a.md)", "- picture [A](/docs/a.md)"),
        ("See [this](gone.md) page.", "See this page."),
        ("See <https://gone.example/>.", "See ."),
        ("[a]: gone.md", ""),
    ],
)
def test_a_link_has_the_address_of_its_page(line: str, resolved: str) -> None:
    """In each of its forms; what leads nowhere is words."""
    assert resolve_index(f"# T\n\n{line}\n", resolve) == f"# T\n\n{resolved}\n"


@pytest.mark.parametrize(
    "entry",
    [
        "- [Secret](gone.md): plover",
        "- [Secret](gone&period;md): plover",
        r"- [Secret](g\one.md): plover",
        "- [Secret\n  plover](gone.md)",
        "- https://gone.example/plover",
        "+ a [A](a.md), plover [Secret](gone.md)",
        "- [Secret](gone.md):\n  more on plover\n  and more",
        "- [![plover](p.png)](gone.md)",
    ],
)
def test_an_entry_that_leads_nowhere_is_left_out(entry: str) -> None:
    """With all of its lines; the others stay."""
    text = f"# T\n\n## S\n\n- [A](a.md)\n{entry}\n- [A](a.md)\n"
    kept = "# T\n\n## S\n\n- [A](/docs/a.md)\n- [A](/docs/a.md)\n"
    resolved = resolve_index(text, resolve)
    assert "gone" not in resolved
    if "\n  plover]" not in entry:
        assert resolved == kept


def test_a_section_of_which_nothing_remains_is_left_out() -> None:
    """Sections that were empty before stay; so does the title."""
    text = (
        "# T\n\n## One\n\n### Below\n\n- [x](gone.md)\n\n## Two\n\n- [A](a.md)\n\n"
        "### Three\n\n- [x](gone.md)\n\n## Empty\n\n## Words\n\nHere.\n- [x](gone.md)\n"
    )
    resolved = resolve_index(text, resolve)
    headings = [line for line in resolved.split("\n") if line.startswith("#")]
    assert headings == ["# T", "## Two", "## Empty", "## Words"]
    assert resolve_index("# T\n- [x](gone.md)", resolve) == "# T"


def test_fenced_code_stays() -> None:
    """A sample is no list of pages."""
    text = "# T\n\n```md\n- [x](gone.md)\n```\n"
    assert resolve_index(text, resolve) == text


def test_links_have_positions() -> None:
    """Where they are written; pictures are not listed."""
    text = "# T\n\n- `x` [A](a.md) ![p](p.png)\n"
    (link,) = list_links(text)
    assert (link.href, link.line, link.column) == ("a.md", 3, 7)


@pytest.mark.parametrize(
    "part", ["[", "](", "[](", "[a](<", "https://", "[a](b '", "!["]
)
def test_a_hostile_index_takes_linear_time(part: str) -> None:
    """A quarter of a million characters in one line."""
    text = f"# T\n\n- {part * (250_000 // len(part))}\n"
    with bounded_cpu_time():
        resolve_index(text, resolve)
