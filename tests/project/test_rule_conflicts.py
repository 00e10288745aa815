"""Conflicts between instructions that apply to the same files."""

from dataclasses import dataclass
from itertools import count

import pytest

from asdlc_kb.project.artifact_file import FileIdentity
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.rule_conflicts import (
    MAX_CONFLICTS,
    RuleConflict,
    find_conflicts,
    find_differing_copies,
)

NUMBERS = count()


@dataclass
class Text:
    """An instruction of a test."""

    path: str
    content: str
    tools: tuple[Platform, ...] = ("cursor",)
    scope: str = ""
    name: str = ""
    identity: FileIdentity = (0, 0)
    also_in: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Take the name from the path, and an identity of its own."""
        self.name = self.path.rpartition("/")[2].partition(".")[0]
        if self.identity == (0, 0):
            self.identity = (1, next(NUMBERS))


def test_a_thing_demanded_and_forbidden_is_a_conflict() -> None:
    """With both paths, the one that demands it first."""
    texts = [
        Text("CLAUDE.md", "- Don't use `default exports`."),
        Text("AGENTS.md", "Always use **default exports**\n\nUse tabs"),
        Text("x.md", "Use tabs"),
    ]
    why = 'the first demands "default exports", the second forbids it'
    expected = RuleConflict(("AGENTS.md", "CLAUDE.md"), why)
    assert find_conflicts(texts) == (expected,)


def test_rules_of_one_name_in_two_tools_that_differ_are_a_conflict() -> None:
    """Differences that formats make do not count."""
    cursor = Text(".cursor/rules/Style.mdc", "See [a](mdc:a.md)\n\nUse tabs")
    claude = Text(".claude/rules/style.md", "Two spaces", ("claude", "copilot"))
    (conflict,) = find_conflicts([cursor, claude])
    assert conflict.paths == (cursor.path, claude.path)
    assert conflict.why == "same name, different texts"
    claude.content = "See [a](a.md)\nUse tabs\n"
    assert find_conflicts([cursor, claude]) == ()


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("tools", ("cursor", "cline")),
        ("tools", ()),
        ("scope", "web"),
        ("name", "other"),
        ("identity", (7, 7)),
    ],
)
def test_other_rules_are_no_copies(change: str, value: object) -> None:
    """Of the same tool, of none, of another folder or name, or the same file."""
    first = Text(".cursor/rules/a.mdc", "x", identity=(7, 7))
    other = Text(".claude/rules/a.md", "y", ("claude",))
    assert list(find_differing_copies([first, other])) == [(first, other)]
    setattr(other, change, value)
    assert list(find_differing_copies([first, other])) == []


def test_conflicts_are_few() -> None:
    """However many texts and directives there are."""
    texts = [
        Text(f"{number}", "\n".join(f"- {verb} use x{n}\n" for n in range(99)))
        for number in range(100)
        for verb in ("Always", "Never")
    ]
    assert len(find_conflicts(texts)) == MAX_CONFLICTS
    assert find_conflicts(texts[:1]) == find_conflicts([]) == ()
