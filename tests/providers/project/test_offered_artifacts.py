"""Skills and commands that their author leaves to people, in all lists and by name."""

from support.workspace import Workspace

FOR_PEOPLE = (
    "---\nname: {0}\ndescription: {0}s it.\ndisable-model-invocation: true\n---\n"
)


async def test_what_only_people_start_is_in_no_list(workspace: Workspace) -> None:
    """D-274: its author forbids a model to choose it; by its name it is found."""
    workspace.write(".claude/skills/deploy/SKILL.md", FOR_PEOPLE.format("deploy"))
    workspace.write("web/.claude/skills/ship/SKILL.md", FOR_PEOPLE.format("ship"))
    workspace.write(".claude/commands/drop.md", FOR_PEOPLE.format("drop"))
    names = {"deploy", "ship", "drop"}
    for tool in ("list_skills", "list_commands"):
        rows = (await workspace.call(tool))[tool.removeprefix("list_")]
        assert names.isdisjoint(row["name"] for row in rows)
    text = "that only the user starts, by name."
    assert await workspace.note("list_skills") == f"Not listed: 2 skills {text}"
    note = await workspace.note("list_skills", query="deploy it")
    assert note.endswith(f"Not listed: 2 skills {text}")
    assert await workspace.note("list_commands") == f"Not listed: 1 command {text}"
    context = await workspace.note("get_project_context")
    assert f"Not listed: 1 command and 2 skills {text}" in context
    assert "ship" not in await workspace.note("rules_for_path", path="web/a.ts")
    listed = await workspace.text("get_project_context")
    resources = (await workspace.peer.result("resources/list"))["resources"]
    for uri in ("ace://skills", "ace://commands"):
        found = await workspace.peer.result("resources/read", {"uri": uri})
        listed += found["contents"][0]["text"]
    for name in names:
        assert f"{name}s it." not in listed
        assert not any(name in resource["uri"] for resource in resources)
    for tool, name in (
        *(("get_skill", "deploy"), ("get_skill", "ship")),
        ("get_command", "drop"),
    ):
        assert (await workspace.ask(tool, name=name))["description"] == f"{name}s it."
    uri = "ace://skills/deploy"
    found = await workspace.peer.result("resources/read", {"uri": uri})
    assert "deploys it." in found["contents"][0]["text"]
