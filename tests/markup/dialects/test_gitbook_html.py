"""The HTML in GitBook's pages."""

from asdlc_kb.markup.dialects.gitbook import GITBOOK
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of GitBook as GitHub's Markdown."""
    return translate(text, GITBOOK, output)


def test_a_figure_has_its_caption() -> None:
    """The words of the caption, without tags."""
    text = (
        '<figure><img src=".gitbook/assets/a b.png" alt="An &amp; alt">'
        "<figcaption><p>The <em>caption</em></p></figcaption></figure>"
    )
    shown = "![An & alt](.gitbook/assets/a%20b.png)\n\nThe caption"
    assert show(text) == shown
    assert "<figcaption>\n\nThe caption\n" in show(text, Output.HTML)


def test_cards_are_a_list_of_links() -> None:
    """Covers are left out, and the last link is the card's."""
    text = (
        '<table data-view="cards"><thead><tr><th></th><th></th></tr></thead><tbody>'
        '<tr><td><strong>One</strong></td><td>First. <a href="0.md">0</a></td>'
        '<td><a href="c.png">c.png</a>'
        '</td><td><a href="one.md">one.md</a></td></tr>'
        "<tr><td>Two</td><td></td></tr></tbody></table>"
    )
    assert show(text) == "- [One](one.md): First.\n\n**Two**"


def test_colors_mentions_and_icons_are_left_out() -> None:
    """The words and the links stay."""
    text = (
        '<mark style="color:red;">a</mark> [b](b.md "mention") '
        '<a data-mention href="c.md">c.md</a> <i class="fa-leaf">:leaf:</i> d'
    )
    assert show(text) == "a [b](b.md) [c.md](c.md) d"
    assert show(text, Output.HTML).startswith("<mark>a</mark> ")


def test_a_heading_has_the_id_of_its_last_link() -> None:
    """GitBook writes one where the id is not made of the words."""
    text = '## Core <a href="#s" id="s"></a>\n\nA <a href="#t" id="t"></a>b.'
    assert show(text) == "## Core {#s}\n\nA b."
    assert show(text, Output.HTML) == '## Core {#s}\n\nA <a id="t"></a>b.'


def test_details_are_details() -> None:
    """Their text is Markdown."""
    text = "<details>\n\n<summary>More <b>x</b></summary>\n\nA *b*\n\n</details>"
    assert show(text) == "**More x**\n\nA *b*"
    html = show(text, Output.HTML)
    assert html == ("<details>\n<summary>More x</summary>\n\nA *b*\n\n</details>")
