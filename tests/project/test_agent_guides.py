"""AGENTS.md and CLAUDE.md: nested, linked, naming each other, importing."""

import threading
from pathlib import Path

import pytest
from support.files import save_in_place
from support.peers import BOUND
from support.project import fixture, list_problems, make_project, scan_of

from asdlc_kb.project import guide_imports, instruction_files
from asdlc_kb.project.agent_guides import AgentGuide, read_agents_md, scan_guides
from asdlc_kb.project.guide_imports import Import
from asdlc_kb.project.name_lookup import find_named
from asdlc_kb.project.scanner import ProjectScanner


def guide_of(scanner: ProjectScanner, path: str) -> AgentGuide:
    """Return a guide."""
    guide = find_named(scan_guides(scanner), path)
    assert guide is not None
    return guide


def test_guides_are_read_from_the_top_down(tmp_path: Path) -> None:
    """Guides of the whole project first, including `.claude/CLAUDE.md`."""
    paths = ["a/AGENTS.md", "CLAUDE.md", "a/b/CLAUDE.md", "AGENTS.md", "b/AGENTS.md"]
    files = {path: f"of {path}" for path in [*paths, ".claude/CLAUDE.md"]}
    guides = scan_guides(scan_of(tmp_path, files))
    assert [(guide.path, guide.kind, guide.scope) for guide in guides] == [
        ("AGENTS.md", "agents", ""),
        ("CLAUDE.md", "claude", ""),
        (".claude/CLAUDE.md", "claude", ""),
        ("a/AGENTS.md", "agents", "a"),
        ("b/AGENTS.md", "agents", "b"),
        ("a/b/CLAUDE.md", "claude", "a/b"),
    ]
    assert [guide.content for guide in guides] == [f"of {g.path}" for g in guides]


def test_without_guides_there_are_none(tmp_path: Path) -> None:
    """Empty is empty, missing is None."""
    scanner = scan_of(tmp_path, {})
    assert scan_guides(scanner) == ()
    assert read_agents_md(scanner) is None
    assert list_problems(scanner) == []


def test_the_agents_md_at_the_top_needs_no_walk() -> None:
    """For the resource that is only this file."""
    scanner = ProjectScanner(fixture("ace"))
    assert read_agents_md(scanner) == guide_of(scanner, "AGENTS.md")


def test_a_link_is_known_as_one(tmp_path: Path) -> None:
    """CLAUDE.md is often a link to AGENTS.md."""
    scanner = scan_of(tmp_path, {"AGENTS.md": "# A", "docs/CLAUDE.md": "# C"})
    root = scanner.project.root
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "docs" / "AGENTS.md").symlink_to("../AGENTS.md")
    same = {guide.path: guide.same_as for guide in scan_guides(scanner)}
    assert same == {
        "AGENTS.md": None,
        "CLAUDE.md": "AGENTS.md",
        "docs/AGENTS.md": "AGENTS.md",
        "docs/CLAUDE.md": None,
    }
    assert guide_of(scanner, "CLAUDE.md").content == "# A"


@pytest.mark.parametrize(
    "text", ["AGENTS.md", "./AGENTS.md\n", "@AGENTS.md\n", "\n ../api/AGENTS.md \n"]
)
def test_one_line_that_names_the_other_stands_for_it(tmp_path: Path, text: str) -> None:
    """D-110: what a checkout without links makes of one."""
    scanner = scan_of(tmp_path, {"api/CLAUDE.md": text, "api/AGENTS.md": "# A"})
    guide = guide_of(scanner, "api/CLAUDE.md")
    assert (guide.content, guide.same_as) == ("# A", "api/AGENTS.md")


@pytest.mark.parametrize(
    "text", ["CLAUDE.md", "none/AGENTS.md", "../AGENTS.md", "/etc/AGENTS.md", "See it."]
)
def test_one_line_that_names_nothing_is_itself(tmp_path: Path, text: str) -> None:
    """D-110: itself, a missing file, a file outside."""
    save_in_place(tmp_path / "AGENTS.md", "the secret outside")
    scanner = scan_of(tmp_path, {"CLAUDE.md": text})
    guide = guide_of(scanner, "CLAUDE.md")
    assert (guide.content, guide.same_as) == (text, None)


def test_two_files_that_name_each_other_end(tmp_path: Path) -> None:
    """Neither replaces the other."""
    files = {"CLAUDE.md": "AGENTS.md", "AGENTS.md": "CLAUDE.md"}
    scanner = scan_of(tmp_path, files)
    guides = [(guide.content, guide.same_as) for guide in scan_guides(scanner)]
    assert guides == [("CLAUDE.md", None), ("AGENTS.md", None)]


def test_a_link_out_of_the_project_is_a_problem(tmp_path: Path) -> None:
    """D-024: neither its text nor its target is revealed."""
    save_in_place(tmp_path / "outside.md", "the secret outside")
    scanner = scan_of(tmp_path, {"a/AGENTS.md": "x"})
    (scanner.project.root / "AGENTS.md").symlink_to("../outside.md")
    assert [guide.path for guide in scan_guides(scanner)] == ["a/AGENTS.md"]
    assert list_problems(scanner) == [("AGENTS.md", "KB001")]


def test_imports_are_named_and_not_followed() -> None:
    """D-110: outside code; people and packages are no files."""
    guide = guide_of(ProjectScanner(fixture("claude")), "CLAUDE.md")
    assert guide.imports == (
        Import("docs/style.md", 2, "docs/style.md", exists=True),
        Import("./docs/missing.md", 2, "docs/missing.md", exists=False),
        Import("~/notes.md", 2, None, exists=False),
    )
    assert "Short lines" not in guide.content


def test_an_import_counts_from_its_file_and_never_leaves(tmp_path: Path) -> None:
    """D-024: for targets outside, existence is not revealed either."""
    save_in_place(tmp_path / "outside.md", "x")
    text = "@x.md, (@../b/y) @../../outside.md @/etc/hostname @a\\ b.md. me@host.md"
    files = {"a/CLAUDE.md": text, "a/x.md": "", "b/y": "", "a/a b.md": ""}
    scanner = scan_of(tmp_path, files)
    (scanner.project.root / "a" / "out.md").symlink_to("../../outside.md")
    save_in_place(scanner.project.root / "a" / "CLAUDE.md", f"{text}\n@out.md")
    imports = guide_of(scanner, "a/CLAUDE.md").imports
    assert imports == (
        Import("x.md", 0, "a/x.md", exists=True),
        Import("../../outside.md", 0, None, exists=False),
        Import("/etc/hostname", 0, None, exists=False),
        Import("a b.md", 0, "a/a b.md", exists=True),
        Import("out.md", 1, None, exists=False),
    )


def test_more_than_can_be_used_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-111: guides of a project, imports of a guide."""
    monkeypatch.setattr(instruction_files, "MAX_GUIDES", 1)
    monkeypatch.setattr(guide_imports, "MAX_IMPORTS", 2)
    scanner = scan_of(tmp_path, {"AGENTS.md": "@a.md @b.md @c.md", "a/AGENTS.md": ""})
    (guide,) = scan_guides(scanner)
    assert [imported.written for imported in guide.imports] == ["a.md", "b.md"]
    assert list_problems(scanner) == [("a/AGENTS.md", "KB001")]


@pytest.mark.parametrize("part", ["../", "a/", "@", "@a.md ", "` @", "@\\ "])
def test_a_guide_made_to_be_slow_is_read_at_once(tmp_path: Path, part: str) -> None:
    """D-139: in time proportional to its length, whatever is in it."""
    scanner = scan_of(tmp_path, {"AGENTS.md": part * 50_000})
    found: list[AgentGuide] = []
    thread = threading.Thread(
        target=lambda: found.extend(scan_guides(scanner)), daemon=True
    )
    thread.start()
    thread.join(BOUND)
    assert [guide.path for guide in found] == ["AGENTS.md"]


def test_a_project_behind_a_link_is_read_the_same(tmp_path: Path) -> None:
    """A root such as 'current -> releases/7' is the operator's own choice."""
    project = make_project(tmp_path, {"AGENTS.md": "@a.md", "a.md": ""})
    (project.root / "CLAUDE.md").symlink_to("AGENTS.md")
    link = tmp_path / "current"
    link.symlink_to("project")
    again = scan_guides(ProjectScanner(type(project)("current", link)))
    assert again == scan_guides(ProjectScanner(project))
