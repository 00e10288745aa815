"""Commands of projects as MCP prompts: filled in, never executed.

- A prompt has its command's name; of several commands of one name the first by
  precedence is offered. Those of a further project are `project:command`. One that is
  for agents alone (`user-invocable: false`) is no prompt.
- If a command declares its arguments, or its hint names as many as it has positional
  placeholders, each is an argument of the prompt; else there is a single optional one,
  `arguments`.
- Directives to run or read something (`!` and `@`) are left as text for the client.
"""

import asyncio
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import ArgumentsTooLong
from asdlc_kb.mcp.dispatch.provider import CallContext, RawResult
from asdlc_kb.mcp.protocol.errors import InvalidParams, clip
from asdlc_kb.mcp.protocol.model import (
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptResult,
    TextContent,
)
from asdlc_kb.mcp.protocol.pagination import Listed, number_items
from asdlc_kb.project.commands import CommandContent, scan_commands
from asdlc_kb.project.placeholders import (
    HintedArgument,
    fill_placeholders,
    find_placeholders,
    read_hint,
)
from asdlc_kb.project.registry import Projects
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.providers.project.artifact_kinds import index_by_name
from asdlc_kb.providers.shared.uncached import LatestValue, UncachedProvider

ALL: Final = "arguments"
"""The argument that contains all of a command's arguments."""

_DEFAULT_NAME: Final = "argument"
"""The name of an argument without a usable hint, followed by its number."""

_WORD: Final = re.compile(r"[\w-]{1,64}")


class CommandProvider(UncachedProvider):
    """Offers the commands of projects; those of a home directory with the first's."""

    def __init__(self, projects: Projects, home: Path | None = None) -> None:
        self._projects = tuple(projects)
        self._home = home
        self._listed: LatestValue[Sequence[Listed[Prompt]]] = LatestValue(())

    async def refresh(self, method: str) -> None:
        """List the commands again."""
        if method in ("prompts/list", "prompts/get", "completion/complete"):
            await self._listed.update(lambda: number_items(self._list()))

    def prompts(self) -> Sequence[Listed[Prompt]]:
        """Return the most recently listed commands."""
        return self._listed.value

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], context: CallContext
    ) -> PromptResult | RawResult:
        """Return a command's text with the arguments substituted."""
        command = await asyncio.to_thread(self._find, name)
        if command is None:
            raise InvalidParams(f"Unknown prompt: {clip(name)}")
        try:
            text = await asyncio.to_thread(_fill, command, arguments)
        except ArgumentsTooLong as error:
            raise InvalidParams(str(error)) from None
        return PromptResult(
            description=_describe(name, command),
            messages=(PromptMessage(role="user", content=TextContent(text=text)),),
        )

    def _list(self) -> list[Prompt]:
        return [
            make_prompt(name, command) for name, command in self._find_all().items()
        ]

    def _find(self, name: str) -> CommandContent | None:
        return self._find_all().get(name)

    def _find_all(self) -> dict[str, CommandContent]:
        by_name: dict[str, CommandContent] = {}
        for project in self._projects:
            is_first = project is self._projects[0]
            scanner = ProjectScanner(project, self._home if is_first else None)
            prefix = None if is_first else project.name
            for name, command in name_commands(scan_commands(scanner), prefix).items():
                by_name.setdefault(name, command)
        return by_name


def name_commands(
    commands: Iterable[CommandContent], project: str | None
) -> dict[str, CommandContent]:
    """Return commands by the names of their prompts; None is the first project."""
    prefix = "" if project is None else f"{project}:"
    by_name = index_by_name(c for c in commands if c.can_user_invoke)
    return {f"{prefix}{name}": command for name, command in by_name.items()}


def make_prompt(name: str, command: CommandContent) -> Prompt:
    """Return the prompt of a command."""
    return Prompt(
        name=name,
        description=_describe(name, command),
        arguments=tuple(_read_arguments(command)),
    )


def _describe(name: str, command: CommandContent) -> str:
    return command.description or f"The command {name}"


def _read_arguments(command: CommandContent) -> Iterator[PromptArgument]:
    names = _name_places(command)
    hint = command.argument_hint
    if not names:
        yield PromptArgument(name=ALL, description=hint or "What the command is given")
    for name, hinted in names.items():
        yield PromptArgument(
            name=name,
            description=None if hinted.name == name else hinted.name,
            required=True if hinted.is_required else None,
        )


def _name_places(command: CommandContent) -> dict[str, HintedArgument]:
    """Return the arguments of a command by name; none if it has a single one.

    They are those that it declares. If it has positional placeholders and not
    `$ARGUMENTS`, they are those of a hint that names as many.
    """
    hints = [HintedArgument(name, is_required=False) for name in command.syntax.names]
    if not hints:
        places = find_placeholders(command.content, command.syntax)
        hints = list(read_hint(command.argument_hint or ""))
        if places.takes_all or len(hints) != places.highest:
            return {}
    names: dict[str, HintedArgument] = {}
    for order, hinted in enumerate(hints, 1):
        is_free = _WORD.fullmatch(hinted.name) and hinted.name not in names
        is_usable = is_free and not hinted.name.startswith(_DEFAULT_NAME)
        names[hinted.name if is_usable else f"{_DEFAULT_NAME}{order}"] = hinted
    return names


def _fill(command: CommandContent, arguments: Mapping[str, str]) -> str:
    joined = _join(command, arguments)
    return fill_placeholders(command.content, joined, command.syntax)


def _join(command: CommandContent, arguments: Mapping[str, str]) -> str:
    """Return the arguments as one string, as typed after the command's name."""
    names = _name_places(command)
    if not names:
        return arguments.get(ALL, "")
    values = [arguments.get(name, "") for name in names]
    while values and not values[-1]:
        values.pop()
    return shlex.join(values)
