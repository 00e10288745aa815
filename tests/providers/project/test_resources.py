"""The `ace://` resources: their table, names, other projects, completion."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.canary import Scanner
from support.workspace import FILES, Workspace, make_workspace

from asdlc_kb.providers.project.artifact_kinds import KINDS
from asdlc_kb.providers.project.resources import ResourceAddress, read_address

JSON, MARKDOWN = "application/json", "text/markdown"

TABLE = {
    "ace://rules": (JSON, None),
    "ace://rules/{name}": (MARKDOWN, "security"),
    "ace://commands": (JSON, None),
    "ace://commands/{name}": (MARKDOWN, "review"),
    "ace://skills": (JSON, None),
    "ace://skills/{name}": (MARKDOWN, "create-plan"),
    "ace://agents-md": (MARKDOWN, None),
    "ace://specs": (JSON, None),
    "ace://specs/{domain}": (MARKDOWN, "login"),
    "ace://schemas": (JSON, None),
    "ace://schemas/{name}": (JSON, "note.schema"),
    "ace://guides": (JSON, None),
    "ace://guides/{path}": (MARKDOWN, "web/AGENTS.md"),
}
"""URI, content type, and one that the workspace has."""

SOURCES = {
    "ace://rules/security": ".cursor/rules/security.mdc",
    "ace://rules/style": ".claude/rules/style.md",
    "ace://commands/web%3Atest": ".claude/commands/web/test.md",
    "ace://skills/third": ".agents/skills/third/SKILL.md",
    "ace://specs/login": "specs/login/spec.md",
    "ace://specs/a%20b/deep": "specs/a b/deep/spec.md",
    "ace://specs/a%20b%2Fdeep": "specs/a b/deep/spec.md",
    "ace://schemas/note.schema": "schemas/note.schema.json",
    "ace://agents-md": "AGENTS.md",
    "ace://guides/web/AGENTS.md": "web/AGENTS.md",
}


@pytest.fixture
def two(tmp_path: Path, scanner: Scanner) -> Workspace:
    """The workspace, and another project whose artifacts have the same names."""
    files = {
        ".cursor/rules/security.mdc": "Other rule.\n",
        "AGENTS.md": "Other guide.\n",
        "specs/pay/spec.md": "# Pay\n",
    }
    other = make_workspace(tmp_path / "other & more", files)
    return Workspace(tmp_path, scanner, FILES, other)


def fill(template: str, name: str | None) -> str:
    """Return a URI of the table."""
    return f"{template.partition('{')[0]}{name or ''}"


@pytest.mark.parametrize("template", TABLE)
async def test_each_resource_of_the_registry_is_there(
    workspace: Workspace, template: str
) -> None:
    """D-100: the URIs with their types; listed, and read as they are listed."""
    mime_type, name = TABLE[template]
    uri = fill(template, name)
    listed = await workspace.peer.result("resources/list")
    (resource,) = (each for each in listed["resources"] if each["uri"] == uri)
    contents = await workspace.read(uri)
    assert resource["mimeType"] == contents["mimeType"] == mime_type
    if name is not None:
        assert resource["name"] == name
        result = await workspace.peer.result("resources/templates/list")
        templates = {each["uriTemplate"]: each for each in result["resourceTemplates"]}
        assert templates[template]["mimeType"] == mime_type


@pytest.mark.parametrize("uri", SOURCES)
async def test_an_artifact_is_read_as_its_file_is(
    workspace: Workspace, uri: str
) -> None:
    """With its frontmatter; names are percent-encoded or not."""
    contents = await workspace.read(uri)
    assert contents["text"] == FILES[SOURCES[uri]]


@pytest.mark.parametrize(
    ("kind", "tool"),
    [
        ("rules", "list_rules"),
        ("commands", "list_commands"),
        ("skills", "list_skills"),
        ("specs", "list_specs"),
    ],
)
async def test_a_list_is_what_its_tool_says(
    workspace: Workspace, kind: str, tool: str
) -> None:
    """Every resource has an equivalent tool: many clients support tools only."""
    rows = json.loads((await workspace.read(f"ace://{kind}"))["text"])
    if kind == "skills":
        # The tool omits what repeats the description.
        assert [row.pop("overview") for row in rows] == [
            row["description"] for row in rows
        ]
    assert rows == await workspace.ask(tool)


async def test_resources_come_in_order_each_once(workspace: Workspace) -> None:
    """Lists, AGENTS.md, then kind by kind, by name: not by precedence."""
    workspace.write(".claude/rules/a.md", "x")
    assert await workspace.list_uris() == [
        "ace://rules",
        "ace://commands",
        "ace://skills",
        "ace://specs",
        "ace://schemas",
        "ace://guides",
        "ace://agents-md",
        "ace://rules/a",
        "ace://rules/house",
        "ace://rules/security",
        "ace://rules/style",
        "ace://commands/review",
        "ace://commands/web%3Atest",
        "ace://skills/create-plan",
        "ace://skills/release",
        "ace://skills/third",
        "ace://specs/a%20b/deep",
        "ace://specs/login",
        "ace://schemas/note.schema",
        "ace://guides/AGENTS.md",
        "ace://guides/web/AGENTS.md",
    ]


async def test_every_listed_resource_can_be_read(workspace: Workspace) -> None:
    """Names with blanks, umlauts, percent and question marks among them."""
    for name in ("a b", "größe", "100%", "what?", "a#b", "a&b=c", "ä" * 90):
        workspace.write(f".cursor/rules/{name}.mdc", f"Rule {name}\n")
        workspace.write(f".cursor/skills/{name}/SKILL.md", f"Skill {name}\n")
    uris = await workspace.list_uris()
    assert len(uris) == 20 + 2 * 7
    for uri in uris:
        assert (await workspace.read(uri))["text"]
    assert "ace://rules/what%3F" in uris


async def test_what_a_resource_says_of_itself_is_short(workspace: Workspace) -> None:
    """D-104: 200 characters in lists; a skill without a description has none."""
    head = f"---\ntitle: {'t' * 900}\ndescription: {'d' * 900}\n---\n"
    workspace.write(".cursor/skills/wordy/SKILL.md", head)
    workspace.write(".cursor/skills/mute/SKILL.md", "")
    listed = await workspace.peer.result("resources/list")
    by_uri = {each["uri"]: each for each in listed["resources"]}
    wordy, mute = by_uri["ace://skills/wordy"], by_uri["ace://skills/mute"]
    assert (len(wordy["title"]), len(wordy["description"])) == (200, 200)
    assert not {"title", "description"} & mute.keys()


async def test_a_long_list_of_resources_comes_in_pages(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-037: each once; additions between two pages repeat or skip nothing."""
    files = {f".cursor/rules/{n:03}-{'ü' * 90}.mdc": "x" for n in range(150)}
    workspace = Workspace(tmp_path, scanner, files)
    first = await workspace.peer.result("resources/list")
    workspace.write(".cursor/rules/000-before.mdc", "x")
    rest = await workspace.peer.result(
        "resources/list", {"cursor": first["nextCursor"]}
    )
    assert "nextCursor" not in rest
    uris = [each["uri"] for page in (first, rest) for each in page["resources"]]
    assert len(uris) == len(set(uris)) == 6 + 150
    assert sorted(uris[6:]) == uris[6:]


async def test_names_may_be_as_long_as_paths_are(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Each is listed once and read, although no cursor could contain all of it."""
    deep = "/".join(letter * 190 for letter in "abcdefgh")
    files = {f".claude/commands/{deep}/{n:03}.md": f"Text {n}\n" for n in range(120)}
    workspace = Workspace(tmp_path, scanner, files)
    uris = await workspace.list_uris()
    assert len(uris) == len(set(uris)) == 6 + 120
    assert (await workspace.read(uris[-1]))["text"] == "Text 119\n"
    name = f"{deep.replace('/', ':')}:119"
    assert (await workspace.ask("get_command", name=name))["content"] == "Text 119\n"


async def test_of_two_that_share_a_name_the_first_is_meant(
    workspace: Workspace,
) -> None:
    """D-110: Cursor before Claude; the other one is read by its path."""
    text = "---\ndescription: The other one\n---\nClaude's house.\n"
    workspace.write(".claude/rules/house.md", text)
    listed = (await workspace.peer.result("resources/list"))["resources"]
    (house,) = (each for each in listed if each["uri"] == "ace://rules/house")
    assert "description" not in house
    read = await workspace.read("ace://rules/house")
    assert read["text"] == FILES[".cursor/rules/house.mdc"]
    other = await workspace.read("ace://rules/.claude/rules/house.md")
    assert other["text"] == text
    rule = await workspace.ask("get_rule", name=".claude/rules/house.md")
    assert rule["content"] == "Claude's house.\n"


ABSENT = {
    "ace://rules/none": "Rule 'none' not found",
    "ace://commands/none": "Command 'none' not found",
    "ace://skills/none": "Skill 'none' not found",
    "ace://specs/none": "Specification 'none' not found",
    "ace://schemas/none": "Schema 'none' not found",
    "ace://rules?project=none": "Project 'none' not found",
    "ace://agents-md?project=..%2Foutside": "Project '../outside' not found",
}
FORMLESS = [
    "ace://",
    "ace://nothing",
    "ace://rules/",
    "ace://rules/%ff",
    "ace://agents-md/x",
    "ace://agents-md/",
    "ace://rules?project=",
    "ace://rules?",
    "ace://rules?projects=shop",
    "ace://rules?x=y&project=shop",
    f"ace://rules/{'x' * 6_000}",
]
OUTSIDE = [
    "ace://rules/..%2F..%2F..%2Foutside%2Frule.mdc",
    "ace://rules/../../../outside/rule.mdc",
    "ace://schemas/../.env",
    "ace://skills/.env",
    "ace://specs/..%2Fsrc",
    "ace://rules/%2Fetc%2Fpasswd",
    "ace://rules/house%00",
    "ace://rules/~%2F.ssh",
    "ace://agents-md?project=%2Fetc",
    "ace://agents-md?project=shop-sibling",
    "ace://agents-md?project=shop%00",
]


@pytest.mark.parametrize("uri", [*ABSENT, *FORMLESS, *OUTSIDE])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_what_is_not_there_has_the_code_of_the_era(
    workspace: Workspace, scanner: Scanner, uri: str, version: str
) -> None:
    """The specification, server/resources: -32002, and -32602 from 2026-07-28."""
    peer = type(workspace.peer)(version, server=workspace.server, scanner=scanner)
    error = await peer.error("resources/read", {"uri": uri})
    assert error["code"] == (-32602 if version == "2026-07-28" else -32002)
    assert error["data"] == {"uri": uri[:500]}
    if uri in ABSENT:
        assert error["message"] == ABSENT[uri]
    elif uri in FORMLESS:
        known = " or ".join(template for template in TABLE if "{" in template)
        assert error["message"] == f"Invalid URI format. Expected: {known}"


async def test_another_project_is_named_in_the_query(two: Workspace) -> None:
    """The first is the default, and has its own name too."""
    for uri in ("ace://agents-md", "ace://agents-md?project=shop"):
        assert (await two.read(uri))["text"] == FILES["AGENTS.md"]
    other = "?project=other%20%26%20more"
    assert (await two.read(f"ace://agents-md{other}"))["text"] == "Other guide.\n"
    assert (await two.read(f"ace://rules/security{other}"))["text"] == "Other rule.\n"
    listed = json.loads((await two.read(f"ace://specs{other}"))["text"])
    assert [spec["domain"] for spec in listed] == ["pay"]
    assert not [uri for uri in await two.list_uris() if "?" in uri]


async def test_templates_name_projects_where_there_are_several(
    two: Workspace, workspace: Workspace
) -> None:
    """All with the project, after the six of the first one."""
    result = await two.peer.result("resources/templates/list")
    templates = [each["uriTemplate"] for each in result["resourceTemplates"]]
    plain = [template for template in TABLE if "{" in template]
    assert templates[:6] == plain
    assert sorted(templates[6:]) == sorted(f"{each}{{?project}}" for each in TABLE)
    alone = await workspace.peer.result("resources/templates/list")
    assert [each["uriTemplate"] for each in alone["resourceTemplates"]] == plain


async def test_a_path_is_no_project_in_a_uri(tmp_path: Path, scanner: Scanner) -> None:
    """D-021: URIs are passed on and stored: they have names, on every transport."""
    workspace = Workspace(tmp_path, scanner, is_local=True)
    uri = f"ace://agents-md?project={workspace.root}"
    error = await workspace.peer.error("resources/read", {"uri": uri})
    assert error["data"] == {"uri": uri}


async def complete(
    workspace: Workspace, template: str, argument: str, value: str, **typed: str
) -> list[str]:
    """Return the values that complete an argument of a template."""
    params: dict[str, Any] = {
        "ref": {"type": "ref/resource", "uri": template},
        "argument": {"name": argument, "value": value},
        "context": {"arguments": typed},
    }
    result = await workspace.peer.result("completion/complete", params)
    values: list[str] = result["completion"]["values"]
    assert result["completion"]["total"] == len(values)
    return values


@pytest.mark.parametrize(
    ("template", "argument", "value", "values"),
    [
        ("ace://rules/{name}", "name", "", ["house", "security", "style"]),
        ("ace://rules/{name}", "name", "S", ["security", "style", "house"]),
        ("ace://commands/{name}", "name", "test", ["web:test"]),
        ("ace://skills/{name}", "name", "plan", ["create-plan"]),
        ("ace://specs/{domain}", "domain", "lo", ["login"]),
        ("ace://schemas/{name}", "name", "note", ["note.schema"]),
        ("ace://rules/{name}", "domain", "", []),
        ("ace://rules/{name}", "name", "nothing", []),
    ],
)
async def test_names_are_completed(
    workspace: Workspace, template: str, argument: str, value: str, values: list[str]
) -> None:
    """Prefix matches first."""
    assert await complete(workspace, template, argument, value) == values


async def test_names_of_projects_are_completed(two: Workspace) -> None:
    """And the names of artifacts are then those of that project."""
    of_project = "ace://specs/{domain}{?project}"
    assert await complete(two, of_project, "project", "") == ["shop", "other & more"]
    assert await complete(two, "ace://rules{?project}", "project", "OTHER") == [
        "other & more"
    ]
    named = {"project": "other & more"}
    assert await complete(two, of_project, "domain", "", **named) == ["pay"]
    assert await complete(two, of_project, "domain", "", project="none") == []


async def test_a_resource_that_is_there_can_be_subscribed_to(
    workspace: Workspace, scanner: Scanner
) -> None:
    """The disk is checked at that moment."""
    peer = type(workspace.peer)("2025-11-25", server=workspace.server, scanner=scanner)
    new = {"uri": "ace://rules/new"}
    assert (await peer.error("resources/subscribe", new))["code"] == -32002
    workspace.write(".cursor/rules/new.mdc", "x")
    assert await peer.result("resources/subscribe", new) == {}
    assert await peer.result("resources/subscribe", {"uri": "ace://rules"}) == {}


def test_a_uri_is_spelled_as_lists_spell_it(two: Workspace) -> None:
    """D-117: events use this spelling, in whatever spelling a client subscribed."""
    canonical_uri = two.provider.canonical_uri
    assert canonical_uri("ace://specs/a b%2Fdeep") == "ace://specs/a%20b/deep"
    assert canonical_uri("ace://rules?project=shop") == "ace://rules"
    assert canonical_uri("ace://rules?project=other & more") == (
        "ace://rules?project=other%20%26%20more"
    )
    assert canonical_uri("ace://nothing") == "ace://nothing"


def addresses() -> Iterator[st.SearchStrategy[ResourceAddress]]:
    """Yield strategies for all kinds of URIs."""
    letters = st.characters(exclude_categories=["Cs"])
    text = st.text(letters, min_size=1, max_size=60)
    yield st.builds(
        ResourceAddress,
        st.sampled_from(sorted(KINDS)),
        st.none() | text,
        st.none() | text,
    )
    yield st.builds(ResourceAddress, st.just("agents-md"), st.none(), st.none() | text)


@given(st.one_of(*addresses()))
def test_every_address_is_read_as_it_is_written(address: ResourceAddress) -> None:
    """Names and projects of any characters: percent-encoding loses nothing."""
    assert read_address(str(address)) == address


@given(st.text(max_size=80))
def test_no_uri_breaks_the_reader(text: str) -> None:
    """A parsed URI has one spelling, which is parsed to the same."""
    address = read_address(f"ace://{text}")
    if address is not None:
        assert read_address(str(address)) == address
