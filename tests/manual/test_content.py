"""The knowledge base of the project."""

import re
from collections import Counter
from pathlib import Path

import pytest

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.status import ArticleStatus

ROOT = Path(__file__).parents[2] / "content"
LIBRARY = ArticleLibrary(ROOT)
CATALOG = LIBRARY.load()
ARTICLES = [
    entry.value
    for entry in CATALOG.snapshot.entries.values()
    if isinstance(entry.value, Article)
]
VISIBLE = {article.id for article in CATALOG.articles}
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_nothing_is_wrong_with_any_file() -> None:
    """`asdlc-kb check content` exits with 0."""
    assert CATALOG.snapshot.all_problems() == []


def test_there_is_enough_of_everything() -> None:
    """Every category and every status occurs."""
    categories = Counter(article.category for article in ARTICLES)
    assert all(categories[name] >= 12 for name in ("concepts", "patterns", "practices"))
    statuses = Counter(article.status for article in ARTICLES)
    assert statuses[ArticleStatus.LIVE] >= 24
    assert statuses[ArticleStatus.EXPERIMENTAL] >= 5
    hidden = (ArticleStatus.DRAFT, ArticleStatus.PROPOSED, ArticleStatus.DEPRECATED)
    assert all(statuses[status] >= 2 for status in hidden)


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.id)
def test_an_article_can_be_read_in_one_sitting(article: Article) -> None:
    """300 to 900 words, without a title of its own in the body."""
    assert 300 <= len(article.body.split()) <= 900
    assert not re.search(
        r"^# ", re.sub(r"```.*?```", "", article.body, flags=re.S), re.M
    )


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.id)
def test_links_lead_to_articles_that_can_be_seen(article: Article) -> None:
    """Inline links and related ids; a deprecated one says what replaced it."""
    assert set(article.related) <= VISIBLE
    for target in LINK.findall(article.body):
        if not target.startswith("https://"):
            path = (ROOT / article.category / target).resolve().relative_to(ROOT)
            assert path.with_suffix("").as_posix() in VISIBLE, target
    if article.status is ArticleStatus.DEPRECATED:
        assert article.superseded_by
        assert set(article.superseded_by) <= VISIBLE


def test_no_two_articles_share_a_paragraph() -> None:
    """A paragraph that fits two articles says nothing about either."""
    paragraphs = Counter(
        paragraph.strip()
        for article in ARTICLES
        for paragraph in article.body.split("\n\n")
        if len(paragraph.split()) > 8
    )
    assert max(paragraphs.values()) == 1
