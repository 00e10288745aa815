"""Tries what a client will do with a server, and tells what it will see."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.messages import HANDSHAKE, MODERN
from asdlc_kb.connect.probe_client import ProbeTransport, open_transport
from asdlc_kb.connect.server_entry import ServerAddress, ServerEntry
from asdlc_kb.exceptions import ProbeFailed, TokenRequired

_MAX_PAGES: Final = 20
_CLIENT: Final = "asdlc-kb"


@dataclass(frozen=True, slots=True)
class ProbeStep:
    """One question and what came of it."""

    name: str
    is_ok: bool
    said: str
    facts: Mapping[str, Any] = field(default_factory=dict)


ProbeReport: TypeAlias = tuple[str, Mapping[str, Any]]


def probe(
    target: ServerEntry,
    machine: HostEnvironment,
    *,
    is_brief: bool = False,
    is_ours: bool = False,
) -> tuple[ProbeStep, ...]:
    """Discover, shake hands, and if it is not to be brief, list the tools and call one.

    The token in the environment goes to a server that the person named (`is_ours`) and
    that asks for one as this server does, not to what some client's file says. What
    cannot be asked after a failure is left out.
    """
    try:
        token = _find_token(target, machine) if is_ours else None
        wire = open_transport(target, machine, token)
    except ProbeFailed as error:
        return (ProbeStep("start", False, str(error)),)
    with closing(wire):
        return tuple(_steps(wire, is_brief=is_brief))


def _find_token(target: ServerEntry, machine: HostEnvironment) -> str | None:
    """Return the token in the environment; raise ProbeFailed if it is none."""
    if not isinstance(target, ServerAddress):
        return None
    token = machine.variables.get(target.variable, "").strip()
    if not (token.isascii() and token.isprintable()):
        raise ProbeFailed(f"what is in {target.variable} is no token")
    return token or None


def _steps(wire: ProbeTransport, *, is_brief: bool) -> Iterator[ProbeStep]:
    yield _try("server/discover", lambda: _discover(wire))
    shaken = _try("initialize", lambda: _initialize(wire))
    yield shaken
    if is_brief or not shaken.is_ok:
        return
    listed = _try("tools/list", lambda: _list_tools(wire))
    yield listed
    if listed.is_ok:
        yield _try("tools/call", lambda: _call(wire, listed.facts["tools"]))


def _try(name: str, question: Callable[[], ProbeReport]) -> ProbeStep:
    try:
        said, facts = question()
    except TokenRequired as error:
        return ProbeStep(name, False, str(error), {"needsToken": True})
    except ProbeFailed as error:
        return ProbeStep(name, False, str(error))
    return ProbeStep(name, True, said, facts)


def _discover(wire: ProbeTransport) -> ProbeReport:
    result = wire.ask("server/discover", {}, MODERN)
    versions = result.get("supportedVersions")
    if not isinstance(versions, list) or MODERN not in versions:
        raise ProbeFailed(f"it does not speak {MODERN}")
    return f"speaks {', '.join(map(str, versions))}", {"versions": versions}


def _initialize(wire: ProbeTransport) -> ProbeReport:
    hello = {
        "protocolVersion": HANDSHAKE,
        "capabilities": {},
        "clientInfo": {"name": _CLIENT, "version": "1"},
    }
    result = wire.ask("initialize", hello, HANDSHAKE)
    wire.tell("notifications/initialized", HANDSHAKE)
    identity = result.get("serverInfo")
    facts = {"version": result.get("protocolVersion"), "server": identity}
    if not isinstance(identity, dict):
        raise ProbeFailed("it does not say who it is")
    name, version = identity.get("name"), identity.get("version")
    return f"{name} {version}, agreed on {facts['version']}", facts


def _list_tools(wire: ProbeTransport) -> ProbeReport:
    tools: list[Mapping[str, Any]] = []
    params: dict[str, Any] = {}
    for _ in range(_MAX_PAGES):
        result = wire.ask("tools/list", params, HANDSHAKE)
        found = result.get("tools")
        if not isinstance(found, list):
            raise ProbeFailed("its list of tools is none")
        tools += [tool for tool in found if isinstance(tool, dict)]
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            break
        params = {"cursor": cursor}
    names = ", ".join(str(tool.get("name")) for tool in tools)
    return f"{len(tools)} tools: {names}", {"tools": tools}


def _call(wire: ProbeTransport, tools: list[Mapping[str, Any]]) -> ProbeReport:
    """Call the first tool that needs no argument."""
    for tool in tools:
        schema = _mapping(tool.get("inputSchema"))
        if not schema.get("required"):
            break
    else:
        return "no tool can be called without arguments", {}
    arguments = {"limit": 1} if "limit" in _mapping(schema.get("properties")) else {}
    params = {"name": tool.get("name"), "arguments": arguments}
    result = wire.ask("tools/call", params, HANDSHAKE)
    content = result.get("content")
    texts = [
        str(item.get("text", ""))
        for item in (content if isinstance(content, list) else [])
        if isinstance(item, dict)
    ]
    if result.get("isError"):
        raise ProbeFailed(f"{tool.get('name')} failed: {' '.join(texts)[:200]}")
    size = sum(map(len, texts))
    return f"{tool.get('name')} answered, {size:,} characters", {
        "tool": tool.get("name")
    }


def _mapping(value: object) -> Mapping[str, Any]:
    """Return a value that should be an object; an empty one where it is none."""
    return value if isinstance(value, dict) else {}
