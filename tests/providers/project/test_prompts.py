"""Commands of projects as prompts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.files import save_in_place
from support.shelf import DirectPeer, SampleProvider, make_server
from support.workspace import make_workspace

from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.project.registry import Projects
from asdlc_kb.providers.project.prompts import CommandProvider

L3, M = "2025-11-25", "2026-07-28"

FILES = {
    ".cursor/commands/review.md": "# Review\n\n## Overview\n\nReviews a change.\n",
    ".claude/commands/review.md": "Claude's own.\n",
    ".claude/commands/web/test.md": (
        "---\ndescription: Tests a page\nargument-hint: '[page]'\n---\n"
        "Test $ARGUMENTS.\n"
    ),
    ".claude/commands/fix.md": (
        "---\nargument-hint: <issue> [how fast]\n---\n"
        "Fix $1, $2. Run !`rm -rf $1` @.env\n"
    ),
    ".claude/commands/mixed.md": "All: $ARGUMENTS; first: $1\n",
    ".claude/commands/none.md": "---\n---\n",
    ".claude/commands/README.md": "About this folder.\n",
    ".claude/commands/.hidden.md": CANARY,
}


class Commands:
    """Projects with commands, the first called `shop`, and a peer."""

    def __init__(
        self,
        folder: Path,
        scanner: Scanner,
        *others: Path,
        before: tuple[Provider, ...] = (),
        files: Mapping[str, str] = FILES,
        home: Path | None = None,
        version: str = M,
    ) -> None:
        self.root = make_workspace(folder / "shop", files)
        provider = CommandProvider(Projects((self.root, *others)), home)
        server = make_server(*before, provider)
        self.peer = DirectPeer(version, server=server, scanner=scanner)

    async def list(self) -> dict[str, Any]:
        """Return the prompts by name."""
        listed = (await self.peer.result("prompts/list"))["prompts"]
        found = {prompt.pop("name"): prompt for prompt in listed}
        assert len(found) == len(listed)
        return found

    async def fill(self, name: str, **arguments: str) -> str:
        """Return the text of a filled prompt."""
        params: dict[str, Any] = {"name": name}
        if arguments:
            params["arguments"] = arguments
        result = await self.peer.result("prompts/get", params)
        (message,) = result["messages"]
        assert message["role"] == "user"
        assert message["content"]["type"] == "text"
        text: str = message["content"]["text"]
        return text


@pytest.fixture
def commands(tmp_path: Path, scanner: Scanner) -> Commands:
    """The commands of one project."""
    return Commands(tmp_path, scanner)


ALL = {"name": "arguments", "description": "What the command is given"}


@pytest.mark.parametrize("version", [L3, M])
async def test_each_command_is_a_prompt(
    tmp_path: Path, scanner: Scanner, version: str
) -> None:
    """D-028: name, description, arguments of hint and placeholders; Cursor's first."""
    commands = Commands(tmp_path, scanner, version=version)
    assert await commands.list() == {
        "review": {"description": "Reviews a change.", "arguments": [ALL]},
        "fix": {
            "description": "Fix $1, $2. Run !`rm -rf $1` @.env",
            "arguments": [
                {"name": "issue", "required": True},
                {"name": "argument2", "description": "how fast"},
            ],
        },
        "mixed": {"description": "All: $ARGUMENTS; first: $1", "arguments": [ALL]},
        "none": {"description": "The command none", "arguments": [ALL]},
        "web:test": {
            "description": "Tests a page",
            "arguments": [{"name": "arguments", "description": "[page]"}],
        },
    }


async def test_arguments_are_filled_in_and_nothing_is_run(commands: Commands) -> None:
    """D-028: commands and mentions stay text."""
    assert await commands.fill("web:test", arguments="a b") == "Test a b.\n"
    assert await commands.fill("web:test") == "Test .\n"
    filled = await commands.fill("fix", issue="7 it's", argument2="now $1")
    assert filled == "Fix 7 it's, now $1. Run !`rm -rf 7 it's` @.env\n"
    filled = await commands.fill("fix", issue="7")
    assert filled == "Fix 7, $2. Run !`rm -rf 7` @.env\n"
    mixed = await commands.fill("mixed", arguments="'a b' c")
    assert mixed == "All: 'a b' c; first: a b\n"
    review = await commands.fill("review", arguments="x")
    assert review.endswith("Reviews a change.\n\nARGUMENTS: x\n")
    assert await commands.fill("review") == FILES[".cursor/commands/review.md"]


async def test_a_hint_that_does_not_fit_gives_no_names(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Names must be valid, unique, and as many as the placeholders."""
    files = {
        ".claude/commands/a.md": "---\nargument-hint: <x>\n---\n$1 $2\n",
        ".claude/commands/b.md": "---\nargument-hint: <x> <x>\n---\n$1 $2\n",
        ".claude/commands/c.md": (
            "---\nargument-hint: <argument2> <a b>\n---\n$1 $2\n"
        ),
        ".claude/commands/d.md": "$0 $1\n",
        ".claude/commands/e.md": "---\nargument-hint: <arguments>\n---\n$1\n",
    }
    commands = Commands(tmp_path, scanner, files=files)
    found = await commands.list()
    assert {name: found[name]["arguments"] for name in found} == {
        "a": [{"name": "arguments", "description": "<x>"}],
        "b": [
            {"name": "x", "required": True},
            {"name": "argument2", "description": "x", "required": True},
        ],
        "c": [
            {"name": "argument1", "description": "argument2", "required": True},
            {"name": "argument2", "description": "a b", "required": True},
        ],
        "d": [ALL],
        "e": [{"name": "argument1", "description": "arguments", "required": True}],
    }
    assert await commands.fill("a", arguments="x 'y z'") == "x y z\n"
    assert await commands.fill("b", x="x y", argument2="z") == "x y z\n"
    assert await commands.fill("d", arguments="'x y' z") == "x y z\n"


async def test_arguments_that_a_command_declares_are_those_of_the_prompt(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-273: in the frontmatter for Claude Code, by their use for Copilot."""
    files = {
        ".claude/commands/a.md": (
            "---\narguments: [issue, branch]\n---\n$issue on $branch: $ARGUMENTS\n"
        ),
        ".github/prompts/b.prompt.md": "Make ${input:name:Which?} of ${input:kind}.\n",
        ".cursor/commands/c.md": "---\narguments: [issue]\n---\nSave $4,000 $issue.\n",
    }
    commands = Commands(tmp_path, scanner, files=files)
    found = await commands.list()
    assert {name: found[name]["arguments"] for name in found} == {
        "a": [{"name": "issue"}, {"name": "branch"}],
        "b": [{"name": "name"}, {"name": "kind"}],
        "c": [ALL],
    }
    assert await commands.fill("a", issue="1", branch="x") == "1 on x: 1 x\n"
    assert await commands.fill("a", issue="1") == "1 on : 1\n"
    assert await commands.fill("b", kind="y") == "Make ${input:name:Which?} of y.\n"
    assert await commands.fill("c") == "Save $4,000 $issue.\n"


async def test_a_command_for_agents_alone_is_no_prompt(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-274: `user-invocable: false`; one that only people start is a prompt."""
    files = {
        ".claude/commands/inner.md": "---\nuser-invocable: false\n---\nInner.\n",
        ".claude/commands/deploy.md": "---\ndisable-model-invocation: true\n---\nGo.\n",
    }
    commands = Commands(tmp_path, scanner, files=files)
    assert list(await commands.list()) == ["deploy"]
    assert await commands.fill("deploy") == "Go.\n"
    error = await commands.peer.error("prompts/get", {"name": "inner"})
    assert error["message"] == "Unknown prompt: inner"


async def test_a_required_argument_must_be_given(commands: Commands) -> None:
    """The specification, prompts/get: -32602."""
    error = await commands.peer.error("prompts/get", {"name": "fix"})
    assert error["code"] == -32602
    assert error["message"] == "Missing required argument: issue"


@pytest.mark.parametrize(
    ("name", "given", "known"),
    [
        ("fix", {"issue": "1", "arguments": "x"}, "issue, argument2"),
        ("review", {"nonsense": "x"}, "arguments"),
        ("web:test", {"page": "x"}, "arguments"),
    ],
)
async def test_an_argument_that_a_command_has_not_is_refused(
    commands: Commands, name: str, given: dict[str, str], known: str
) -> None:
    """D-015: it would be lost."""
    error = await commands.peer.error("prompts/get", {"name": name, "arguments": given})
    unknown = list(given)[-1]
    message = f"Unknown argument: {unknown}. Known arguments: {known}"
    assert (error["code"], error["message"]) == (-32602, message)


async def test_arguments_that_add_too_much_are_refused(commands: Commands) -> None:
    """The caller gets the reason and advice; placeholders are never left."""
    text = "$ARGUMENTS" * 190_000
    save_in_place(commands.root / ".claude/commands/many.md", text)
    params = {"name": "many", "arguments": {"arguments": "a" * 60_000}}
    error = await commands.peer.error("prompts/get", params)
    assert error["code"] == -32602
    assert "the arguments are too long" in error["message"]
    assert "more than 262,144 characters; give shorter ones" in error["message"]


@pytest.mark.parametrize(
    "name", ["none.md", "../review", "/review", "README", ".hidden", "", "test", "a\0"]
)
async def test_another_name_is_no_prompt(commands: Commands, name: str) -> None:
    """A prompt is requested by its listed name."""
    error = await commands.peer.error("prompts/get", {"name": name})
    assert (error["code"], error["message"]) == (-32602, f"Unknown prompt: {name}")


async def test_a_prompt_is_true_of_the_disk(commands: Commands) -> None:
    """D-022: never listed before, changed or deleted: no former scan counts."""
    path = save_in_place(commands.root / ".claude/commands/new.md", "New $1.\n")
    assert await commands.fill("new", arguments="x") == "New x.\n"
    path.write_text("Newer.\n")
    assert await commands.fill("new") == "Newer.\n"
    assert "new" in await commands.list()
    path.unlink()
    assert "new" not in await commands.list()
    error = await commands.peer.error("prompts/get", {"name": "new"})
    assert error["code"] == -32602
    listed = await commands.peer.result("prompts/list")
    assert (listed["ttlMs"], listed["cacheScope"]) == (0, "private")
    assert commands.peer.remembered == 0


async def test_a_prompt_of_another_provider_wins(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-028: names are unique, and those of articles come first."""
    files = {".claude/commands/greet.md": "Not me.\n"}
    commands = Commands(tmp_path, scanner, before=(SampleProvider(),), files=files)
    assert list(await commands.list()) == ["greet"]
    assert await commands.fill("greet", who="you") == "Hello you"


async def test_further_projects_and_a_home_come_behind(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Workspace before home; a further project's name precedes its commands."""
    other = make_workspace(
        tmp_path / "site", {".claude/commands/review.md": "Review the site.\n"}
    )
    home = tmp_path / "home"
    save_in_place(home / ".cursor/commands/review.md", "Of the home.\n")
    save_in_place(home / ".claude/commands/own.md", "My own.\n")
    files = {".claude/commands/review.md": "Of the shop.\n"}
    commands = Commands(tmp_path, scanner, other, files=files, home=home)
    assert list(await commands.list()) == ["review", "own", "site:review"]
    assert await commands.fill("review") == "Of the shop.\n"
    assert await commands.fill("own") == "My own.\n"
    assert await commands.fill("site:review") == "Review the site.\n"


async def test_an_argument_is_completed_with_nothing(commands: Commands) -> None:
    """A command's arguments cannot be guessed; and it is no error."""
    result = await commands.peer.result(
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "fix"},
            "argument": {"name": "issue", "value": "1"},
        },
    )
    assert result["completion"] == {"values": []}
