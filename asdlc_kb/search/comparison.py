"""Comparison of two evaluations of the same cases, with a paired test.

Both are measured by the expectations of today: of the former evaluation only the names
that were found count. Two-sided sign-flip permutation test: exact for few cases, with
10,000 random flips for more, the same in each run.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from operator import mul
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

import msgspec

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.search.evaluation import CaseOutcome, Floor

MAX_RESULT_BYTES: Final = 50_000_000
"""Bytes of a file of former results."""

MAX_EXACT: Final = 12
"""Changed cases up to which every combination of signs is tried."""

_FLIPS: Final = 10_000
"""Random combinations of signs beyond that."""

SIGNIFICANT: Final = 0.05
"""The p value below which a difference is significant."""

_ROUNDING: Final = 1e-9

_Key: TypeAlias = tuple[str, str | None]


class FormerCase(msgspec.Struct, frozen=True):
    """What was found for a case."""

    query: str
    found: tuple[str, ...]
    source: str | None = None


class FormerResults(msgspec.Struct, frozen=True):
    """The output of `eval --json`."""

    cases: tuple[FormerCase, ...]


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """A case with other measures than before."""

    query: str
    before: Floor
    after: Floor

    @property
    def is_better(self) -> bool:
        """Whether the first measure that changed is higher."""
        steps = (
            getattr(self.after, name) - getattr(self.before, name)
            for name in ("ndcg", "mrr", "recall")
        )
        return next(filter(None, steps), 0.0) > 0


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """The means of a measure in both evaluations."""

    name: str
    before: float
    after: float
    p: float
    """How often chance alone has at least this difference."""

    @property
    def is_worse(self) -> bool:
        """Whether it is significantly lower."""
        return self.after < self.before and self.p < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences of two evaluations."""

    compared: int
    """Number of judged cases that both have."""
    missing: int
    """Number of judged cases that the former one does not have."""
    measures: tuple[MeasureChange, ...]
    changed: tuple[ChangedCase, ...]

    @property
    def is_worse(self) -> bool:
        """Whether a measure is significantly lower."""
        return any(measure.is_worse for measure in self.measures)


def read_results(path: Path) -> FormerResults:
    """Read the output of `eval --json`; raise SettingsError if it is none."""
    try:
        if path.stat().st_size > MAX_RESULT_BYTES:
            message = f"larger than {MAX_RESULT_BYTES:,} bytes"
            raise SettingsError(f"{path}: {message}: it is no result of eval --json")
        return msgspec.json.decode(path.read_bytes(), type=FormerResults)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        reason = str(error).replace("`$.", "`")
        message = f"{path}: {reason}: write it with asdlc-kb eval FILE --json"
        raise SettingsError(message) from None


def compare_outcomes(
    outcomes: Sequence[CaseOutcome], former: FormerResults
) -> Comparison:
    """Compare the judged outcomes with former ones of the same queries.

    Raises SettingsError if there are none.
    """
    known: dict[_Key, FormerCase] = {}
    for case in former.cases:
        known.setdefault((case.query, case.source), case)
    judged = [outcome for outcome in outcomes if outcome.case.must_include]
    pairs = list(_pair(judged, known))
    if not pairs:
        raise SettingsError("the former results have no judged query of these cases")
    before = [old.measures for old, _ in pairs]
    after = [new.measures for _, new in pairs]
    measures = (
        _compare_measure(name, _values(before, name), _values(after, name))
        for name in Floor.__struct_fields__
    )
    changed = (
        ChangedCase(new.case.query, old.measures, new.measures)
        for old, new in pairs
        if old.measures != new.measures
    )
    missing = len(judged) - len(pairs)
    return Comparison(len(pairs), missing, tuple(measures), tuple(changed))


def _pair(
    outcomes: Iterable[CaseOutcome], known: Mapping[_Key, FormerCase]
) -> Iterable[tuple[CaseOutcome, CaseOutcome]]:
    """Yield each outcome after the former one, by the expectations of today."""
    for outcome in outcomes:
        case = outcome.case
        former = known.get((case.query, case.source)) or known.get((case.query, None))
        if former is not None:
            yield replace(outcome, found=former.found), outcome


def _values(measures: Iterable[Floor], name: str) -> list[float]:
    return [getattr(each, name) for each in measures]


def _compare_measure(
    name: str, before: Sequence[float], after: Sequence[float]
) -> MeasureChange:
    count = len(before)
    steps = [new - old for old, new in zip(before, after, strict=True)]
    means = sum(before) / count, sum(after) / count
    return MeasureChange(name, *means, find_p(steps))


def find_p(differences: Iterable[float]) -> float:
    """Return the p value of paired differences; 1 if there are none."""
    steps = [step for step in differences if abs(step) > _ROUNDING]
    least = abs(sum(steps)) - _ROUNDING
    if len(steps) <= MAX_EXACT:
        flips = list(product((1, -1), repeat=len(steps)))
        return sum(_is_far(steps, signs, least) for signs in flips) / len(flips)
    pick = Random(0).choices  # noqa: S311 - a test of chance, no secret
    far = sum(_is_far(steps, pick((1, -1), k=len(steps)), least) for _ in range(_FLIPS))
    # The observed signs are one combination of them.
    return (far + 1) / (_FLIPS + 1)


def _is_far(steps: Sequence[float], signs: Sequence[int], least: float) -> bool:
    flipped: float = sum(map(mul, steps, signs))
    return abs(flipped) >= least
