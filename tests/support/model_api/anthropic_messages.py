"""The Messages API of Anthropic, as Claude Code uses it.

Tools of MCP servers are deferred: the model sees names first, and loads tools with the
client's `ToolSearch`.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from support.model_api.conversation import (
    SERVER,
    Call,
    Json,
    Prompt,
    Reply,
    Result,
    Tool,
    write_events,
)

_PREFIX = f"mcp__{SERVER}__"
_USAGE = {"input_tokens": 1, "output_tokens": 1}


def _blocks(message: Json) -> Sequence[Json]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _texts(content: Any) -> tuple[str, ...]:
    if isinstance(content, str):
        return (content,)
    return tuple(block["text"] for block in content if block["type"] == "text")


class Messages:
    """`POST /v1/messages`."""

    def read_prompt(self, path: str, body: Json) -> Prompt | None:
        """Every request with tools is a prompt."""
        if not body.get("tools"):
            return None
        blocks = list(chain.from_iterable(map(_blocks, body["messages"])))
        texts = [*body["system"], *blocks]
        return Prompt(
            "\n".join(block["text"] for block in texts if block["type"] == "text"),
            tuple(self._read_tools(body)),
            tuple(self._read_results(blocks)),
        )

    def _read_tools(self, body: Json) -> Iterator[Tool]:
        for tool in body["tools"]:
            if tool["name"].startswith(_PREFIX):
                name = tool["name"].removeprefix(_PREFIX)
                schema = json.dumps(tool["input_schema"])
                yield Tool(name, tool["description"], schema)

    def _read_results(self, blocks: Sequence[Json]) -> Iterator[Result]:
        calls = {block["id"]: block for block in blocks if block["type"] == "tool_use"}
        for block in blocks:
            if block["type"] != "tool_result":
                continue
            call = calls[block["tool_use_id"]]
            if call["name"].startswith(_PREFIX):
                texts = _texts(block["content"])
                yield Result(
                    Call(call["name"].removeprefix(_PREFIX), call["input"]),
                    "".join(texts),
                    texts,
                )

    def answer_query(self, body: Json) -> Json:
        """Answer with a word; such queries make titles."""
        return {**_message(body), "content": [{"type": "text", "text": "Title"}]}

    def load_tool(self, name: str, turn: int) -> bytes:
        """Call ToolSearch, as the client's prompt says."""
        query = {"query": f"select:{_PREFIX}{name}"}
        return _write_stream(*_tool_use(f"load_{turn}", "ToolSearch", query))

    def write_reply(self, reply: Reply, turn: int) -> bytes:
        """Reply with one block, of text or a call."""
        if isinstance(reply, str):
            return _write_stream({"type": "text", "text": ""}, "text_delta", reply)
        call = _tool_use(f"call_{turn}", _PREFIX + reply.tool, reply.arguments)
        return _write_stream(*call)


_DELTAS = {"text_delta": "text", "input_json_delta": "partial_json"}


def _tool_use(call_id: str, name: str, arguments: Json) -> tuple[Json, str, str]:
    block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return block, "input_json_delta", json.dumps(arguments)


def _message(body: Json) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "stand-in"),
        "content": [],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": _USAGE,
    }


def _write_stream(block: Json, delta: str, text: str) -> bytes:
    """Return the stream of a message of one block, which comes in one delta."""
    reason = "tool_use" if block["type"] == "tool_use" else "end_turn"
    change = {"type": delta, _DELTAS[delta]: text}
    stop = {"stop_reason": reason, "stop_sequence": None}
    return write_events(
        {"type": "message_start", "message": {**_message({}), "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": change},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": _USAGE},
        {"type": "message_stop"},
    )
