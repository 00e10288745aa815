"""Kramdown's attribute lists of blocks, tables of contents and extensions."""

import pytest

from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.kramdown import KRAMDOWN_BLOCKS, KRAMDOWN_INLINES
from asdlc_kb.markup.dialects.markdown_in_html import find_tags
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

KRAMDOWN = Dialect(
    "kramdown", KRAMDOWN_BLOCKS, KRAMDOWN_INLINES, find_elements=find_tags
)


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of kramdown as GitHub's Markdown."""
    return translate(text, KRAMDOWN, output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{: .note }\nA *b*\nmore\n\nend", "> [!NOTE]\n> A *b*\n> more\n\nend"),
        ("{: .warning }\n> A\n>\n> b", "> [!WARNING]\n> A\n>\n> b"),
        ("{: .important-title }\n> My title\n>\n> b", "> [!IMPORTANT] My title\n> b"),
        ("Look out\n{: .notice--info}\n\nend", "> [!NOTE] Info\n> Look out\n\nend"),
        ("> Look\n{: .prompt-tip }", "> [!TIP]\n> Look"),
        ("A\n{: .alert .alert-info }", "> [!NOTE] Info\n> A"),
        ("{: .important }\n> {: .warning }\n> A",
         "> [!IMPORTANT]\n> > [!WARNING]\n> > A"),
        ("> {: .note }\n> A", "> > [!NOTE]\n> > A"),
        ("{: .note }\n```\na\n\nb\n```", "> [!NOTE]\n> ```\n> a\n>\n> b\n> ```"),
    ],
)  # fmt: skip
def test_a_block_with_the_class_of_a_callout_is_one(text: str, shown: str) -> None:
    """The list is above the block or below it."""
    assert show(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1. TOC\n{:toc}\n\nA", "\nA"),
        ("- x\n{: toc .y}", ""),
        ("# A\n\n{: .fs-6 }\nB", "# A\n\nB"),
        ("A\n{: .fs-6 }\nB", "A\nB"),
        ("{:name: .cls}\nA", "A"),
        ("- {: .x} A", "- A"),
        ("[^1]: {: .x} A", "[^1]: A"),
        ('{::options parse_block_html="true" /}\nA', "A"),
        ("{::comment}\nhidden\n{:/comment}\nA", "A"),
        ("{::nomarkdown}\n<b>x</b>\n{:/}\nA", "<b>x</b>\n\nA"),
        ("A{::comment}hidden{:/} b", "A b"),
        ("<details markdown='block'>\n<summary>Contents</summary>\n{: .x }\n"
         "1. TOC\n{:toc}\n</details>\nA", "A"),
    ],
)  # fmt: skip
def test_layout_is_left_out(text: str, shown: str) -> None:
    """The text around it stays."""
    assert show(text) == shown


@pytest.mark.parametrize(
    "text", ["`{: .note }`", "```\n{: .note }\n```", "{: a", "{::x"]
)
def test_what_is_no_list_is_unchanged(text: str) -> None:
    """Code, and lists without an end."""
    assert show(text) == text


def test_code_below_a_tag_is_code() -> None:
    """In GitHub's Markdown the tag's block would contain it."""
    assert show("<div>\nx\n</div>\n```\ny\n```").endswith("</div>\n\n```\ny\n```")
    text = "<div markdown='1'>\nA *b*\n</div>\n```\ny\n```"
    assert show(text) == "A *b*\n\n```\ny\n```"
