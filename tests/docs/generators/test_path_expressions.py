"""Globs match what the tools match that read them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.generators.path_expressions import (
    MAX_CHARS,
    MAX_REPEATS,
    PathExpression,
    compile_expression,
    leave_only,
    translate_glob,
)

PAGES = (
    *("index.md", "README.md", "a/README.md", "drafts/a.md", "drafts/deep/b.md"),
    *("x/drafts/c.md", "x.draft.md", "x/y.draft.mdx", "2024-a.md", "x/12-b.md"),
    *("a1.md", "a12.md", "guide/index.md", "guide/adv/x.md", "guide/adv/y/z.mdx"),
    *("x/[id].md", "TODO.md"),
)


def find_matched(glob: str, *, is_hugo: bool = False) -> str:
    """Return the pages that a glob matches."""
    text = f"^(?:{translate_glob(glob, is_hugo=is_hugo)})$"
    expression = PathExpression(compile_expression(text))
    return " ".join(filter(expression.match, PAGES))


@pytest.mark.parametrize(
    ("glob", "pages"),
    [
        ("README.md", "README.md"),
        ("**/README.md", "README.md a/README.md"),
        ("**/(README|TODO).md", "README.md a/README.md TODO.md"),
        ("**/{drafts,internal}/**", "drafts/a.md drafts/deep/b.md x/drafts/c.md"),
        ("@(drafts|internal)/**", "drafts/a.md drafts/deep/b.md"),
        ("./drafts/", "drafts/a.md drafts/deep/b.md"),
        ("**/drafts", "drafts/a.md drafts/deep/b.md x/drafts/c.md"),
        ("drafts/*.md", "drafts/a.md"),
        ("**/*.draft.{md,mdx}", "x.draft.md x/y.draft.mdx"),
        ("**/+([0-9])-*.md", "2024-a.md x/12-b.md"),
        ("a?([0-9])[12].md", "a1.md a12.md"),
        ("a?.md", "a1.md"),
        ("[!a-z]*.md", "README.md 2024-a.md TODO.md"),
        ("guide/**/x.md", "guide/adv/x.md"),
        ("guide/*/**", "guide/adv/x.md guide/adv/y/z.mdx"),
        ("{guide/adv,drafts}/*", "drafts/a.md drafts/deep/b.md guide/adv/x.md "),
        ("x/\\[id\\].md", "x/[id].md"),
        ("{**/TODO,**/y}*", "x/y.draft.mdx guide/adv/y/z.mdx TODO.md"),
        ("**/**/y/**", "guide/adv/y/z.mdx"),
        ("*(a)1.md", "a1.md"),
        ("{**/q,**/r,**/s,**/t,**/y}/**", "guide/adv/y/z.mdx"),
        ("*/*/*/*", "guide/adv/y/z.mdx"),
        ("Drafts/**", ""),
    ],
)
def test_globs_of_javascript_tools(glob: str, pages: str) -> None:
    """As tinyglobby matches them; a folder stands for what is below it."""
    found = find_matched(glob)
    if glob.startswith("{guide"):
        pages += "guide/adv/y/z.mdx"
    assert found == pages


def test_a_double_star_at_the_beginning_matches_any_path() -> None:
    """Without a slash as well."""
    for glob in ("**", "**/*", "**.md*"):
        assert find_matched(glob) == " ".join(PAGES)


@pytest.mark.parametrize(
    ("glob", "pages"),
    [
        ("/drafts/**", "drafts/a.md drafts/deep/b.md"),
        ("**.draft.md", "x.draft.md"),
        ("**/c.md", "x/drafts/c.md"),
        ("**/README.md", "a/README.md"),
        ("{drafts,guide}/?.md", "drafts/a.md"),
        ("x/(y)*", ""),
    ],
)
def test_globs_of_hugo(glob: str, pages: str) -> None:
    """A double star matches slashes anywhere, and parentheses are characters."""
    assert find_matched(glob, is_hugo=True) == pages


@pytest.mark.parametrize(
    "glob",
    ["!a", "!(a)/**", "{1..3}.md", "+(a*)", "*(a|b*)c", "*a*a*a*b", "a/**/b" * 4],
)
def test_globs_that_are_not_read(glob: str) -> None:
    """Ranges, negations, a repeated wildcard, and many of them."""
    with pytest.raises(ValueError):
        translate_glob(glob)


@given(st.text(st.sampled_from("ab/*?!@+#[](){}|,\\^-. "), max_size=16))
def test_no_glob_fails_in_another_way(glob: str) -> None:
    """One that is translated can be matched."""
    try:
        expression = compile_expression(translate_glob(glob))
    except (ValueError, re.error):
        return
    PathExpression(expression).match("a/b" * 40)


@pytest.mark.parametrize("text", ["(a+)+", "(a|b){2,}", "(a)*?", "a" * (MAX_CHARS + 1)])
def test_an_expression_that_may_be_slow_is_none(text: str) -> None:
    """A group that is repeated, or one that is long."""
    with pytest.raises(ValueError):
        compile_expression(text)
    assert compile_expression(r".*a.+b\.*\+", MAX_REPEATS)
    with pytest.raises(ValueError):
        compile_expression(".*a.*a.*a.*b", MAX_REPEATS)


def test_a_path_has_the_lead_of_its_folder() -> None:
    """Folders above the lead do not count."""
    expression = PathExpression(re.compile("^/content/a(/b)?$"), "/content/")
    assert expression.match("a/")
    assert expression.match("a/x/y.md")
    inner = PathExpression(expression.expression, "/content/a/")
    assert inner.match("b/c.md")
    assert not inner.match("c.md")


def test_an_expression_may_be_for_files_only() -> None:
    """Then a folder is searched for the files that it does not match."""
    expression = leave_only(["a/b.md", "c+.md"], ".md")
    assert [
        name for name in ("a/", "a/b.md", "c+.md", "d.txt") if expression.match(name)
    ] == []
    assert all(map(expression.match, ("a/c.md", "cc.md", "b.md", "x\n.md")))
