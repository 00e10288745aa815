"""The representation of an article, as JSON and as Markdown."""

from typing import Any

import jsonschema
import pytest
from msgspec import UNSET
from msgspec.structs import replace
from support.knowledge import KnowledgeBase, settled_clock

from asdlc_kb.articles.article import Article, ArticleText
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.mcp.protocol.tool_schema import describe_schema
from asdlc_kb.providers.articles import views
from asdlc_kb.providers.articles.tools import tool_definitions
from asdlc_kb.providers.shared.passages import Passage
from asdlc_kb.providers.shared.results import to_values
from asdlc_kb.search.values import SearchHit


def make_article(**fields: Any) -> Article:
    """Return a Live article with these fields."""
    defaults: dict[str, Any] = {
        "category": "concepts",
        "slug": "a",
        "title": "A Title",
        "description": "What it says",
        "tags": ("x", "y"),
        "last_updated": "2025-01-15",
        "status": ArticleStatus.LIVE,
    }
    text = LazyValue(ArticleText(fields.pop("body", "The body.\n")))
    return Article(**{**defaults, **fields}, text=text)


@pytest.fixture
def catalog(knowledge: KnowledgeBase) -> ArticleCatalog:
    """The catalog of two articles of one slug."""
    knowledge.write("concepts/a")
    knowledge.write("patterns/a")
    return ArticleLibrary(knowledge.root, clock=settled_clock).load()


FOOTER = """Author: Unknown
Category: concepts
Tags: x, y
Published: 2025-01-15
Status: Live"""


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("The body.\n", "The body."),
        ("# A Title\n\nThe body.\n", "The body."),
        ("# A Title  \nThe body.", "The body."),
        ("# A Title", None),
        ("", None),
        ("\n\n", None),
        ("# Another Title\n\nx", "# Another Title\n\nx"),
        ("## A Title\n\nx", "## A Title\n\nx"),
        ("# A Title of more\n\nx", "# A Title of more\n\nx"),
        ("x\n\n# A Title\n", "x\n\n# A Title"),
        ("    code\n", "    code"),
    ],
)
def test_markdown_is_title_body_and_footer_and_the_title_comes_once(
    body: str, shown: str | None
) -> None:
    """D-010: # Title, body, footer; a body that repeats the title is not doubled."""
    text = views.article_markdown(make_article(body=body))
    middle = "" if shown is None else f"{shown}\n\n"
    assert text == f"# A Title\n\n{middle}{FOOTER}"


def test_the_footer_has_author_category_date_and_status() -> None:
    """D-010: author, category, date, and the mark of experimental articles."""
    article = make_article(
        author="Ville",
        published="2024-12-24",
        tags=(),
        status=ArticleStatus.EXPERIMENTAL,
    )
    assert views.article_markdown(article).split("\n\n")[-1] == (
        "Author: Ville\n"
        "Category: concepts\n"
        "Tags: None\n"
        "Published: 2024-12-24\n"
        "Status: Experimental (high-risk: an emerging pattern, not yet proven)"
    )


@pytest.mark.parametrize(
    ("description", "summary"),
    [
        ("d" * 200, "d" * 200),
        ("d" * 150 + " " + "e" * 50, "d" * 150 + "…"),
        ("d" * 199 + " and more", "d" * 199 + "…"),
    ],
)
def test_a_summary_is_cut_between_words(
    catalog: ArticleCatalog, description: str, summary: str
) -> None:
    """D-104: 200 characters at most; an ellipsis only if something was cut."""
    article = make_article(description=description)
    text = views.format_row(views.article_row(article, catalog))
    assert text == f"- A Title (concepts/a)\n  Category: concepts\n  {summary}"


@pytest.mark.parametrize(
    ("heading", "lines"),
    [("", ["snippet"]), ("More", ["Section: More (#more)", "snippet"])],
)
def test_a_full_text_hit_has_its_snippet_below_the_heading(
    catalog: ArticleCatalog, heading: str, lines: list[str]
) -> None:
    """In place of the description; text before the first heading has none."""
    hit = SearchHit("concepts/a", 1.0, heading, heading.lower(), 1, ("snippet",))
    text = views.format_row(views.article_row(make_article(), catalog, hit))
    assert text.split("\n  ")[2:] == lines


def test_a_passage_takes_the_place_of_the_snippet(catalog: ArticleCatalog) -> None:
    """With the headings above it; one without text leaves the snippet."""
    hit = SearchHit("concepts/a", 1.0, "More", "more", 1, ("snippet",))
    passage = Passage(("Top", "More"), "The text.")
    row = views.article_row(make_article(), catalog, hit, passage)
    assert (row.heading, row.passage, row.snippet) == ("Top > More", "The text.", UNSET)
    assert views.format_row(row).endswith(
        "\n  Section: Top > More (#more)\n  What it says\n\nThe text."
    )
    row = views.article_row(make_article(), catalog, hit, Passage(("More",), ""))
    assert (row.passage, row.snippet) == (UNSET, "snippet")


def test_a_view_has_the_documented_fields_in_their_order(
    catalog: ArticleCatalog,
) -> None:
    """D-010: the Article; absent options are left out, related ids are filtered."""
    whole = make_article(
        maturity="Standard",
        related=("patterns/a", "a", "concepts/known-draft", "nope"),
        removed=3,
    )
    shown = to_values(replace(views.view_article(whole, catalog), content="Text."))
    assert list(shown) == [
        *("slug", "category", "title", "description", "tags", "lastUpdated"),
        *("status", "maturity", "relatedIds", "content", "removed"),
    ]
    assert shown["slug"] == "concepts/a"
    assert shown["relatedIds"] == ("patterns/a", "concepts/a")
    assert shown["removed"] == 3
    row = views.article_row(whole, catalog)
    assert row == views.article_row(make_article(), catalog)
    assert list(to_values(row)) == [
        *("slug", "category", "title", "description", "tags", "lastUpdated"),
        "status",
    ]


def test_an_article_with_its_content_fits_the_schema_that_demands_it(
    catalog: ArticleCatalog,
) -> None:
    """D-101: closed output schemas; get_article's always has content."""
    _, getting, _ = (listed.item for listed in tool_definitions(("concepts",)))
    schema = getting.output_schema
    assert schema is not None
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    view = to_values(views.view_article(make_article(), catalog))
    shown = {**view, "tags": list(view["tags"])}
    assert validator.is_valid({**shown, "content": "Text."})
    assert not validator.is_valid(shown)
    assert "content" not in describe_schema(views.ArticleView)["required"]


@pytest.mark.parametrize(
    ("status", "priority"),
    [(ArticleStatus.LIVE, 0.8), (ArticleStatus.EXPERIMENTAL, 0.4)],
)
def test_live_articles_come_before_experimental_ones_for_a_client(
    status: ArticleStatus, priority: float
) -> None:
    """The specification, server/resources: audience, priority, last modified."""
    hints = views.annotations(make_article(status=status))
    assert hints.priority == priority
    assert hints.audience == ("user", "assistant")
    assert hints.last_modified == "2025-01-15T00:00:00Z"
