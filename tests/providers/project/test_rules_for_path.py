"""Results of `rules_for_path`: rules, guides and reasons; paths that lead out."""

from pathlib import Path

import pytest
from support.canary import Scanner
from support.workspace import FILES, Workspace


async def test_the_rules_for_a_file_come_nearest_first(workspace: Workspace) -> None:
    """With the reasons."""
    result = await workspace.call("rules_for_path", path="web/./page.py")
    assert result["path"] == "web/page.py"
    assert [(row["path"], row["reason"]) for row in result["applying"]] == [
        ("web/AGENTS.md", "folder"),
        (".cursor/rules/security.mdc", "pattern"),
        ("AGENTS.md", "folder"),
        (".cursor/rules/house.mdc", "always"),
        (".claude/rules/style.md", "always"),
    ]
    security = result["applying"][1]
    assert security["why"] == "the path matches **/*.py"
    assert security["pattern"] == "**/*.py"
    assert not any("content" in row for row in result["applying"])


async def test_the_rules_for_a_file_can_come_with_their_texts(
    workspace: Workspace,
) -> None:
    """The beginning of a long one, and a mark that there is more."""
    workspace.write(
        ".cursor/rules/house.mdc", f"---\nalwaysApply: true\n---\n{'x' * 99_999}"
    )
    rows = await workspace.ask("rules_for_path", path="a.md", include_content=True)
    by_path = {row["path"]: row for row in rows}
    assert by_path["AGENTS.md"]["content"] == FILES["AGENTS.md"]
    assert "truncated" not in by_path["AGENTS.md"]
    long = by_path[".cursor/rules/house.mdc"]
    assert (len(long["content"]), long["truncated"]) == (8_000, True)
    note = await workspace.note("rules_for_path", path="a.md", include_content=True)
    assert "Cut at 8,000 characters: .cursor/rules/house.mdc." in note


@pytest.mark.parametrize("is_local", [False, True])
async def test_a_path_out_of_the_project_is_not_found(
    tmp_path: Path, scanner: Scanner, is_local: bool
) -> None:
    """By `..`, by another root, by a link, by a NUL."""
    workspace = Workspace(tmp_path, scanner, is_local=is_local)
    (workspace.root / "out").symlink_to(tmp_path / "outside")
    (workspace.root / "gone").symlink_to(tmp_path / "nowhere")
    paths = [
        "../outside/rule.mdc",
        "web/../../outside",
        "../shop-sibling/AGENTS.md",
        "/etc/passwd",
        "/",
        "..",
        ".",
        "out/rule.mdc",
        "out",
        "gone/x",
        "a\0b",
    ]
    for path in paths:
        error = await workspace.fail("rules_for_path", path=path)
        assert error == f"Path '{path}' not found"
    error = await workspace.fail("rules_for_path", path="")
    assert error == "Missing required parameter: path"
    # `~` is a plain name in a path.
    rows = await workspace.call("rules_for_path", path="~/.ssh/config")
    assert rows["path"] == "~/.ssh/config"


async def test_an_absolute_path_into_the_project_is_for_local_peers(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-021: over HTTP it would reveal the location."""
    for is_local in (True, False):
        workspace = Workspace(tmp_path, scanner, is_local=is_local)
        path = str(workspace.root / "web" / "a.css")
        if is_local:
            result = await workspace.call("rules_for_path", path=path)
            assert result["path"] == "web/a.css"
        else:
            error = await workspace.fail("rules_for_path", path=path)
            assert error == f"Path '{path}' not found"


async def test_rules_to_choose_come_last_and_are_few(workspace: Workspace) -> None:
    """Name and description, without texts; the number of the others is said."""
    for number in range(25):
        workspace.write(
            f".cursor/rules/ask{number:02}.mdc", f"---\ndescription: d{number}\n---\nT"
        )
    rows = await workspace.ask("rules_for_path", path="a.md", include_content=True)
    requested = [row for row in rows if row["reason"] == "requested"]
    assert rows[-20:] == requested
    assert [row["name"] for row in requested] == [f"ask{n:02}" for n in range(20)]
    assert requested[0]["description"] == "d0"
    assert not any("content" in row for row in requested)
    assert "content" in rows[0]
    note = await workspace.note("rules_for_path", path="a.md")
    assert note == "20 of 25 requested rules shown: list_rules has all."


async def test_one_file_is_one_row(workspace: Workspace) -> None:
    """With its other paths, and one text."""
    (workspace.root / "CLAUDE.md").symlink_to("AGENTS.md")
    rows = await workspace.ask("rules_for_path", path="a.md", include_content=True)
    (guide,) = (row for row in rows if row["path"].endswith(".md") and "alsoIn" in row)
    assert (guide["path"], guide["alsoIn"]) == ("AGENTS.md", ["CLAUDE.md"])
    assert guide["content"] == FILES["AGENTS.md"]


async def test_skills_for_the_folders_above_are_named(workspace: Workspace) -> None:
    """Those of other folders, and of the whole project, are not."""
    head = "---\ndescription: Does it\n---\nx\n"
    for path in ("web/.agents/skills/css", "api/.claude/skills/sql"):
        workspace.write(f"{path}/SKILL.md", head)
    note = await workspace.note("rules_for_path", path="web/deep/page.css")
    assert "Skills for this folder: css (web/). get_skill reads one." in note
    assert "sql" not in note
    for number in range(10):
        workspace.write(f"web/.agents/skills/s{number}/SKILL.md", head)
    note = await workspace.note("rules_for_path", path="web/page.css")
    assert "s8 (web/) and 11 in all" in note
    result = await workspace.peer.call("rules_for_path", path="page.css")
    assert "Skills" not in str(result["content"])


async def test_texts_that_contradict_each_other_are_named(workspace: Workspace) -> None:
    """In the data, and in a sentence for clients that show text only."""
    result = await workspace.call("rules_for_path", path="a.md")
    assert "conflicts" not in result
    workspace.write("CLAUDE.md", "- Never use tabs\n")
    workspace.write(".claude/rules/x.md", "Always use `tabs`.\n")
    result = await workspace.call("rules_for_path", path="a.md")
    why = 'the first demands "tabs", the second forbids it'
    paths = [".claude/rules/x.md", "CLAUDE.md"]
    assert result["conflicts"] == [{"paths": paths, "why": why}]
    note = await workspace.note("rules_for_path", path="a.md")
    assert f".claude/rules/x.md and CLAUDE.md: {why}." in note
    workspace.write(
        "CLAUDE.md", "".join(f"- Never use x{number}\n" for number in range(7))
    )
    workspace.write(
        ".claude/rules/x.md", "".join(f"- Use x{number}\n" for number in range(7))
    )
    note = await workspace.note("rules_for_path", path="a.md")
    assert '"x4"' in note and '"x5"' not in note
    assert "; 2 more." in note


async def test_a_requested_rule_contradicts_nothing(workspace: Workspace) -> None:
    """It may not apply at all."""
    workspace.write("CLAUDE.md", "- Never use tabs\n")
    workspace.write(".cursor/rules/x.mdc", "---\ndescription: d\n---\nUse tabs\n")
    assert "conflicts" not in await workspace.call("rules_for_path", path="a.md")


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("cursor", ".cursor/rules/house.mdc"),
        ("Claude Code", ".claude/rules/style.md"),
        ("claude-code", ".claude/rules/style.md"),
        (" CURSOR ", ".cursor/rules/house.mdc"),
    ],
)
async def test_a_tool_is_named_as_its_client_is(
    workspace: Workspace, written: str, rule: str
) -> None:
    """Models know the name of their client, not our identifier of it."""
    rows = await workspace.ask("rules_for_path", path="a.md", tool=written)
    assert [row["path"] for row in rows if "/rules/" in row["path"]] == [rule]


@pytest.mark.parametrize("written", ["emacs", "cursor or claude", "-"])
async def test_an_unknown_tool_is_an_error_with_all_names(
    workspace: Workspace, written: str
) -> None:
    """Not an answer without rules."""
    error = await workspace.fail("rules_for_path", path="a.md", tool=written)
    assert error.startswith(f"No tool '{written}': use one of augment, claude, cline,")
