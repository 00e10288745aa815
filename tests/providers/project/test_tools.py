"""Definitions of the project tools, as clients get them."""

import json
from pathlib import Path

import pytest
from support.canary import Scanner
from support.workspace import FILES, Workspace, make_workspace

from asdlc_kb.providers.project.tools import tool_definitions

NAMES = """
    get_project_context rules_for_path list_rules get_rule list_commands get_command
    list_skills get_skill list_specs get_spec get_asdlc_artifacts get_artifact
    list_projects
""".split()
DOCUMENTED = set(NAMES) - {
    "get_spec",
    "rules_for_path",
    "get_artifact",
    "list_projects",
}
TOOLS = {listed.item.name: listed.item for listed in tool_definitions(has_several=True)}
MAX_SCHEMA_CHARS = 9_200
"""Characters of the definitions as JSON, without schemas of results."""


def closed(schema: object) -> bool:
    """Return whether no object of a schema takes fields that it does not name."""
    if isinstance(schema, list):
        return all(map(closed, schema))
    if not isinstance(schema, dict):
        return True
    is_open = schema.get("type") == "object" and schema.get("additionalProperties", 1)
    return not is_open and all(map(closed, schema.values()))


async def test_every_tool_is_offered_in_order(tmp_path: Path, scanner: Scanner) -> None:
    """D-100: the contract's nine, and four more; `list_projects` for several only."""
    other = make_workspace(tmp_path / "other", {})
    for others, names in (((), NAMES[:-1]), ((other,), NAMES)):
        workspace = Workspace(tmp_path, scanner, FILES, *others)
        listed = await workspace.peer.result("tools/list")
        assert [tool["name"] for tool in listed["tools"]] == names


async def test_the_definitions_are_small(workspace: Workspace) -> None:
    """An agent pays for each tool in every conversation."""
    listed = await workspace.peer.result("tools/list")
    for tool in listed["tools"]:
        tool.pop("outputSchema", None)
    text = json.dumps(listed["tools"], separators=(",", ":"), ensure_ascii=False)
    assert len(text) <= MAX_SCHEMA_CHARS


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_closed(name: str) -> None:
    """D-101: no dynamic fields, in arguments and results."""
    tool = TOOLS[name]
    assert closed(tool.input_schema)
    assert tool.output_schema is not None
    assert closed(tool.output_schema)
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint is True


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"list_projects"}))
def test_a_project_can_be_named_and_need_not(name: str) -> None:
    """D-021: every tool takes an optional `projectPath`."""
    schema = TOOLS[name].input_schema
    assert schema["properties"]["projectPath"]["type"] == "string"
    assert "projectPath" not in schema.get("required", [])


async def test_a_null_is_an_argument_that_was_left_out(workspace: Workspace) -> None:
    """D-015: many clients send one; `projectPath` has another name in the code."""
    rules = await workspace.ask("list_rules", projectPath=None, cursor=None)
    assert len(rules) == 3


async def test_an_unknown_argument_is_told(workspace: Workspace) -> None:
    """D-015: unknown parameters must fail rather than be ignored."""
    error = await workspace.fail("list_rules", scope="shop")
    known = "projectPath, query, limit, cursor"
    assert error == f"Unknown parameter: scope. Known parameters: {known}"


async def test_an_artifact_is_found_by_its_uri_and_near_names_are_suggested(
    workspace: Workspace,
) -> None:
    """D-015 and D-102: the first text of a missing one is null."""
    name = (await workspace.ask("list_skills"))[0]["name"]
    expected = await workspace.ask("get_skill", name=name)
    for written in (f"ace://skills/{name}", f"skill://{name}/SKILL.md", name.upper()):
        assert await workspace.ask("get_skill", skill=written) == expected
    result = await workspace.peer.call("get_skill", name=f"{name}x")
    texts = [item["text"] for item in result["content"]]
    assert texts[0] == "null"
    assert texts[1].startswith(f"Did you mean: {name}")


async def test_the_path_of_a_root_is_taken_over_http_too(workspace: Workspace) -> None:
    """D-021: clients pass the folder they have open; the answer does not repeat it."""
    for wanted in (str(workspace.root), f"{workspace.root}/"):
        rules = await workspace.ask("list_rules", projectPath=wanted)
        assert rules == await workspace.ask("list_rules")
        assert str(workspace.root) not in str(rules)


@pytest.mark.parametrize("name", ["project_path", "projectKey", "project"])
async def test_a_project_has_other_parameter_names(
    workspace: Workspace, name: str
) -> None:
    """D-015: clients send all of them; an empty one is the default."""
    rules = await workspace.ask("list_rules", projectPath="shop")
    for wanted in ("shop", ""):
        assert await workspace.ask("list_rules", **{name: wanted}) == rules
