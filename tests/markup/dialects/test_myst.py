"""Directives, roles, labels and links of MyST."""

import pytest

from asdlc_kb.markup.dialects.myst import MYST
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of MyST as GitHub's Markdown."""
    return translate(text, MYST, output).strip("\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("```{note}\nA {doc}`b`.\n```", "> [!NOTE]\n> A [b](b)."),
        (":::{tip} A\nb\n:::", "> [!TIP]\n> A\n>\n> b"),
        ("~~~{admonition} T *x*\n:class: warning\n\na\n~~~",
         "> [!WARNING] T *x*\n> a"),
        ("```{note}\n:class: dropdown\na\n```", "> [!NOTE]-\n> a"),
        ("```{versionadded} 2.1 With *x*.\n```", "*Added in version 2.1:* With *x*."),
        ("```{deprecated} 3\nUse b.\n```", "*Deprecated since version 3:*\n\nUse b."),
        ("```{code-block} python\n:caption: a.py\n:linenos:\n\n# {ref}`x`\n```",
         '```python title="a.py"\n# {ref}`x`\n```'),
        ("```{code-cell} ipython3\n---\ntags: [x]\n---\n1\n```", "```python\n1\n```"),
        ("```{eval-rst}\n.. note:: a\n```", "```rst\n.. note:: a\n```"),
        ("```{math}\n:label: a\nx^2\n```", "$$\nx^2\n$$"),
        ("```{figure} a.png\n:alt: A\n:name: f\n\nThe *A*.\n```",
         "![A](a.png)\n\nThe *A*."),
        ("```{image} a.png\n:target: https://e.org\n```",
         "[![](a.png)](https://e.org)"),
        ("```{toctree}\n:caption: A\nb\n```", ""),
        ("```{dropdown} Sum\na\n```", "**Sum**\n\na"),
        (":::{card} T\n:link: b\n:link-type: doc\na\n:::", "- [T](b): a"),
        ("::::{grid} 2\n:gutter: 1\n:::{grid-item}\na\n:::\n::::", "a"),
        ("```{rubric} R\n```", "**R**"),
        ("```{autofunction} a.b\n:noindex:\n```", "API reference: `a.b`"),
        ("```{py:function} f(x)\nDoes.\n```", "API reference: `f(x)`\n\nDoes."),
        ("```{prf:theorem} T\na\n```", "> [!NOTE] Theorem: T\n> a"),
        ("```{youtube} abc\n```", "[Video](https://www.youtube.com/watch?v=abc)"),
        ("```{button-link} https://e.org\nGo\n```", "[Go](https://e.org)"),
        ("```{unknown} x\na *b*\n```", "a *b*"),
        ("```{table} T\n| a |\n|---|\n| b |\n```", "**T**\n\n| a |\n|---|\n| b |"),
        ("% note\n(here)=\n\n## A\n\n+++ {}\n\nb", "## A\n\n\nb"),
        ("::: {.cls}\na\n:::\n\n:::box\nb\n:::", "a\n\nb"),
        ("```{note} {x}\n```", "> [!NOTE]\n> {x}"),
        (":::{note} Use `a`\nb\n:::", "> [!NOTE]\n> Use `a`\n>\n> b"),
        ("```{a}`b` c", "```{a}`b` c"),
        ("[a](b.md){.c} d\n", "[a](b.md) d"),
        ("```py\n{ref}`a`\n```", "```py\n{ref}`a`\n```"),
    ],
)  # fmt: skip
def test_a_directive_is_what_it_means(text: str, shown: str) -> None:
    """Comments, labels and borders of cells are nothing for agents."""
    assert show(text) == shown


def test_tabs_are_tabs() -> None:
    """Code in tabs is named by its language."""
    text = (
        "::::{tab-set}\n:::{tab-item} A\n:sync: a\na\n:::\n:::{tab-item} B\n"
        "```sh\nb\n```\n:::\n::::"
    )
    assert show(text) == "**A**\n\na\n\n**B**\n\n```sh\nb\n```"
    assert show(text, Output.HTML).count("<details") == 2
    code = "````{tab-set-code}\n```{code-block} js\na\n```\n````"
    assert show(code) == "**js**\n\n```js\na\n```"


def test_a_list_of_rows_is_a_table() -> None:
    """A list, if a cell has blocks; without a head, the first row is empty."""
    rows = "* - A\n  - B b\n    c\n* - d\n  -\n"
    table = "| A | B b c |\n| --- | --- |\n| d |  |"
    text = f"```{{list-table}} T\n:header-rows: 1\n\n{rows}```"
    assert show(text) == f"**T**\n\n{table}"
    assert show(f"```{{list-table}}\n{rows}```").startswith("|  |  |\n| --- | --- |\n")
    blocks = "````{list-table}\n* - A\n  - - b\n````"
    assert show(blocks) == "* - A\n  - - b"


def test_labels_are_targets_on_the_website() -> None:
    """Of sections and figures; their case does not count."""
    text = "(A-b)=\n## H\n\n```{figure} a.png\n:name: F\n```"
    shown = show(text, Output.HTML)
    assert '<a id="a-b"></a>' in shown
    assert '<a id="f"></a>' in shown


def test_substitutions_have_values() -> None:
    """Not in code, and not without one."""
    text = "{{ a }} `{{ a }}` {{b}}\n\n```\n{{ a }}\n```"
    assert MYST.fill(text, {"myst.a": "x"}) == text.replace("{{ a }}", "x", 1)
