"""Words of another meaning with the same stem."""

import pytest
from support.texts import document, find, index, keys

from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.query.stem_twins import find_forms


@pytest.mark.parametrize(
    ("word", "others", "forms"),
    [
        ("option", "options optional", {"option", "options"}),
        ("optional", "option options", {"optional"}),
        ("author", "authority authors", {"author", "authors"}),
        ("run", "running runs", set()),
        ("cache", "caching cached caches", set()),
        ("absent", "", set()),
    ],
)
def test_forms_of_a_word_with_twins_are_found(
    word: str, others: str, forms: set[str]
) -> None:
    """Inflections are no twins."""
    text = f"{word} {others}" if forms or others else "nothing"
    fulltext, source = index(document("a.md", "Page", text))
    assert fulltext._snapshot is not None
    view = VisibleIndex(fulltext._snapshot, source.accepts)
    assert set(find_forms(view, word)) == forms


def test_a_page_with_a_twin_never_comes_before_one_with_the_word() -> None:
    """However often it has the twin; inflections are as good as the word."""
    pair = index(
        document("twin.md", "Option", "option " * 20, tags=("option",)),
        document("word.md", "Page", "A long text in which one flag is optional."),
    )
    assert keys(find(pair, "optional")) == ["word.md", "twin.md"]
    assert keys(find(pair, "is it optional?")) == ["word.md", "twin.md"]
    assert keys(find(pair, "options"))[0] == "twin.md"


def test_a_twin_on_a_hidden_page_changes_nothing() -> None:
    """D-087: words of hidden pages are no words."""
    fulltext, _ = index(
        document("a.md", "Page", "optional"), document("b.md", "Page", "option")
    )
    assert fulltext._snapshot is not None
    view = VisibleIndex(fulltext._snapshot, lambda key, digest: key == "a.md")
    assert find_forms(view, "optional") == ()
