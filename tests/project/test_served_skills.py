"""Skills that conform to the skills extension."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from support.project import fixture, scan_of

from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.served_skills import (
    MAX_BYTES,
    MAX_FILES,
    ServedSkill,
    find_served,
    list_served_files,
    read_frontmatter,
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


def test_values_are_what_yaml_says_they_are() -> None:
    """A host reads the same file and compares (SEP-2640, frontmatter)."""
    text = (
        "---\nname: x\ndescription: 'true'\nversion: 1.10\nquoted: \"1.10\"\nnone:\n"
        "list: [a, true, 12, '12', ~]\nmetadata: {draft: true, at: 2026-07-28}\n"
        "hooks:\n  - on: {deep: [1]}\nblock: |\n  12\nhex: 0x1F\noctal: 0o17\n"
        "exponent: 1e3\nminus: -7\nlong: 12345678901234567890\nfar: 1e999\n"
        "time: 12:30:00\nyes: yes\nplus: +1\npoint: .5\n---\n"
    )
    assert read_frontmatter(text) == {
        "name": "x",
        "description": "true",
        "version": 1.1,
        "quoted": "1.10",
        "none": None,
        "list": ["a", True, 12, "12", None],
        "metadata": {"draft": True, "at": "2026-07-28"},
        "hooks": [{"on": {"deep": [1]}}],
        "block": "12\n",
        "hex": 31,
        "octal": 15,
        "exponent": 1000.0,
        "minus": -7,
        "long": 12345678901234567890.0,
        "far": "1e999",
        "time": "12:30:00",
        "yes": "yes",
        "plus": 1,
        "point": 0.5,
    }


def test_there_is_no_data_without_frontmatter() -> None:
    """Nothing is made up."""
    assert read_frontmatter("text") is None
    assert read_frontmatter("---\na: b: c\n---\n") is None


SCALARS = st.one_of(
    st.text("abc 0179.-+eExo'\"|>~truefalsn", max_size=8),
    st.integers(-(2**59), 2**59).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["true", "False", "null", "~", "''", '"1"', "yes", "0x10", "1."]),
)


@given(st.dictionaries(st.sampled_from("abcd"), SCALARS, min_size=1))
def test_values_are_those_of_a_yaml_reader(fields: dict[str, str]) -> None:
    """If ours reads a frontmatter, a complete YAML reader has equal values."""
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    found = read_frontmatter(f"---\n{lines}---\n")
    if found is None:
        return
    json.dumps(found, allow_nan=False)
    expected: dict[str, Any] = YAML(typ="safe", pure=True).load(lines) or {}
    for key, value in found.items():
        # Dates and what is beyond JSON are texts: no two readers agree on them.
        number = expected[key]
        if isinstance(number, float) and not math.isfinite(number):
            number = str(fields[key])
        if isinstance(number, (str, bool, int, float, type(None))):
            assert value == number
