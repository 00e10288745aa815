"""Every tool and resource of projects, over both transports, in every version."""

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.docs import DocsTree
from support.files import save_in_place
from support.knowledge import KnowledgeBase
from support.peers import (
    HANDSHAKE,
    STATELESS,
    Peer,
    http_peer,
    make_validator,
    message,
    open_app,
    serving,
)
from support.processes import run_cli, serve_process
from support.results import read_note, read_value
from support.wire import ask
from support.workspace import FILES, make_workspace

from asdlc_kb.app import Runtime
from asdlc_kb.providers.project.tools import tool_definitions

Connect = Callable[[Runtime], AbstractAsyncContextManager[Peer]]

CALLS: dict[str, dict[str, Any]] = {
    "list_rules": {},
    "get_rule": {"name": "security"},
    "list_commands": {},
    "get_command": {"name": "review"},
    "list_skills": {"limit": 2},
    "get_skill": {"name": "create-plan"},
    "list_specs": {},
    "get_spec": {"domain": "login"},
    "get_asdlc_artifacts": {},
    "get_artifact": {"path": "web/AGENTS.md"},
    "get_project_context": {},
    "rules_for_path": {"path": "web/a.py", "include_content": True},
    "list_projects": {},
}
MISSING = {
    "get_rule": {"name": "missing"},
    "get_command": {"name": "missing"},
    "get_skill": {"name": "missing"},
    "get_spec": {"domain": "missing"},
}
SCHEMAS = {
    listed.item.name: listed.item.output_schema
    for listed in tool_definitions(has_several=True)
}


@pytest.fixture
def shops(tmp_path: Path) -> tuple[Path, ...]:
    """Two projects."""
    shop = make_workspace(tmp_path / "shop")
    other = make_workspace(tmp_path / "other", {".cursor/rules/only.mdc": "x"})
    return shop, other


@pytest.fixture
def app(shops: tuple[Path, ...]) -> Runtime:
    """Two projects and nothing else."""
    return open_app(None, projects=shops)


def test_every_tool_is_called_here() -> None:
    """None is forgotten."""
    assert CALLS.keys() == SCHEMAS.keys()


def read_text(tool: str, result: dict[str, Any]) -> Any:
    """Return the value of a result's text: JSON, or the text of a file."""
    if tool == "get_artifact":
        return result["content"][0]["text"]
    return read_value(result)


async def test_every_tool_answers(app: Runtime, connect: Connect) -> None:
    """JSON in the text, or a file; and a note, where a list was cut."""
    async with connect(app) as peer:
        for tool, arguments in [*CALLS.items(), *MISSING.items()]:
            result = await peer.call(tool, **arguments)
            assert not result.get("isError"), result
            assert "structuredContent" not in result
            assert bool(read_note(result)) == (tool == "list_skills"), tool
            is_missing = arguments in MISSING.values()
            assert (read_text(tool, result) is None) == is_missing


async def test_the_setting_adds_structure_valid_under_each_schema(
    shops: tuple[Path, ...], connect: Connect
) -> None:
    """D-013: if the version has structured content; the text is one part of it."""
    app = open_app(None, projects=shops, structured_results=True)
    async with connect(app) as peer:
        for tool, arguments in [*CALLS.items(), *MISSING.items()]:
            result = await peer.call(tool, **arguments)
            structured = result.get("structuredContent")
            assert (structured is not None) == (peer.version >= "2025-06-18")
            if structured is not None:
                schema = SCHEMAS[tool]
                assert schema is not None
                make_validator(json.dumps(schema)).validate(structured)
                assert read_text(tool, result) in (structured, *structured.values())


async def test_every_resource_can_be_read(app: Runtime, connect: Connect) -> None:
    """As many as are listed; a missing one has the code of the era."""
    async with connect(app) as peer:
        listed = (await peer.result("resources/list"))["resources"]
        assert sum(each["uri"].startswith("ace://") for each in listed) == 20
        for resource in listed:
            read = await peer.result("resources/read", {"uri": resource["uri"]})
            (contents,) = read["contents"]
            assert contents["mimeType"] == resource["mimeType"]
            assert contents["text"]
        absent = {"uri": "ace://rules/absent"}
        error = await peer.error("resources/read", absent)
    assert error["code"] == (-32602 if peer.version in STATELESS else -32002)
    assert error["data"] == absent


async def test_a_project_is_told_by_its_name(app: Runtime, connect: Connect) -> None:
    """A path is no name, except that of a configured root."""
    async with connect(app) as peer:
        other = await peer.call("list_rules", projectPath="other")
        (project,) = [p for p in app.sources.projects if p.name == "other"]
        by_root = await peer.call("list_rules", projectPath=str(project.root))
        path = f"{project.root}/.cursor"
        failed = await peer.call("list_rules", projectPath=path)
    assert by_root["content"] == other["content"]
    assert [r["name"] for r in json.loads(other["content"][0]["text"])] == ["only"]
    assert failed["isError"] is True
    assert failed["content"][0]["text"] == f"Project '{path}' not found"


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in (*value, *value.values()):
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


async def test_no_answer_tells_where_a_project_lies(
    app: Runtime, tmp_path: Path
) -> None:
    """D-021: over HTTP all paths are relative, in lists, texts, errors and problems."""
    root = tmp_path / "shop"
    save_in_place(root / ".cursor" / "rules" / "bad.mdc", b"\xff")
    (root / ".cursor" / "rules" / "leak.mdc").symlink_to(tmp_path / "outside")
    (root / ".cursor" / "rules" / "gone.mdc").symlink_to(tmp_path / "nowhere")
    results: list[Any] = []
    async with http_peer(app, "2026-07-28") as peer:
        for tool, arguments in CALLS.items():
            results.append(await peer.call(tool, **arguments))
        methods = ("resources/list", "resources/templates/list", "tools/list")
        for method in (*methods, "server/discover"):
            results += [await peer.result(method)]
        results.append(await peer.error("resources/read", {"uri": "ace://rules/gone"}))
    assert not [text for text in strings(results) if str(tmp_path) in text]


async def test_projects_stand_behind_other_sources(
    knowledge: KnowledgeBase, tmp_path: Path, connect: Connect
) -> None:
    """Each source adds its tools and instructions; resources are of both."""
    knowledge.write("concepts/one")
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Welcome\n")
    shop = make_workspace(tmp_path / "shop")
    app = open_app(knowledge, docs=tree, projects=(shop,))
    async with connect(app) as peer:
        tools = (await peer.result("tools/list"))["tools"]
        resources = (await peer.result("resources/list"))["resources"]
        prompts = (await peer.result("prompts/list"))["prompts"]
        article = await peer.result("resources/read", {"uri": "kb://article/one"})
    names = [tool["name"] for tool in tools]
    assert names[:7] == [
        *("list_articles", "get_article", "search_articles"),
        *("search_docs", "get_doc_page", "list_doc_pages"),
        "get_project_context",
    ]
    # One project needs no `list_projects`.
    assert len(names) == 6 + len(CALLS) - 1
    schemes = [resource["uri"].split("://")[0] for resource in resources]
    assert schemes[:20] == ["kb"] * 3 + ["ace"] * 17
    assert prompts
    if peer.version in STATELESS:
        assert (article["ttlMs"], article["cacheScope"]) == (60_000, "public")


@pytest.mark.parametrize("version", [HANDSHAKE[-1], *STATELESS])
async def test_a_server_of_projects_alone_is_ready(app: Runtime, version: str) -> None:
    """As soon as each folder was seen."""
    for notifier in app.project_notifiers:
        notifier.load()
    async with serving(app) as site:
        assert (await ask(site.port, "GET", "/ready")).status == 200
        health = (await ask(site.port, "GET", "/health")).json
    assert (health["status"], health["ready"]) == ("ok", True)


LINES = [
    message(
        "initialize",
        {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        },
        1,
    ),
    message("tools/call", {"name": "get_project_context", "arguments": {}}, 2),
    message("tools/call", {"name": "list_commands", "arguments": {}}, 3),
    message("tools/call", {"name": "list_skills", "arguments": {}}, 4),
]


def run_stdio(
    *args: str | Path, scanner: Scanner, cwd: Path, home: Path
) -> dict[int, Any]:
    """Start `asdlc-kb stdio` as a client does; return its answers, by id."""
    stdin = b"".join(json.dumps(line).encode() + b"\n" for line in LINES)
    env = {"HOME": str(home)}
    done = run_cli("stdio", *args, scanner=scanner, stdin=stdin, cwd=cwd, env=env)
    assert done.code == 0, done.err
    answers = map(json.loads, done.out.splitlines())
    return {
        answer["id"]: json.loads(answer["result"]["content"][0]["text"])
        for answer in answers
        if answer["id"] != 1
    }


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a command, a skill, a hidden file and one that is not served."""
    home = tmp_path / "home"
    save_in_place(home / ".claude" / "commands" / "mine.md", "# Mine\n\nMine it.\n")
    save_in_place(home / ".cursor" / "skills" / "own" / "SKILL.md", "Own.\n")
    save_in_place(home / ".claude" / ".credentials.json", CANARY)
    save_in_place(home / ".claude" / "history.jsonl", CANARY)
    return home


def test_a_client_started_in_a_project_asks_about_it(
    tmp_path: Path, scanner: Scanner, home: Path
) -> None:
    """`asdlc-kb stdio` alone; its location is revealed to the local client."""
    shop = make_workspace(tmp_path / "shop")
    answers = run_stdio(scanner=scanner, cwd=shop, home=home)
    assert answers[2]["projectPath"] == str(shop)
    assert [command["name"] for command in answers[3]] == ["review", "web:test"]


def test_a_home_is_served_where_that_is_asked_for(
    tmp_path: Path, scanner: Scanner, home: Path
) -> None:
    """`--include-home`: after the workspace's own, and marked; for `project` too."""
    shop = make_workspace(tmp_path / "shop", {"README.md": "x", **FILES})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    flags = ("--project", shop, "--include-home")
    answers = run_stdio(*flags, scanner=scanner, cwd=elsewhere, home=home)
    assert answers[2]["projectPath"] == str(shop)
    commands = [(c["name"], c["location"], c["path"]) for c in answers[3]]
    assert commands == [
        ("review", "workspace", ".cursor/commands/review.md"),
        ("web:test", "workspace", ".claude/commands/web/test.md"),
        ("mine", "global", "~/.claude/commands/mine.md"),
    ]
    skills = [(skill["name"], skill["location"]) for skill in answers[4]]
    assert skills[-1] == ("own", "global")


def test_no_home_is_served_over_http_whatever_is_set(
    tmp_path: Path, scanner: Scanner, home: Path
) -> None:
    """D-027: a file for both transports may set it; clients here are others."""
    shop = make_workspace(tmp_path / "shop", {"AGENTS.md": "x"})
    env = {"HOME": str(home), "ASDLC_KB_INCLUDE_HOME": "1"}
    flags = ("--project", str(shop))
    with serve_process(None, *flags, scanner=scanner, cwd=tmp_path, env=env) as served:
        lines = [served.running.read_line().decode() for _ in range(2)]
        assert lines[-1] == f"  Project   shop ({shop})\n"
        call = {"name": "list_commands", "arguments": {}}
        answer = post(served.port, message("tools/call", call))
        assert served.stop().code == 0
    assert json.loads(answer["result"]["content"][0]["text"]) == []


def post(port: int, sent: dict[str, Any]) -> Any:
    """Send one message without a session; return the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/mcp", json.dumps(sent), headers)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def test_a_project_that_is_no_folder_keeps_it_from_starting(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-127: exit code 3; the message says what to do."""
    for command in ("serve", "stdio"):
        flags = (command, "--project", "nowhere")
        done = run_cli(*flags, scanner=scanner, cwd=tmp_path)
        assert (done.code, done.out) == (3, "")
        assert done.err.startswith(
            f"asdlc-kb: no such folder: {tmp_path / 'nowhere'}; "
        )
