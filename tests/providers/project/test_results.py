"""Results of the project tools, page by page, chunk by chunk, and their failures."""

import os
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.workspace import FILES, Workspace, make_workspace

MANY = {
    f".cursor/rules/r{n:03}.mdc": f"---\ndescription: {'d' * 900}\n---\nText {n}\n"
    for n in range(120)
}

LISTS = {
    "list_rules": ("rules", 3),
    "list_commands": ("commands", 2),
    "list_skills": ("skills", 3),
    "list_specs": ("specs", 2),
}


@pytest.mark.parametrize("tool", LISTS)
async def test_a_list_comes_in_pages(workspace: Workspace, tool: str) -> None:
    """Each artifact once, to the end, with the total on every page."""
    key, total = LISTS[tool]
    whole = await workspace.call(tool)
    assert (len(whole[key]), whole["total"]) == (total, total)
    assert "nextCursor" not in whole
    paths, cursor = [], None
    for _ in range(total):
        page = await workspace.call(tool, limit=1, cursor=cursor)
        paths += [row["path"] for row in page[key]]
        assert page["total"] == total
        cursor = page.get("nextCursor")
    assert cursor is None
    assert paths == [row["path"] for row in whole[key]]


async def test_a_long_list_stays_small(tmp_path: Path, scanner: Scanner) -> None:
    """No default answer exceeds 10,000 characters; the rest is a cursor away."""
    workspace = Workspace(tmp_path, scanner, MANY)
    names, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        page = await workspace.call("list_rules", cursor=cursor)
        assert len(await workspace.text("list_rules", cursor=cursor)) <= 10_000
        names += [rule["name"] for rule in page["rules"]]
        cursor = page.get("nextCursor")
        pages += 1
    assert names == [f"r{n:03}" for n in range(120)]
    assert pages > 2


async def test_what_a_list_leaves_out_is_said(tmp_path: Path, scanner: Scanner) -> None:
    """In a second text, for clients of every era: the rest, the cursor, problems."""
    workspace = Workspace(tmp_path, scanner, MANY)
    workspace.write(".cursor/rules/bad.mdc", b"\xff\xfe")
    page = await workspace.call("list_rules", limit=3)
    assert await workspace.note("list_rules", limit=3) == (
        f'3 of 120 rules shown. Next: cursor "{page["nextCursor"]}" '
        "1 problem (asdlc-kb check --project shows all): .cursor/rules/bad.mdc: "
        "not UTF-8 at byte 0: save it as UTF-8."
    )


async def test_a_list_can_be_searched(workspace: Workspace) -> None:
    """Best first, with the number of those that do not match."""
    for tool, query, names in (
        ("list_skills", "cut a version", ["release"]),
        ("list_skills", "plan before work", ["create-plan"]),
        ("list_rules", "secret", ["security"]),
        ("list_commands", "test the page", ["web:test"]),
        ("list_skills", "kubernetes", []),
    ):
        rows = await workspace.ask(tool, query=query)
        assert [row["name"] for row in rows] == names
    note = await workspace.note("list_skills", query="plan before work")
    assert note == '1 of 3 skills match "plan before work".'
    note = await workspace.note("list_skills", query="kubernetes")
    assert note == '0 of 3 skills match "kubernetes".'
    assert await workspace.note("list_skills", query="") == ""


async def test_a_linked_skill_is_listed_once(workspace: Workspace) -> None:
    """With its other paths; an overview is listed if it is not the description."""
    (workspace.root / "skills").symlink_to(".agents/skills")
    workspace.write(
        ".claude/skills/both/SKILL.md", "---\ndescription: d\noverview: o\n---\n"
    )
    rows = await workspace.ask("list_skills")
    by_name = {row["name"]: row for row in rows}
    assert [row["name"] for row in rows] == ["create-plan", "both", "release", "third"]
    assert by_name["third"]["alsoIn"] == ["skills/third/SKILL.md"]
    assert by_name["both"]["overview"] == "o"
    assert not any("overview" in by_name[name] for name in ("create-plan", "release"))
    assert await workspace.note("list_skills") == ""


async def test_a_skill_names_its_other_files(workspace: Workspace) -> None:
    """With their sizes, for get_artifact; the first ones of many."""
    folder = ".claude/skills/release"
    workspace.write(f"{folder}/ref/more.md", "More.\n")
    workspace.write(f"{folder}/key.pem", "x")
    skill = await workspace.ask("get_skill", name="release")
    assert skill["files"] == [{"path": f"{folder}/ref/more.md", "size": 6}]
    assert "files" not in await workspace.ask("get_skill", name="third")
    for number in range(60):
        workspace.write(f"{folder}/a{number:02}.txt", "x")
    assert len((await workspace.ask("get_skill", name="release"))["files"]) == 50
    note = await workspace.note("get_skill", name="release")
    assert note == "50 of 61 other files shown."


async def test_a_cursor_of_a_list_that_changed_is_refused(workspace: Workspace) -> None:
    """Nothing is repeated or left out: the client starts over."""
    page = await workspace.call("list_rules", limit=2)
    workspace.write(".cursor/rules/a-first.mdc", "x")
    error = await workspace.fail("list_rules", limit=2, cursor=page["nextCursor"])
    assert error.startswith("Invalid cursor: it belongs to other arguments")


@pytest.mark.parametrize(
    ("tool", "arguments", "key", "path"),
    [
        ("get_rule", {"name": "house"}, "rule", ".cursor/rules/house.mdc"),
        ("get_command", {"name": "review"}, "command", ".cursor/commands/review.md"),
        (
            "get_skill",
            {"name": "release"},
            "skill",
            ".claude/skills/release/SKILL.md",
        ),
        ("get_spec", {"domain": "login"}, "spec", "specs/login/spec.md"),
    ],
)
async def test_a_long_text_comes_in_parts(
    workspace: Workspace, tool: str, arguments: dict[str, str], key: str, path: str
) -> None:
    """D-011: joined, they are the text; the first has an outline of it."""
    text = "# Top\n\n" + "".join(
        f"## Part {n}\n\n{'word ' * 300}\n\n" for n in range(60)
    )
    workspace.write(path, text)
    parts, cursor = [], None
    while True:
        part = (await workspace.call(tool, **arguments, cursor=cursor))[key]
        assert len(await workspace.text(tool, **arguments, cursor=cursor)) <= 10_000
        parts.append(part["content"])
        assert part["characters"] == len(text)
        assert ("outline" in part) is (len(parts) == 1)
        cursor = part.get("nextCursor")
        if cursor is None or len(parts) > 20:
            break
    assert len(parts) > 2
    assert "".join(parts) == text


async def test_a_command_is_text_with_what_it_takes(workspace: Workspace) -> None:
    """D-028: a namespace is part of the name; the bare name is enough."""
    for name in ("web:test", "test", "/web:test", ".claude/commands/web/test.md"):
        assert await workspace.ask("get_command", name=name) == {
            "name": "web:test",
            "description": "Tests a page",
            "path": ".claude/commands/web/test.md",
            "location": "workspace",
            "platform": "claude",
            "argumentHint": "[page]",
            "content": "Test $ARGUMENTS.\n",
        }


async def test_a_specification_is_found_by_its_domain(workspace: Workspace) -> None:
    """By the name in list_specs, or by the last folder if it is unique."""
    specs = await workspace.ask("list_specs")
    assert [spec["domain"] for spec in specs] == ["a b/deep", "login"]
    for domain in ("a b/deep", "deep"):
        spec = await workspace.ask("get_spec", domain=domain)
        assert (spec["path"], spec["content"]) == (
            "specs/a b/deep/spec.md",
            "# Deep\n",
        )
    assert specs[1]["hasBlueprint"] is specs[1]["hasContract"] is True
    assert await workspace.fail("get_spec") == "Missing required parameter: domain"
    error = await workspace.fail("get_spec", domain="")
    assert error == "Missing required parameter: domain"


async def test_empty_is_empty_and_no_error(tmp_path: Path, scanner: Scanner) -> None:
    """D-023: empty arrays, `exists: false`."""
    workspace = Workspace(tmp_path, scanner, {"README.md": "x"})
    for tool, (key, _) in LISTS.items():
        assert await workspace.call(tool) == {key: [], "total": 0}
    assert await workspace.ask("get_asdlc_artifacts") == {
        "agentsMd": {"exists": False},
        "specs": {"exists": False, "count": 0, "specs": []},
        "schemas": {"exists": False, "count": 0, "schemas": []},
        "hasAnyArtifacts": False,
        "guides": [],
    }
    assert await workspace.ask("rules_for_path", path="src/a.py") == []


async def test_what_cannot_be_read_is_a_problem_next_to_the_rest(
    workspace: Workspace,
) -> None:
    """D-051: an unreadable file is a value: the other rules are there."""
    workspace.write(".cursor/rules/bad.mdc", b"\xff\xfe")
    answer = await workspace.call("list_rules")
    assert len(answer["rules"]) == 3
    (problem,) = answer["problems"]
    assert (problem["path"], problem["code"]) == (".cursor/rules/bad.mdc", "KB001")
    assert "not UTF-8" in problem["message"]
    context = await workspace.call("get_project_context")
    assert problem in context["problems"]
    applying = await workspace.call("rules_for_path", path="a.py")
    assert problem in applying["problems"]


async def test_the_projects_are_named(tmp_path: Path, scanner: Scanner) -> None:
    """D-021: paths are sent only to clients that may name them."""
    other = make_workspace(tmp_path / "other", {})
    for is_local in (False, True):
        workspace = Workspace(tmp_path, scanner, FILES, other, is_local=is_local)
        rows = await workspace.ask("list_projects")
        assert [(row["name"], row["default"]) for row in rows] == [
            ("shop", True),
            ("other", False),
        ]
        paths = [str(workspace.root), str(other)] if is_local else [None, None]
        assert [row.get("path") for row in rows] == paths


def list_outside(root: Path) -> list[str]:
    """Return names and paths that are no project over HTTP."""
    return [
        "absent",
        " ",
        "..",
        "../outside",
        ".",
        "./",
        "shop/",
        "shop/../shop",
        f"{root}/src",
        str(root.parent),
        f"{root}-sibling",
        "shop-sibling",
        "/",
        "/etc",
        "~",
        "~root",
        "shop\0",
        "\0",
        "SHOP",
        "x" * 4_096,
    ]


@pytest.mark.parametrize("number", range(20))
async def test_what_is_no_project_is_not_found(
    workspace: Workspace, number: int
) -> None:
    """D-021: forbidden and absent alike, in every word: over HTTP only names count."""
    wanted = list_outside(workspace.root)[number]
    for tool, arguments in (
        ("list_rules", {}),
        ("get_skill", {"name": "release"}),
        ("get_project_context", {}),
        ("get_asdlc_artifacts", {}),
        ("rules_for_path", {"path": "a"}),
    ):
        error = await workspace.fail(tool, **arguments, projectPath=wanted)
        assert error == f"Project '{wanted}' not found"


async def test_forbidden_and_absent_have_the_same_data(
    tmp_path: Path, scanner: Scanner
) -> None:
    """As protocol errors too."""
    workspace = Workspace(tmp_path, scanner, is_local=True, tool_errors="protocol")
    for wanted in (str(tmp_path / "outside"), str(tmp_path / "absent"), "/", "a\0b"):
        call = {"name": "list_rules", "arguments": {"projectPath": wanted}}
        assert await workspace.peer.error("tools/call", call) == {
            "code": -32602,
            "message": f"Project '{wanted}' not found",
            "data": {"projectPath": wanted},
        }
    for path in ("../outside/rule.mdc", "../absent", "/etc/passwd", "a\0b"):
        call = {"name": "rules_for_path", "arguments": {"path": path}}
        assert await workspace.peer.error("tools/call", call) == {
            "code": -32602,
            "message": f"Path '{path}' not found",
            "data": {"path": path},
        }


@pytest.mark.parametrize(
    "name",
    [
        "../outside/rule",
        "../../outside/rule.mdc",
        "/etc/passwd",
        ".env",
        "../.env",
        ".cursor/mcp.json",
        ".git/config",
        "~/.ssh/id_rsa",
        "house\0",
        "\0",
        "%2e%2e/outside/rule",
        "leak",
        "deep/rule",
        ".cursor/rules/leak.mdc",
    ],
)
async def test_a_name_finds_artifacts_and_no_files(
    workspace: Workspace, name: str
) -> None:
    """D-024: links that lead out are problems; their targets are in no result."""
    rules = workspace.root / ".cursor" / "rules"
    (rules / "leak.mdc").symlink_to(workspace.root.parent / "outside" / "rule.mdc")
    (rules / "deep").symlink_to(workspace.root.parent / "outside")
    for tool, argument in (
        ("get_rule", "name"),
        ("get_command", "name"),
        ("get_skill", "name"),
        ("get_spec", "domain"),
    ):
        arguments: dict[str, Any] = {argument: name}
        assert await workspace.ask(tool, **arguments) is None
    listed = await workspace.call("list_rules")
    assert len(listed["rules"]) == 3
    assert {problem["path"] for problem in listed["problems"]} == {
        ".cursor/rules/leak.mdc",
        ".cursor/rules/deep",
    }


async def test_a_link_that_is_swapped_leads_nowhere(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-024: between the check and the read, every time: nothing leaves."""
    rules = workspace.root / ".cursor" / "rules"
    outside = workspace.root.parent / "outside"
    inside = workspace.root / "elsewhere"
    inside.mkdir()
    (inside / "rule.mdc").write_text("fine")
    (rules / "swapped").symlink_to(inside)
    real = os.path.realpath
    swaps: list[str] = []

    def swap(path: Any, **options: Any) -> Any:
        resolved = real(path, **options)
        if str(resolved).startswith(str(real(inside))) and inside.is_dir():
            # The path leads out right after it was resolved inside.
            inside.rename(workspace.root / f"moved-{len(swaps)}")
            inside.symlink_to(outside)
            swaps.append(resolved)
        return resolved

    monkeypatch.setattr("os.path.realpath", swap)
    for tool, arguments in (
        ("list_rules", {}),
        ("get_rule", {"name": "rule"}),
        ("get_project_context", {}),
    ):
        await workspace.peer.call(tool, **arguments)
    assert swaps


async def test_nested_artifacts_and_those_of_plugins_say_where_they_belong(
    workspace: Workspace,
) -> None:
    """`scope` and `plugin`, only where there is one."""
    head = "---\nname: css\ndescription: Does it\n---\nx\n"
    workspace.write("web/.agents/skills/css/SKILL.md", head)
    workspace.write("web/.claude/commands/lint.md", "Lint.\n")
    workspace.write("tools/p/.claude-plugin/plugin.json", '{"name": "my-plugin"}')
    workspace.write("tools/p/commands/ship.md", "Ship.\n")
    workspace.write(".gemini/commands/git/log.toml", 'prompt = "Log {{args}}."')
    skills = {row["name"]: row for row in await workspace.ask("list_skills")}
    assert (skills["css"]["scope"], skills["css"].get("plugin")) == ("web", None)
    assert not {"scope", "plugin"} & skills["third"].keys()
    commands = {row["name"]: row for row in await workspace.ask("list_commands")}
    assert commands["lint"]["scope"] == "web"
    assert commands["ship"]["plugin"] == "my-plugin"
    assert commands["git:log"]["platform"] == "gemini"
    context = await workspace.ask("get_project_context")
    named = {row["name"]: row for row in context["commands"]}
    assert named["lint"]["scope"] == "web"
    assert "scope" not in named["ship"]
    text = (await workspace.ask("get_command", name="git:log"))["content"]
    assert text == "Log {{args}}."
    path = "tools/p/commands/ship.md"
    result = await workspace.peer.call("get_artifact", path=path)
    assert result["content"][0]["text"] == "Ship.\n"
