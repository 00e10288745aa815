"""Number, frontmatter, headings and first paragraphs of the articles."""

import re
from collections import Counter
from typing import Final

import pytest
from support.own_articles import OwnArticle, read_own_articles, visible_articles

MIN_ARTICLES: Final = 64
MIN_OF_CATEGORY: Final = {
    "concepts": 20,
    "patterns": 20,
    "practices": 20,
    "recipes": 10,
}
MIN_OF_STATUS: Final = {
    "Live": 40,
    "Experimental": 5,
    "Draft": 2,
    "Proposed": 2,
    "Deprecated": 2,
}
WORDS: Final = range(300, 1_201)
"""Words of an article, its code included: it can be read in one sitting."""
MAX_DESCRIPTION_CHARS: Final = 155
MAX_ALIASES: Final = 10
MAX_SENTENCES: Final = 3
MAX_SAME_HEADING: Final = 3
"""Articles of one category that may have the same heading."""

CHECKED: Final = "Checked against the documentation on "
"""What a recipe says about the versions that it holds for."""

GENERIC: Final = set(
    """
    advantages alternatives anatomy approach background basics benefits caveats
    checklist cheat-sheet conclusion context cost costs criteria definition details
    diagnosis disadvantages discussion drawbacks evidence example examples exceptions
    faq form format further goal how implementation introduction limitations limits
    mechanism method metrics misuse motivation notes objections origin overview
    pitfalls principle principles problem procedure process questions rationale reading
    result results risks rule rules setup signs solution steps structure summary
    symptoms table telltales template theory tips tradeoffs trade-offs troubleshooting
    usage variants variations verdict verification warnings what when why worksheet
    """.split()
)
"""Headings of one word that are the same in any article."""

_SENTENCE_END: Final = re.compile(
    r"[.!?][)\"'\u201d\u2019]*(?=\s+[\"'\u201c\u2018(\[]*[A-Z0-9`*_]|\s*$)"
)
_ABBREVIATION: Final = re.compile(r"\b(?:e\.g|i\.e|vs|cf|etc|al|St|Mr|Dr|No)\.(?!$)")


def select_recipes() -> list[OwnArticle]:
    """Return the visible recipes."""
    return [each for each in visible_articles() if each.category == "recipes"]


def count_sentences(text: str) -> int:
    """Return the number of sentences of a paragraph."""
    plain = re.sub(r"`[^`]*`", "`code`", text)
    plain = re.sub(r"\]\([^)]*\)", "]", plain)
    return len(_SENTENCE_END.findall(_ABBREVIATION.sub("x", " ".join(plain.split()))))


@pytest.mark.parametrize(
    "text, count",
    [
        ("One.", 1),
        ("One, e.g. This. Two? (Three.) `a. B` is 1.5 Four", 3),
        ("[A. B.](../c.md) ends. *Next* one.\nAnd a third!", 4),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    """Abbreviations, numbers and code end none."""
    assert count_sentences(text) == count


def test_there_are_enough_articles() -> None:
    """Visible ones, of each category."""
    counts = Counter(article.category for article in visible_articles())
    assert counts.total() >= MIN_ARTICLES
    assert {c: n for c, n in MIN_OF_CATEGORY.items() if counts[c] < n} == {}


def test_every_status_occurs() -> None:
    """So hidden articles stand next to visible ones, as in any knowledge base."""
    counts = Counter(article.fields["status"] for article in read_own_articles())
    assert {s: n for s, n in MIN_OF_STATUS.items() if counts[s] < n} == {}
    assert set(counts) == set(MIN_OF_STATUS)


@pytest.mark.parametrize("article", read_own_articles(), ids=lambda each: each.id)
def test_an_article_can_be_read_in_one_sitting(article: OwnArticle) -> None:
    """Its title is in the frontmatter, not in the body."""
    assert len(article.body.split()) in WORDS
    assert "h1" not in {token.tag for token in article.tokens}


def test_no_two_articles_share_a_paragraph() -> None:
    """A paragraph that fits two articles says nothing about either; but recipes of
    one day were checked against the same versions.
    """
    paragraphs = Counter(
        paragraph.strip()
        for article in read_own_articles()
        for paragraph in article.body.split("\n\n")
        if len(paragraph.split()) > 8 and not paragraph.startswith(CHECKED)
    )
    assert [text for text, count in paragraphs.items() if count > 1] == []


@pytest.mark.parametrize("article", visible_articles(), ids=lambda each: each.id)
def test_an_article_is_described(article: OwnArticle) -> None:
    """A description that lists and search results show whole, aliases and tags."""
    fields = article.fields
    assert 40 <= len(fields["description"]) <= MAX_DESCRIPTION_CHARS
    assert 1 <= len(fields["aliases"]) <= MAX_ALIASES
    assert fields["tags"]
    assert fields["relatedIds"]


@pytest.mark.parametrize("article", visible_articles(), ids=lambda each: each.id)
def test_the_first_paragraph_is_short(article: OwnArticle) -> None:
    """It stands before anything else, and answers in at most three sentences."""
    opening, inline = article.tokens[:2]
    assert opening.type == "paragraph_open"
    assert 1 <= count_sentences(inline.content) <= MAX_SENTENCES


@pytest.mark.parametrize("article", visible_articles(), ids=lambda each: each.id)
def test_a_heading_works_alone(article: OwnArticle) -> None:
    """As a search result and an anchor: no generic word, none twice."""
    headings = [heading.lower() for heading in article.headings]
    assert len(headings) >= 2
    assert set(headings) & GENERIC == set()
    assert [heading for heading, n in Counter(headings).items() if n > 1] == []


@pytest.mark.parametrize("article", select_recipes(), ids=lambda each: each.id)
def test_a_recipe_is_dated(article: OwnArticle) -> None:
    """Commands of products change: the day on which they were compared is stated."""
    assert re.search(r"\bChecked\b.* on 20\d\d-\d\d-\d\d\b", article.body)


def test_headings_are_not_those_of_a_mould() -> None:
    """Few articles of a category share a heading; recipes may."""
    counts = Counter(
        (article.category, heading.lower())
        for article in visible_articles()
        if article.category != "recipes"
        for heading in set(article.headings)
    )
    repeated = {pair: n for pair, n in counts.items() if n > MAX_SAME_HEADING}
    assert repeated == {}
