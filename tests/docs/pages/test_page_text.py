"""The text of a page: its includes and its dialect."""

from pathlib import Path

from support.docs import raw_file

from asdlc_kb.docs.pages.page import DocPage, read_page
from asdlc_kb.docs.pages.page_text import PageRules, make_html_text, make_page_text

MDX = "import A from './a'\n\n<A>\n\nInside\n\n</A>\n"


def test_a_page_in_githubs_markdown_is_its_own_text() -> None:
    """Nothing is stored twice."""
    text = make_page_text("a.md", MDX, 1, PageRules())
    assert text.body is MDX
    assert text.source == ""


def test_a_page_in_a_dialect_keeps_its_source_for_the_website() -> None:
    """Agents get the translation."""
    text = make_page_text("a.mdx", MDX, 1, PageRules())
    assert text.body.split() == ["Inside"]
    assert text.source == MDX
    assert make_html_text("a.mdx", text.source, "github").split() == ["Inside"]


def test_a_translation_that_changes_nothing_costs_no_memory() -> None:
    """Body and source are one text."""
    text = make_page_text("a.mdx", "# Plain\n", 1, PageRules(Path("docs")))
    assert text.body is text.source


def test_templates_have_the_values_of_the_site_and_of_the_page() -> None:
    """For agents and on the website; those of the page win."""
    rules = PageRules(dialect="jekyll", values={"site.a": "1", "page.b": "2"})
    page = raw_file(
        "---\ntitle: T\nb: 3\n---\n{{ site.a }} {{ page.b }} {{ page.c }}\n"
    )
    read = read_page(page, rules).value
    assert isinstance(read, DocPage)
    assert read.body == "1 3 `{{ page.c }}`\n"
    assert read.html_text.endswith("1 3 `{{ page.c }}`\n")
