"""What a request tells a model, and what a scripted model replies, for every vendor."""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Json: TypeAlias = Mapping[str, Any]

SERVER = "asdlc"
"""The name of our server in every client."""


class UnexpectedRequest(AssertionError):
    """Raised for a request that the stand-in does not understand or expect."""


@dataclass(frozen=True)
class Tool:
    """A tool of our server, as it was offered."""

    name: str
    """The name that our server gives it."""
    description: str
    schema: str
    """Its parameters: JSON Schema, or a declaration in TypeScript."""


@dataclass(frozen=True)
class Call:
    """A call of a tool of our server."""

    tool: str
    arguments: Json


@dataclass(frozen=True)
class Result:
    """What the model received for one of its calls."""

    call: Call
    received: str
    """All of its characters, with what the client adds."""
    texts: tuple[str, ...]
    """Its pieces in order, without what the client adds around each of them."""

    @property
    def json(self) -> Any:
        """The value of the first piece."""
        return json.loads(self.texts[0])


@dataclass(frozen=True)
class Prompt:
    """All that one request tells the model."""

    context: str
    """Instructions of the client, our server and the user."""
    tools: tuple[Tool, ...]
    """Our tools that it may call now."""
    results: tuple[Result, ...]
    """The results of all calls of our tools so far, oldest first."""


Reply: TypeAlias = str | Call
"""The final text of a model, or its next call."""
Script: TypeAlias = Generator[Call, Result, str]
"""A task: yields each call, is sent what the model received, returns the final text."""


class Dialect(Protocol):
    """The API of one vendor, as one client uses it."""

    def read_prompt(self, path: str, body: Json) -> Prompt | None:
        """Return what a request tells the model; None for the client's own queries."""

    def answer_query(self, body: Json) -> Json:
        """Return the answer to a query of the client's own."""

    def load_tool(self, name: str, turn: int) -> bytes:
        """Return the stream of a reply that asks for a tool that is not offered yet."""

    def write_reply(self, reply: Reply, turn: int) -> bytes:
        """Return the stream of a reply. `turn` differs between the replies of a run."""


def write_events(*events: Json, named: bool = True) -> bytes:
    """Return server-sent events, each named after its type."""
    return b"".join(
        (b"event: %s\n" % str(event["type"]).encode() if named else b"")
        + b"data: %s\n\n" % json.dumps(event).encode()
        for event in events
    )
