"""Links of a Markdown text, replaced in place and never in code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup import link_rewriter
from asdlc_kb.markup.link_rewriter import rewrite_links
from asdlc_kb.markup.outline import read_outline


def double(href: str) -> str | None:
    """Return a new destination for all but some links."""
    return None if href.startswith("no") else f"new/{href}"


REWRITTEN = {
    "[a](b.md)": "[a](new/b.md)",
    "[a](b.md#c 'title') [d](no.md)": "[a](new/b.md#c 'title') [d](no.md)",
    "[a]( <b c.md> )": "[a]( <new/b c.md> )",
    "[a]: b.md\n[b]: <c.md> 'x'": "[a]: new/b.md\n[b]: <new/c.md> 'x'",
    "<a href='b.md' HREF=\"c.md\">": "<a href='new/b.md' HREF=\"new/c.md\">",
    "- [a](b)\n  - [c](d)": "- [a](new/b)\n  - [c](new/d)",
    "- x\n\n  [a](b)\n\n      [code](c)": "- x\n\n  [a](new/b)\n\n      [code](c)",
    "1. x\n\n    [a](b)": "1. x\n\n    [a](new/b)",
    "x\n    [a](b)": "x\n    [a](new/b)",
    "> [a](b)\n> `c\n> d` [e](f)": "> [a](new/b)\n> `c\n> d` [e](new/f)",
    "| [a](b) | `[c](d)` |": "| [a](new/b) | `[c](d)` |",
    "- a ` b\n- `[c](d)`": "- a ` b\n- `[c](d)`",
    "\\`[a](b)\\`": "\\`[a](new/b)\\`",
    "# [a](b)": "# [a](new/b)",
    "```\n[a](b)\n```\n[c](d)": "```\n[a](b)\n```\n[c](new/d)",
    "- x\n\n  ```\n  [a](b)\n  ```\n  [c](d)": "- x\n\n  ```\n  [a](b)\n  ```\n"
    "  [c](new/d)",
    "[a](b)\r\n[c](d)": "[a](new/b)\r\n[c](new/d)",
}
KEPT = (
    *("`[a](b)`", "`` ` [a](b) ``", "`a\n[b](c)`", "    [a](b)", "x\n\n\t[a](b)"),
    *("```\n[a](b)", "<!--\n[a](b)\n-->", "<pre>\n[a](b)\n\n[c](d)\n</pre>"),
    *("\\[a\\](b)", "[a](b(c).md)", "[a](b&amp;c)", "[a](b\\_c)", "words", ""),
    *("- x\n\n      [a](b)", "[a](b)\0", "# x\n    [a](b)", "[a] (b)"),
)


@pytest.mark.parametrize(("text", "expected"), REWRITTEN.items())
def test_links_are_rewritten(text: str, expected: str) -> None:
    """Inline, by reference, and in raw HTML."""
    assert rewrite_links(text, double) == expected


@pytest.mark.parametrize("text", KEPT)
def test_code_and_odd_links_stay(text: str) -> None:
    """Whatever shows its text as it is, and what may not be a link."""
    assert rewrite_links(text, double) == text


def test_few_links_of_a_text_are_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work for a text is bounded; each link is resolved once."""
    monkeypatch.setattr(link_rewriter, "MAX_REWRITTEN", 2)
    text = "[1](a) [2](b) [3](c) [4](a)"
    assert rewrite_links(text, double) == "[1](new/a) [2](new/b) [3](c) [4](new/a)"


PIECES = st.sampled_from(
    [
        *("[a](b.md)", "`[g](h.md)`", "```\n[i](j.md)\n```", "words", "## Heading"),
        *("- item", "- [k](l.md)", "    [m](n.md)", "> [o](p.md)", "1. x"),
    ]
)


@given(st.lists(PIECES, max_size=8))
def test_the_grammar_agrees_about_code(pieces: list[str]) -> None:
    """In usual texts all links are rewritten, and nothing else."""
    text = "\n\n".join(pieces)
    before = [link.href for link in read_outline(text).links]
    shown = rewrite_links(text, double)
    assert [link.href for link in read_outline(shown).links] == [
        f"new/{href}" for href in before
    ]
    assert shown.count("new/") == len(before)


@given(st.text("[]()`~<>: \n\\a'\"=href-|#1.\t>", max_size=80))
def test_any_text_is_kept_but_for_its_links(text: str) -> None:
    """Without new destinations it is the same."""
    assert rewrite_links(text, lambda _: None) == text
    assert rewrite_links(text, lambda href: f"\1{href}").replace("\1", "") == text
