"""Directives: containers between colons, titles, nesting, and what is none."""

import pytest

from asdlc_kb.markup.dialects.directives import find_directives
from asdlc_kb.markup.dialects.docusaurus import DOCUSAURUS
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate
from asdlc_kb.markup.dialects.vitepress import VITEPRESS


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of Docusaurus as GitHub's Markdown."""
    return translate(text, DOCUSAURUS, output).strip("\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (":::tip\na\n:::", "> [!TIP]\n> a"),
        (":::note[A *b* [c](d)]\na\n:::", "> [!NOTE] A *b* [c](d)\n> a"),
        ("::: warning A title\na\n:::", "> [!WARNING] A title\n> a"),
        (':::tip{icon="heart"}\na\n:::', "> [!TIP]\n> a"),
        (':::info{title="T"}\na\n:::', "> [!NOTE] T\n> a"),
        (":::danger\n\n  a\n\n:::", "> [!CAUTION] Danger\n> a"),
        ("- x\n\n  :::tip\n  a\n  :::\n", "- x\n\n  > [!TIP]\n  > a"),
        (":::tip\na", "> [!TIP]\n> a"),
        ("a\n:::\nb", "a\nb"),
        (":::unknown\na\n:::", "a"),
        (":::注意[A b]\na\n:::", "**A b**\n\na"),
        (":::[A b]\na\n:::", "> [!NOTE] A b\n> a"),
        ("::leaf[Label]{a=b}", "Label"),
        ("see :abbr[HTML]{title=x} now", "see HTML now"),
        ("::: details Sum\na\n:::", "**Sum**\n\na"),
        ("```\n:::tip\n```", "```\n:::tip\n```"),
        ("at 10:30 or a::b", "at 10:30 or a::b"),
    ],
)
def test_a_directive_is_written_as_what_it_means(text: str, shown: str) -> None:
    """Callouts, details, and texts."""
    assert show(text) == shown


def test_containers_nest_by_the_number_of_colons() -> None:
    """An inner one may also have as many as the outer one."""
    nested = "> [!NOTE]\n> a\n>\n> > [!TIP]\n> > b\n>\n> c"
    for outer in (":::", "::::"):
        assert show(f"{outer}note\na\n:::tip\nb\n:::\nc\n{outer}") == nested


def test_a_closing_line_ends_the_containers_in_its_own() -> None:
    """Their own closing lines are missing."""
    assert find_directives(["::::a", ":::b", "x", "::::"]) == {0: 3, 1: 3}
    assert find_directives([":::a", "x"]) == {0: 2}


def test_details_of_vitepress_can_be_open() -> None:
    """By an attribute."""
    text = "::: details `Sum` {open}\na\n:::"
    html = translate(text, VITEPRESS, Output.HTML)
    assert html == "<details open>\n<summary>Sum</summary>\n\na\n\n</details>"


def test_code_groups_of_vitepress_are_tabs() -> None:
    """Named in brackets behind the language."""
    text = "::: code-group\n```sh [npm]\na\n```\n\n```sh [pnpm]\nb\n```\n:::"
    markdown = translate(text, VITEPRESS, Output.MARKDOWN)
    assert markdown == "**npm**\n\n```sh\na\n```\n\n**pnpm**\n\n```sh\nb\n```"
    html = translate(text, VITEPRESS, Output.HTML)
    assert html.count("<summary>") == 2


def test_any_number_of_containers_may_be_open() -> None:
    """D-139: a line costs the same however many are open around it."""
    lines = [":::a"] * 50_000 + [":::"] * 50_000
    ends = find_directives(lines)
    assert ends[0] == len(lines) - 1
    assert ends[49_999] == 50_000


def test_tabs_of_vuepress_begin_with_marks() -> None:
    """Those of plugins of VitePress too; a container without a mark is its text."""
    text = (
        "::: code-tabs#sh\n\n@tab:active `npm`\n```sh\n@tab x\n```\n@tab yarn\nb\n:::"
    )
    shown = translate(text, VITEPRESS, Output.MARKDOWN)
    assert shown == "**`npm`**\n\n```sh\n@tab x\n```\n\n**yarn**\n\nb"
    text = "::: tabs\n== A\na\n== B\n- b\n:::"
    assert translate(text, VITEPRESS, Output.HTML).count("<details") == 2
    assert translate("::: tabs#a\nc\n:::", VITEPRESS, Output.MARKDOWN) == "c"


def test_a_title_has_no_components() -> None:
    """Their text is in it."""
    text = "::: warning W <Version>3.2</Version>\na\n:::"
    assert translate(text, VITEPRESS, Output.MARKDOWN) == "> [!WARNING] W 3.2\n> a"
