"""The plan of a query, step by step of the policy."""

from dataclasses import replace

import pytest
from support.texts import document, index, section

from asdlc_kb.search.analyzer import StemmedWords
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy
from asdlc_kb.search.query.operators import parse_query
from asdlc_kb.search.query.plan import Phrase, Plan, Planner
from asdlc_kb.search.query.speller import Speller
from asdlc_kb.search.service.fulltext import FullText

TEXT = (
    "server deploy deployment frontmatter cache file path timeout configuration what is"
)
FULL = index(document("a.md", "Page", f"{TEXT} what is"))[0]


MIXED = index(
    document("a.md", "Pagination", "The pagination of lists."),
    document("fr/a.md", "Page", "Une page de la liste.", language="fr"),
)[0]


def plan(
    query: str, policy: QueryPolicy = QUERY_POLICY, searched: FullText = FULL
) -> Plan:
    """Return the plan of a query."""
    assert searched._snapshot is not None
    view = VisibleIndex(searched._snapshot, lambda key, digest: True)
    return Planner(Speller(view, policy), policy).plan(parse_query(query, policy))


def weights(query: str) -> dict[str, float]:
    """Return the words of the search, with their weights."""
    return {word.text: round(word.weight, 2) for word in plan(query).words}


def test_stop_words_weigh_little_in_short_queries_and_nothing_in_long_ones() -> None:
    """Unless there is nothing else."""
    assert weights("what is the cache") == {"what": 0.3, "is": 0.3, "the": 0.3} | {
        "cache": 1.0
    }
    assert list(weights("what is the path of the cache file")) == [
        *("path", "cache", "file"),
    ]
    assert weights("what is") == {"what": 1.0, "is": 1.0}


def test_a_word_that_is_repeated_counts_by_a_root() -> None:
    """Four times is twice as much."""
    assert weights("cache file cache cache cache") == {"cache": 2.0, "file": 1.0}


def test_a_word_that_is_nowhere_is_corrected_then_completed_then_split() -> None:
    """And the plan states it; known words stay."""
    query_plan = plan("cahce deplo cachefile servers")
    stand_ins = {word.text: word.variants for word in query_plan.words}
    assert stand_ins["cahce"] == (("cache", QUERY_POLICY.near_weight),)
    assert ("deployment", QUERY_POLICY.completion_weight) in stand_ins["deplo"]
    assert ("cachefile", "cache file") in query_plan.corrected
    assert "servers" not in dict(query_plan.corrected)


def test_a_stem_of_another_language_is_no_known_word() -> None:
    """`pagi` has the stem of `page` in French, where it is the end of a word."""
    assert plan("pagi", searched=MIXED).corrected == [("pagi", "pagination")]
    assert plan("pagi de la liste", searched=MIXED).corrected == []
    assert plan("la liste de pages", searched=MIXED).corrected == []
    assert plan("lists", searched=MIXED).corrected == []


@pytest.mark.parametrize(
    ("query", "stemmers"),
    [
        ("la page de la liste", ("english", "french")),
        (f"la page de la liste {'config ' * 8}", ("french",)),
        (f"the page of the list {'config ' * 8}", ("english",)),
        (f"la page {'config ' * 11}", ("english", "french")),
        ("return list " * 7, ("english", "french")),
        ("config 数据缓存配置页面内容数据缓存", ("english",)),
    ],
)
def test_prose_is_read_in_its_own_language(
    query: str, stemmers: tuple[str, ...]
) -> None:
    """Up to twelve words are read in all, and so are more of an unknown language."""
    query_plan = plan(query, searched=MIXED)
    assert query_plan.stemmers == stemmers
    assert {name for phrase in query_plan.phrases for name in phrase.stemmers} <= set(
        stemmers
    )


def test_a_word_that_may_be_unfinished_is_not_corrected() -> None:
    """`depl` is `deploy`, not `dell`."""
    full = index(document("a.md", "Page", "deploy deployment dell mind middleware"))[0]
    assert full._snapshot is not None
    view = VisibleIndex(full._snapshot, lambda key, digest: True)
    for word, meant in (("depl", {"deploy", "deployment"}), ("midd", {"middleware"})):
        planned = Planner(Speller(view)).plan(parse_query(f"{word} page"))
        (found,) = (each for each in planned.words if each.text == word)
        assert {other for other, _ in found.variants} == meant


@pytest.mark.parametrize(
    "query", ["std::cahce", "cahce.conf", "my_cahce", "lib/cahce/x", "->cahce.x"]
)
def test_parts_of_identifiers_are_not_corrected(query: str) -> None:
    """They are names: another one is another thing."""
    assert "cahce" not in dict(plan(query).corrected)
    assert plan("cahce").corrected == [("cahce", "cache")]


def test_parts_of_words_with_hyphens_are_corrected() -> None:
    """They are words."""
    assert ("cahce", "cache") in plan("cahce-file").corrected


def test_two_letters_of_the_last_word_are_completed_while_it_is_typed() -> None:
    """A known one has to be longer otherwise, since it may be complete."""
    assert FULL._snapshot is not None
    view = VisibleIndex(FULL._snapshot, lambda key, digest: True)
    typed = Planner(Speller(view), is_typing=True).plan(parse_query("cache is"))
    assert [word.variants for word in typed.words][-1] == ()
    typed = Planner(Speller(view), is_typing=True).plan(parse_query("server fi"))
    assert typed.words[-1].variants == (("file", QUERY_POLICY.completion_weight),)
    assert plan("cache f").words[-1].variants == ()


def test_titles_are_sought_in_the_query() -> None:
    """Whole ones of up to four adjacent words that are not the whole query."""
    full = index(
        document("a.md", "Rate limits", "x"),
        document("b.md", "The", "is"),
        document("c.md", "Page", "y", section("Server", "text")),
    )[0]
    assert full._snapshot is not None
    view = VisibleIndex(full._snapshot, lambda key, digest: True)
    named = (
        Planner(Speller(view))
        .plan(parse_query("how are the rate limits of a server set"))
        .named
    )
    weight = QUERY_POLICY.named_weight
    assert named == {
        StemmedWords(("rate", "limit")): weight,
        StemmedWords(("server",)): weight,
    }


def test_a_name_of_code_counts_fully_as_a_heading() -> None:
    """In a query of any length; its parts are no stop words."""
    full = index(
        document("a.md", "Page", "y", section("client:only", "text")),
        document("b.md", "Client", "only"),
    )[0]
    query_plan = plan("what is client:only for", searched=full)
    only = StemmedWords(("client", "onli"))
    assert query_plan.named[only] == QUERY_POLICY.named_code_weight
    assert query_plan.named[StemmedWords(("client",))] == QUERY_POLICY.named_weight
    assert {w.text: w.weight for w in query_plan.words}["only"] == 1.0
    long = plan(f"client:only {'error ' * 20}", searched=full)
    assert list(long.named) == [only]


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ("deploy the server to heroku", ("heroku",)),
        ("cahce servers heroku heroku 404", ("cahce", "heroku", "404")),
        ('would "heroku" servr', ("servr",)),
        ("q on a server", ()),
    ],
)
def test_unknown_words_are_listed(query: str, unknown: tuple[str, ...]) -> None:
    """With or without a replacement, but no stop words and no single letters."""
    assert plan(query).unknown == unknown


@pytest.mark.parametrize("word", ["e0609", "8602", "v2file"])
def test_numbers_and_codes_are_only_completed(word: str) -> None:
    """Another one is another thing."""
    full = index(document("a.md", "Page", "E0603 8601 v2 file", section("3000", "x")))[
        0
    ]
    assert plan(f"{word} page", searched=full).corrected == []
    assert plan("300 page", searched=full).corrected == []
    assert plan("e060", searched=full).corrected == [("e060", "e0603")]


def test_a_stop_word_is_no_beginning_of_a_joined_word() -> None:
    """Unless the joined word is a heading."""
    full = index(
        document("a.md", "Page", "An invite to a meetup and today."),
        document("b.md", "Today", "Vite"),
    )[0]
    assert plan("use it in vite", searched=full).joined == []
    assert plan("how to meet up", searched=full).joined == [("meet up", "meetup")]
    assert plan("it is to day", searched=full).joined == [("to day", "today")]


def test_phrases_are_made_of_the_words_that_were_meant() -> None:
    """A typo must not lower the rank of a heading."""
    query_plan = plan("cahce file")
    assert StemmedWords(("cach", "file")) in query_plan.whole
    assert any(phrase.stems == ("cach", "file") for phrase in query_plan.phrases)


@pytest.mark.parametrize("query", ["front matter", "front mat ter", "time out"])
def test_neighbours_that_are_one_word_are_joined(query: str) -> None:
    """Two to four of them."""
    joined = query.replace(" ", "")
    query_plan = plan(query)
    assert query_plan.joined == [(query, joined)]
    assert query_plan.corrected == []
    assert joined in weights(query)


def test_the_last_word_of_a_short_query_may_be_unfinished() -> None:
    """With little weight, since it may be complete."""
    (word,) = [w for w in plan("cache deploy").words if w.text == "deploy"]
    assert word.variants == (("deployment", QUERY_POLICY.last_weight),)
    (first,) = [w for w in plan("deploy cache").words if w.text == "deploy"]
    assert first.variants == ()


def test_quoted_words_are_not_stretched() -> None:
    """A quotation is exact."""
    query_plan = plan('"cahce deplo"')
    assert [word.variants for word in query_plan.words] == [(), ()]
    assert query_plan.corrected == []


def test_neighbours_and_parts_of_identifiers_are_phrases() -> None:
    """Pairs may be a little apart; identifiers not; characters of CJK not."""
    assert plan("server path").phrases == [
        Phrase(("server", "path"), QUERY_POLICY.pair_weight, QUERY_POLICY.pair_slop)
    ]
    for query in ("cache_file", "cache.file", "cache/file", "cache::file"):
        phrase = Phrase(("cach", "file"), QUERY_POLICY.identifier_weight)
        assert phrase in plan(query).phrases, query
    assert plan("缓存").phrases == [Phrase(("缓", "存"), QUERY_POLICY.cjk_weight)]


def test_words_that_most_of_many_pages_have_are_no_pair() -> None:
    """One of the two may be; characters of scripts without blanks are words at once."""
    pages = [document(f"{n}.md", "缓存", f"server path {n}") for n in range(6)]
    snapshot = index(*pages, document("cache.md", "Cache", "缓存"))[0]._snapshot
    assert snapshot is not None
    speller = Speller(VisibleIndex(snapshot, lambda key, digest: True))
    planner = Planner(speller, replace(QUERY_POLICY, common_pages=5))
    phrases = planner.plan(parse_query("server path cache 缓存", QUERY_POLICY)).phrases
    assert {phrase.stems for phrase in phrases} == {
        ("path", "cach"),
        ("cach", "缓"),
        ("缓", "存"),
    }
    small = replace(QUERY_POLICY, common_pages=6)
    phrases = (
        Planner(speller, small).plan(parse_query("server path", QUERY_POLICY)).phrases
    )
    assert [phrase.stems for phrase in phrases] == [("server", "path")]


def test_pairs_fade_in_long_queries() -> None:
    """They are adjacent by chance there."""
    policy = replace(QUERY_POLICY, pairs_full=2)
    weight = plan("server path cache file", policy).phrases[0].weight
    assert weight == pytest.approx(QUERY_POLICY.pair_weight / 2)


def test_only_so_many_words_are_read_and_stretched() -> None:
    """Time is bounded."""
    policy = replace(QUERY_POLICY, max_words=3, max_corrected_words=1)
    query_plan = plan("cahce confguration sevrer path", policy)
    assert [word.text for word in query_plan.words] == [
        "cahce",
        "confguration",
        "sevrer",
    ]
    assert [typed for typed, _ in query_plan.corrected] == ["cahce"]


def test_a_query_without_words_plans_nothing() -> None:
    """Nor does a category alone."""
    for query in ("", "?!", "category:x"):
        query_plan = plan(query)
        assert (query_plan.words, query_plan.phrases) == ([], [])


def test_words_of_scripts_without_blanks_are_phrases_and_sought_in_headings() -> None:
    """Beyond their pairs; not those of prose."""
    query_plan = plan("缓存 データ cache")
    assert [word.stems for word in query_plan.cjk_words] == [
        ("缓", "存"),
        ("デ", "ー", "タ"),
    ]
    phrase = Phrase(("デ", "ー", "タ"), QUERY_POLICY.cjk_word_weight)
    assert phrase in query_plan.phrases
    few = plan("缓存 データ cache", replace(QUERY_POLICY, max_cjk_words=1))
    assert few.cjk_words == ()
    assert phrase not in few.phrases
