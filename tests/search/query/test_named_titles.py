"""Titles and headings that a query names."""

from support.texts import document, index, section

from asdlc_kb.search.analyzer import StemmedWords
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.languages import ENGLISH
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.named_titles import TitleFinder

FULL, SOURCE = index(
    document("a.md", "Rate limits", "x", section("server.proxy", "text")),
    document("b.md", "The", "is", section("Server", "text")),
)
RATE = StemmedWords(("rate", "limit"))
PROXY = StemmedWords(("server", "proxi"))


def finder() -> TitleFinder:
    """Return a finder over both documents."""
    assert FULL._snapshot is not None
    view = VisibleIndex(FULL._snapshot, SOURCE.accepts)
    return TitleFinder(view, (ENGLISH,), QUERY_POLICY)


def test_adjacent_words_that_are_a_title_are_found() -> None:
    """Not the whole query, nor stop words alone, nor in a long query."""
    words = ["the", "rate", "limits", "of", "server", "proxy"]
    server = StemmedWords(("server",))
    assert list(finder().find_names(words, {"the", "of"}, set())) == [
        RATE,
        server,
        PROXY,
    ]
    assert list(finder().find_names(words, {"the", "of"}, {"limits"})) == [
        server,
        PROXY,
    ]
    assert list(finder().find_names(["rate", "limits"], set(), set())) == []
    assert list(finder().find_names(["server"] * 13, set(), set())) == []


def test_names_of_code_that_are_a_heading_are_found() -> None:
    """Unless the name is the whole query."""
    names = ("server.proxy", "server.port")
    assert list(finder().find_code_names(names, 40)) == [PROXY]
    assert list(finder().find_code_names(names[:1], 2)) == []
