"""Conflicts between instructions that apply to the same files.

Only what is certain counts: rules of the same name in the folders of two tools with
different texts, and a thing that one text demands and another forbids.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, product
from typing import Final, NamedTuple, Protocol

from asdlc_kb.project.directives import read_directives
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.real_files import Linkable

MAX_CONFLICTS: Final = 20
"""Conflicts listed for one path."""

MAX_TEXTS: Final = 200
"""Texts compared for one path."""


class Instruction(Linkable, Protocol):
    """A rule or guide with its text."""

    @property
    def scope(self) -> str:
        """The folder it applies to."""

    @property
    def tools(self) -> tuple[Platform, ...]:
        """The tools that read it, the one that defines it first."""


class RuleConflict(NamedTuple):
    """Two instructions that cannot both be followed."""

    paths: tuple[str, str]
    why: str


def find_conflicts(instructions: Sequence[Instruction]) -> tuple[RuleConflict, ...]:
    """Return the conflicts between instructions, the nearest first."""
    if len(instructions) < 2:
        return ()
    compared = instructions[:MAX_TEXTS]
    named = (
        RuleConflict((first.path, second.path), "same name, different texts")
        for first, second in find_differing_copies(compared)
    )
    return tuple(islice(chain(named, _find_opposites(compared)), MAX_CONFLICTS))


def find_differing_copies(
    rules: Sequence[Instruction],
) -> Iterator[tuple[Instruction, Instruction]]:
    """Yield the first rule of each name with those of other tools that differ."""
    groups: dict[tuple[str, str], list[Instruction]] = {}
    for rule in rules:
        if rule.tools:
            groups.setdefault((rule.scope, rule.name.casefold()), []).append(rule)
    for first, *others in groups.values():
        for other in others:
            if other.tools[0] != first.tools[0] and _differ(first, other):
                yield first, other


def _find_opposites(instructions: Sequence[Instruction]) -> Iterator[RuleConflict]:
    """Yield the things that one text demands and another forbids."""
    by_subject: dict[str, dict[bool, list[str]]] = {}
    for instruction in instructions:
        for subject, is_demanded in read_directives(instruction.content).items():
            paths = by_subject.setdefault(subject, {True: [], False: []})
            paths[is_demanded].append(instruction.path)
    for subject, paths in by_subject.items():
        for pair in product(paths[True], paths[False]):
            why = f'the first demands "{subject}", the second forbids it'
            yield RuleConflict(pair, why)


def _differ(first: Instruction, second: Instruction) -> bool:
    if first.identity == second.identity:
        return False
    return _normalize(first.content) != _normalize(second.content)


def _normalize(text: str) -> str:
    """Return a text without differences that tools' formats make."""
    return " ".join(text.replace("(mdc:", "(").split())
