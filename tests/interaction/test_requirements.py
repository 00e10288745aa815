"""The table of behaviours is complete: each is proven where it applies."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from interaction.behaviour import Behaviour
from interaction.requirements import BEHAVIOURS, BY_ID


def _claims(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == (
            "pytest.mark.behaviour"
        ):
            for argument in decorator.args:
                yield ast.literal_eval(argument)


@cache
def claims() -> dict[str, tuple[str, ...]]:
    """Return the claims of each test of the suite, by the test's name."""
    found: dict[str, tuple[str, ...]] = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            if claimed := tuple(_claims(node)):
                assert node.name.startswith("test_"), node.name
                assert "connect" in [a.arg for a in node.args.args], node.name
                found[f"{path.stem}.{node.name}"] = claimed
    return found


def test_every_behaviour_has_an_id_of_its_own() -> None:
    """Two rows of one id would hide each other."""
    counts = Counter(behaviour.id for behaviour in BEHAVIOURS)
    assert [name for name, count in counts.items() if count > 1] == []


def test_every_behaviour_names_its_source() -> None:
    """A behaviour without a source does not belong in the table."""
    assert [b.id for b in BEHAVIOURS if not (b.says and b.runs)] == []
    public = re.compile(r"(spec( [\d-]+)?, |JSON-RPC 2\.0|RFC \d|SEP-\d|D-\d{3}\b)")
    assert [b.id for b in BEHAVIOURS if not public.match(b.source)] == []


def test_every_claim_is_of_a_behaviour_in_the_table() -> None:
    """A misspelt claim proves nothing."""
    claimed = {name for names in claims().values() for name in names}
    assert claimed - BY_ID.keys() == set()


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.id)
def test_every_behaviour_is_proven_wherever_it_applies(behaviour: Behaviour) -> None:
    """Over each transport and version of its row there is at least one test."""
    proven: set[tuple[str, str]] = set()
    for names in claims().values():
        if behaviour.id in names:
            proven |= frozenset.intersection(*(BY_ID[name].runs for name in names))
    assert proven == behaviour.runs
