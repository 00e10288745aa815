"""Skills: their roots, their two dialects, and single files."""

from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import fixture, make_project, row, rows_like, scan_of

from asdlc_kb.project.artifact_file import list_offered
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skill_files import list_skill_files
from asdlc_kb.project.skills import SkillContent, get_skill, scan_skills


def skill_of(folder: Path, text: str) -> SkillContent:
    """Return the skill of a project with a given SKILL.md."""
    (skill,) = scan_skills(scan_of(folder, {".claude/skills/x/SKILL.md": text}))
    return skill


@pytest.mark.parametrize(
    ("header", "settings", "is_offered"),
    [
        ("disable-model-invocation: true", None, False),
        ("disable-model-invocation: 'True'", None, False),
        ("disable-model-invocation: false", None, True),
        ("disable-model-invocation:", None, True),
        ("user-invocable: false", None, True),
        ("", "policy:\n  allow_implicit_invocation: false\n", False),
        ("", "---\ninterface:\n  x: y\npolicy: {}\n", True),
        (
            "",
            "# Codex\ninterface:\n  icon: ./a.png\n\n"
            "policy:\n  allow_implicit_invocation: false # by hand\n",
            False,
        ),
        ("", "policy:\n  allow_implicit_invocation: true\n", True),
        ("", "allow_implicit_invocation: false\n", True),
        ("", "policy: [: broken\n", True),
        ("", b"\xff\xfe", False),
    ],
)
def test_an_author_can_leave_a_skill_to_people(
    tmp_path: Path, header: str, settings: str | bytes | None, *, is_offered: bool
) -> None:
    """D-274: as Claude Code and Codex read it; unreadable settings forbid it."""
    path = ".agents/skills/x"
    files: dict[str, str | bytes] = {f"{path}/SKILL.md": f"---\n{header}\n---\nText.\n"}
    if settings is not None:
        files[f"{path}/agents/openai.yaml"] = settings
    scanner = ProjectScanner(make_project(tmp_path, {}))
    for name, content in files.items():
        save_in_place(scanner.project.root / name, content)
    (skill,) = scan_skills(scanner)
    assert skill.can_model_invoke is is_offered
    assert list_offered([skill]) == ((skill,) if is_offered else ())
    assert get_skill(scanner, "x") == skill


def test_a_skill_about_credentials_is_served_and_credentials_are_not(
    tmp_path: Path,
) -> None:
    """D-024: also behind links to a folder that no tool reads itself."""
    ai = ".ai/skills/git-credentials"
    files = {
        f"{ai}/SKILL.md": "Text.\n",
        f"{ai}/aws-credentials": "SECRET",
        ".ai/skills/credentials/SKILL.md": "SECRET",
        ".ai/.env": "SECRET",
    }
    scanner = scan_of(tmp_path, files)
    for tool in (".claude", ".cursor"):
        skills = scanner.project.root / tool / "skills"
        skills.mkdir(parents=True)
        for name in ("git-credentials", "credentials"):
            (skills / name).symlink_to(f"../../.ai/skills/{name}")
        (skills / "env.md").symlink_to("../../.ai/.env")
    listed = scan_skills(scanner)
    assert [skill.path for skill in listed] == [
        f"{tool}/skills/git-credentials/SKILL.md" for tool in (".cursor", ".claude")
    ]
    assert [file.path for file in list_skill_files(scanner, listed[1])] == ["SKILL.md"]
    assert {problem.code for problem in scanner.problems} == {"KB001"}


def test_settings_behind_a_link_that_leads_out_are_not_read(tmp_path: Path) -> None:
    """D-024: they count as unreadable."""
    out = save_in_place(tmp_path / "out.yaml", "policy: {}\n")
    scanner = scan_of(tmp_path, {".agents/skills/x/SKILL.md": "Text.\n"})
    link = scanner.project.root / ".agents/skills/x/agents/openai.yaml"
    link.parent.mkdir()
    link.symlink_to(out)
    (skill,) = scan_skills(scanner)
    assert not skill.can_model_invoke
    assert [problem.code for problem in scanner.problems] == ["KB001"]


def test_the_dialect_of_ace_is_read() -> None:
    """D-110: `title` and `overview`."""
    expected = [
        row(
            name="create-plan",
            description="Turns a request into steps that can be checked.",
            title="Create a plan",
            overview="Turns a request into steps that can be checked.",
            path=".cursor/skills/create-plan/SKILL.md",
            location="workspace",
            platform="cursor",
        ),
    ]
    assert (
        rows_like(scan_skills(ProjectScanner(fixture("cursor"))), expected) == expected
    )


def test_the_open_format_is_read_and_so_is_a_single_file() -> None:
    """agentskills.io: `name` and `description`."""
    expected = [
        row(
            name="curator",
            description="Sorts what comes in. Use it on Fridays.",
            overview="Sorts what comes in. Use it on Fridays.",
            path=".claude/skills/curator.md",
            location="workspace",
            platform="claude",
            title=None,
        ),
        row(
            name="release-notes",
            description=(
                "Drafts release notes: from merged changes. Use when a version is cut."
            ),
            title="Release notes",
            overview=(
                "Drafts release notes: from merged changes. Use when a version is cut."
            ),
            path=".claude/skills/release-notes/SKILL.md",
            location="workspace",
            platform="claude",
        ),
    ]
    assert (
        rows_like(scan_skills(ProjectScanner(fixture("claude"))), expected) == expected
    )


def test_a_skill_is_given_with_its_text() -> None:
    """D-108: the skill `create-plan`, in full."""
    skill = get_skill(ProjectScanner(fixture("cursor")), "create-plan")
    assert skill is not None
    assert skill.content == "# Create a plan\n\nAsk for what is missing.\n"
    assert skill.source.startswith("---\ntitle: Create a plan\n")
    assert get_skill(ProjectScanner(fixture("cursor")), "plan") is None


@pytest.mark.parametrize(
    ("root", "platform"),
    [
        (".cursor/skills", "cursor"),
        (".claude/skills", "claude"),
        (".agents/skills", "agents"),
        ("skills", "agents"),
        (".codex/skills", "codex"),
        (".gemini/skills", "gemini"),
    ],
)
def test_every_root_in_use_is_read(tmp_path: Path, root: str, platform: str) -> None:
    """D-110: a README, and files next to or below a skill, are no skills."""
    files = {
        f"{root}/one/SKILL.md": "---\nname: one\ndescription: One\n---\n",
        f"{root}/one/references/SKILL.md": "x",
        f"{root}/one/notes.md": "x",
        f"{root}/README.md": "x",
        f"{root}/empty/notes.md": "x",
    }
    scanner = scan_of(tmp_path, files)
    assert [(s.name, s.platform) for s in scan_skills(scanner)] == [("one", platform)]


def test_a_folder_called_skills_may_be_about_anything(tmp_path: Path) -> None:
    """At the top of a project, only folders with a SKILL.md are skills."""
    scanner = scan_of(tmp_path, {"skills/notes.md": "x", ".agents/skills/y.md": "y"})
    assert [skill.name for skill in scan_skills(scanner)] == ["y"]


def test_roots_take_precedence_in_their_order(tmp_path: Path) -> None:
    """D-110: workspace, Cursor, Claude, the others; then the home."""
    roots = [".gemini", ".agents", ".claude", ".cursor"]
    project = make_project(
        tmp_path, {f"{root}/skills/x/SKILL.md": root for root in roots}
    )
    save_in_place(tmp_path / "home" / ".cursor/skills/x/SKILL.md", "home")
    save_in_place(tmp_path / "home" / ".codex/skills/z/SKILL.md", "not asked for")
    save_in_place(tmp_path / "home" / "skills/z/SKILL.md", "not asked for")
    save_in_place(tmp_path / "home" / ".claude/skills/y.md", "single")
    scanner = ProjectScanner(project, tmp_path / "home")
    assert [skill.path for skill in scan_skills(scanner)] == [
        ".cursor/skills/x/SKILL.md",
        ".claude/skills/x/SKILL.md",
        ".agents/skills/x/SKILL.md",
        ".gemini/skills/x/SKILL.md",
        "~/.cursor/skills/x/SKILL.md",
        "~/.claude/skills/y.md",
    ]
    skill = get_skill(scanner, "x")
    assert skill is not None
    assert skill.content == ".cursor"


def test_skills_behind_a_link_are_read(tmp_path: Path) -> None:
    """`.claude/skills` is often a link to `.agents/skills`."""
    project = make_project(tmp_path, {".agents/skills/x/SKILL.md": "Text.", ".a": ""})
    (project.root / ".claude").mkdir()
    (project.root / ".claude" / "skills").symlink_to("../.agents/skills")
    assert [skill.path for skill in scan_skills(ProjectScanner(project))] == [
        ".claude/skills/x/SKILL.md",
        ".agents/skills/x/SKILL.md",
    ]


@pytest.mark.parametrize(
    ("text", "title", "description"),
    [
        ("---\nname: y\ndescription: D\ntitle: T\noverview: O\n---\n# H", "T", "D"),
        ("# H\n\nText.\n", "H", "Text."),
        ("---\ndescription: >\n  a\n  b\n---\n", None, "a b"),
        ("", None, ""),
    ],
)
def test_what_a_skill_does_not_say_is_found(
    tmp_path: Path, text: str, title: str | None, description: str
) -> None:
    """D-112: each dialect's fields replace the other's; then its text does."""
    skill = skill_of(tmp_path, text)
    assert (skill.name, skill.title, skill.description) == ("x", title, description)


def test_a_skill_is_found_by_the_name_that_it_declares(tmp_path: Path) -> None:
    """If no folder has that name."""
    text = "---\nname: other\n---\n"
    scanner = scan_of(tmp_path, {".claude/skills/x/SKILL.md": text})
    for name in ("other", "x", "X"):
        assert get_skill(scanner, name) is not None
