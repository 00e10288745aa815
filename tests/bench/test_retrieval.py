"""The measurement of retrieval: its questions, its measures, and its tables."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from asdlc_kb.articles.library import ArticleLibrary
from benchmarks.cache import ROOT
from benchmarks.failure import BenchFailure
from benchmarks.retrieval.__main__ import main
from benchmarks.retrieval.engines import list_words, rank_by_count, rank_ours
from benchmarks.retrieval.judged import measure_collection, read_collection
from benchmarks.retrieval.measures import (
    find_rank,
    mean_reciprocal,
    ndcg,
    share_within,
)
from benchmarks.retrieval.own import OwnOutcome, ask_own, show_own
from benchmarks.retrieval.pages import PeerPage, PeerSection, PreparedTree
from benchmarks.retrieval.questions import (
    FURTHER_QUESTIONS,
    OwnQuestion,
    TreeOrigin,
    TreeQuestion,
    TreeQuestions,
    read_own_questions,
    read_tree_questions,
)
from benchmarks.retrieval.trees import ask_trees, show_trees

COLLECTION = {
    "docs": [
        {"id": "1", "title": "Kettles", "text": "How to boil water."},
        {"id": "2", "title": "Teapots", "text": "Tea is brewed in them."},
        {"id": "3", "title": "Cups", "text": "Drink from them."},
    ],
    "queries": [
        {"text": "boil water", "relevant": {"1": 1}},
        {"text": "brew tea", "relevant": {"2": 2, "3": 1}},
        {"text": "coffee", "relevant": {"3": 1}},
    ],
}


def test_half_of_the_questions_on_articles_are_kept_for_reports() -> None:
    """Twenty each, none asked twice."""
    questions = read_own_questions()
    assert Counter(one.half for one in questions) == {"dev": 20, "test": 20}
    assert len({one.query for one in questions}) == len(questions)
    assert [one.half for one in read_own_questions("test")] == ["test"] * 20


def test_the_expected_articles_are_visible() -> None:
    """A hidden article answers nothing."""
    visible = ArticleLibrary(ROOT / "content").load().by_id
    for question in read_own_questions():
        assert not set(question.must_include) - set(visible)


def test_each_tree_has_queries_of_every_kind() -> None:
    """Five keywords, five questions, three typing errors and two identifiers."""
    questions = read_tree_questions()
    kinds = {"keyword": 5, "question": 5, "typo": 3, "identifier": 2}
    for name in questions.tree:
        asked = [case for case in questions.case if case.tree == name]
        assert Counter(case.kind for case in asked) == kinds
    assert {case.tree for case in questions.case} == set(questions.tree)


def test_half_of_the_further_questions_are_kept_for_reports() -> None:
    """As many of both, over other trees than the first questions, none asked twice."""
    questions = read_tree_questions(FURTHER_QUESTIONS)
    assert Counter(case.half for case in questions.case) == {"dev": 42, "test": 42}
    assert len({case.query for case in questions.case}) == len(questions.case)
    assert {case.tree for case in questions.case} == set(questions.tree)
    assert not set(questions.tree) & set(read_tree_questions().tree)
    half = read_tree_questions(FURTHER_QUESTIONS, "dev")
    assert [case.half for case in half.case] == ["dev"] * 42


def test_the_rank_is_that_of_the_first_relevant_result() -> None:
    """From 1, among the first ten."""
    assert find_rank(["a", "b", "c"], {"c", "b"}) == 2
    assert find_rank(["a"], {"b"}) is None
    assert find_rank([*"abcdefghijk"], {"k"}) is None


def test_the_means_count_a_miss_as_nothing() -> None:
    """Of three queries, one is missed."""
    ranks = [1, 4, None]
    assert share_within(ranks, 1) == pytest.approx(1 / 3)
    assert share_within(ranks, 5) == pytest.approx(2 / 3)
    assert mean_reciprocal(ranks) == pytest.approx((1 + 1 / 4) / 3)


def test_ndcg_is_one_in_the_ideal_order_only() -> None:
    """Relative to the order by grade."""
    grades = {"a": 2.0, "b": 1.0}
    assert ndcg(["a", "b", "c"], grades) == pytest.approx(1.0)
    assert ndcg(["b", "a"], grades) == pytest.approx(0.8597, abs=1e-4)
    assert ndcg(["c"], grades) == 0.0


def test_a_judged_collection_is_measured_with_the_full_text_search(
    tmp_path: Path,
) -> None:
    """Two of three queries find the best document first, one of two relevant."""
    file = tmp_path / "tea.json"
    file.write_text(json.dumps(COLLECTION))
    scores = measure_collection("tea", read_collection(file))
    assert (scores.docs, scores.queries) == (3, 3)
    assert scores.mrr == pytest.approx(2 / 3)
    assert scores.ndcg == pytest.approx((1 + 0.7602) / 3, abs=1e-4)


def test_the_command_prints_each_collection_and_the_mean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line each."""
    file = tmp_path / "tea.json"
    file.write_text(json.dumps(COLLECTION))
    assert main(["judged", str(file)]) == 0
    out = capsys.readouterr().out
    assert "| tea | 3 | 3 | 0.5867 | 0.6667 |" in out
    assert "| mean |  |  | 0.5867 | 0.6667 |" in out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "No such file"),
        ("{", "truncated"),
        ('{"docs": [], "queries": []}', "no queries"),
    ],
)
def test_a_file_that_is_no_collection_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, reason: str
) -> None:
    """With its name."""
    file = tmp_path / "tea.json"
    if text is not None:
        file.write_text(text)
    assert main(["judged", str(file)]) == 1
    error = capsys.readouterr().err
    assert str(file) in error
    assert reason in error


def test_a_question_is_asked_as_a_model_does() -> None:
    """The tool names the article that the question describes."""
    question = OwnQuestion("dev", "git worktree", ("patterns/sandboxed-worktree",))
    (outcome,) = ask_own(ROOT, [question])
    assert outcome.rank == 1


def test_questions_with_another_first_result_are_listed() -> None:
    """With their rank, or a dash."""
    found = ["concepts/grounding", "concepts/context-rot"]
    outcomes = [
        OwnOutcome(OwnQuestion("dev", "one", ("concepts/grounding",)), found),
        OwnOutcome(OwnQuestion("dev", "two", ("concepts/context-rot",)), found),
        OwnOutcome(OwnQuestion("test", "three", ("patterns/the-spec",)), []),
    ]
    measures, misses = show_own(outcomes)
    assert measures.rows == [
        ("dev", "2", "0.500", "1.000", "0.750"),
        ("test", "1", "0.000", "0.000", "0.000"),
        ("all", "3", "0.333", "0.667", "0.500"),
    ]
    assert misses.rows == [
        ("two (dev)", "2", "concepts/grounding", "concepts/context-rot"),
        ("three (test)", "-", "none", "patterns/the-spec"),
    ]


@pytest.fixture
def checkouts(tmp_path: Path) -> Path:
    """Return a folder with one tree of two pages."""
    docs = tmp_path / "kettles" / "docs"
    docs.mkdir(parents=True)
    (docs / "boil.md").write_text("# Boil\n\nWater & heat.\n\n## Times\n\nMinutes.\n")
    (docs / "clean.md").write_text("# Clean\n\nVinegar removes lime.\n")
    return tmp_path


def ask(page: str) -> TreeQuestions:
    """Return a query for a page of the tree."""
    origin = TreeOrigin("kettles/kettles", "0" * 40, "docs")
    question = TreeQuestion("kettles", "keyword", "vinegar", (page,))
    return TreeQuestions({"kettles": origin}, (question,))


def rank_last(tree: PreparedTree, queries: Sequence[str]) -> Sequence[Sequence[str]]:
    """Return the pages in the order of their paths, for every query."""
    return [[page.path for page in tree.pages] for _ in queries]


def test_every_engine_ranks_the_pages_of_a_tree(checkouts: Path) -> None:
    """The tables have a row for each kind and engine."""
    engines = {"ours": rank_ours, "by path": rank_last}
    outcomes = ask_trees(checkouts, ask("clean.md"), engines)
    by_kind, by_tree, misses = show_trees(outcomes)
    ours = ("ours", "1", "1.000", "1.000", "1.000")
    other = ("by path", "1", "0.000", "1.000", "0.500")
    assert by_kind.rows == [
        ("keyword", *ours),
        ("keyword", *other),
        ("all", *ours),
        ("all", *other),
    ]
    assert by_tree.rows == [("kettles", *ours), ("kettles", *other)]
    assert misses.rows == []


def test_a_missing_page_or_tree_ends_the_measurement(checkouts: Path) -> None:
    """A question that nothing can answer would look like a miss."""
    with pytest.raises(BenchFailure, match=r"no page rinse\.md"):
        ask_trees(checkouts, ask("rinse.md"), {})
    with pytest.raises(BenchFailure, match="clone kettles/kettles at 0000"):
        ask_trees(checkouts / "docs", ask("clean.md"), {})


def test_other_engines_get_the_texts_that_ours_indexes(checkouts: Path) -> None:
    """As HTML with the headings of the page."""
    tree = PreparedTree(checkouts / "kettles" / "docs")
    boil = tree.pages[0]
    assert (boil.path, boil.title) == ("boil.md", "Boil")
    assert "<h1>Boil</h1>" in boil.html
    assert "<p>Water &amp; heat.</p>" in boil.html
    assert '<h2 id="times">Times</h2>\n<p>Minutes.</p>' in boil.html


def test_the_heading_that_repeats_the_title_is_written_once() -> None:
    """As a generator does."""
    section = PeerSection("boil", "Boil", 1, "Water.")
    page = PeerPage("boil.md", "Boil", "", (section,))
    assert page.html.count("Boil</h") == 1


def test_files_with_all_words_are_ranked_by_their_matches() -> None:
    """A file that lacks a word is not found."""
    counts = [{"a": 1, "b": 5, "c": 9}, {"a": 2, "b": 1, "d": 7}]
    assert rank_by_count(counts, {"a", "b", "c", "d"}) == ["b", "a"]
    assert rank_by_count(counts, {"a"}) == ["a"]
    assert rank_by_count([], {"a"}) == []


def test_words_are_looked_for_without_punctuation() -> None:
    """But with the signs of an identifier or an option."""
    assert list_words("Why is my page, the page?") == ["why", "is", "my", "page", "the"]
    assert list_words("--root-path resources.GetRemote()") == [
        "--root-path",
        "resources.getremote",
    ]
