"""Attempts to escape from a project by links that change at the worst moment.

The moment is chosen, not random: a hook changes the disk just before the code under
test opens a file or resolves a link, each time in turn.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
from support.files import save_in_place
from support.project import make_project
from support.racing import Swap, at_each_step, swap_at_each_moment

from asdlc_kb.exceptions import PathNotFound
from asdlc_kb.project import checks, tree_scan
from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.applicability import rules_for_path
from asdlc_kb.project.artifact_names import is_folder_name
from asdlc_kb.project.context import scan_project
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skill_files import list_skill_files, read_skill_file
from asdlc_kb.project.skills import scan_skills
from asdlc_kb.project.tree_scan import find_nested

FILES = {
    "AGENTS.md": "inside: see @pkg/AGENTS.md",
    "pkg/AGENTS.md": "inside",
    "pkg/.cursor/rules/a.mdc": "inside",
    "pkg/deep/.cursor/rules/b.mdc": "inside",
    ".cursor/rules/c.mdc": "inside",
    ".cursor/commands/d.md": "inside",
    ".claude/skills/e/SKILL.md": "inside",
    ".claude/skills/e/more.txt": "inside",
    "specs/f/spec.md": "inside",
    "schemas/g.json": '{"$id": "inside"}',
}
OUTSIDE = {
    "telling/AGENTS.md": "secret",
    "telling/.cursor/rules/telling.mdc": "secret",
    "AGENTS.md": "secret",
    "rules/telling.mdc": "secret",
    ".cursor/rules/telling.mdc": "secret",
    "a.mdc": "secret",
    "c.mdc": "secret",
    "d.md": "secret",
    "e/SKILL.md": "secret",
    "e/telling.md": "secret",
    "SKILL.md": "secret",
    "more.txt": "secret",
    "f/spec.md": "secret",
    "spec.md": "secret",
    "g.json": '{"$id": "secret"}',
}
"""Files outside the project, under names that the project has, and others."""

SWAPPED = (
    *("pkg", "pkg/AGENTS.md", "pkg/.cursor/rules", "pkg/deep"),
    *(".cursor", ".cursor/rules/c.mdc", ".claude/skills/e"),
    *(".claude/skills/e/more.txt", "specs", "schemas/g.json"),
)


def ask_for_everything(project: Project) -> object:
    """Return the context of a project."""
    return asdict(scan_project(project))


def ask_for_skills(project: Project) -> object:
    """Return the files of the skills, and one of them."""
    scanner = ProjectScanner(project)
    skills = scan_skills(scanner)
    files = [list_skill_files(scanner, skill) for skill in skills]
    read = [read_skill_file(scanner, skill, "more.txt") for skill in skills]
    return skills, files, read, scanner.problems


def ask_about_a_file(project: Project) -> object:
    """Return the rules for a file that need not exist."""
    scanner = ProjectScanner(project)
    with suppress(PathNotFound):
        path = project.locate("pkg/deep/inside.ts")
        return rules_for_path(scanner, path), scanner.problems
    return None


def check(project: Project) -> object:
    """Return the report of `check`."""
    return checks.check_project(project)


QUESTIONS = (ask_for_everything, ask_for_skills, ask_about_a_file, check)
Question: TypeAlias = Callable[[Project], object]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with one of everything, and a folder outside with the same names."""
    for path, text in OUTSIDE.items():
        save_in_place(tmp_path / "outside" / path, text)
    return make_project(tmp_path, FILES)


def swap_out(project: Project, path: str) -> Swap:
    """Return a path of a project that a link out of it can replace."""
    outside = project.root.parent / "outside"
    target = outside if (project.root / path).is_dir() else outside / Path(path).name
    return Swap(project.root, path, target)


@pytest.mark.parametrize("path", SWAPPED)
@pytest.mark.parametrize("ask", QUESTIONS[:3])
def test_a_link_that_takes_a_place_at_any_moment_shows_nothing(
    project: Project, path: str, ask: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-024: neither texts nor names of what is outside, whenever it happens."""
    swap = swap_out(project, path)
    texts = swap_at_each_moment(monkeypatch, swap, path, partial(ask, project))
    for moment, seen in enumerate(texts):
        assert "secret" not in seen, moment
        assert "telling" not in seen, moment


@pytest.mark.parametrize("path", SWAPPED)
@pytest.mark.parametrize("first", [0, 1])
def test_a_link_that_comes_and_goes_with_every_step_shows_nothing(
    project: Project, path: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-024: the checked file is never the opened one, and still nothing leaves."""
    assert all("telling" not in repr(ask(project)) for ask in QUESTIONS)
    swap = swap_out(project, path)

    def act(step: int) -> None:
        if (step + first) % 2:
            swap.put_out()
        elif step:
            swap.put_back()

    for ask in QUESTIONS:
        with at_each_step(monkeypatch, path, act):
            seen = repr(ask(project))
        if swap.is_out:
            swap.put_back()
        assert "secret" not in seen
        assert "telling" not in seen


@pytest.mark.parametrize("upper", ["pkg", "pkg/deep"])
def test_a_folder_that_became_a_link_is_not_walked_through(
    project: Project, upper: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-024: not even its folders are named, as unreadable ones."""
    swap = swap_out(project, upper)
    save_in_place(project.root.parent / "outside" / "deep" / "AGENTS.md", "secret")

    def swap_before_check(name: str) -> bool:
        if name == "deep" and not swap.is_out:
            swap.put_out()
        return is_folder_name(name)

    monkeypatch.setattr(tree_scan, "is_folder_name", swap_before_check)
    nested = find_nested(project.root)
    assert "deep/AGENTS.md" not in str(nested.guides)
    assert "telling" not in str(nested)


def test_an_import_that_leads_out_meanwhile_does_not_exist(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-024: the target is checked before its existence."""
    save_in_place(project.root / "AGENTS.md", "see @pkg/telling/AGENTS.md")
    swap = swap_out(project, "pkg")
    real = Project.locate

    def locate(self: Project, path: str, *, accepts_absolute: bool = False) -> str:
        located = real(self, path, accepts_absolute=accepts_absolute)
        swap.put_out()
        return located

    monkeypatch.setattr(Project, "locate", locate)
    (guide,) = (
        g for g in scan_guides(ProjectScanner(project)) if g.path == "AGENTS.md"
    )
    (named,) = guide.imports
    assert (named.path, named.exists) == ("pkg/telling/AGENTS.md", False)
