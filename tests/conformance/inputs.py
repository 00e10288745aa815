"""Test items that request input from the client and finish when it arrives
(2026-07-28).

One call is one round. The client answers under the keys of the request and returns our
state, which is untrusted input by then. Above: `fixture`, which offers these with the
plain items. Below: `asdlc_kb.mcp`, which passes such results on unchanged.
"""

import base64
import hmac
import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from asdlc_kb.mcp.dispatch.provider import CallContext, Provider, RawResult
from asdlc_kb.mcp.protocol.errors import InvalidParams, MissingCapability
from asdlc_kb.mcp.protocol.model import (
    Prompt,
    PromptMessage,
    PromptResult,
    TextContent,
    Tool,
    ToolResult,
)
from asdlc_kb.mcp.protocol.pagination import Listed, number_items

NO_ARGUMENTS: Final[dict[str, Any]] = {"type": "object", "additionalProperties": False}
"""The schema of a tool without arguments."""

STATE_SECONDS: Final = 300
"""The time that a client may take for a round."""

NEEDS: Final = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""The capability that a client must have declared for a request."""

PREFIX: Final = "test_input_required_result_"
PROMPT: Final = f"{PREFIX}prompt"

Ask: TypeAlias = Mapping[str, Any]
"""A request to the client: a method and its params."""

ROOTS: Final[Ask] = {"method": "roots/list", "params": {}}


def elicit(message: str, name: str, kind: str = "string") -> Ask:
    """Return the request for a form of one field."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind}},
        "required": [name],
    }
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def sample(text: str, most_tokens: int) -> Ask:
    """Return the request for a model's answer."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    params = {"messages": [message], "maxTokens": most_tokens}
    return {"method": "sampling/createMessage", "params": params}


NAME: Final = elicit("What is your name?", "name")
CONFIRM: Final = elicit("Please confirm", "ok", "boolean")
CONTEXT: Final = elicit("What context should the prompt use?", "context")


def text_result(text: str) -> ToolResult:
    """Return a result of one text."""
    return ToolResult(content=(TextContent(text=text),))


def require(context: CallContext, *capabilities: str) -> None:
    """Raise MissingCapability unless the client declared all of these."""
    missing = [name for name in capabilities if name not in context.capabilities]
    if missing:
        needed: dict[str, Any] = {name: {} for name in missing}
        raise MissingCapability(data={"requiredCapabilities": needed})


class Seal:
    """Signs the state that a client returns; accepts its own for this item only."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def close(self, name: str, state: Any) -> str:
        """Return the signed state of an item."""
        until = time.time() + STATE_SECONDS
        payload = json.dumps([name, until, state]).encode()
        text = base64.urlsafe_b64encode(payload).decode()
        return f"{text}.{self._sign(text)}"

    def open(self, name: str, sealed: object) -> Any:
        """Return the state inside; raise InvalidParams if it is not ours."""
        if isinstance(sealed, str):
            text, _, signature = sealed.rpartition(".")
            if hmac.compare_digest(signature.encode(), self._sign(text).encode()):
                bound, until, state = json.loads(base64.urlsafe_b64decode(text))
                if bound == name and time.time() < until:
                    return state
        raise InvalidParams("Invalid params: requestState is not valid here")

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Round:
    """One call of an item: its input, and the requests it may make."""

    name: str
    context: CallContext
    seal: Seal

    @property
    def state(self) -> Any:
        """The state that this item signed in the round before, None in the first."""
        sealed = self.context.params.get("requestState")
        return None if sealed is None else self.seal.open(self.name, sealed)

    def ask(self, state: Any = None, /, **requested: Ask) -> RawResult:
        """Return a result that requests input; raise MissingCapability if denied."""
        require(self.context, *(NEEDS[ask["method"]] for ask in requested.values()))
        result = {"resultType": "input_required", "inputRequests": requested}
        if state is None:
            return result
        return {**result, "requestState": self.seal.close(self.name, state)}

    def field(self, key: str, name: str, kind: type = str) -> Any:
        """Return a field of an accepted form, None if it is not there as requested."""
        match self._response(key):
            case {"action": "accept", "content": {**content}}:
                value = content.get(name)
                return value if isinstance(value, kind) else None
        return None

    def sampled(self, key: str) -> str | None:
        """Return the text that the client's model answered."""
        match self._response(key):
            case {"content": {"type": "text", "text": str(text)}}:
                return text
        return None

    def roots(self, key: str) -> list[Any] | None:
        """Return the roots that the client lists."""
        match self._response(key):
            case {"roots": [*roots]}:
                return roots
        return None

    def _response(self, key: str) -> Any:
        responses = self.context.params.get("inputResponses")
        return responses.get(key) if isinstance(responses, Mapping) else None


Answer: TypeAlias = ToolResult | RawResult


def _elicitation(turn: Round) -> Answer:
    name = turn.field("user_name", "name")
    return turn.ask(user_name=NAME) if name is None else text_result(f"Hello, {name}!")


def _sampling(turn: Round) -> Answer:
    text = turn.sampled("capital_question")
    if text is None:
        return turn.ask(capital_question=sample("What is the capital of France?", 100))
    return text_result(f"Model said: {text}")


def _list_roots(turn: Round) -> Answer:
    roots = turn.roots("client_roots")
    if roots is None:
        return turn.ask(client_roots=ROOTS)
    return text_result(f"Client exposed {len(roots)} root(s).")


def _request_state(turn: Round) -> Answer:
    if turn.state is None or turn.field("confirm", "ok", bool) is None:
        return turn.ask("asked", confirm=CONFIRM)
    return text_result("Confirmed: state-ok")


def _multiple_inputs(turn: Round) -> Answer:
    if (
        turn.state is None
        or turn.field("user_name", "name") is None
        or turn.sampled("greeting") is None
        or turn.roots("client_roots") is None
    ):
        greeting = sample("Generate a greeting", 50)
        return turn.ask("asked", user_name=NAME, greeting=greeting, client_roots=ROOTS)
    return text_result("All inputs received.")


def _multi_round(turn: Round) -> Answer:
    """Ask twice; the state contains the first answer."""
    state = turn.state or {}
    name = state.get("name") or turn.field("step1", "name")
    if not state or name is None:
        step = elicit("Step 1: What is your name?", "name")
        return turn.ask({"asked": 1}, step1=step)
    color = turn.field("step2", "color")
    if color is None:
        step = elicit("Step 2: What is your favorite color?", "color")
        return turn.ask({"asked": 2, "name": name}, step2=step)
    return text_result(f"{name} likes {color}.")


def _capabilities(turn: Round) -> Answer:
    """Request only what the client declared; without sampling, refuse."""
    if turn.sampled("sample") is not None:
        return text_result("Sampled.")
    inputs = {"sample": sample("Say hello", 50)}
    if "elicitation" in turn.context.capabilities:
        inputs["ask"] = NAME
    return turn.ask(**inputs)


TOOLS: Final[Mapping[str, tuple[str, Callable[[Round], Answer]]]] = {
    "elicitation": ("Asks for a name", _elicitation),
    "sampling": ("Asks the client's model", _sampling),
    "list_roots": ("Asks for the client's roots", _list_roots),
    "request_state": ("Asks for a confirmation, with a state", _request_state),
    "multiple_inputs": ("Asks for three things at once", _multiple_inputs),
    "multi_round": ("Asks twice, one after the other", _multi_round),
    "tampered_state": ("Refuses a state that was changed", _request_state),
    "capabilities": ("Asks for what the client declared", _capabilities),
}
"""Description and behaviour of each tool, by name without the prefix."""


class InputProvider(Provider):
    """Offers the tools and the prompt that answer only after a request for input."""

    def __init__(self) -> None:
        self._seal = Seal()

    def tools(self) -> Sequence[Listed[Tool]]:
        """Return one tool for each kind of request."""
        return number_items(
            Tool(name=PREFIX + key, description=description, input_schema=NO_ARGUMENTS)
            for key, (description, _) in TOOLS.items()
        )

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], context: CallContext
    ) -> ToolResult | RawResult:
        """Handle one round."""
        _, play = TOOLS[name.removeprefix(PREFIX)]
        return play(Round(name, context, self._seal))

    def prompts(self) -> Sequence[Listed[Prompt]]:
        """Return the one prompt that asks."""
        return number_items((Prompt(name=PROMPT, description="Asks for its context"),))

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str], context: CallContext
    ) -> PromptResult | RawResult:
        """Handle one round."""
        turn = Round(name, context, self._seal)
        answer = turn.field("user_context", "context")
        if answer is None:
            return turn.ask(user_context=CONTEXT)
        content = TextContent(text=f"Use the following context: {answer}")
        return PromptResult(messages=(PromptMessage(role="user", content=content),))
