"""The arithmetic of the articles is right: it is computed again."""

import pytest
from support.figures import check_figures
from support.own_articles import OwnArticle, visible_articles


def wrong(text: str) -> list[str]:
    """Return what is wrong in a text."""
    return [figure for figure, is_right in check_figures(text) if not is_right]


@pytest.mark.parametrize(
    "text",
    [
        "46/91 = 0.51",
        "46/91 = 0.5",
        "46 / 91 = 51 %",
        "46 of 91 (51 %)",
        "46 of 91 runs (51 per cent)",
        "40 of the 80 runs (50 %)",
        "12 tasks \u00d7 3 runs = 36 runs",
        "3 x $0.40 = $1.20",
        "1 \u2212 0.8³ = 0.488",
        "1 - 0.8^3 ≈ 49 %",
        "(2 + 3) * 4 = 20",
        "a half (40/80 = 0.5)",
        "43 per cent (1 - 0.8674⁴)",
        "36 runs (12 tasks x 3)",
        "12 % of 400 = 48",
        "35k tokens \u00d7 4 = 140k",
        "7,919 \u00d7 3 ≈ 24,000",
        "| a | 1 |\n| b | 2.5 |\n| **Total** | **3.5** |",
        "| a | $1 |\n| b | $2 |\n| Sum | $3 |",
    ],
)
def test_right_figures_are_found(text: str) -> None:
    """Each form that an author may write."""
    assert [is_right for _, is_right in check_figures(text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "46/91 = 0.50",
        "46 of 91 (50 %)",
        "12 tasks \u00d7 3 runs = 35 runs",
        "1 - 0.8^3 ≈ 48 %",
        "12 % of 400 = 40",
        "44 % (1 - 0.8674⁴)",
        "7,919 \u00d7 3 = 24,000",
        "| a | 1 |\n| b | 2 |\n| Total | 4 |",
    ],
)
def test_wrong_figures_are_found(text: str) -> None:
    """To the last digit that is shown."""
    assert len(wrong(text)) == 1


@pytest.mark.parametrize(
    "text",
    ["released on 2026-11-27 = now", "x = 3 - y", "3-5 minutes", "1.2 of 3", "8 (2-4)"],
)
def test_other_numbers_are_no_figures(text: str) -> None:
    """Dates, ranges and assignments."""
    assert list(check_figures(text)) == []


def prose(article: OwnArticle) -> str:
    """Return the text without code; code without a language is text."""
    lines = article.body.splitlines()
    for token in article.tokens:
        if token.type == "fence" and token.map and token.info not in ("", "text"):
            start, end = token.map
            lines[start:end] = [""] * (end - start)
    return "\n".join(lines)


@pytest.mark.parametrize("article", visible_articles(), ids=lambda each: each.id)
def test_the_figures_of_an_article_are_right(article: OwnArticle) -> None:
    """Calculations with a result, shares in parentheses, totals of tables."""
    assert wrong(prose(article)) == []


def test_articles_have_figures_to_check() -> None:
    """The patterns still find what authors write."""
    found = [each for a in visible_articles() for each in check_figures(prose(a))]
    assert len(found) >= 5
