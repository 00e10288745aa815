"""Relative links of the articles lead to articles, and to headings in them."""

from pathlib import PurePosixPath

import pytest
from support.own_articles import (
    CONTENT,
    OwnArticle,
    read_own_articles,
    visible_articles,
)

from asdlc_kb.markup.outline import read_outline

ANCHORS = {
    article.id: read_outline(article.body).anchors
    | ({"references"} if article.references else set())
    for article in visible_articles()
}
"""The anchors of each visible article."""


@pytest.mark.parametrize("article", read_own_articles(), ids=lambda each: each.id)
def test_relative_links_answer(article: OwnArticle) -> None:
    """They are read on GitHub too, so they have the suffix of the file."""
    relative = [link for link in article.links if ":" not in link.partition("#")[0]]
    for link in relative:
        path, has_anchor, anchor = link.partition("#")
        target = (CONTENT / article.category / path).resolve()
        name = target.relative_to(CONTENT.resolve()) if path else PurePosixPath()
        led = str(name.with_suffix("")) if path else article.id
        assert not path or (name.suffix == ".md" and target.is_file()), link
        if path:
            assert led in ANCHORS, f"{link} leads to a hidden article"
        if has_anchor and article.is_visible:
            assert anchor in ANCHORS[led], link
