"""docsify's tips, tabs, options of links and headings, and embedded files."""

import pytest

from asdlc_kb.markup.dialects.docsify import DOCSIFY
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of docsify as GitHub's Markdown."""
    return translate(text, DOCSIFY, output)


def test_tips_are_callouts() -> None:
    """Up to a blank line or the next one."""
    shown = show("?> A *b*\nmore\n\n!> C\n?> D")
    assert shown == "> [!TIP]\n> A *b*\n> more\n\n> [!IMPORTANT]\n> C\n\n> [!TIP]\n> D"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[a](b ':ignore')", "[a](b)"),
        ("[a](b ':ignore The title')", '[a](b "The title")'),
        ("[a](b ':target=_blank') c", "[a](b) c"),
        ("![a](b.png ':size=100x50')", "![a](b.png)"),
        ('[a](b ":class=x :id=y")', "[a](b)"),
        ("[a](b 'A title: kept')", "[a](b 'A title: kept')"),
        ("## A b :id=c-d", "## A b {#c-d}"),
        ("## A {docsify-ignore}", "## A"),
        ("## A <!-- {docsify-ignore-all} -->", "## A"),
        ("`[a](b ':ignore')`", "`[a](b ':ignore')`"),
        ("- [ ] a :smile:", "- [ ] a 😄"),
    ],
)
def test_options_are_left_out(text: str, shown: str) -> None:
    """Titles and ids stay."""
    assert show(text) == shown


def test_tabs_begin_at_headings() -> None:
    """Or at comments; a heading in code is none."""
    text = (
        "<!-- tabs:start -->\n\n#### **A**\n\na\n\n```md\n#### **No**\n```\n\n"
        "<!-- tab:B -->\n\nb\n\n<!-- tabs:end -->\nafter"
    )
    shown = "**A**\n\na\n\n```md\n#### **No**\n```\n\n**B**\n\nb\n\nafter"
    assert show(text) == shown
    assert show(text, Output.HTML).count("<details") == 2


def test_embedded_files_are_found() -> None:
    """Markdown as text, other files as code; no frames, no other sites."""
    text = (
        "[a](x.md ':include') [b](y.js ':include :type=code :fragment=demo')\n"
        "[c](z.html ':include :type=iframe') [d](https://e.org/x.md ':include')\n"
        "[e](w.md ':include :type=code') [f](v.mp4 ':include')"
    )
    found = [(i.path, i.section, i.language) for i in DOCSIFY.find_includes(text)]
    assert found == [("x.md", "", None), ("y.js", "demo", "js"), ("w.md", "", "md")]
    shown = "[c](z.html) [d](https://e.org/x.md)"
    assert shown in show(text)
