"""Probe of a server: the requests that a client would send, and their results."""

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
    """One request and its outcome."""

    name: str
    is_ok: bool
    message: str
    facts: Mapping[str, Any] = field(default_factory=dict)


ProbeReport: TypeAlias = tuple[str, Mapping[str, Any]]


def probe(
    target: ServerEntry,
    machine: HostEnvironment,
    *,
    is_brief: bool = False,
    is_ours: bool = False,
) -> tuple[ProbeStep, ...]:
    """Discover, initialize, and unless brief, list the tools and call one.

    The token in the environment is sent only to a server named by the user (`is_ours`)
    with this server's authentication challenge, not to one from a client's file. Steps
    that depend on a failed one are skipped.
    """
    try:
        token = _find_token(target, machine) if is_ours else None
        transport = open_transport(target, machine, token)
    except ProbeFailed as error:
        return (ProbeStep("start", False, str(error)),)
    with closing(transport):
        return tuple(_steps(transport, is_brief=is_brief))


def _find_token(target: ServerEntry, machine: HostEnvironment) -> str | None:
    """Return the token in the environment; raise ProbeFailed if it is invalid."""
    if not isinstance(target, ServerAddress):
        return None
    token = machine.variables.get(target.variable, "").strip()
    if not (token.isascii() and token.isprintable()):
        raise ProbeFailed(f"{target.variable} contains no valid token")
    return token or None


def _steps(transport: ProbeTransport, *, is_brief: bool) -> Iterator[ProbeStep]:
    yield _try("server/discover", lambda: _discover(transport))
    initialized = _try("initialize", lambda: _initialize(transport))
    yield initialized
    if is_brief or not initialized.is_ok:
        return
    listed = _try("tools/list", lambda: _list_tools(transport))
    yield listed
    if listed.is_ok:
        yield _try("tools/call", lambda: _call(transport, listed.facts["tools"]))


def _try(name: str, call: Callable[[], ProbeReport]) -> ProbeStep:
    try:
        message, facts = call()
    except TokenRequired as error:
        return ProbeStep(name, False, str(error), {"needsToken": True})
    except ProbeFailed as error:
        return ProbeStep(name, False, str(error))
    return ProbeStep(name, True, message, facts)


def _discover(transport: ProbeTransport) -> ProbeReport:
    result = transport.request("server/discover", {}, MODERN)
    versions = result.get("supportedVersions")
    if not isinstance(versions, list) or MODERN not in versions:
        raise ProbeFailed(f"it does not support {MODERN}")
    return f"supports {', '.join(map(str, versions))}", {"versions": versions}


def _initialize(transport: ProbeTransport) -> ProbeReport:
    params = {
        "protocolVersion": HANDSHAKE,
        "capabilities": {},
        "clientInfo": {"name": _CLIENT, "version": "1"},
    }
    result = transport.request("initialize", params, HANDSHAKE)
    transport.notify("notifications/initialized", HANDSHAKE)
    identity = result.get("serverInfo")
    facts = {"version": result.get("protocolVersion"), "server": identity}
    if not isinstance(identity, dict):
        raise ProbeFailed("it returned no serverInfo")
    name, version = identity.get("name"), identity.get("version")
    return f"{name} {version}, agreed on {facts['version']}", facts


def _list_tools(transport: ProbeTransport) -> ProbeReport:
    tools: list[Mapping[str, Any]] = []
    params: dict[str, Any] = {}
    for _ in range(_MAX_PAGES):
        result = transport.request("tools/list", params, HANDSHAKE)
        page = result.get("tools")
        if not isinstance(page, list):
            raise ProbeFailed("it returned no list of tools")
        tools += [tool for tool in page if isinstance(tool, dict)]
        cursor = result.get("nextCursor")
        if not isinstance(cursor, str):
            break
        params = {"cursor": cursor}
    names = ", ".join(str(tool.get("name")) for tool in tools)
    return f"{len(tools)} tools: {names}", {"tools": tools}


def _call(transport: ProbeTransport, tools: list[Mapping[str, Any]]) -> ProbeReport:
    """Call the first tool without required arguments."""
    for tool in tools:
        schema = _mapping(tool.get("inputSchema"))
        if not schema.get("required"):
            break
    else:
        return "no tool can be called without arguments", {}
    arguments = {"limit": 1} if "limit" in _mapping(schema.get("properties")) else {}
    params = {"name": tool.get("name"), "arguments": arguments}
    result = transport.request("tools/call", params, HANDSHAKE)
    content = result.get("content")
    texts = [
        str(item.get("text", ""))
        for item in (content if isinstance(content, list) else [])
        if isinstance(item, dict)
    ]
    if result.get("isError"):
        raise ProbeFailed(f"{tool.get('name')} failed: {' '.join(texts)[:200]}")
    size = sum(map(len, texts))
    return f"{tool.get('name')} returned {size:,} characters", {
        "tool": tool.get("name")
    }


def _mapping(value: object) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
