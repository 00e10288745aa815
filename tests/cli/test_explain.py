"""Reasons for results: `search --explain`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.docs import DocsTree
from support.knowledge import KnowledgeBase

from asdlc_kb.cli.explain import Reasons, add_reason_lines
from asdlc_kb.search.query.explanation import ExplainedHit, Explanation
from asdlc_kb.search.service.merged_ranking import RankedHit

Invoke = Callable[..., Result]


@pytest.fixture
def sources(knowledge: KnowledgeBase, tmp_path: Path) -> tuple[str, ...]:
    """Articles and pages about birds, as arguments of a command."""
    knowledge.write(
        "concepts/heron",
        title="The heron",
        tags="[heron]",
        description="A bird",
        body="It wades.\n",
    )
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide/heron.md", "# Herons\n\n## Feeding\n\nA heron eats fish.\n")
    return str(knowledge.root), "--docs", str(tree.root)


def test_each_result_has_its_reasons(invoke: Invoke, sources: tuple[str, ...]) -> None:
    """Points by keyword; in the full text scores, and the places of each word."""
    by_keyword = "--mode", "keyword"
    result = invoke("search", "heron", *sources, "--explain", *by_keyword)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "articles: 'heron' as it is, by keyword"
    assert "    points 5 = title 3 + tags 2" in lines
    assert "    heron: searched as heron, weight 1.00; also herons (0.30)" in lines
    (score,) = (line for line in lines if line.startswith("    score "))
    assert " = 0.6 x page " in score
    (match,) = (line for line in lines if line.startswith("        heron: "))
    assert match.startswith("        heron: title, heading, text, weight ")
    plain = invoke("search", "heron", *sources, *by_keyword).stdout.splitlines()
    assert [line for line in lines if line in plain] == plain


def test_reasons_are_those_of_their_results(
    invoke: Invoke, sources: tuple[str, ...]
) -> None:
    """D-197: in the order of one ranking; what was searched for is before it."""
    query = "search", "a bird eats fish", *sources, "--explain"
    lines = invoke(*query).stdout.splitlines()
    first = [line for line in lines if not line.startswith(" ")]
    assert [line.split()[0] for line in first] == [
        *("articles:", "pages:", "guide/heron.md", "2025-01-15")
    ]
    page, article = json.loads(invoke(*query, "--json").stdout)["results"]
    assert {match["term"] for match in page["why"]["matches"]} == {"eat", "fish", "a"}
    assert {match["term"] for match in article["why"]["matches"]} == {"bird", "a"}


def test_a_correction_is_explained(invoke: Invoke, sources: tuple[str, ...]) -> None:
    """What was searched instead, with its weight."""
    lines = invoke("search", "feding", *sources, "--explain").stdout.splitlines()
    assert "    feding: unknown, searched as feeding (0.90)" in lines


def test_json_has_the_reasons_of_each_row(
    invoke: Invoke, sources: tuple[str, ...]
) -> None:
    """Beside what was searched in each source."""
    options = "--explain", "--json", "--mode", "keyword"
    answer = json.loads(invoke("search", "heron", *sources, *options).stdout)
    articles, pages = answer["searches"]
    assert articles == {"source": "articles", "text": "heron", "mode": "keyword"}
    assert pages["mode"] == "fulltext"
    assert pages["words"][0] == {
        "typed": "heron",
        "stems": ["heron"],
        "weight": 1.0,
        "isReplaced": False,
        "variants": [{"word": "herons", "weight": 0.3}],
        "parts": [],
    }
    article, page = answer["results"]
    assert article["why"] == {"score": 5, "points": {"title": 3, "tags": 2}}
    assert page["path"] == "guide/heron.md"
    assert page["why"]["matches"][0]["fields"] == ["title", "heading", "text"]
    assert page["why"]["score"] > 0


def test_filters_are_no_part_of_what_is_explained(
    invoke: Invoke, sources: tuple[str, ...]
) -> None:
    """They narrow the search."""
    result = invoke("search", "heron category:guide", *sources, "--explain", "--json")
    answer = json.loads(result.stdout)
    assert [search["text"] for search in answer["searches"]] == ["heron"]
    assert [row["path"] for row in answer["results"]] == ["guide/heron.md"]


def test_filters_alone_have_no_words_to_explain(
    invoke: Invoke, sources: tuple[str, ...]
) -> None:
    """All that pass are listed, as without the option."""
    for query in ("source:articles", "source:root"):
        plain = invoke("search", query, *sources).stdout.splitlines()
        lines = invoke("search", query, *sources, "--explain").stdout.splitlines()
        reasons = [line for line in lines if line not in plain]
        assert {line.partition(": ")[2] for line in reasons} == {
            "no words to search for"
        }
        answer = invoke("search", query, *sources, "--explain", "--json").stdout
        assert [row["why"]["score"] for row in json.loads(answer)["results"]] == [0] * (
            len(plain) // (1 if query == "source:articles" else 2)
        )


@pytest.mark.parametrize(
    ("factor", "rest", "shown"),
    [
        (1.0, 0.0, "0.6 x page 2.00 + 0.4 x sections 1.00"),
        (1.0, 0.25, "0.6 x page 2.00 + 0.4 x sections 1.00 + 0.25 otherwise"),
        (0.5, -0.2, "0.5 x (0.6 x page 2.00 + 0.4 x sections 1.00) - 0.20 otherwise"),
    ],
)
def test_a_score_has_all_of_its_parts(factor: float, rest: float, shown: str) -> None:
    """The factor of an old version, and what the parts do not explain."""
    hit = ExplainedHit("a.md", 1.5, 2.0, 1.0, 0.4, factor, rest, ())
    reasons = Reasons("pages", "x", Explanation((), (), (), (hit,)))
    *_, score = add_reason_lines([["a.md"]], [RankedHit(0, 0)], [reasons])
    assert score == f"    score 1.50 = {shown}"
