"""Names of artifacts: decomposed ones, long ones, and those that are not served."""

import os
from pathlib import Path
from unicodedata import normalize

import pytest
from support.project import list_problems, make_project, scan_of

from asdlc_kb.project.artifact_names import (
    compose,
    is_artifact_name,
    is_folder_name,
    refuse_name,
)
from asdlc_kb.project.checks import check_project
from asdlc_kb.project.commands import get_command, scan_commands
from asdlc_kb.project.readable_files import find_readable
from asdlc_kb.project.rules import get_rule, scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skill_files import list_skill_files
from asdlc_kb.project.skills import get_skill

NFD = "u\u0308ber-cafe\u0301"
NFC = "über-café"


def test_the_composed_form_is_served() -> None:
    """Names of bytes that are not UTF-8 stay refused."""
    assert compose(NFD) == NFC
    assert is_artifact_name(NFD)
    assert not is_folder_name(NFD)
    for name in ("", ".x", "a\u200bb", "a\nb", "a\\b", "a\udc80", "\u0301a", "x" * 256):
        assert not is_artifact_name(name)
    for name in ("x" * 255, "é" * 127):
        assert is_artifact_name(name)
        assert is_folder_name(name)


def test_two_names_that_look_alike_are_not_both_served() -> None:
    """The composed one is."""
    assert refuse_name(NFD, [NFD]) is None
    assert refuse_name(NFC, [NFD, NFC]) is None
    assert refuse_name(NFD, [NFD, NFC]) is not None
    assert normalize("NFC", NFD) == NFC


def test_a_decomposed_name_is_served_in_its_composed_form(tmp_path: Path) -> None:
    """Rules, commands, skills with their files; found by either form."""
    project = make_project(
        tmp_path,
        {
            f".cursor/rules/{NFD}.mdc": "---\nalwaysApply: true\n---\nRule.\n",
            f".claude/commands/{NFD}/{NFD}.md": "Command.\n",
            f".claude/skills/{NFD}/SKILL.md": "Skill.\n",
            f".claude/skills/{NFD}/{NFD}.txt": "File.\n",
        },
    )
    assert NFD in os.listdir(project.root / ".claude/skills")
    scanner = ProjectScanner(project)
    (rule,) = scan_rules(scanner)
    assert (rule.name, rule.path) == (NFC, f".cursor/rules/{NFC}.mdc")
    (command,) = scan_commands(scanner)
    assert command.name == f"{NFC}:{NFC}"
    for form in (NFC, NFD):
        assert get_rule(scanner, form) == rule
        assert get_command(scanner, f"{form}:{form}") == command
        skill = get_skill(scanner, form)
        assert skill is not None
        assert (skill.name, skill.content) == (NFC, "Skill.\n")
        files = list_skill_files(scanner, skill)
        assert [file.path for file in files] == ["SKILL.md", f"{NFC}.txt"]
        readable = find_readable(
            ProjectScanner(project), f".claude/skills/{form}/{form}.txt"
        )
        assert readable is not None
        assert readable.read(scanner) == "File.\n"
    assert list_problems(scanner) == []


def test_of_both_forms_one_is_reported(tmp_path: Path) -> None:
    """Neither hides the other."""
    files = {f".cursor/rules/{form}.mdc": form for form in (NFC, NFD)}
    scanner = scan_of(tmp_path, files)
    assert [rule.content for rule in scan_rules(scanner)] == [NFC]
    assert [code for _, code in list_problems(scanner)] == ["KB002"]
    codes = [problem.code for problem in check_project(scanner.project)]
    assert codes.count("KB002") == 1


@pytest.mark.parametrize("name", ["x" * 240, "é" * 120])
def test_a_name_of_240_bytes_is_served(tmp_path: Path, name: str) -> None:
    """In an artifact folder, and as that of a folder of the project."""
    paths = (f".cursor/rules/{name}.mdc", f"{name}/.cursor/rules/a.mdc")
    scanner = scan_of(tmp_path, dict.fromkeys(paths, "x"))
    assert [rule.path for rule in scan_rules(scanner)] == list(paths)
    assert [rule.name for rule in scan_rules(scanner)] == [name, "a"]
