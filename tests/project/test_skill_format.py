"""Rules of the Agent Skills format, each with a skill that breaks it."""

from pathlib import Path

import pytest
from support.project import scan_of

from asdlc_kb.project.checks import check_project
from asdlc_kb.project.skill_format import check_skill
from asdlc_kb.project.skills import scan_skills


def skill(*lines: str, **fields: str) -> str:
    """Return a SKILL.md with these fields, and further lines of frontmatter."""
    written = [f"{key}: {value}" for key, value in fields.items()]
    return "\n".join(["---", *written, *lines, "---", "Text."])


GOOD = {"name": "a-b", "description": "D"}
PATH = ".claude/skills/a-b/SKILL.md"


def messages(folder: Path, path: str, text: str) -> list[str]:
    """Return what breaks the format."""
    (found,) = scan_skills(scan_of(folder, {path: text}))
    return list(check_skill(found))


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        (PATH, skill(**GOOD), []),
        (PATH, skill(name="a-c", description="D"), ["its folder's"]),
        (
            ".claude/skills/A/SKILL.md",
            skill(name="A", description="D"),
            ["64 of a-z"],
        ),
        (
            ".claude/skills/a--b/SKILL.md",
            skill(name="a--b", description="D"),
            ["64 of a-z"],
        ),
        (PATH, skill(name="A B", description="D"), ["its folder's", "64 of a-z"]),
        (PATH, skill(name="a-b", description="D" * 1_024), []),
        (PATH, skill(name="a-b", description="D" * 1_025), ["1,024 characters"]),
        (PATH, skill(title="a", overview="D"), ["add 'name: a-b'", "no description"]),
        (PATH, "text", ["add 'name: a-b'", "no description"]),
        (".claude/skills/a-b.md", skill(**GOOD), ["single file"]),
        (
            f"skills/{'a' * 65}/SKILL.md",
            skill(name="a" * 65, description="D"),
            ["64 of a-z"],
        ),
        (PATH, skill(**GOOD, compatibility="c" * 500), []),
        (PATH, skill(**GOOD, compatibility="c" * 501), ["1 to 500"]),
        (PATH, skill("compatibility: ''", **GOOD), ["1 to 500"]),
        (PATH, skill("compatibility: [a]", **GOOD), ["1 to 500"]),
        (PATH, skill("compatibility:", **GOOD), []),
        (PATH, skill("license: MIT", **GOOD), []),
        (PATH, skill("license: 2", **GOOD), ["license"]),
        (PATH, skill("metadata:", "  version: '1.0'", "  a: b", **GOOD), []),
        (PATH, skill("metadata:", "  version: 1.0", **GOOD), ["quote 'version'"]),
        (PATH, skill("metadata:", "  a: [b]", **GOOD), ["quote 'a'"]),
        (PATH, skill("metadata: text", **GOOD), ["not a map"]),
        (PATH, skill("allowed-tools: Bash(git:*) Read", **GOOD), []),
        (PATH, skill("allowed-tools: Bash(a, b) Read", **GOOD), []),
        (PATH, skill("allowed-tools: Bash, Read", **GOOD), ["by spaces alone"]),
        (PATH, skill("allowed-tools: [Bash]", **GOOD), ["by spaces alone"]),
        (PATH, skill("model: x", **GOOD), []),
    ],
)
def test_a_skill_is_as_the_open_format_asks(
    tmp_path: Path, path: str, text: str, words: list[str]
) -> None:
    """Name, description, folder, and the optional fields; other fields are free."""
    found = messages(tmp_path, path, text)
    assert len(found) == len(words)
    for message, word in zip(found, words, strict=True):
        assert word in message


def test_the_check_of_a_project_reports_them(tmp_path: Path) -> None:
    """With the code of the format."""
    text = skill(name="other", description="D")
    (problem,) = check_project(scan_of(tmp_path, {PATH: text}).project)
    assert (problem.path, problem.code) == (PATH, "KB043")
