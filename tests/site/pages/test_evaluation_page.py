"""An evaluation of the search as charts."""

import re
from dataclasses import replace

from asdlc_kb.search.comparison import (
    Comparison,
    FormerCase,
    FormerResults,
    compare_outcomes,
)
from asdlc_kb.search.evaluation import Case, CaseOutcome, Floor, Verdict
from asdlc_kb.site.pages.evaluation_page import write_evaluation

CASES = (
    Case("first <query>", must_include=("a",)),
    Case("second", must_include=("b",), within=1),
    Case("not judged"),
)
VERDICT = Verdict(
    (
        CaseOutcome(CASES[0], ("a", "b")),
        CaseOutcome(CASES[1], ("a", "b")),
        CaseOutcome(CASES[2], ("a",)),
    ),
    Floor(mrr=0.9),
)


def compare(**found: tuple[str, ...]) -> Comparison:
    """Return the comparison with an earlier run."""
    names = {"first": CASES[0].query, "second": CASES[1].query}
    cases = tuple(FormerCase(names[name], rows) for name, rows in found.items())
    return compare_outcomes(VERDICT.outcomes, FormerResults(cases))


def show(verdict: Verdict = VERDICT, comparison: Comparison | None = None) -> str:
    """Return the text of the file, without tags."""
    page = write_evaluation("cases.toml", verdict, comparison).decode()
    assert "<script" not in page
    assert "src=" not in page
    main = page.partition("<main>")[2]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def test_measures_and_queries_are_shown_the_lowest_first() -> None:
    """With what failed, and the least that is good enough."""
    text = show()
    assert "cases.toml: 3 queries, 1 failed, 1 not judged." in text
    assert "Mean reciprocal rank too low: at least 0.900 0.750" in text
    assert "Recall 0.500" in text
    second = "second b is not among the first 1, but number 2 0.631"
    assert f"{second} first &lt;query&gt; 1.000" in text
    assert "before" not in text


def test_bars_are_to_scale() -> None:
    """A measure is at most 1."""
    page = write_evaluation("cases.toml", VERDICT).decode()
    widths = re.findall(r'class="found" x="0.00" y="0" width="([\d.]+)"', page)
    assert widths == ["75.00", "50.00", "81.55", "63.09", "100.00"]


def test_changes_come_first() -> None:
    """What was gained is a part of the bar, what was lost is beyond it."""
    changed = compare(first=("b", "a"), second=("b",))
    text = show(comparison=changed)
    assert "Compared with an earlier run: 1 better, 1 worse." in text
    order = [text.index("second b is not"), text.index("first &lt;query&gt;")]
    assert order == sorted(order)
    assert "0.631 -0.369" in text
    assert "1.000 +0.369" in text
    page = write_evaluation("cases.toml", VERDICT, changed).decode()
    assert 'class="gained" x="63.09" y="0" width="36.91"' in page
    assert 'class="lost" x="63.09" y="0" width="36.91"' in page


def test_a_measure_that_is_significantly_lower_says_so() -> None:
    """As the command does, with the p value."""
    changed = compare(first=("a",))
    (mrr, *rest) = changed.measures
    worse = replace(mrr, before=0.9, after=0.75, p=0.01)
    text = show(comparison=replace(changed, measures=(worse, *rest)))
    assert "significantly lower: p = 0.010 0.750 -0.150" in text
    assert "1 judged queries are new" in text
