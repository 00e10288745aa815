"""Mechanical fixes of instruction files."""

import os
from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import make_project

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.project.project_fixes import ProjectFix, plan_fixes

LOOSE = "---\npaths: **/*.ts\n---\nText\n"
QUOTED = '---\npaths: "**/*.ts"\n---\nText\n'
CURSOR = "---\ndescription: a: b\nglobs: *.ts\n---\nText\n"
CLAUDE = ".claude/rules/x.md"


def fix(folder: Path, files: dict[str, str | bytes]) -> dict[str, bytes]:
    """Fix a project with these files; return its files."""
    project = make_project(folder, files)
    for planned in plan_fixes(project):
        planned.apply()
    assert list(plan_fixes(project)) == []
    paths = (path for path in project.root.rglob("*") if path.is_file())
    return {str(p.relative_to(project.root)): p.read_bytes() for p in paths}


def test_names_and_quotes_are_corrected_once(tmp_path: Path) -> None:
    """A second run has nothing to do; no other file appears."""
    files: dict[str, str | bytes] = {
        CLAUDE: LOOSE,
        "web/.cursor/rules/a.md": CURSOR,
        ".agents/skills/a/skill.md": "---\nname: a\ndescription: d\n---\n",
        "Agents.md": "Text",
        ".claude/commands/a.md": "---\ndescription: a: b\n---\nText",
        "README.md": "---\na: b: c\n---\n",
        "x.ts": "",
    }
    assert fix(tmp_path, files) == {
        CLAUDE: QUOTED.encode(),
        "web/.cursor/rules/a.mdc": CURSOR.replace("a: b", '"a: b"').encode(),
        ".agents/skills/a/SKILL.md": b"---\nname: a\ndescription: d\n---\n",
        "AGENTS.md": b"Text",
        ".claude/commands/a.md": b'---\ndescription: "a: b"\n---\nText',
        "README.md": b"---\na: b: c\n---\n",
        "x.ts": b"",
    }


def test_line_ends_and_byte_order_mark_stay(tmp_path: Path) -> None:
    """Bytes other than the quotes are the same."""
    data = b"\xef\xbb\xbf" + LOOSE.replace("\n", "\r\n").encode()
    after = b"\xef\xbb\xbf" + QUOTED.replace("\n", "\r\n").encode()
    assert fix(tmp_path, {CLAUDE: data}) == {CLAUDE: after}


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o444])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    """Of a file with a new text, and of one with a new name."""
    project = make_project(tmp_path, {CLAUDE: LOOSE, "Agents.md": "Text"})
    for path in (CLAUDE, "Agents.md"):
        os.chmod(project.root / path, mode)
    for planned in plan_fixes(project):
        planned.apply()
    for path in (CLAUDE, "AGENTS.md"):
        assert (project.root / path).stat().st_mode & 0o777 == mode


def test_nothing_is_changed_through_a_link(tmp_path: Path) -> None:
    """Of a file or a folder, inside the project or not."""
    save_in_place(tmp_path / "outside" / "x.md", LOOSE)
    project = make_project(tmp_path, {"docs/Agents.md": "Text", CLAUDE: "Text"})
    rules = project.root / ".claude" / "rules"
    (rules / "a.md").symlink_to(tmp_path / "outside" / "x.md")
    (project.root / ".cursor").mkdir()
    (project.root / ".cursor" / "rules").symlink_to(tmp_path / "outside")
    (project.root / ".clinerules").symlink_to(".claude/rules")
    (project.root / "Agents.md").symlink_to("docs/Agents.md")
    assert list(plan_fixes(project)) == []
    (rules / "b.md").write_text(LOOSE)
    assert [planned.path for planned in plan_fixes(project)] == [".claude/rules/b.md"]
    (project.root / "rules").symlink_to(tmp_path / "outside")
    assert (tmp_path / "outside" / "x.md").read_text() == LOOSE


def test_a_file_to_which_a_link_leads_keeps_its_name(tmp_path: Path) -> None:
    """The link would be broken."""
    project = make_project(tmp_path, {"Agents.md": "Text", "b/.claude/x": ""})
    (project.root / "b" / "CLAUDE.md").symlink_to("../Agents.md")
    assert list(plan_fixes(project)) == []


def test_a_file_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """And so is a name that another file has got."""
    project = make_project(tmp_path, {CLAUDE: LOOSE, "Agents.md": "Text"})
    quote, name = plan_fixes(project)
    (project.root / CLAUDE).write_text("changed")
    with pytest.raises(UnreadableFile, match="changed meanwhile"):
        quote.apply()
    (project.root / "AGENTS.md").write_text("Other")
    with pytest.raises(UnreadableFile, match="a file has the right name"):
        name.apply()
    assert (project.root / "AGENTS.md").read_text() == "Other"
    assert (project.root / "Agents.md").read_text() == "Text"
    assert (project.root / CLAUDE).read_text() == "changed"


def test_a_fix_is_shown_as_a_diff(tmp_path: Path) -> None:
    """With both names."""
    text = LOOSE.replace("paths", "description").replace("**/", "a: ")
    files = {".cursor/rules/a.md": text.replace("\n", "\r\n")}
    planned: list[ProjectFix] = list(plan_fixes(make_project(tmp_path, files)))
    assert [*planned[0].show()] == [
        "rename from .cursor/rules/a.md",
        "rename to .cursor/rules/a.mdc",
        "--- a/.cursor/rules/a.md",
        "+++ b/.cursor/rules/a.mdc",
        "@@ -1,5 +1,5 @@",
        " ---",
        "-description: a: *.ts",
        '+description: "a: *.ts"',
        " ---",
        " Text",
        " ",
    ]
