"""What each client gives its model of a tool result, by the form of the result.

The table of `docs/clients.md`, "What reaches the model". The server is scripted, since
ours has one form.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.answering import Response, answering
from support.coding_agents import AGENTS, Session, run_task
from support.model_api.conversation import Call, Script

TEXT = '{"slug":"context-rot"}'
ARRAY = f"[{TEXT}]"
NOTE = "1 of 3 shown."
STRUCTURE = {"total": 3}
MAX_BYTES = 12_000
"""What Codex passes on of a result to a model that it does not know."""
LONG = "word " * (MAX_BYTES // 5)
ITEMS: Mapping[str, Sequence[str]] = {
    "one": [TEXT],
    "two": [TEXT, NOTE],
    "array": [ARRAY],
    "structured": [TEXT, NOTE],
    "linked": [TEXT],
    "long": [LONG, NOTE],
}
LINK = {"type": "resource_link", "uri": "kb://article/a", "name": "a", "title": "A"}
CUT = "[omitted 1 text items ...]"
WRITTEN = json.dumps(STRUCTURE, separators=(",", ":"))
AS_SENT = {"one": (TEXT,), "two": (TEXT, NOTE), "long": (LONG, NOTE)}
"""What every client passes on as it is, but for `long`."""

SEEN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "claude": {
        "array": (ARRAY,),
        "structured": (WRITTEN,),
        "linked": ("[Resource link: a] kb://article/a", WRITTEN),
    },
    "codex": {
        "array": (ARRAY,),
        "structured": (TEXT, NOTE),
        "linked": (TEXT, json.dumps(LINK)),
    },
    "codex-functions": {
        "array": (ARRAY,),
        "structured": (WRITTEN,),
        "linked": (WRITTEN,),
    },
    "gemini": {
        "structured": (TEXT, NOTE),
        "linked": (TEXT, "Resource Link: A at kb://article/a"),
    },
}


def call_all(agent: str) -> Script:
    """Request every form that the client does not reject."""
    for form in {**AS_SENT, **SEEN[agent]}:
        yield Call("give", {"form": form})
    return "Done."


def answer(method: str, headers: Mapping[str, str], body: bytes) -> Response:
    """Serve one tool; its argument is the form of its result."""
    if method != "POST":
        return 405, {}, b""
    message = json.loads(body)
    if "id" not in message:
        return 202, {}, b""
    result = _answer(message["method"], message.get("params", {}))
    sent = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
    return 200, {"Content-Type": "application/json"}, sent.encode()


def _answer(method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
    if method == "initialize":
        info = {"name": "forms", "version": "1"}
        version = params["protocolVersion"]
        return {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": info,
        }
    if method == "tools/list":
        form = {"type": "string", "description": "The form of the result"}
        schema = {"type": "object", "properties": {"form": form}, "required": ["form"]}
        tool = {"name": "give", "description": "Give a result", "inputSchema": schema}
        return {"tools": [{**tool, "annotations": {"readOnlyHint": True}}]}
    if method != "tools/call":
        return {}
    form = params["arguments"]["form"]
    content: list[Mapping[str, Any]] = [
        {"type": "text", "text": text} for text in ITEMS[form]
    ]
    if form == "linked":
        content.append(LINK)
    if form in ("linked", "structured"):
        return {"content": content, "structuredContent": STRUCTURE}
    return {"content": content}


@pytest.fixture(scope="module", params=AGENTS)
def session(
    request: pytest.FixtureRequest,
    programs: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, Session]:
    """All forms, requested by one client."""
    agent: str = request.param
    home = tmp_path_factory.mktemp(agent)
    with answering(answer) as address:
        script = call_all(agent)
        return agent, run_task(agent, address, script, home=home, programs=programs)


def test_each_form_reaches_the_model_as_documented(
    session: tuple[str, Session],
) -> None:
    """`docs/clients.md`, "What reaches the model"."""
    agent, done = session
    seen = {result.call.arguments["form"]: result.texts for result in done.results}
    expected = {**AS_SENT, **SEEN[agent]}
    if agent == "codex-functions":
        del expected["long"]
        text, last = seen.pop("long")
        assert last == CUT
        assert "tokens truncated" in text
        assert len(text) < MAX_BYTES
    assert seen == expected


def test_gemini_rejects_an_array_without_structure(
    programs: Path, tmp_path: Path
) -> None:
    """Its model gets a validation error instead of the result (D-146)."""

    def call_array() -> Script:
        yield Call("give", {"form": "array"})
        return "Done."

    with answering(answer) as address, pytest.raises(AssertionError) as caught:
        run_task("gemini", address, call_array(), home=tmp_path, programs=programs)
    assert "expected record, received array" in str(caught.value)
