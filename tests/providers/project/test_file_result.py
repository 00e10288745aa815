"""Results of `get_artifact`: the text of any file that another tool names."""

from pathlib import Path

import pytest
from support.canary import Scanner
from support.workspace import FILES, Workspace, make_workspace

TOOL = "get_artifact"


@pytest.mark.parametrize("path", FILES)
async def test_every_artifact_is_read_as_it_is(workspace: Workspace, path: str) -> None:
    """The whole file as plain text."""
    assert await workspace.text(TOOL, path=path) == FILES[path]
    assert await workspace.note(TOOL, path=path) == ""
    answer = (await workspace.peer.call(TOOL, path=path))["structuredContent"]
    assert answer == {"path": path, "content": FILES[path]}


async def test_every_file_that_a_tool_names_is_read(workspace: Workspace) -> None:
    """A skill's files, a specification's documents, other paths of linked files."""
    workspace.write(".claude/skills/release/run.py", "print()\n")
    workspace.write("specs/login/plan.md", "# Plan\n")
    (workspace.root / "skills").symlink_to(".claude/skills")
    skill = await workspace.ask("get_skill", name="release")
    specs = await workspace.ask("list_specs")
    (also,) = skill_paths = [
        path
        for row in await workspace.ask("list_skills")
        for path in row.get("alsoIn", ())
    ]
    paths = [file["path"] for file in skill["files"]]
    paths += [path for spec in specs for path in spec.get("documents", ())]
    assert [*paths, *skill_paths] == [
        *(".claude/skills/release/run.py", "specs/login/plan.md", also)
    ]
    for path in (*paths, also):
        assert await workspace.text(TOOL, path=path)


async def test_a_long_text_comes_in_parts(workspace: Workspace) -> None:
    """The first with an outline; the second text has the cursor."""
    text = "# Top\n\n" + "".join(f"## P{n}\n\n{'word ' * 99}\n\n" for n in range(60))
    workspace.write("web/AGENTS.md", text)
    parts: list[str] = []
    cursor = None
    while cursor or not parts:
        answer = await workspace.text(TOOL, path="web/AGENTS.md", cursor=cursor)
        assert len(answer) <= 10_000
        outline, line, part = answer.rpartition("\n\n---\n\n")
        assert bool(line) is outline.startswith("Outline:\n\n- Top") is (not parts)
        note = await workspace.note(TOOL, path="web/AGENTS.md", cursor=cursor)
        parts.append(part)
        _, found, rest = note.partition('Next: cursor "')
        cursor = rest.split('"')[0] if found else None
    assert "".join(parts) == text
    assert len(parts) > 2


async def test_code_and_data_have_no_outline(workspace: Workspace) -> None:
    """A comment is no heading."""
    text = "# A comment\nx = 1\n" * 2_000
    workspace.write(".claude/skills/release/run.py", text)
    part = await workspace.text(TOOL, path=".claude/skills/release/run.py")
    assert text.startswith(part)


@pytest.mark.parametrize(
    "path",
    [
        *(".env", ".git/config", ".cursor/mcp.json", "src/secret.txt", "README.md"),
        *("../outside/rule.mdc", "/etc/passwd", "none", "a\0b", "~"),
        *(".claude/skills/release/../../../.env", ".claude/skills/release/.env"),
        *(".cursor/rules/leak.mdc", "web"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("is_local", [False, True])
async def test_nothing_else_is_found(
    tmp_path: Path, scanner: Scanner, path: str, is_local: bool
) -> None:
    """D-024: there or not; a path into the project is normalized."""
    workspace = Workspace(tmp_path, scanner, is_local=is_local)
    workspace.write("README.md", "x")
    workspace.write(".claude/skills/release/.env", "x")
    error = await workspace.fail(TOOL, path=path)
    assert error == f"Path '{path}' not found"
    assert await workspace.text(TOOL, path="./web/../AGENTS.md") == FILES["AGENTS.md"]
    assert await workspace.fail(TOOL, path="") == "Missing required parameter: path"


async def test_a_link_to_no_artifact_is_not_followed(workspace: Workspace) -> None:
    """One out of the project does not exist; the lists report the other."""
    rules = workspace.root / ".cursor" / "rules"
    (rules / "leak.mdc").symlink_to(workspace.root.parent / "outside" / "rule.mdc")
    (rules / "env.mdc").symlink_to("../../src/secret.txt")
    error = await workspace.fail(TOOL, path=".cursor/rules/leak.mdc")
    assert error == "Path '.cursor/rules/leak.mdc' not found"
    error = await workspace.fail(TOOL, path=".cursor/rules/env.mdc")
    assert error.startswith("Cannot read '.cursor/rules/env.mdc': the link does not")


async def test_a_file_that_is_not_text_is_refused(
    tmp_path: Path, scanner: Scanner
) -> None:
    """With its size, and the URI of the resource if its skill has one."""
    other = make_workspace(
        tmp_path / "other",
        {"skills/plan/SKILL.md": "---\nname: plan\ndescription: d\n---\n"},
    )
    (other / "skills" / "plan" / "a b.png").write_bytes(b"\x89PNG\0")
    workspace = Workspace(tmp_path, scanner, FILES, other)
    path = ".cursor/skills/create-plan/logo.png"
    workspace.write(path, b"\x89PNG\0")
    workspace.write(".claude/skills/release/logo.png", b"\0" * 2_000)
    assert await workspace.fail(TOOL, path=path) == (
        f"'{path}' is not text (5 bytes): "
        "read the resource skill://create-plan/logo.png"
    )
    assert await workspace.fail(TOOL, path=".claude/skills/release/logo.png") == (
        "'.claude/skills/release/logo.png' is not text (2,000 bytes)"
    )
    error = await workspace.fail(TOOL, path="skills/plan/a b.png", projectPath="other")
    assert error.endswith("read the resource skill://~other/plan/a%20b.png")


async def test_an_empty_file_is_said_to_be_empty(workspace: Workspace) -> None:
    """An empty answer would look like a failure."""
    workspace.write(".claude/skills/release/empty.txt", "")
    path = ".claude/skills/release/empty.txt"
    assert await workspace.text(TOOL, path=path) == ""
    assert await workspace.note(TOOL, path=path) == "The file is empty."


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("AGENTS.md#rules", "AGENTS.md"),
        ("web/AGENTS.md:10-20", "web/AGENTS.md"),
        ("web/AGENTS.md#L3-L9", "web/AGENTS.md"),
        ("@web/AGENTS.md", "web/AGENTS.md"),
    ],
)
async def test_an_anchor_or_lines_at_the_end_of_a_path_are_ignored(
    workspace: Workspace, written: str, path: str
) -> None:
    """Links in Markdown and positions in code are written so, files are not."""
    assert await workspace.text(TOOL, path=written) == FILES[path]


async def test_a_file_that_is_called_so_is_read(workspace: Workspace) -> None:
    """The exact path first."""
    workspace.write(".claude/skills/release/a#b.md", "x\n")
    workspace.write(".claude/skills/release/a", "y\n")
    path = ".claude/skills/release/a#b.md"
    assert await workspace.text(TOOL, path=path) == "x\n"


async def test_an_outline_has_no_frontmatter(workspace: Workspace) -> None:
    """The fence below it does not make it a heading."""
    header = "---\nname: long\ndescription: Long\n---\n"
    text = f"{header}\n# One\n\n" + "word " * 3_000 + "\n# Two\n\nx\n"
    workspace.write(".claude/skills/long/SKILL.md", text)
    answer = await workspace.text(TOOL, path=".claude/skills/long/SKILL.md")
    outline, _, part = answer.partition("\n\n---\n\n")
    assert [line.split(" (")[0] for line in outline.splitlines()[2:]] == [
        "- One",
        "- Two",
    ]
    assert part.startswith(header)
