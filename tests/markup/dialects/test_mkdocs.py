"""The dialect of MkDocs as a whole."""

import pytest
from support.cpu_time import bounded_cpu_time

from asdlc_kb.markup.dialects.mkdocs import MKDOCS
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate
from asdlc_kb.markup.html_renderer import render


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of MkDocs as GitHub's Markdown."""
    return translate(text, MKDOCS, output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`#!py range(3)` or `` #!sh ` ``", "`range(3)` or `` ` ``"),
        ("`:::py x`", "`x`"),
        ("`#!` and `#!py`", "`#!` and `#!py`"),
        ("::: app.models.User\n    options:\n      x: y\n\nz", None),
        ("[TOC]\n\n# A", "\n# A"),
        ("```py\nx = 1  # (1)!\n```", "```py\nx = 1  # (1)\n```"),
        ('```\n;--8<-- "a.md"\n```', '```\n--8<-- "a.md"\n```'),
        (';--8<-- "a.md"', '--8<-- "a.md"'),
        ("[](){#part}\n## A", "\n## A"),
        ("{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
        ("{{ macro(1) }} and {% if x %}", "{{ macro(1) }} and {% if x %}"),
        ("<!-- md:version 9.1 --> text", "<!-- md:version 9.1 --> text"),
        ("#### <!-- md:setting theme.icon -->", "#### `icon` {#theme.icon}"),
        ("The HTML\n\n*[HTML]: Markup\n", "The HTML (Markup)\n\n"),
        ("- :material-home: Home :tada:", "- Home 🎉"),
        ("[Go :material-arrow-right:](a.md){ .md-button }", "[Go →](a.md)"),
    ],
)
def test_constructs_become_githubs_markdown(text: str, shown: str | None) -> None:
    """Without marks of their own."""
    if shown is None:
        shown = "API reference: `app.models.User`\n\nz"
    assert show(text) == shown


def test_text_of_a_construct_may_be_indented_with_tabs() -> None:
    """Tabs in code stay."""
    text = "!!! note\n\n\tso\n\n\t```make\n\ta:\n\t\tb\n\t```\n\n```\n\tc\n```"
    assert show(text) == (
        "> [!NOTE]\n> so\n>\n> ```make\n> a:\n> \tb\n> ```\n\n```\n\tc\n```"
    )
    text = "```\n\ta\n```\n\n\tb"
    assert show(text) == text


def test_anchors_are_targets_of_links_on_the_website() -> None:
    """Agents find headings."""
    assert show("[](){#part}\ntext", Output.HTML) == '<a id="part"></a>\ntext'


def test_settings_of_material_are_terms_with_their_name() -> None:
    """Its pages have a comment instead, which a hook replaces."""
    text = "<!-- md:option type:note -->\n\n:   Text\n"
    assert show(text) == "`note`\n:   Text\n"
    html = render(show(text, Output.HTML)).text
    assert "<code>note</code></p></dt>" in html.replace("\n", "")


@pytest.mark.parametrize(
    "part",
    [
        *(
            '!!! note "',
            "!!! note\n",
            "??? x\n    ",
            '=== "',
            '=== "a"\n',
            "/// note\n",
        ),
        *("//// tab | a\n", "///\n", "<div markdown>\n", "<div markdown>", "</div>\n"),
        *("<details markdown>\n<summary>", "a\n:   ", "a\n\n:   b\n", ":   x\n"),
        *("{* a ", "--8<--\n", '--8<-- "', "{!a", "::: a.b\n", "[](){#a", "`#!py "),
        *("{++", "{--a", "{~~a~>", "{==\n", "*[a]: b\n", ":a", ":material-a", "{ .a"),
        *("[](", "<!-- md:option ", "#### a {", "(1)!", "> !!! note\n", "- !!! a\n  "),
    ],
)
def test_a_text_of_marks_only_costs_no_more_than_its_length(part: str) -> None:
    """It is translated within the time of a test, and rendered without failing."""
    text = part * (20_000 // len(part))
    for output in Output:
        with bounded_cpu_time():
            assert isinstance(show(text, output), str)


def test_link_definitions_below_a_list_do_not_spread_it() -> None:
    """Python-Markdown reads the list as tight; those in a callout stay there."""
    text = "- [A]\n- [B]\n\n  [A]: a.md\n  [B]: b.md\n\nend\n"
    assert show(text) == "- [A]\n- [B]\n\n[A]: a.md\n[B]: b.md\n\nend\n"
    inside = show("!!! note\n    [A]\n\n    [A]: a.md\n\n    more\n")
    assert inside == "> [!NOTE]\n> [A]\n>\n> [A]: a.md\n>\n> more\n"
    code = "```\n\n  [A]: a.md\n```\n"
    assert show(code) == code


def test_a_session_of_termynal_is_plain_code() -> None:
    """Its colours are tags in the code, its signs entities."""
    text = (
        '<div class="termy">\n\n```console\n$ <font color="#0A0">run</font> &lt;x&gt;\n'
        "```\n\n</div>\n\nend"
    )
    assert show(text) == "```console\n$ run <x>\n```\n\nend"
    unclosed = '<div class="termy">\n\n```console\n$ <b>x</b>\n```'
    assert "<b>x</b>" in show(unclosed)
