"""Rows of articles: written once for a catalog, equal to what they are written from."""

import gc
import json
import weakref
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.articles import make_article

from asdlc_kb.articles.article import Article, Unreadable
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import CachedFile, Snapshot
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.versioned_encoding import encode_result
from asdlc_kb.mcp.protocol.versions import LATEST_HANDSHAKE
from asdlc_kb.providers.articles import article_rows, views
from asdlc_kb.providers.articles.article_rows import ArticleRows, RowForm
from asdlc_kb.providers.shared.results import (
    Row,
    fill_page,
    make_result,
    to_values,
    written_row,
)

ODD = "\"\\/\b\n\r\t\x00\x1f\x7f\x85\u2028\u2029é\u0301ß漢\U0001f600\ufffe'<&"
texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(codec="utf-8")))
articles = st.lists(
    st.builds(
        make_article,
        st.sampled_from([f"{c}/{s}" for c in ("concepts", "zoo") for s in "abc"]),
        title=texts,
        description=texts,
        tags=st.lists(texts, max_size=3).map(tuple),
    ),
    unique_by=lambda a: a.id,
    max_size=4,
)


def make_catalog(articles: Sequence[Article]) -> ArticleCatalog:
    """Return the catalog of articles."""
    signature = Signature(0, 0, 0, 0, 0)
    entries: dict[str, CachedFile[Article | Unreadable]] = {
        f"{a.id}.md": CachedFile(signature, value=a) for a in articles
    }
    return ArticleCatalog(Snapshot(entries=entries))


def list_rows(
    rows: ArticleRows, catalog: ArticleCatalog, form: RowForm = written_row
) -> list[Row]:
    """Return the rows of all articles."""
    return list(rows.list(catalog.articles, catalog, form))


def as_line(row: views.ArticleView) -> Row:
    """Return a row as Markdown."""
    return written_row(row, views.format_row(row))


@given(articles)
def test_joined_rows_are_the_json_of_their_values(articles: list[Article]) -> None:
    """Quotes, accents, emoji, control characters and line separators."""
    catalog = make_catalog(articles)
    rows = ArticleRows()
    shown = [views.article_row(article, catalog) for article in catalog.articles]
    values = list(map(to_values, shown))
    for _ in range(2):
        answer = views.Articles(articles=(), total=len(shown))
        written = rows.list(catalog.articles, catalog, written_row)
        page = fill_page(answer, "articles", written, 10**9, 0, "f")
        assert page.json_text.encode() == jsonrpc.write(values)
        result = make_result(page.values, page.json_text)
        body = jsonrpc.write(encode_result(result, LATEST_HANDSHAKE))
        structure = jsonrpc.write({"articles": values, "total": len(values)})
        assert json.loads(body) == {
            "content": [{"type": "text", "text": page.json_text}],
            "structuredContent": json.loads(structure),
        }
        assert body.endswith(structure + b"}")
        lines = list_rows(rows, catalog, as_line)
        assert [row.text for row in lines] == list(map(views.format_row, shown))


def test_a_row_is_written_once_for_a_catalog() -> None:
    """Each form by itself; another catalog may have another name for the article."""
    rows, article = ArticleRows(), make_article("concepts/a")
    first = make_catalog([article])
    second = make_catalog([article, make_article("zoo/a")])
    (row,) = list_rows(rows, first)
    (line,) = list_rows(rows, first, as_line)
    assert line.text != row.text
    assert [json.loads(each.text)["slug"] for each in list_rows(rows, second)] == [
        "concepts/a",
        "zoo/a",
    ]
    assert list_rows(rows, first)[0] is row
    assert list_rows(rows, first, as_line)[0] is line


def test_rows_are_dropped_with_their_catalog() -> None:
    """A change leaves nothing of the catalog before it in memory."""
    rows = ArticleRows()
    catalog = make_catalog([make_article("concepts/a")])
    list_rows(rows, catalog)
    gone = weakref.ref(catalog)
    del catalog
    gc.collect()
    assert gone() is None


def test_memory_of_rows_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit they are written again, and equal."""
    monkeypatch.setattr(article_rows, "MAX_ROW_CHARS", 1_000)
    rows = ArticleRows()
    catalog = make_catalog(
        [make_article(f"concepts/{n}", description="d" * 300) for n in range(9)]
    )
    before = list_rows(rows, catalog)
    after = list_rows(rows, catalog)
    assert [row.text for row in after] == [row.text for row in before]
    assert all(new is not old for new, old in zip(after, before, strict=True))


def test_a_lone_surrogate_is_refused() -> None:
    """The reader of files removes them; none is sent as another character."""
    catalog = make_catalog([make_article("concepts/a", title="\ud800")])
    with pytest.raises(TypeError, match="surrogates"):
        list_rows(ArticleRows(), catalog)
