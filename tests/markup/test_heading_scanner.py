"""Headings found without the grammar: equal to what it finds, or declined."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from asdlc_kb.markup.heading_scanner import MAX_HEADINGS, scan_headings, scan_roughly
from asdlc_kb.markup.sections import split_sections

BLOCKS = MarkdownIt("commonmark").enable("table")

LINES = [
    *("# a", "## b ##", "#", "# a | b", "   # i", "    # code", "#no", "####### 7"),
    *("# c #\t", "# c \\#", "# c#", "#\tz", "# x\u00a0", "\\# no", "## `d` [r]"),
    *("a", "b c", "", "", "", " ", "  x", "    x", "\tx", "\t# t", "\x0c", "\u00a0"),
    *("---", "===", "--", "   ---", "  ===", "***", "* * *", "- - -"),
    *("---\t", "  == \t"),
    *("--- | ---", "|---|", "| a | b |", "a | b", "```|a", "<b> | c"),
    *(
        "- a",
        "  - b",
        "1. x",
        "10) y",
        "- ",
        "-",
        "*",
        "+ c",
        "-\t# q",
        "- # l",
        "1. - a",
    ),
    *(
        "> a",
        ">",
        "> # q",
        "> - x",
        ">> y",
        "> ```",
        "- > # x",
        "> <div>",
        "> ==",
        "> -",
    ),
    *("```", "```sh", "``` a`b", "  ```", "   ```", "    ```", "````", "- ```"),
    *("~~~", "~~~~", "  ~~~", "~~~ x`"),
    *(
        "<div>",
        "</div>",
        "  <Tabs>",
        "<a b='",
        "<foo> bar",
        "- <div>",
        "<pre>",
        "</pre>",
    ),
    *(
        "<!-- c -->",
        "<!--",
        "-->",
        "x -->",
        "<!-->",
        "- <!-- x",
        "> <!-- x",
        "<!X",
        "<?",
    ),
    *("[r]: /u", "[r]:", "'t", "[r]: /u 't", "::: note", "{/* x */}", "import a"),
]
lines = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", "", "", "", " ", "  ", "> ", "- ", "1. ", "    "]),
    st.sampled_from(LINES),
)
texts = st.lists(lines, max_size=10).map("\n".join)


def reference_scan(text: str) -> list[tuple[int, int, str]]:
    """Return position, level and content of each heading that the grammar finds."""
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    return [
        (starts[opening.map[0]], int(opening.tag[1:]), content.content)
        for opening, content in pairwise(BLOCKS.parse(text))
        if opening.type == "heading_open" and opening.map
    ]


@settings(max_examples=1500)
@given(texts, st.sampled_from(["", "\n"]))
def test_what_is_not_declined_is_as_the_grammar_has_it(text: str, end: str) -> None:
    """Every heading and no other: none in code, quotations, tags and tables."""
    headings = scan_headings(text + end)
    assert headings is None or headings == reference_scan(text + end)


@given(
    st.lists(
        st.sampled_from(
            [
                *("# One\n", "## Two `x` ##\n", "Words\nand words.\n", "<Tabs>\n\n"),
                *("```sh\n# x\n\n---\n```\n", "- a\n- b\n\n  ```md\n  # x\n  ```\n"),
                *("> [!note]\n> A quotation\n> - a\n", "<!-- a\n\n# b -->\n", "---\n"),
                *(
                    "| a | b |\n|---|---|\n| # | d |\n",
                    "1. one\n   more\n",
                    "~~~\n# x\n~~~\n",
                ),
            ]
        )
    ).map("\n".join)
)
def test_what_people_write_is_not_declined(text: str) -> None:
    """Code in lists, notes, comments, tables, tags of components: read here."""
    headings = scan_headings(text)
    assert headings is not None
    assert headings == reference_scan(text)


@pytest.mark.parametrize(
    "text",
    [
        "a\n===",
        "- a\n  ---",
        "a\n---\t",
        "> # q",
        "> a\n> -",
        "- # l",
        "    # code",
        "\t# t",
        "-\t# q",
        "- ```\n# x\n  ```",
        "  ```\n # x\n  ```",
        "``` a`b",
        "<div>\n# x",
        "<pre>\n\n# x",
        "- <!-- x\n\n# x",
        "# a | b\n--- | ---",
        "# [r]\n\n[r]: /u",
        "- - - - - - - - - a",
        "# \0",
    ],
)
def test_what_is_unusual_is_declined(text: str) -> None:
    """Only the grammar can decide these."""
    assert scan_headings(text) is None


@pytest.mark.parametrize(
    "unit",
    ["#", "# a\n", "`", "```\n", "  ```\n", "<a\n", "~", "<!--", "> ", "- ", "\n", " "],
)
def test_no_text_takes_long(unit: str) -> None:
    """D-139: it is read in proportion to its size."""
    text = unit * (300_000 // len(unit))
    scan_headings(text)
    assert scan_headings(text + "\0") is None


ROUGH = """\
# One

```md
# no heading
~~~
```

  ## Two ##
text
####### no heading
#no heading
~~~~ a ` b
# no heading
~~~
"""


def test_a_rough_scan_finds_headings_and_fenced_code() -> None:
    """A fence ends with as many marks of its kind; an unclosed one lasts."""
    rough = scan_roughly(ROUGH)
    assert [(h.level, h.content) for h in rough.headings] == [(1, "One"), (2, "Two")]
    assert [ROUGH[h.start :][:4] for h in rough.headings] == ["# On", "  ##"]
    blocks = [ROUGH[start:end] for start, end in rough.code]
    assert [block.split("\n")[0] for block in blocks] == ["```md", "~~~~ a ` b"]
    assert blocks[0].endswith("~~~\n```")


def test_headings_are_limited() -> None:
    """Further ones are text like any other."""
    text = "# a\n" * (MAX_HEADINGS + 1)
    assert len(scan_roughly(text).headings) == MAX_HEADINGS
    assert len(scan_headings(text) or ()) == MAX_HEADINGS
    assert len(split_sections(text)) == MAX_HEADINGS
    assert "".join(section.markdown for section in split_sections(text)) == text
