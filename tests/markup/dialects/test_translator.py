"""Translation of a dialect's constructs, of code, and of marks in a paragraph."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.dialects.constructs import write_callout
from asdlc_kb.markup.dialects.dialect import (
    GITHUB,
    BlockRule,
    Dialect,
    InlineRule,
    Written,
)
from asdlc_kb.markup.dialects.source import MAX_DEPTH, Output, Source
from asdlc_kb.markup.dialects.table import DIALECTS
from asdlc_kb.markup.dialects.translator import translate


def _read_box(first: re.Match[str], source: Source) -> Written:
    body, end = source.take_indented(source.at + 1)
    return Written(write_callout(first[1], "", source.translate(body)), end)


def _write_mark(mark: re.Match[str], output: Output) -> str:
    return f"<mark>{mark[1]}</mark>" if output is Output.HTML else mark[1]


BOXES = Dialect(
    "boxes",
    (BlockRule(re.compile(r"!!! (\w+)"), _read_box),),
    (InlineRule(re.compile(r"==([^=\s]+)=="), _write_mark),),
)


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of the small dialect above as GitHub's Markdown."""
    return translate(text, BOXES, output)


def test_a_block_is_apart_from_the_text_around_it() -> None:
    """Otherwise the line after a callout would belong to it."""
    shown = show("above\n!!! tip\n    inside\nbelow")
    assert shown == "above\n\n> [!TIP]\n> inside\n\nbelow"


def test_the_text_of_a_block_is_translated_too() -> None:
    """Blocks nest, and marks inside them are replaced."""
    shown = show("!!! note\n    ==a==\n\n    !!! tip\n        ==b==\n")
    assert shown == "> [!NOTE]\n> a\n>\n> > [!TIP]\n> > b\n"


def test_a_block_in_a_list_item_keeps_its_indent() -> None:
    """It stays a part of the item."""
    shown = show("- item\n\n    !!! tip\n        inside\n\n    more\n")
    assert shown == "- item\n\n    > [!TIP]\n    > inside\n\n    more\n"


@pytest.mark.parametrize(
    "text",
    [
        "```\n!!! tip\n==x==\n```",
        "~~~ text\n!!! tip\n~~~",
        "- item\n\n    ```\n    !!! tip\n    ```",
        "    !!! tip\n        ==x==",
        "text `==x==` and \\==x==",
        "[text](a==b==) <a href='==x=='>y</a> https://example.com/==x==",
        "```\n!!! tip\nnever closed",
    ],
)
def test_code_tags_and_addresses_are_unchanged(text: str) -> None:
    """Documentation shows the marks of its own generator."""
    assert show(text) == text


def test_marks_become_tags_for_the_website_only() -> None:
    """Agents get the words."""
    assert show("so ==much== more") == "so much more"
    assert show("so ==much== more", Output.HTML) == "so <mark>much</mark> more"


def test_a_fence_in_a_fence_is_code() -> None:
    """A closing fence is not indented by four columns more than the opening one."""
    text = "```\n=== x\n    ```\n!!! tip\n```\n==a=="
    assert show(text) == "```\n=== x\n    ```\n!!! tip\n```\na"


@pytest.mark.parametrize(
    ("line", "is_end"),
    [
        *(("```", True), ("````` \t", True), ("   ```", True), ("> ```", True)),
        *(("``", False), ("~~~", False), ("``` a", False), ("a ```", False)),
        *(("     ```", False), ("```~~~", False), ("", False)),
    ],
)
def test_code_ends_at_a_line_of_its_mark(line: str, is_end: bool) -> None:
    """At least as long, and indented by up to three columns more."""
    assert show(f"```\n{line}\n==a==") == f"```\n{line}\n{'a' if is_end else '==a=='}"


def test_the_mark_of_code_may_have_any_length() -> None:
    """D-139: it is a part of no pattern."""
    mark = "~" * 1_000_000
    assert show(f"{mark}\n==a==\n{mark}\n==b==") == f"{mark}\n==a==\n{mark}\nb"


def test_a_line_without_indent_continues_a_list_item() -> None:
    """If no blank line is above it."""
    text = "- item\nmore\n\n    !!! tip\n        inside"
    assert show(text) == "- item\nmore\n\n    > [!TIP]\n    > inside"


def test_code_spans_can_be_rewritten() -> None:
    """Some dialects have the language in them."""
    dialect = Dialect("spans", rewrite_span=lambda span: span.replace("#!py ", ""))
    text = "a `#!py x` b #!py c `` #!py ` ``"
    assert translate(text, dialect, Output.HTML) == "a `x` b #!py c `` ` ``"
    assert not dialect.is_plain


def test_later_rules_do_not_read_what_a_final_rule_writes() -> None:
    """A formula has marks of its own."""
    formula = InlineRule(
        re.compile(r"\$([^$]+)\$"), lambda match, output: match[0], is_final=True
    )
    dialect = Dialect("formulas", inlines=(formula, *BOXES.inlines))
    text = "$a==b== `c`$ ==d== \0"
    shown = translate(text, dialect, Output.MARKDOWN)
    assert shown == "$a==b== `c`$ d \N{REPLACEMENT CHARACTER}"


def test_what_is_only_layout_of_code_is_not_shown_to_agents() -> None:
    """They get the language and the title."""
    text = '```{ .py .annotate title="a.py" hl_lines="1 3-4" linenums="5" }\nx\n```'
    assert show(text) == '```py title="a.py"\nx\n```'
    html = show(text, Output.HTML)
    assert html == '```py title="a.py" {1,3-4} linenums="5"\nx\n```'


def test_a_block_in_a_quotation_is_translated() -> None:
    """The quotation stays one; others keep every character."""
    shown = show("> above\n> !!! tip\n>     ==x==\n>> nested")
    assert shown == "> above\n>\n> > [!TIP]\n> > x\n>\n> > nested"
    assert show(">above\n>> nested\nlazy") == ">above\n>> nested\nlazy"
    assert show("- a\n\n  > !!! tip\n  >     b") == "- a\n\n  > > [!TIP]\n  > > b"


def test_a_rule_may_read_addresses() -> None:
    """Generators put their tags there."""
    rule = InlineRule(
        re.compile(r"@(\w+)@"), lambda mark, _: mark[1], in_addresses=True
    )
    dialect = Dialect("at", (), (rule,))
    text = "[x](@a@) <b title='@c@'> `@d@`"
    shown = translate(text, dialect, Output.MARKDOWN)
    assert shown == "[x](a) <b title='c'> `@d@`"


def test_too_deeply_nested_blocks_stay_as_they_are_written() -> None:
    """A hostile text costs no more than its limit."""
    text = "\n".join(f"{' ' * 4 * n}!!! tip" for n in range(MAX_DEPTH + 3))
    shown = show(text)
    assert shown.count("[!TIP]") == MAX_DEPTH
    assert shown.count("!!! tip") == 3


def test_a_dialect_can_have_no_indented_code() -> None:
    """In MDX a text is indented as the components around it are."""
    dialect = replace(BOXES, has_indented_code=False)
    text = "    !!! tip\n        ==x=="
    shown = "    > [!TIP]\n    > x"
    assert translate(text, dialect, Output.MARKDOWN) == shown


def test_a_text_is_prepared_before_its_translation() -> None:
    """The rules read what is left."""
    dialect = replace(BOXES, prepare=lambda text: text.replace("import", ""))
    assert translate("import==x==", dialect, Output.MARKDOWN) == "x"


def test_githubs_markdown_is_not_translated() -> None:
    """A tree whose generator is not known is served as it is."""
    text = "!!! note\n    ==x== ```a b```"
    assert translate(text, GITHUB, Output.HTML) is text


@given(
    dialect=st.sampled_from(list(DIALECTS.values())),
    output=st.sampled_from(Output),
    text=st.lists(
        st.text("ab \n`~#>-!?/:=[](){}<>\"'*_^%&|1.+$@;\\", max_size=40), max_size=12
    ).map("\n".join),
)
def test_no_text_makes_a_translation_fail(
    dialect: Dialect, output: Output, text: str
) -> None:
    """Each dialect takes any text."""
    assert isinstance(translate(text, dialect, output), str)


@given(
    dialect=st.sampled_from(list(DIALECTS.values())),
    text=st.lists(
        st.sampled_from(
            [
                *("# Heading", "A plain sentence, with `code` and *emphasis*.", ""),
                *("- item", "  more of it", "1. step", "> quoted", "| a | b |"),
                *("```py\nx = 1\n```", "[link](page.md#part)", "![](a.png)", "---"),
            ]
        ),
        max_size=20,
    ).map("\n".join),
)
def test_a_text_without_marks_is_unchanged(dialect: Dialect, text: str) -> None:
    """Every dialect contains plain Markdown."""
    assert translate(text, dialect, Output.MARKDOWN) == text
    assert translate(text, dialect, Output.HTML) == text
