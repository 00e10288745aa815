"""MCP calls that are recorded in each version of the protocol."""

import json
from collections.abc import Iterator
from typing import Any, Final

VERSIONS: Final = (
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
)

STATELESS: Final = "2026-07-28"
BATCHES: Final = "2025-03-26"

Message = dict[str, Any]

_SLUGS: Final = ("alpha", "concepts/same", "same", "draft-one", "nosuch", "bad-yaml")
_PROJECTS: Final[tuple[Message, ...]] = (
    {},
    {"projectPath": "second"},
    {"projectPath": "nosuch"},
)

_TOOLS: Final[dict[str, tuple[Message, ...]]] = {
    "list_articles": (
        {},
        {"limit": 3},
        {"category": "patterns"},
        {"category": "hidden"},
        {"category": "nosuch"},
        {"limit": 0},
        {"limit": "three"},
        {"limit": 2.5},
        {"cursor": "nonsense"},
        {"surplus": 1},
        {"category": None},
    ),
    "get_article": (
        *({"slug": slug} for slug in _SLUGS),
        {},
        {"slug": 7},
        {"slug": ""},
        {"slug": "../concepts/alpha"},
        {"slug": "alpha", "format": "markdown"},
        {"slug": "alpha", "format": "xml"},
        {"slug": "werkzeuge-für-äpfel"},
        {"slug": "invisible"},
        {"slug": "raw", "format": "markdown"},
        {"slug": "no-title"},
        {"slug": "long", "max_chars": 2000},
        {"slug": "long", "max_chars": 999},
        {"slug": "long", "cursor": "nonsense"},
    ),
    "search_articles": (
        {"query": "alpha"},
        {"query": ""},
        {"query": "ci/cd", "limit": 2},
        {"query": "zeppelin"},
        {"query": "zepelin"},
        {"query": "CANARY"},
        {"query": "throughput", "mode": "fulltext"},
        {"query": "throughput", "mode": "keyword"},
        {"query": "throughput", "mode": "other"},
        {"query": "gamma", "include_content": True},
        {"query": "gamma", "include_content": "yes"},
        {"query": "gamma", "format": "markdown"},
        {"query": "a", "category": "practices"},
        {"query": "日本"},
        {"query": 'tag:agents -gamma "a long"', "mode": "fulltext"},
        {},
        {"query": 1},
        {"query": "x" * 2000},
    ),
    "search_docs": (
        {"query": "xylophone"},
        {"query": "xylofone"},
        {"query": "throughput", "limit": 1},
        {"query": "CANARY"},
        {"query": ""},
        {"query": "rate", "limit": 99},
        {},
    ),
    "get_doc_page": (
        {"path": "guide/install.md"},
        {"path": "guide/install"},
        {"path": "guide/install.md", "sections": ["limits"]},
        {"path": "guide/install.md", "sections": ["nosuch"]},
        {"path": "guide/install.md", "sections": "limits"},
        {"path": "guide/plans.md"},
        {"path": "guide/plan.md"},
        {"path": "../content/concepts/alpha.md"},
        {"path": "api/comp.mdx"},
        {"path": "api/broken.md"},
        {"path": "api/hidden-broken.md"},
        {"path": "sidebar.md"},
        {"path": "notes/long page.markdown", "max_chars": 3000},
        {},
    ),
    "list_doc_pages": ({}, {"category": "api"}, {"category": "x"}, {"limit": 2}),
    "list_rules": _PROJECTS,
    "get_rule": (
        {"name": "style"},
        {"name": ".claude/rules/style.md"},
        {"name": "broken"},
        {"name": "nosuch"},
        {"name": "style", "projectPath": "second"},
        {"name": "../../.env"},
        {},
    ),
    "list_commands": _PROJECTS,
    "get_command": ({"name": "review"}, {"name": "web:test"}, {"name": "no"}, {}),
    "list_skills": _PROJECTS,
    "get_skill": ({"name": "plan"}, {"name": "Odd Name"}, {"name": "no"}, {}),
    "list_specs": _PROJECTS,
    "get_spec": ({"domain": "login"}, {"domain": "no"}, {"name": "login"}),
    "get_asdlc_artifacts": (*_PROJECTS, {"max_chars": 1000}),
    "get_artifact": (
        {"path": "AGENTS.md"},
        {"path": "AGENTS.md", "projectPath": "second"},
        {"path": "../../.env"},
        {},
    ),
    "get_project_context": _PROJECTS,
    "rules_for_path": (
        {"path": "src/app.py"},
        {"path": "web/index.html", "include_content": True},
        {"path": "/etc/passwd"},
        {"path": "../x"},
        {},
    ),
    "list_projects": ({}, {"projectPath": "second"}),
    "nosuch_tool": ({},),
}

_URIS: Final = (
    "kb://article/alpha",
    "kb://article/concepts/same",
    "kb://article/same",
    "kb://article/draft-one",
    "kb://article/nosuch",
    "kb://article/werkzeuge-f%C3%BCr-%C3%A4pfel",
    "kb://article/",
    "kb://doc/guide/install.md",
    "kb://doc/guide/plans.md",
    "kb://doc/notes/long%20page.markdown",
    "kb://doc/nosuch.md",
    "kb://nosuch/x",
    "ace://rules",
    "ace://rules/style",
    "ace://rules/style?project=second",
    "ace://rules/nosuch",
    "ace://rules?project=nosuch",
    "ace://commands",
    "ace://commands/web:test",
    "ace://commands/web%3Atest",
    "ace://skills",
    "ace://skills/plan",
    "ace://agents-md",
    "ace://agents-md?project=second",
    "ace://specs",
    "ace://specs/login",
    "ace://schemas",
    "ace://schemas/user",
    "ace://schemas/bad",
    "ace://.env",
    "skill://plan/SKILL.md",
    "skill://plan/ref/list.md",
    "skill://plan/data.bin",
    "skill://plan/.env",
    "skill://plan/nosuch.md",
    "skill://~second/plan/SKILL.md",
    "skill://plan",
    "file:///etc/passwd",
    "not a uri",
    "",
)

_PROMPTS: Final[tuple[Message, ...]] = (
    {"name": "explain_concept", "arguments": {"slug": "alpha"}},
    {"name": "explain_concept", "arguments": {"slug": "draft-one"}},
    {"name": "explain_concept", "arguments": {"slug": "nosuch"}},
    {"name": "explain_concept"},
    {"name": "explain_concept", "arguments": {"slug": 1}},
    {"name": "apply_pattern", "arguments": {"slug": "gamma", "task": "T"}},
    {"name": "apply_pattern", "arguments": {"slug": "gamma"}},
    {"name": "review_against_practice", "arguments": {"slug": "raw"}},
    {"name": "find_guidance", "arguments": {"topic": "throughput"}},
    {"name": "find_guidance", "arguments": {"topic": "CANARY"}},
    {"name": "review", "arguments": {"1": "a", "2": "b"}},
    {"name": "web:test", "arguments": {"arguments": "a b 'c d'"}},
    {"name": "ship", "arguments": {"version": "1.0", "channel": "beta"}},
    {"name": "ship", "arguments": {"arguments": "1.0 beta"}},
    {"name": "second:ship", "arguments": {"arguments": "1.0"}},
    {"name": "nosuch"},
    {},
)

_COMPLETIONS: Final[tuple[tuple[Message, Message], ...]] = (
    (
        {"type": "ref/prompt", "name": "explain_concept"},
        {"name": "slug", "value": "a"},
    ),
    (
        {"type": "ref/prompt", "name": "explain_concept"},
        {"name": "slug", "value": "draft"},
    ),
    ({"type": "ref/prompt", "name": "apply_pattern"}, {"name": "slug", "value": ""}),
    ({"type": "ref/prompt", "name": "apply_pattern"}, {"name": "no", "value": ""}),
    ({"type": "ref/prompt", "name": "find_guidance"}, {"name": "topic", "value": "a"}),
    ({"type": "ref/prompt", "name": "nosuch"}, {"name": "slug", "value": ""}),
    (
        {"type": "ref/resource", "uri": "kb://article/{slug}"},
        {"name": "slug", "value": "s"},
    ),
    (
        {"type": "ref/resource", "uri": "kb://doc/{+path}"},
        {"name": "path", "value": "g"},
    ),
    (
        {"type": "ref/resource", "uri": "kb://doc/{path}"},
        {"name": "path", "value": "g"},
    ),
    (
        {"type": "ref/resource", "uri": "ace://rules/{name}{?project}"},
        {"name": "name", "value": ""},
    ),
    ({"type": "ref/resource", "uri": "x://{y}"}, {"name": "y", "value": ""}),
    ({"type": "ref/other"}, {"name": "y", "value": ""}),
)

_SUBSCRIPTIONS: Final = ("kb://article/alpha", "kb://article/draft-one", "x://y")

LISTS: Final[tuple[tuple[str, Message], ...]] = (
    ("tools/list", {}),
    ("prompts/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("skills/list", {}),
    ("tools/call", {"name": "list_articles", "arguments": {"limit": 50}}),
    ("tools/call", {"name": "list_doc_pages", "arguments": {"limit": 4}}),
    ("tools/call", {"name": "search_articles", "arguments": {"query": "entry"}}),
    (
        "tools/call",
        {"name": "get_article", "arguments": {"slug": "long", "max_chars": 30000}},
    ),
    (
        "tools/call",
        {
            "name": "get_doc_page",
            "arguments": {"path": "notes/long page.markdown", "max_chars": 30000},
        },
    ),
)
"""Calls whose cursors are followed to the last page."""

MALFORMED: Final = (
    ("not JSON", b"{nonsense"),
    ("not UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"ping\xff"}'),
    ("empty object", b"{}"),
    ("number", b"7"),
    ("string", b'"ping"'),
    ("null", b"null"),
    ("empty batch", b"[]"),
    ("wrong version", b'{"jsonrpc":"1.0","id":1,"method":"ping"}'),
    ("no version", b'{"id":1,"method":"ping"}'),
    ("no method", b'{"jsonrpc":"2.0","id":1}'),
    ("method of another type", b'{"jsonrpc":"2.0","id":1,"method":7}'),
    ("id null", b'{"jsonrpc":"2.0","id":null,"method":"ping"}'),
    ("id an object", b'{"jsonrpc":"2.0","id":{},"method":"ping"}'),
    ("id a fraction", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}'),
    ("parameters a list", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}'),
    ("duplicate key", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'),
    ("a response", b'{"jsonrpc":"2.0","id":1,"result":{}}'),
    ("NaN", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}'),
    ("deep", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 5000),
)

NOTIFICATIONS: Final[tuple[tuple[str, Message], ...]] = (
    ("notifications/cancelled", {"requestId": "nosuch"}),
    ("notifications/cancelled", {}),
    ("notifications/roots/list_changed", {}),
    ("notifications/nosuch", {}),
)


def list_calls() -> Iterator[tuple[str, Message]]:
    """Yield method and parameters of each independent call."""
    yield "ping", {}
    yield "nosuch/method", {}
    yield "server/discover", {}
    yield "resources/list", {"cursor": "nonsense"}
    yield "tools/list", {"cursor": 7}
    for name, sets in _TOOLS.items():
        for arguments in sets:
            yield "tools/call", {"name": name, "arguments": arguments}
    yield "tools/call", {"name": "list_articles"}
    yield "tools/call", {"name": "list_articles", "arguments": []}
    yield "tools/call", {"arguments": {}}
    yield "tools/call", {"name": 5}
    progress = {"progressToken": "p"}
    yield "tools/call", {"name": "list_projects", "_meta": progress}
    for prompt in _PROMPTS:
        yield "prompts/get", prompt
    for uri in _URIS:
        yield "resources/read", {"uri": uri}
    yield "resources/read", {}
    yield "resources/read", {"uri": 5}
    for ref, argument in _COMPLETIONS:
        yield "completion/complete", {"ref": ref, "argument": argument}
    yield "completion/complete", {}
    for uri in _SUBSCRIPTIONS:
        yield "resources/subscribe", {"uri": uri}
        yield "resources/unsubscribe", {"uri": uri}
    for uri in ("skill://plan/SKILL.md", "skill://nosuch/SKILL.md", "x"):
        yield "skills/get", {"uri": uri}
    for uri in ("skill://plan", "skill://plan/ref", "skill://nosuch", "x"):
        yield "resources/directory/read", {"uri": uri}
    yield "logging/setLevel", {"level": "debug"}


def write_call(method: str, params: Message, version: str, number: int) -> Message:
    """Return the JSON-RPC request; a stateless one says its version in `_meta`."""
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": method,
        "params": add_meta(params, version),
    }


def add_meta(params: Message, version: str) -> Message:
    """Return parameters with the metadata of each stateless request."""
    if version != STATELESS:
        return params
    prefix = "io.modelcontextprotocol/"
    meta = {
        f"{prefix}protocolVersion": version,
        f"{prefix}clientInfo": {"name": "recorder", "version": "1"},
        f"{prefix}clientCapabilities": {},
    }
    return {**params, "_meta": {**meta, **params.get("_meta", {})}}


def write_initialize(version: str) -> Message:
    """Return the parameters of `initialize`."""
    return {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "recorder", "version": "1"},
    }


def name_call(method: str, params: Message) -> str:
    """Return the part of a key that identifies the call."""
    text = json.dumps(params, ensure_ascii=False, sort_keys=True)
    return f"{method} {text[:160]}"


def find_cursor(message: Any) -> str | None:
    """Return the cursor of the next page in an answer, where there is one."""
    result = message.get("result") if isinstance(message, dict) else None
    if not isinstance(result, dict):
        return None
    cursor = result.get("nextCursor")
    if cursor is None and isinstance(result.get("content"), list):
        cursor = _find_in_text(result["content"])
    return cursor if isinstance(cursor, str) else None


def _find_in_text(content: list[Any]) -> str | None:
    """Return the cursor in the second text, which says what was left out."""
    for item in content[1:]:
        _, marker, rest = str(item.get("text", "")).partition('cursor "')
        if marker:
            return rest.partition('"')[0]
    return None


def with_cursor(method: str, params: Message, cursor: str) -> Message:
    """Return the parameters that ask for the next page."""
    if method != "tools/call":
        return {**params, "cursor": cursor}
    return {**params, "arguments": {**params["arguments"], "cursor": cursor}}
