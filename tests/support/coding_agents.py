"""Coding agents that run a task without a terminal, with a scripted model.

They are installed as `support.command_lines` says. Their settings are those of a new
user, less what would reach another host: telemetry, updates, catalogs of plugins.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from support.command_lines import CommandLine
from support.model_api.anthropic_messages import Messages
from support.model_api.conversation import (
    SERVER,
    Call,
    Dialect,
    Prompt,
    Result,
    Script,
)
from support.model_api.gemini_content import GenerateContent
from support.model_api.openai_responses import Code, Functions
from support.model_api.stand_in import standing_in

Connection = str | Sequence[str]
"""The address of our server, or the command that starts it."""
_Settings = tuple[Sequence[str], Mapping[str, str]]
"""Arguments of a client, and its environment variables."""

_CODEX: Final = """\
model_provider = "stand-in"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
apps = false
plugins = false

[model_providers.stand-in]
name = "stand-in"
base_url = "{api}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"

[mcp_servers.{name}]
required = true
{server}
"""


@dataclass(frozen=True)
class Session:
    """A task that an agent carried out."""

    answer: str
    """The answer to the user."""
    prompts: Sequence[Prompt]
    """What the model got with each request."""
    bodies: Sequence[bytes]
    """All requests to the API of the model."""
    outbound: Sequence[str]
    """Other hosts that the client tried to reach."""

    @property
    def results(self) -> Sequence[Result]:
        """The results of all calls, in order."""
        return self.prompts[-1].results

    def find(self, call: Call) -> Result:
        """Return the result of a call."""
        return next(result for result in self.results if result.call == call)

    def continued(self, call: Call) -> Sequence[Result]:
        """Return the results of a call and of those that continue it by cursor."""

        def is_part(made: Call) -> bool:
            arguments = {**made.arguments}
            arguments.pop("cursor", None)
            return (made.tool, arguments) == (call.tool, call.arguments)

        return [result for result in self.results if is_part(result.call)]


def _configure_claude(
    home: Path, api: str, connection: Connection, task: str
) -> _Settings:
    if isinstance(connection, str):
        server: Mapping[str, Any] = {"type": "http", "url": connection}
    else:
        command, *arguments = connection
        server = {"type": "stdio", "command": command, "args": arguments}
    servers = json.dumps({"mcpServers": {SERVER: server}})
    options = ["--mcp-config", servers, "--strict-mcp-config"]
    options += ["--allowedTools", f"mcp__{SERVER}"]
    key = {"ANTHROPIC_BASE_URL": api, "ANTHROPIC_API_KEY": "stand-in"}
    return ["-p", task, *options], key


def _configure_codex(
    home: Path, api: str, connection: Connection, task: str
) -> _Settings:
    if isinstance(connection, str):
        server = f"url = {json.dumps(connection)}"
    else:
        command, *arguments = connection
        # JSON strings and arrays are TOML too.
        server = f"command = {json.dumps(command)}\nargs = {json.dumps(arguments)}"
    folder = home / ".codex"
    folder.mkdir()
    text = _CODEX.format(api=api, name=SERVER, server=server)
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return ["exec", "--skip-git-repo-check", task], {"STAND_IN_KEY": "stand-in"}


def _configure_codex_functions(
    home: Path, api: str, connection: Connection, task: str
) -> _Settings:
    (command, *options), variables = _configure_codex(home, api, connection, task)
    return [command, "--model", "stand-in", *options], variables


def _configure_gemini(
    home: Path, api: str, connection: Connection, task: str
) -> _Settings:
    if isinstance(connection, str):
        server: Mapping[str, Any] = {"httpUrl": connection}
    else:
        command, *arguments = connection
        server = {"command": command, "args": arguments}
    settings = {
        "mcpServers": {SERVER: server},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    folder = home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    options = ["--yolo", "--allowed-mcp-server-names", SERVER]
    key = {"GOOGLE_GEMINI_BASE_URL": api, "GEMINI_API_KEY": "stand-in"}
    return ["-p", task, *options], key


@dataclass(frozen=True)
class _Agent:
    """How a client is started, and how its model is spoken to."""

    program: str
    configure: Callable[[Path, str, Connection, str], _Settings]
    dialect: Callable[[], Dialect]


_AGENTS: Final = {
    "claude": _Agent("claude", _configure_claude, Messages),
    "codex": _Agent("codex", _configure_codex, Code),
    "codex-functions": _Agent("codex", _configure_codex_functions, Functions),
    "gemini": _Agent("gemini", _configure_gemini, GenerateContent),
}
AGENTS: Final = tuple(_AGENTS)
"""Clients: Codex with its default model, and with one it does not know."""


def run_task(
    name: str,
    connection: Connection,
    script: Script,
    *,
    home: Path,
    programs: Path,
    folder: Path | None = None,
    task: str = "Answer from the knowledge base.",
) -> Session:
    """Let an agent carry out a task in a folder, by default an empty one.

    Raises what a step of the script raised.
    """
    agent = _AGENTS[name]
    if folder is None:
        folder = home / "work"
        folder.mkdir()
    with standing_in(agent.dialect(), script) as (model, address):
        arguments, key = agent.configure(home, address, connection, task)
        own = "127.0.0.1,localhost"
        variables = {
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), address),
            **dict.fromkeys(("http_proxy", "https_proxy"), address),
            **{"NO_PROXY": own, "no_proxy": own},
            **key,
        }
        line = CommandLine(agent.program, home, programs)
        try:
            answer = line.ask(arguments, folder, variables)
        finally:
            if model.failures:
                raise model.failures[0]
    return Session(answer.strip(), model.prompts, model.bodies, model.outbound)
