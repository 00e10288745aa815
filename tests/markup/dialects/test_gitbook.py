"""GitBook's blocks, includes and HTML."""

import pytest

from asdlc_kb.markup.dialects.gitbook import GITBOOK
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of GitBook as GitHub's Markdown."""
    return translate(text, GITBOOK, output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{% hint style="info" %}\nA *b*.\n{% endhint %}', "> [!NOTE] Info\n> A *b*."),
        ('{% hint style="danger" %}A{% endhint %}', "> [!CAUTION] Danger\n> A"),
        ('{% hint style="success" %}\n## A\n\nb\n{% endhint %}',
         "> [!TIP]\n> ## A\n>\n> b"),
        ('{% embed url="https://e.org/v" %}', "[v](https://e.org/v)"),
        ('{% embed url="https://e.org/v" %}\nCaption\n{% endembed %}',
         "[Caption](https://e.org/v)"),
        ('{% file src="../.gitbook/assets/a b.pdf" %}\nThe PDF\n{% endfile %}',
         "[The PDF](../.gitbook/assets/a%20b.pdf)"),
        ('{% content-ref url="a.md" %}\n[a.md](a.md)\n{% endcontent-ref %}',
         "- [a.md](a.md)"),
        ('{% openapi src="x.json" path="/pets" method="get" %}\n[x](x.json)\n'
         "{% endopenapi %}", "[API operation GET /pets]"),
        ('{% code title="a.js" lineNumbers="true" %}\n```js\nx\n```\n{% endcode %}',
         '```js title="a.js"\nx\n```'),
        ("{% stepper %}\n{% step %}\n## One\n\na\n{% endstep %}\n\n"
         "{% step %}\n## Two\n{% endstep %}\n{% endstepper %}",
         "## One\n\na\n\n## Two"),
        ("{% columns %}\n{% column %}\nA\n{% endcolumn %}\n{% endcolumns %}", "A"),
        ("{% unknown %}\n\na {% other x=1 %}b", "\na b"),
        ("`{% hint %}`\n\n~~~\n{% hint %}\n~~~",
         "`{% hint %}`\n\n~~~\n{% hint %}\n~~~"),
    ],
)  # fmt: skip
def test_a_block_is_what_it_means(text: str, shown: str) -> None:
    """An unknown one is its text."""
    assert show(text) == shown


def test_tabs_are_tabs() -> None:
    """With any blocks in them."""
    text = (
        '{% tabs %}\n{% tab title="A" %}\na\n\n{% hint style="info" %}\nh\n'
        '{% endhint %}\n{% endtab %}\n\n{% tab title="B" %}\n```sh\nb\n```\n'
        "{% endtab %}\n{% endtabs %}"
    )
    shown = "**A**\n\na\n\n> [!NOTE] Info\n> h\n\n**B**\n\n```sh\nb\n```"
    assert show(text) == shown
    assert show(text, Output.HTML).count("<details") == 2


def test_numbers_of_lines_are_for_the_website() -> None:
    """Agents get the title."""
    text = '{% code lineNumbers="true" %}\n```js\nx\n```\n{% endcode %}'
    assert show(text, Output.HTML) == '```js linenums="1"\nx\n```'


def test_includes_are_found() -> None:
    """In either kind of quotation marks."""
    text = "{% include \"../.gitbook/includes/a.md\" %} {% include 'b.md' %}"
    found = [include.path for include in GITBOOK.find_includes(text)]
    assert found == ["../.gitbook/includes/a.md", "b.md"]
