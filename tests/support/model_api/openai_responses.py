"""The Responses API of OpenAI, as Codex uses it: with functions, or with code.

For a model that Codex does not know, each tool is a function of the server's namespace.
Its own models get one tool, `exec`, which runs JavaScript in which tools are functions;
they find those with `ALL_TOOLS`, and print results with `text`.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from support.model_api.conversation import (
    SERVER,
    Call,
    Json,
    Prompt,
    Reply,
    Result,
    Tool,
    UnexpectedRequest,
    write_events,
)

_NAMESPACE: Final = f"mcp__{SERVER}"
_PREFIX: Final = f"{_NAMESPACE}__"
_HEADER: Final = re.compile(r"Wall time: \S+ seconds\nOutput:\n?")
_PRINTED: Final = re.compile(rf"text\(await tools\.{_PREFIX}(\w+)\((.*)\)\)")
_FIND: Final = 'text(ALL_TOOLS.filter(tool => tool.name === "{}"))'
_USAGE: Final = {
    "input_tokens": 1,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 1,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 2,
}


class Functions:
    """`POST /v1/responses` with a function for each tool."""

    def read_prompt(self, path: str, body: Json) -> Prompt | None:
        """Every request is a prompt."""
        tools = [
            tool
            for space in body["tools"]
            if space.get("name") == _NAMESPACE
            for tool in space["tools"]
        ]
        spaces = [str(space.get("description", "")) for space in body["tools"]]
        return Prompt(
            "\n".join([*_read_texts(body), *spaces]),
            tuple(
                Tool(tool["name"], tool["description"], json.dumps(tool["parameters"]))
                for tool in tools
            ),
            tuple(self._read_results(body["input"])),
        )

    def _read_results(self, items: Sequence[Json]) -> Iterator[Result]:
        for call, output in _pair(items, "function_call"):
            made = Call(call["name"], json.loads(call["arguments"]))
            texts = _texts(output)
            first = _HEADER.sub("", texts[0], count=1)
            pieces = (first, *texts[1:]) if first else texts[1:]
            yield Result(made, "".join(texts), tuple(pieces))

    def answer_query(self, body: Json) -> Json:
        """Fail: the client has no queries of its own."""
        raise UnexpectedRequest(f"unexpected: {body}")

    def load_tool(self, name: str, turn: int) -> bytes:
        """Fail: all tools are offered at once."""
        raise UnexpectedRequest(f"not offered: {name}")

    def write_reply(self, reply: Reply, turn: int) -> bytes:
        """Reply with a message or a function call."""
        if isinstance(reply, str):
            return _write_stream(turn, _message(reply))
        call = {
            "type": "function_call",
            "id": f"fc_{turn}",
            "call_id": f"call_{turn}",
            "namespace": _NAMESPACE,
            "name": reply.tool,
            "arguments": json.dumps(reply.arguments),
            "status": "completed",
        }
        return _write_stream(turn, call)


class Code:
    """`POST /v1/responses` with code that calls tools."""

    def read_prompt(self, path: str, body: Json) -> Prompt | None:
        """Every request is a prompt."""
        runs = list(_pair(body["input"], "custom_tool_call"))
        return Prompt(
            "\n".join(_read_texts(body)),
            tuple(self._read_tools(runs)),
            tuple(self._read_results(runs)),
        )

    def _read_tools(self, runs: Sequence[tuple[Json, Json]]) -> Iterator[Tool]:
        """Yield the tools that the model looked up."""
        for call, output in runs:
            if "ALL_TOOLS" not in call["input"]:
                continue
            _, listed = _texts(output)
            for tool in json.loads(listed):
                name = tool["name"].removeprefix(_PREFIX)
                description, _, declaration = tool["description"].partition("```ts\n")
                yield Tool(name, description, declaration)

    def _read_results(self, runs: Sequence[tuple[Json, Json]]) -> Iterator[Result]:
        for call, output in runs:
            printed = _PRINTED.fullmatch(call["input"])
            if printed is None:
                continue
            _, text = _texts(output)
            made = Call(printed[1], json.loads(printed[2]))
            try:
                content = json.loads(text)["content"]
            except ValueError:
                # The client cut it.
                pieces: tuple[str, ...] = (text,)
            else:
                pieces = tuple(_read_piece(item) for item in content)
            yield Result(made, text, pieces)

    def answer_query(self, body: Json) -> Json:
        """Fail: the client has no queries of its own."""
        raise UnexpectedRequest(f"unexpected: {body}")

    def load_tool(self, name: str, turn: int) -> bytes:
        """Look the tool up by its name, as the client's prompt says."""
        return _write_stream(turn, _run(turn, _FIND.format(_PREFIX + name)))

    def write_reply(self, reply: Reply, turn: int) -> bytes:
        """Reply with a message, or with code that prints the result of a call."""
        if isinstance(reply, str):
            return _write_stream(turn, _message(reply))
        arguments = json.dumps(reply.arguments)
        source = f"text(await tools.{_PREFIX}{reply.tool}({arguments}))"
        return _write_stream(turn, _run(turn, source))


def _read_texts(body: Json) -> Iterator[str]:
    yield body.get("instructions", "")
    for item in body["input"]:
        if item["type"] == "message":
            yield from (part["text"] for part in item["content"])


def _pair(items: Sequence[Json], kind: str) -> Iterator[tuple[Json, Json]]:
    """Yield each call of a kind with its output."""
    calls = {item["call_id"]: item for item in items if item["type"] == kind}
    for item in items:
        if item["type"] == f"{kind}_output":
            yield calls[item["call_id"]], item


def _texts(output: Json) -> Sequence[str]:
    """Return the pieces of an output, a string or a list."""
    content = output["output"]
    return [content] if isinstance(content, str) else [item["text"] for item in content]


def _read_piece(item: Json) -> str:
    text: str = item["text"] if item["type"] == "text" else json.dumps(item)
    return text


def _message(text: str) -> Json:
    part = {"type": "output_text", "text": text, "annotations": []}
    fields = {"role": "assistant", "status": "completed", "content": [part]}
    return {"type": "message", "id": "msg_1", **fields}


def _run(turn: int, source: str) -> Json:
    names = {"id": f"ctc_{turn}", "call_id": f"call_{turn}", "name": "exec"}
    return {"type": "custom_tool_call", **names, "input": source, "status": "completed"}


def _write_stream(turn: int, item: Json) -> bytes:
    response = {"id": f"resp_{turn}", "object": "response", "output": []}
    done = {**response, "status": "completed", "output": [item], "usage": _USAGE}
    return write_events(
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    )
