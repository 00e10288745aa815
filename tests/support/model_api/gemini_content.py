"""The Gemini API, as Gemini CLI uses it."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain

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

_PREFIX = f"mcp_{SERVER}_"
_PIECE = re.compile(
    r"<untrusted_context>\n(.*?)\n</untrusted_context>(?:\n|\Z)|(.+?)(?:\n|\Z)",
    re.DOTALL,
)
_FAILURE = re.compile(r" with response: (\[.*\])\Z", re.DOTALL)
_USAGE = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}


class GenerateContent:
    """`POST /v1beta/models/{model}:streamGenerateContent`."""

    def read_prompt(self, path: str, body: Json) -> Prompt | None:
        """Requests for a stream are prompts; the client's own queries are not."""
        if ":streamGenerateContent" not in path:
            return None
        parts = list(chain.from_iterable(item["parts"] for item in body["contents"]))
        texts = [*body["systemInstruction"]["parts"], *parts]
        return Prompt(
            "\n".join(part["text"] for part in texts if "text" in part),
            tuple(self._read_tools(body)),
            tuple(self._read_results(parts)),
        )

    def _read_tools(self, body: Json) -> Iterator[Tool]:
        for group in body["tools"]:
            for tool in group["functionDeclarations"]:
                if tool["name"].startswith(_PREFIX):
                    name = tool["name"].removeprefix(_PREFIX)
                    schema = json.dumps(tool["parametersJsonSchema"])
                    yield Tool(name, tool["description"], schema)

    def _read_results(self, parts: Sequence[Json]) -> Iterator[Result]:
        calls = {
            part["functionCall"]["id"]: part["functionCall"]
            for part in parts
            if "functionCall" in part
        }
        for part in parts:
            if "functionResponse" not in part:
                continue
            response = part["functionResponse"]
            call = calls[response["id"]]
            if call["name"].startswith(_PREFIX):
                made = Call(call["name"].removeprefix(_PREFIX), call["args"])
                yield _read_result(made, response["response"])

    def answer_query(self, body: Json) -> Json:
        """Answer as the client's router expects: how complex a task is."""
        score = {"complexity_reasoning": "One question.", "complexity_score": 10}
        return _response({"text": json.dumps(score)})

    def load_tool(self, name: str, turn: int) -> bytes:
        """Fail: all tools are offered at once."""
        raise UnexpectedRequest(f"not offered: {name}")

    def write_reply(self, reply: Reply, turn: int) -> bytes:
        """Reply with one part, of text or a call."""
        if isinstance(reply, str):
            return write_events(_response({"text": reply}), named=False)
        call = {"name": _PREFIX + reply.tool, "args": reply.arguments}
        return write_events(_response({"functionCall": call}), named=False)


def _read_result(call: Call, response: Json) -> Result:
    """Return a result. An error contains the content of the tool's result as JSON."""
    if "output" in response:
        received: str = response["output"]
        pieces = tuple(first or other for first, other in _PIECE.findall(received))
        return Result(call, received, pieces)
    received = response["error"]
    failure = _FAILURE.search(received)
    if failure is None:
        return Result(call, received, (received,))
    (answer,) = json.loads(failure[1])
    response = answer["functionResponse"]["response"]
    if "content" not in response:
        raise UnexpectedRequest(f"the call failed: {received}")
    texts = tuple(item["text"] for item in response["content"])
    return Result(call, received, texts)


def _response(part: Json) -> Json:
    content = {"role": "model", "parts": [part]}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": _USAGE}
