"""mdBook's includes, hidden lines, formulas, admonitions and headings."""

import pytest

from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.mdbook import MDBOOK
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of mdBook as GitHub's Markdown."""
    return translate(text, MDBOOK, output)


@pytest.mark.parametrize(
    ("text", "include"),
    [
        ("{{#include a.rs}}", Include(0, 17, "a.rs")),
        ("{{ #include a.rs:2 }}", Include(0, 21, "a.rs", ((2, 2),))),
        ("{{#include a.rs:2:}}", Include(0, 20, "a.rs", ((2, None),))),
        ("{{#include a.rs::10}}", Include(0, 21, "a.rs", ((1, 10),))),
        ("{{#include a.rs:2:10}}", Include(0, 22, "a.rs", ((2, 10),))),
        ("{{#rustdoc_include a.rs:main}}", Include(0, 30, "a.rs", section="main")),
        ("{{#playground a.rs editable}}", Include(0, 29, "a.rs", language="rust")),
        ("{{#template a.md x=1 y=2}}",
         Include(0, 26, "a.md", values={"x": "1", "y": "2"})),
    ],
)  # fmt: skip
def test_includes_are_found(text: str, include: Include) -> None:
    """With lines, anchors, and the values of a template."""
    assert list(MDBOOK.find_includes(text)) == [include]


def test_an_escaped_include_is_shown_without_its_backslash() -> None:
    """In code, too."""
    text = "`\\{{#include a}}`\n\n```\n\\{{#playground b}}\n```"
    assert not list(MDBOOK.find_includes(text))
    assert show(text) == "`{{#include a}}`\n\n```\n{{#playground b}}\n```"


def test_hidden_lines_of_rust_are_left_out() -> None:
    """Attributes are no hidden lines, and a second `#` escapes the first."""
    text = "```rust,ignore\n# use a;\n#\n#[test]\n#![b]\n## c\n    # d\n    e\n```"
    assert show(text) == "```rust\n#[test]\n#![b]\n# c\n    e\n```"
    assert show("```python\n# a\n```") == "```python\n# a\n```"
    assert show("```python,hidelines=!!!\n!!!a\nb\n```") == "```python\nb\n```"


@pytest.mark.parametrize(
    ("info", "head"),
    [
        ("", "> [!NOTE]"),
        (" warning", "> [!WARNING]"),
        (' tip "Do"', "> [!TIP] Do"),
        (' "Do"', "> [!NOTE] Do"),
        (' danger title="Hot" collapsible=true', "> [!CAUTION]- Hot"),
        (" info.my-class", "> [!NOTE] Info"),
    ],
)
def test_fences_of_admonitions_are_callouts(info: str, head: str) -> None:
    """Their text is Markdown, code in it included."""
    text = f"````admonish{info}\nA *b*.\n\n```rs\n# c\n```\n````\nafter"
    assert show(text) == f"{head}\n> A *b*.\n>\n> ```rs\n> # c\n> ```\n\nafter"


def test_an_admonition_without_an_end_is_code() -> None:
    """As any fence."""
    assert show("```admonish\n# a") == "```admonish\n# a"


def test_titles_and_attributes_are_left_out() -> None:
    """The id of a heading stays, and icons are named."""
    text = '{{#title X}}\n# A { #b .c }\n\n<i class="fas fa-play"></i> Run'
    assert show(text).strip() == "# A {#b}\n\nplay icon Run"


def test_formulas_have_two_backslashes() -> None:
    """In a paragraph or in lines of their own."""
    assert show("a \\\\( x_1 \\\\) b") == "a $x_1$ b"
    assert show("\\\\[ x \\\\]", Output.HTML) == "```math\nx\n```"


def test_listings_of_the_rust_book_have_their_file_and_caption() -> None:
    """As its preprocessor writes them; one that is not closed stays."""
    text = (
        '<Listing number="6-3" file-name="src/a.rs" caption="An `a` > b">\n\n'
        "```rust\na\n```\n\n</Listing>\n\nb"
    )
    code = "```rust\na\n```"
    assert show(text) == f"Filename: src/a.rs\n\n{code}\n\nListing 6-3: An `a` > b\n\nb"
    assert show(f"<Listing>\n\n{code}\n\n</Listing>") == code
    assert show("<Listing>\na") == "<Listing>\na"
