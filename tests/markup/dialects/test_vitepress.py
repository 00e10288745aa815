"""A page of VitePress as GitHub's Markdown, and its includes."""

import pytest

from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate
from asdlc_kb.markup.dialects.vitepress import VITEPRESS, find_vitepress_includes

PAGE = """\
<script setup>
import { ref } from 'vue'

const a = ref(0)
</script>

# Options <Badge type="tip" text="new" /> {#options}

[[toc]]

Write {{ 'x' }} or {{ page.title }}. <Badge type="warning" text="beta" />

::: warning Take care
It is **new**.
:::

```ts{2}:line-numbers [a.ts]
one
two
```

<style module>
.a { }
</style>
"""

MARKDOWN = """\
# Options {#options}

Write x or {{ page.title }}. beta

> [!WARNING] Take care
> It is **new**.

```ts title="a.ts"
one
two
```"""


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of VitePress as GitHub's Markdown."""
    return translate(text, VITEPRESS, output)


def test_agents_get_the_text_of_a_page() -> None:
    """Without scripts and style sheets; values of Vue stay as they are written."""
    shown = show(PAGE).strip("\n").replace("\n\n\n", "\n\n")
    assert shown == MARKDOWN


def test_numbered_and_highlighted_lines_are_for_the_website() -> None:
    """Agents get the title."""
    assert '```ts title="a.ts" {2} linenums="1"' in show(PAGE, Output.HTML)


@pytest.mark.parametrize(
    "text", ["{x} and :a[b]\n", "    <A />\n", "    :::tip\n", "a {{ b }} c\n"]
)
def test_a_page_is_no_mdx(text: str) -> None:
    """Braces are text, and indented text is code."""
    assert show(text) == text


@pytest.mark.parametrize(
    ("text", "include"),
    [
        ("<!--@include: ./a.md-->", ("./a.md", (), "", None)),
        ("<!-- @include: ./a.md{3,} -->", ("./a.md", ((3, None),), "", None)),
        ("<!--@include: @/a.md{,5}-->", ("@/a.md", ((1, 5),), "", None)),
        ("<!--@include: ./a.md#part-->", ("./a.md", (), "part", None)),
        ("<<< @/a.js", ("@/a.js", (), "", "js")),
        (
            "  <<< ./a.js#part{2,4-6 ts:line-numbers}",
            ("./a.js", (), "part", "ts {2,4-6}"),
        ),
        ("<<< ./a.cs{c#} [Title]", ("./a.cs", (), "", 'c# title="Title"')),
    ],
)
def test_files_are_included(
    text: str, include: tuple[str, tuple[tuple[int, int | None], ...], str, str | None]
) -> None:
    """Texts by a comment, code by three angle brackets."""
    found = list(find_vitepress_includes(f"above\n\n{text}\n"))
    assert [(i.path, i.ranges, i.section, i.language) for i in found] == [include]


@pytest.mark.parametrize(
    "text", ["`<!--@include: a-->`", "```\n<<< a.js\n```", "a <<< b"]
)
def test_includes_in_code_are_none(text: str) -> None:
    """Documentation shows them."""
    assert list(find_vitepress_includes(text)) == []


def test_the_place_of_the_table_of_contents_may_be_in_capitals() -> None:
    """As its plugin reads it."""
    assert show("# One\n\n[[TOC]]\n\nText\n") == "# One\n\n\nText\n"


def test_values_of_the_frontmatter_are_in_the_text() -> None:
    """Not in code, and not those that it lacks."""
    text = "# {{ $frontmatter.title }}\n\n`{{ $frontmatter.title }}` {{$frontmatter.x}}"
    shown = VITEPRESS.fill(text, {"page.title": "T"})
    assert shown == "# T\n\n`{{ $frontmatter.title }}` {{$frontmatter.x}}"
