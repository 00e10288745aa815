"""Pages of which the title or a heading equals a query."""

from dataclasses import replace

from support.texts import document, index, section

from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QUERY_POLICY
from asdlc_kb.search.query.name_matches import find_name_matches
from asdlc_kb.search.query.operators import parse_query
from asdlc_kb.search.query.plan import Planner
from asdlc_kb.search.query.speller import Speller
from asdlc_kb.search.values import NameMatch, SearchRequest, SearchResults

TITLE = document("t.md", "Rate limits", "Text.", section("Rate limit", "x", 3))
HEADING = document("h.md", "Page", "Text.", section("Rate limits", "x", 3))
ALIAS = document("a.md", "Page", "Text.", aliases=("rate limit",))
OTHER = document("o.md", "Limits of a rate", "Rate limits, rate limits.")


def find_matches(query: str, *ignored: str, hidden: str = "") -> dict[str, NameMatch]:
    """Return the matches by key."""
    fulltext, _ = index(TITLE, HEADING, ALIAS, OTHER)
    snapshot = fulltext._snapshot
    assert snapshot is not None
    view = VisibleIndex(snapshot, lambda key, digest: key != hidden)
    plan = Planner(Speller(view)).plan(parse_query(query))
    entries = snapshot.entries
    found = find_name_matches(
        view, plan, lambda slot: entries[slot].key in ignored, QUERY_POLICY
    )
    return {entries[slot].key: match for slot, match in found.items()}


def test_names_are_compared_by_their_stems() -> None:
    """A title or an alias counts more than a heading; the whole name must be equal."""
    assert find_matches("rate limit") == {
        "t.md": NameMatch.TITLE,
        "h.md": NameMatch.HEADING,
        "a.md": NameMatch.TITLE,
    }
    assert find_matches("rates") == find_matches("") == {}


def test_ignored_and_hidden_pages_have_no_match() -> None:
    """D-087: nothing shows that there is a hidden one."""
    assert set(find_matches("rate limit", "t.md", hidden="a.md")) == {"h.md"}


def find(query: str, *, is_merged: bool) -> SearchResults:
    """Search an index with a changelog and an old version of a page."""
    fulltext, source = index(
        document("CHANGELOG.md", "Changes", "", section("Rate limits", "x", 1)),
        document("old/t.md", "Rate limits", "Text."),
        document("o.md", "Limits of a rate", "rate limit " * 9),
        HEADING,
    )
    request = SearchRequest(
        query,
        9,
        source.accepts,
        is_secondary=lambda key: key.startswith("old/"),
        is_merged=is_merged,
    )
    return fulltext.search(request)


def test_changelogs_and_secondary_pages_are_first_by_no_name() -> None:
    """They stay where their scores are; frequencies are counted only for a merge."""
    merged = find("rate limits", is_merged=True)
    assert merged.hits[0].key == "h.md"
    assert [hit.match for hit in merged.hits] == [1, 0, 0, 0]
    assert merged.frequencies.documents == 4
    assert set(merged.frequencies.terms) == {"rate", "limit"}
    plain = find("rate limits", is_merged=False)
    assert not any(hit.match for hit in plain.hits)
    assert not plain.frequencies.terms


def test_an_equal_name_is_first_before_results_are_cut() -> None:
    """D-197: so that each page of results continues the same order."""
    fulltext, source = index(
        document(
            "t.md", "Rate limits of calls", "rate limits " * 9, tags=("rate limits",)
        ),
        document("h.md", "Page", "word " * 900, section("Rate limits", "x " * 900, 3)),
    )
    request = SearchRequest("rate limits", 1, source.accepts)
    assert [hit.key for hit in fulltext.search(request).hits] == ["t.md"]
    merged = fulltext.search(replace(request, is_merged=True))
    assert [hit.key for hit in merged.hits] == ["h.md"]
