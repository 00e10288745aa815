"""Lists with one entry per real file."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from support.files import save_in_place
from support.project import list_problems, scan_of

from asdlc_kb.files.reader import RawFile
from asdlc_kb.project import artifact_file
from asdlc_kb.project import scanner as scanner_module
from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.commands import scan_commands
from asdlc_kb.project.context import scan_project
from asdlc_kb.project.real_files import merge_artifacts, merge_links
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skills import get_skill, scan_skills

SKILL = "---\nname: plan\ndescription: d\n---\n"


def test_a_skill_behind_linked_folders_is_listed_once(tmp_path: Path) -> None:
    """The first path by precedence, with the others."""
    scanner = scan_of(
        tmp_path, {"skills/plan/SKILL.md": SKILL, "skills/x/SKILL.md": ""}
    )
    for tool in (".agents", ".claude"):
        (scanner.project.root / tool).mkdir()
        (scanner.project.root / tool / "skills").symlink_to("../skills")
    listed = merge_links(scan_skills(scanner))
    assert [(skill.name, skill.path, skill.also_in) for skill in listed] == [
        (
            name,
            f".claude/skills/{name}/SKILL.md",
            (f".agents/skills/{name}/SKILL.md", f"skills/{name}/SKILL.md"),
        )
        for name in ("plan", "x")
    ]
    context = scan_project(scanner.project)
    assert context.skills == listed


def test_a_linked_folder_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A problem in it is reported once too."""
    files: dict[str, str | bytes] = {
        **{f"skills/s{number}/SKILL.md": SKILL for number in range(5)},
        "skills/bad/SKILL.md": b"\xff\xfe",
    }
    scanner = scan_of(tmp_path, files)
    for tool in (".agents", ".claude"):
        (scanner.project.root / tool).mkdir()
        (scanner.project.root / tool / "skills").symlink_to("../skills")
    read: list[str] = []

    def read_text(file: ArtifactFile, *, accepts_personal: bool) -> RawFile:
        read.append(file.path)
        return artifact_file.read_text(file)

    fake = SimpleNamespace(**{**vars(artifact_file), "read_text": read_text})
    monkeypatch.setattr(scanner_module, "artifact_file", fake)
    assert len(scan_skills(scanner)) == 15
    good = [path for path in read if "/bad/" not in path]
    assert good == [f".claude/skills/s{number}/SKILL.md" for number in range(5)]
    assert list_problems(scanner) == [(".claude/skills/bad/SKILL.md", "KB001")]


def test_equal_files_are_two_entries(tmp_path: Path) -> None:
    """A copy may be edited; only one file is merged."""
    files = {".cursor/rules/a.mdc": "x", ".cursor/rules/b.mdc": "x"}
    listed = merge_links(scan_rules(scan_of(tmp_path, files)))
    assert [(rule.path, rule.also_in) for rule in listed] == [
        (".cursor/rules/a.mdc", ()),
        (".cursor/rules/b.mdc", ()),
    ]


def test_copies_for_several_tools_are_one_entry(tmp_path: Path) -> None:
    """D-300: while they are equal, and the tools use them alike."""
    copies = [f".{tool}/skills/plan/SKILL.md" for tool in ("claude", "agents", "kiro")]
    files: dict[str, str | bytes] = dict.fromkeys(copies, f"{SKILL}Plan.\n")
    scanner = scan_of(tmp_path, files)
    (listed,) = merge_artifacts(scan_skills(scanner))
    assert (listed.path, *listed.also_in) == tuple(copies)
    assert len(merge_links(scan_skills(scanner))) == 3

    save_in_place(scanner.project.root / copies[1], f"{SKILL}Plan first.\n")
    settings = ".kiro/skills/plan/agents/openai.yaml"
    manual = "policy:\n  allow_implicit_invocation: false\n"
    save_in_place(scanner.project.root / settings, manual)
    edited = merge_artifacts(scan_skills(ProjectScanner(scanner.project)))
    assert [skill.path for skill in edited] == copies


def test_equal_rules_of_two_scopes_or_activations_are_entries_of_their_own(
    tmp_path: Path,
) -> None:
    """What is equal is the text alone; an empty one says nothing."""
    files: dict[str, str | bytes] = {
        "web/.claude/rules/a.md": "Use tabs.\n",
        ".claude/rules/a.md": "Use tabs.\n",
        ".cursor/rules/a.mdc": "Use tabs.\n",
        ".claude/commands/x.md": "",
        ".opencode/command/x.md": "",
    }
    scanner = scan_of(tmp_path, files)
    assert len(merge_artifacts(scan_rules(scanner))) == 3
    assert len(merge_artifacts(scan_commands(scanner))) == 2


def test_every_path_can_still_be_requested(tmp_path: Path) -> None:
    """A linked skill keeps the name of its link."""
    scanner = scan_of(tmp_path, {"skills/plan/SKILL.md": SKILL})
    (scanner.project.root / ".claude" / "skills").mkdir(parents=True)
    (scanner.project.root / ".claude" / "skills" / "other").symlink_to(
        "../../skills/plan"
    )
    (listed,) = merge_links(scan_skills(scanner))
    assert (listed.name, listed.also_in) == ("other", ("skills/plan/SKILL.md",))
    for name in ("other", "plan", "skills/plan/SKILL.md"):
        assert get_skill(scanner, name) is not None


def test_a_guide_of_one_line_is_an_alias_too(tmp_path: Path) -> None:
    """As a checkout without links has it."""
    scanner = scan_of(tmp_path, {"AGENTS.md": "A", "CLAUDE.md": "@AGENTS.md\n"})
    (guide,) = merge_links(scan_guides(scanner))
    assert (guide.path, guide.content, guide.also_in) == (
        *("AGENTS.md", "A", ("CLAUDE.md",)),
    )


def test_a_reused_inode_is_another_file(tmp_path: Path) -> None:
    """A file that is replaced during a scan may leave its inode to the next one."""
    files = {".cursor/rules/a.mdc": "x", ".cursor/rules/b.mdc": "y"}
    first, second = scan_rules(scan_of(tmp_path, files))
    object.__setattr__(second, "identity", first.identity)
    assert merge_links((first, second)) == (first, second)
