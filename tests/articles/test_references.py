"""The references of an article, as Markdown that no value can forge."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.references import MAX_REFERENCES, Reference, escape_markdown
from asdlc_kb.articles.schema import read_article
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.signature import Signature
from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.sections import split_sections

HEAD = """---
title: T
description: D
lastUpdated: 2025-01-01
status: Live
references: """


def read(references: str, body: str = "Text.\n") -> tuple[Article, list[str]]:
    """Return the article with these references, and its problems."""
    text = f"{HEAD}{references}\n---\n{body}"
    found = read_article(RawFile("a/b.md", Signature(0, 0, 0, 0, 0), b"", text))
    assert isinstance(found.value, Article)
    return found.value, [str(problem) for problem in found.problems]


def items(references: str) -> list[str]:
    """Return the items of references that have no problem."""
    article, problems = read(references)
    assert problems == []
    above, _, below = article.body.partition("\n\n## References\n\n")
    assert above == "Text."
    assert below.endswith("\n")
    return below.splitlines()


def test_a_reference_has_title_address_author_date_and_annotation() -> None:
    """D-144: in this order; the type is not shown, the time of day is cut."""
    found = items(
        """
  - {type: paper, title: Middle, url: https://a.example/1, author: Liu, """
        """date: 2023-07-06T10:00:00Z, annotation: Models forget., accessed: x}"""
    )
    assert found == ["- [Middle](https://a.example/1), Liu, 2023-07-06. Models forget."]


@pytest.mark.parametrize(
    ("entry", "item"),
    [
        ("https://a.example/x", "[https://a.example/x](https://a.example/x)"),
        ("A book, 1975", "A book, 1975"),
        ("{url: 'http://a.example'}", "[http://a.example](http://a.example)"),
        ("{title: T, authors: [A, B], year: 1975}", "T, A, B, 1975"),
        ("{title: T, published: 2024-01-02, description: D}", "T, 2024-01-02. D"),
        ("{title: T, author: null, date: ''}", "T"),
        ("{title: ' a  b '}", "a b"),
        (
            "{title: T, url: 'https://a.example/b_(c)'}",
            "[T](https://a.example/b_%28c%29)",
        ),
    ],
)
def test_entries_may_be_mappings_addresses_and_texts(entry: str, item: str) -> None:
    """D-144: as authors write them."""
    assert items(f"\n  - {entry}") == [f"- {item}"]
    assert items(f"\n  - {entry}\n  - last") == [f"- {item}", "- last"]


@pytest.mark.parametrize("value", ["{title: T}", "T", "[T, null]"])
def test_one_reference_needs_no_list(value: str) -> None:
    """A single value is a list of one, and null is none."""
    assert items(value) == ["- T"]


@pytest.mark.parametrize("value", ["", "[]", "null", "[null]"])
def test_without_references_there_is_no_section(value: str) -> None:
    """The body is that of the file."""
    article, problems = read(value)
    assert (article.body, problems) == ("Text.\n", [])


def test_the_section_can_be_linked_to() -> None:
    """D-144: its anchor is `references`; without a body it is the body."""
    article, _ = read("[T]", "# T\n\n## One\n\n- a")
    sections = [(s.heading, s.anchor, s.level) for s in split_sections(article.body)]
    assert sections[-1] == ("References", "references", 2)
    assert sections[-2] == ("One", "one", 2)
    assert read("[T]", "")[0].body == "## References\n\n- T\n"


@pytest.mark.parametrize(
    "heading",
    ["## References", "# references ##", "### **References:**", "## X {#references}"],
)
def test_a_section_of_the_body_is_kept(heading: str) -> None:
    """D-144: items are never added twice; the author is told."""
    body = f"Text.\n\n{heading}\n\n- own\n"
    article, problems = read("[T]", body)
    assert article.body == body
    assert problems == [
        "a/b.md:6:13: KB017 the body has a section References, so this field is not "
        "shown: keep one of them"
    ]


@pytest.mark.parametrize("body", ["```\n## References\n```\n", "See the references.\n"])
def test_a_heading_in_code_is_no_section(body: str) -> None:
    """Nor is the word in a sentence."""
    article, problems = read("[T]", body)
    assert article.body == f"{body}\n## References\n\n- T\n"
    assert problems == []


def test_references_are_not_added_to_a_code_block() -> None:
    """A fence that is not closed would contain them."""
    article, problems = read("[T]", "```\ncode\n")
    assert article.body == "```\ncode\n"
    assert problems == [
        "a/b.md:6:13: KB017 the body ends in a code block, so references are not "
        "shown: close it"
    ]


@pytest.mark.parametrize(
    ("entry", "left", "problem"),
    [
        (
            "{title: T, url: 'javascript:alert(1)'}",
            ["- T"],
            "6:30: KB017 the url of a reference is no link: begin it with http:// or "
            "https://",
        ),
        (
            "{title: T, url: /concepts/x}",
            ["- T"],
            "6:30: KB017 the url of a reference is no link: begin it with http:// or "
            "https://",
        ),
        (
            "{type: book}",
            [],
            "6:14: KB017 a reference without a title and an address is left out: add "
            "one",
        ),
        (
            "[a, b]",
            [],
            "6:14: KB017 a reference without a title and an address is left out: add "
            "one",
        ),
    ],
)
def test_what_cannot_be_shown_is_reported(
    entry: str, left: list[str], problem: str
) -> None:
    """D-144: KB017, where it is; the other references are shown."""
    article, problems = read(f"[{entry}, last]")
    assert article.body.splitlines()[4:] == [*left, "- last"]
    assert problems == [f"a/b.md:{problem}"]


def test_the_number_of_references_is_limited() -> None:
    """D-144: the first hundred."""
    article, problems = read(f"[{', '.join(f'n{n}' for n in range(102))}]")
    assert article.body.splitlines()[-1] == f"- n{MAX_REFERENCES - 1}"
    assert len(problems) == 1
    assert "KB017 only the first 100 references are shown" in problems[0]


def test_invisible_characters_are_removed_and_counted() -> None:
    """D-082: as in every other field."""
    article, problems = read(
        '[{title: "a\\u200bb", url: "https://a.example/\\u202ec"}]'
    )
    assert article.body.endswith("- [ab](https://a.example/c)\n")
    assert article.removed == 2
    assert [problem.split()[1] for problem in problems] == ["KB015", "KB015"]


def show(markdown: str) -> str:
    """Return the text that a reader of the website sees."""
    html = render(markdown).text
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


SPECIAL = "ab1 %\\`*_{}[]()<>#+-.!|~&;:=\"'@$^/x"


@given(
    text=st.text(SPECIAL, min_size=1, max_size=30).map(lambda t: " ".join(t.split()))
)
def test_a_value_is_shown_as_it_is(text: str) -> None:
    """No value becomes Markdown, HTML or a link."""
    if not text:
        return
    markdown = f"- {escape_markdown(text)}\n"
    html = render(markdown).text
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= {"ul", "li"}, html
    assert show(markdown) == text


@pytest.mark.parametrize(
    "text",
    [
        *("# x", "1. x", "1) x", "- x", "+ x", "> x", "---", "===", "[ ] task", ": x"),
        *("mailto:a@b.c", "a@b.co", "<script>x</script>", "&lt;", "![i](j)", "[^1]"),
        *(
            "$1$",
            "$$x$$",
            "| a | b |",
            "~~x~~",
            "__x__",
            "a_b_c",
            "`code`",
            "\\*",
            "{{x}}",
            "{% x %}",
        ),
    ],
)
def test_marks_of_markdown_are_text(text: str) -> None:
    """At the start of an item as well."""
    html = render(f"- {escape_markdown(text)}\n").text
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= {"ul", "li"}, html
    assert show(f"- {escape_markdown(text)}\n") == text


def test_a_title_cannot_end_its_link() -> None:
    """The address is that of the field."""
    reference = Reference(
        "a](https://evil.example) [b", "https://a.example", "", "", ""
    )
    html = render(reference.write()).text
    assert re.findall(r'href="([^"]*)"', html) == ["https://a.example"]
