"""Skills that conform to the skills extension."""

import os
from pathlib import Path

import pytest
from support.project import fixture, scan_of

from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.served_skills import (
    MAX_BYTES,
    MAX_FILES,
    ServedSkill,
    find_served,
    list_served_files,
)
from asdlc_kb.project.skills import scan_skills

FOLDER = ".claude/skills"


def served_of(scanner: ProjectScanner) -> dict[str, ServedSkill]:
    """Return the conforming skills of a scan."""
    return find_served(scan_skills(scanner))


def skill_text(name: str = "x", description: str = "Does x.", more: str = "") -> str:
    """Return the main file of a skill."""
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n\n# X\n"


def test_a_skill_of_the_open_format_is_served_under_its_own_name(
    tmp_path: Path,
) -> None:
    """SEP-2640: the name of the frontmatter, whatever its folder or file is called."""
    scanner = scan_of(
        tmp_path,
        {
            f"{FOLDER}/x/SKILL.md": skill_text(),
            f"{FOLDER}/folder/SKILL.md": skill_text("other-name"),
            f"{FOLDER}/single.md": skill_text("one-file"),
        },
    )
    served = served_of(scanner)
    assert set(served) == {"x", "other-name", "one-file"}
    assert served["x"].description == "Does x."
    assert served["x"].frontmatter == {"name": "x", "description": "Does x."}
    assert served["other-name"].skill.path == f"{FOLDER}/folder/SKILL.md"


@pytest.mark.parametrize(
    "text",
    [
        "no frontmatter",
        "---\ndescription: no name\n---\n",
        "---\nname: x\n---\n",
        "---\nname: x\ndescription: ' '\n---\n",
        "---\nname: x\ndescription: [a]\n---\n",
        "---\nname: 12\ndescription: a number\n---\n",
        "---\nname: x\ndescription: Use when: strict YAML refuses\n---\n",
        "---\nname: x\ndescription: no end\n",
        skill_text("Upper"),
        skill_text("a--b"),
        skill_text("-a"),
        skill_text("a" * 65),
        skill_text("a/b"),
        skill_text("~a"),
    ],
)
def test_what_is_not_as_the_format_asks_is_not_served_so(
    tmp_path: Path, text: str
) -> None:
    """A host refuses it; the tools still have it (SEP-2640: MUST conform)."""
    scanner = scan_of(tmp_path, {f"{FOLDER}/x/SKILL.md": text})
    assert served_of(scanner) == {}


@pytest.mark.parametrize(
    "hidden",
    [
        r'more: "a\u200bb"',
        r'"mo\u200bre": x',
        r'more: {a: [x, "\U000e0041"]}',
        r'more: "\x1b[31m"',
    ],
)
def test_what_hides_characters_behind_escapes_is_not_served_so(
    tmp_path: Path, hidden: str
) -> None:
    """D-082: no reader of the file sees them; a host gets what the file contains."""
    shown = r'more: "a\n\"b\" \u00e9"'
    scanner = scan_of(
        tmp_path,
        {
            f"{FOLDER}/x/SKILL.md": skill_text(more=f"{hidden}\n"),
            f"{FOLDER}/y/SKILL.md": skill_text("y", more=f"{shown}\n"),
        },
    )
    assert set(served_of(scanner)) == {"y"}


def test_of_one_name_the_first_is_served(tmp_path: Path) -> None:
    """Names SHOULD be unique; workspace before home, Cursor before Claude."""
    scanner = scan_of(
        tmp_path,
        {
            ".claude/skills/x/SKILL.md": skill_text(description="claude"),
            ".cursor/skills/x/SKILL.md": skill_text(description="cursor"),
            ".agents/skills/y/SKILL.md": skill_text("y", "agents"),
        },
    )
    home = tmp_path / "home"
    for name in ("y", "z"):
        folder = home / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(skill_text(name, "home"))
    served = served_of(ProjectScanner(scanner.project, home))
    found = {name: skill.description for name, skill in served.items()}
    assert found == {"x": "cursor", "y": "agents", "z": "home"}


def test_a_lenient_skill_is_left_to_the_tools() -> None:
    """Strict hosts cannot compare its frontmatter."""
    assert "release-notes" not in served_of(ProjectScanner(fixture("claude")))


def test_a_skill_beyond_the_limits_has_no_files_for_hosts(tmp_path: Path) -> None:
    """SEP-2640, limits: 512 files and 16 MiB; up to them it is complete."""
    scanner = scan_of(tmp_path, {f"{FOLDER}/x/SKILL.md": skill_text()})
    served = served_of(scanner)["x"]
    folder = scanner.project.root / FOLDER / "x"
    for number in range(MAX_FILES - 1):
        (folder / f"{number}").write_text("x")
    files = list_served_files(scanner, served)
    assert files is not None
    assert len(files) == MAX_FILES
    (folder / "one-more").write_text("x")
    assert list_served_files(scanner, served) is None
    (folder / "one-more").unlink()
    for number in range(2):
        os.truncate(folder / f"{number}", MAX_BYTES // 2)
    assert list_served_files(scanner, served) is None
