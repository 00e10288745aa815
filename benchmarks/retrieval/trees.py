"""Questions over public documentation trees, put to several engines."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import Section
from benchmarks.failure import BenchFailure
from benchmarks.retrieval.engines import Engine
from benchmarks.retrieval.measures import find_rank, mean_reciprocal, share_within
from benchmarks.retrieval.pages import PreparedTree
from benchmarks.retrieval.questions import TreeQuestion, TreeQuestions


@dataclass(frozen=True)
class TreeOutcome:
    """The results of one engine for one question."""

    question: TreeQuestion
    engine: str
    found: Sequence[str]
    """Pages, best first."""

    @property
    def rank(self) -> int | None:
        """Rank of the first page that answers; None if there is none."""
        return find_rank(self.found, self.question.must_include)


def ask_trees(
    folder: Path,
    questions: TreeQuestions,
    engines: Mapping[str, Engine],
    report: Callable[[str], None] = lambda line: None,
) -> Sequence[TreeOutcome]:
    """Return the results of every engine.

    The folder has a checkout for each tree, under the tree's name. Raises BenchFailure
    if a tree or a page that is expected is not there.
    """
    outcomes = []
    for name, origin in questions.tree.items():
        cases = [case for case in questions.case if case.tree == name]
        root = folder / name / origin.root
        if not root.is_dir():
            raise BenchFailure(
                f"no folder {root}: clone {origin.repository} at {origin.commit}"
            )
        tree = PreparedTree(root)
        _check_pages(tree, cases)
        for engine, rank in engines.items():
            report(f"{name}, {len(tree.pages)} pages, {engine}")
            rankings = rank(tree, [case.query for case in cases])
            pairs = zip(cases, rankings, strict=True)
            outcomes += [TreeOutcome(case, engine, found) for case, found in pairs]
    return outcomes


def _check_pages(tree: PreparedTree, cases: Sequence[TreeQuestion]) -> None:
    known = {page.path for page in tree.pages}
    for case in cases:
        for path in case.must_include:
            if path not in known:
                raise BenchFailure(f"no page {path} in {tree.root}")


def show_trees(outcomes: Sequence[TreeOutcome]) -> Sequence[Section]:
    """Return the measures by kind and by tree, and the questions that ours misses."""
    by_kind = _group(outcomes, lambda question: question.kind)
    by_tree = _group(outcomes, lambda question: question.tree)
    columns = ("engine", "queries", "first place", "top five", "MRR@10")
    first = outcomes[0].engine
    misses = [one for one in outcomes if one.engine == first and one.rank != 1]
    return (
        Section(
            "Trees, by kind of query",
            ("kind", *columns),
            _summarize(by_kind | {"all": outcomes}),
        ),
        Section("Trees, by tree", ("tree", *columns), _summarize(by_tree)),
        Section(
            f"Not in the first place of {first}",
            ("query", "tree", "rank", "first result", "expected"),
            [_describe(one) for one in misses],
        ),
    )


def _group(
    outcomes: Sequence[TreeOutcome], name_group: Callable[[TreeQuestion], str]
) -> dict[str, Sequence[TreeOutcome]]:
    groups: dict[str, list[TreeOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault(name_group(outcome.question), []).append(outcome)
    return dict(groups)


def _summarize(groups: Mapping[str, Sequence[TreeOutcome]]) -> list[Sequence[str]]:
    """Return a row for each group and engine."""
    rows: list[Sequence[str]] = []
    for name, outcomes in groups.items():
        ranks: dict[str, list[int | None]] = {}
        for outcome in outcomes:
            ranks.setdefault(outcome.engine, []).append(outcome.rank)
        for engine, own in ranks.items():
            measures = (
                share_within(own, 1),
                share_within(own, 5),
                mean_reciprocal(own),
            )
            figures = (f"{value:.3f}" for value in measures)
            rows.append((name, engine, str(len(own)), *figures))
    return rows


def _describe(outcome: TreeOutcome) -> Sequence[str]:
    question = outcome.question
    return (
        question.query,
        question.tree,
        "-" if outcome.rank is None else str(outcome.rank),
        next(iter(outcome.found), "none"),
        ", ".join(question.must_include),
    )
