"""Search evaluation: test cases from a TOML file, scored by MRR, recall and nDCG.

A file of cases is TOML:

    [floor]            # the least that is good enough; each is optional
    mrr = 0.9
    recall = 0.95
    ndcg = 0.9

    [[case]]
    query = "how do I stop an agent from guessing"
    source = "articles"           # or "docs"; needed only if both are served
    must_include = ["patterns/context-gates"]
    within = 3                    # among the first 3; 10 by default
    must_not_include = ["concepts/vibe-coding"]
"""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.search.policy import MAX_QUERY_CHARS

DEPTH: Final = 10
"""Minimum number of results evaluated per query."""

_UNKNOWN: Final = re.compile(r"Object contains unknown field `([^`]*)`( at `[^`]*`)?")

Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Names: TypeAlias = tuple[Annotated[str, Meta(min_length=1)], ...]


class Floor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The least mean of each measure that is good enough."""

    mrr: Share = 0.0
    recall: Share = 0.0
    ndcg: Share = 0.0


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A query, and what its first results must and must not have."""

    query: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS)]
    must_include: Names = ()
    within: Annotated[int, Meta(ge=1, le=50)] = DEPTH
    must_not_include: Names = ()
    source: Literal["articles", "docs"] | None = None

    @property
    def is_judged(self) -> bool:
        """Whether it states what must or must not be found."""
        return bool(self.must_include or self.must_not_include)


class Fixtures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of cases."""

    case: Annotated[tuple[Case, ...], Meta(min_length=1)]
    floor: Floor = Floor()


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """The results of a search for a case."""

    case: Case
    found: tuple[str, ...]
    """The names of the results, best first."""
    unknown: frozenset[str] = frozenset()
    """Expected names that nothing visible has."""

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the violated expectations."""
        first = self.found[: self.case.within]
        absent = (name for name in self.case.must_include if name not in first)
        unwanted = (name for name in self.case.must_not_include if name in first)
        return (
            *(f"{name} is {self._describe_rank(name)}" for name in absent),
            *(f"{name} must not be among the first {len(first)}" for name in unwanted),
        )

    def _describe_rank(self, name: str) -> str:
        if name in self.unknown:
            return "not the name of a visible article or page"
        expectation = f"not among the first {self.case.within}"
        if name not in self.found:
            return f"{expectation}, nor below"
        return f"{expectation}, but number {self.found.index(name) + 1}"

    @property
    def mrr(self) -> float:
        """Reciprocal rank of the first relevant name."""
        relevant_hits = [
            at for at, name in enumerate(self.found, 1) if self._is_relevant(name)
        ]
        return 1 / relevant_hits[0] if relevant_hits else 0.0

    @property
    def recall(self) -> float:
        """Share of the relevant names among the first `within` results."""
        relevant_hits = sum(map(self._is_relevant, self.found[: self.case.within]))
        return relevant_hits / len(self.case.must_include)

    @property
    def ndcg(self) -> float:
        """Discounted gain of the relevant names, relative to the ideal order."""
        gain = sum(
            1 / log2(at + 1)
            for at, name in enumerate(self.found[:DEPTH], 1)
            if self._is_relevant(name)
        )
        ideal_count = min(len(self.case.must_include), DEPTH)
        return gain / sum(1 / log2(at + 1) for at in range(1, ideal_count + 1))

    @property
    def measures(self) -> Floor:
        """All measures; the case must have relevant names."""
        return Floor(self.mrr, self.recall, self.ndcg)

    def _is_relevant(self, name: str) -> bool:
        return name in self.case.must_include


@dataclass(frozen=True, slots=True)
class Verdict:
    """All outcomes, and the means over cases with relevant names."""

    outcomes: tuple[CaseOutcome, ...]
    floor: Floor

    @property
    def scores(self) -> Floor:
        """Return the mean of each measure; 1 without relevant names."""
        scored = [one.measures for one in self.outcomes if one.case.must_include]
        if not scored:
            return Floor(1.0, 1.0, 1.0)
        columns = zip(*map(msgspec.structs.astuple, scored), strict=True)
        return Floor(*(sum(column) / len(scored) for column in columns))

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """Return the names of the measures below their minimum."""
        scores = self.scores
        return tuple(
            name
            for name in Floor.__struct_fields__
            if getattr(scores, name) < getattr(self.floor, name)
        )

    @property
    def is_good(self) -> bool:
        """Whether every case passed and no mean is below its minimum."""
        has_faults = any(outcome.faults for outcome in self.outcomes)
        return not (has_faults or self.shortfalls)


def read_fixtures(path: Path) -> Fixtures:
    """Read a file of cases; raise SettingsError if it is invalid."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(data, Fixtures)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: it is not TOML: {error}") from None
    except msgspec.ValidationError as error:
        message = _explain(str(error).replace("`$.", "`"))
        raise SettingsError(f"{path}: {message}") from None


def _explain(message: str) -> str:
    """Return the message for data that is invalid, with the names of fields."""
    if (found := _UNKNOWN.fullmatch(message.replace(" - ", " "))) is None:
        return message
    written, place = found.groups(default="")
    kinds = {"`case": Case, "`floo": Floor}
    fields = kinds.get(place[4:9], Fixtures).__struct_fields__
    names = ", ".join(f"`{name}`" for name in fields)
    return f"unknown field `{written}`{place}: write one of {names}"


def evaluate_cases(
    fixtures: Fixtures,
    find: Callable[[Case, int], Sequence[str]],
    is_known: Callable[[str], bool] = lambda name: True,
) -> Verdict:
    """Evaluate the cases; `find` returns the names of a case's first results.

    `is_known` returns whether something visible has a name.
    """
    outcomes = (
        CaseOutcome(
            case,
            tuple(find(case, max(DEPTH, case.within))),
            frozenset(name for name in case.must_include if not is_known(name)),
        )
        for case in fixtures.case
    )
    return Verdict(tuple(outcomes), fixtures.floor)
