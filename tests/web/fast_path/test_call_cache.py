"""Calls found by their bytes: never another call, and never another id."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.peers import message

from asdlc_kb.mcp.protocol import inbound, jsonrpc
from asdlc_kb.mcp.protocol.errors import ParseError
from asdlc_kb.mcp.protocol.inbound import Call, InboundContext, McpHeaders
from asdlc_kb.web.fast_path import call_cache
from asdlc_kb.web.fast_path.call_cache import CallCache, ReceivedCall, Routing

ROUTING = Routing("2025-06-18", None, None)


class Reader:
    """A call cache, and the messages that were parsed for it."""

    def __init__(self) -> None:
        self.cache = CallCache()
        self.parsed: list[bytes] = []

    def parse(self, text: bytes) -> Call | None:
        """Parse a message as the server does."""
        self.parsed.append(text)
        headers = McpHeaders(ROUTING.version, method=ROUTING.method, name=ROUTING.name)
        try:
            value = jsonrpc.parse(text)
        except ParseError:
            return None
        routed = inbound.route(value, InboundContext(headers))
        return routed if isinstance(routed, Call) else None

    def read(self, text: bytes, routing: Routing = ROUTING) -> ReceivedCall | None:
        """Return a message's call; count what is parsed for it alone."""
        self.parsed.clear()
        return self.cache.read(text, routing, self.parse)


def write(request_id: Any, **arguments: Any) -> bytes:
    """Return a call of a tool."""
    params = {"name": "get_article", "arguments": arguments}
    return json.dumps(message("tools/call", params, request_id)).encode()


def identify(found: ReceivedCall | None) -> tuple[Any, ...]:
    """Return all that matters of a call."""
    assert found is not None
    call = found.prepared.call
    return json.loads(found.id), call.method, call.params, call.version


def test_a_call_is_parsed_until_its_id_is_certain() -> None:
    """Twice for itself, and once to prove the place of the id."""
    reader = Reader()
    numbers = []
    for request_id in (1, 22, 0, 999_999_999_999_999, "x-1", "918273645546372"):
        found = reader.read(write(request_id, slug="a"))
        assert identify(found)[0] == request_id
        assert identify(found)[2]["arguments"] == {"slug": "a"}
        numbers.append(len(reader.parsed))
    assert numbers == [1, 2, 0, 0, 0, 0]


@pytest.mark.parametrize("request_id", [918273645546372, 918273645546373])
def test_the_id_of_the_proof_may_be_sent(request_id: int) -> None:
    """The proof then takes another."""
    reader = Reader()
    for number in (request_id, request_id, 5):
        assert identify(reader.read(write(number)))[0] == number
    assert not reader.parsed


def test_headers_and_sessions_keep_calls_apart() -> None:
    """They decide about version and form."""
    reader = Reader()
    for _ in "12":
        reader.read(write(1))
    for routing in (
        ROUTING._replace(version="2025-03-26"),
        ROUTING._replace(name="x"),
        ROUTING._replace(method="x"),
        ROUTING._replace(negotiated="2025-06-18"),
        ROUTING._replace(client_name="x"),
    ):
        reader.read(write(1), routing)
        assert reader.parsed
    reader.read(write(1))
    assert not reader.parsed


NESTED = b'{"jsonrpc": "2.0", "method": "tools/call", "params": {"id": 1}, "id": 2}'


def test_an_id_that_is_an_argument_is_not_the_message_s() -> None:
    """Such a message is parsed every time."""
    reader = Reader()
    for _ in range(4):
        found = reader.read(NESTED)
        assert reader.parsed
        assert identify(found)[0] == 2


@pytest.mark.parametrize(
    "id_text",
    [b"-1", b"1.0", b"1e3", b"01", b"null", b'"a b"', b'"\\u0031"', b'"\xc3\xa9"'],
)
def test_an_unusual_id_is_parsed(id_text: bytes) -> None:
    """It is repeated as it was understood."""
    reader = Reader()
    for _ in "123":
        reader.read(write(1))
    text = write(1).replace(b'"id": 1', b'"id": ' + id_text)
    found = reader.read(text)
    assert reader.parsed
    fresh = Reader().read(text)
    assert (found and found.id) == (fresh and fresh.id)


def test_long_messages_are_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no more messages than the bound are remembered as seen."""
    monkeypatch.setattr(call_cache, "MAX_MESSAGE_BYTES", 200)
    monkeypatch.setattr(call_cache, "_MAX_SEEN", 2)
    reader = Reader()
    for _ in "123":
        reader.read(write(1, slug="x" * 200))
    assert len(reader.parsed) == 1
    for slug in "abc":
        reader.read(write(1, slug=slug))
    # The third one made room by forgetting the others.
    reader.read(write(1, slug="a"))
    assert len(reader.parsed) == 1
    reader.read(write(1, slug="a"))
    assert len(reader.parsed) == 2


TEXTS = st.text(st.sampled_from('a"\\:,{}[]id 1é'), max_size=8)
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "a", '"id": 1']), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.lists(st.tuples(st.integers(0, 3) | TEXTS, VALUES), max_size=6),
    st.permutations(["jsonrpc", "id", "method", "params"]),
    st.sampled_from([(",", ":"), (", ", ": ")]),
)
def test_a_cached_call_is_the_parsed_one(
    sent: list[tuple[Any, Any]], order: list[str], separators: tuple[str, str]
) -> None:
    """Whatever else looks like an id, in any order of keys."""
    reader = Reader()
    for request_id, value in sent * 3:
        whole = message("tools/call", {"name": "x", "arguments": value}, request_id)
        text = json.dumps({key: whole[key] for key in order}, separators=separators)
        found = reader.read(text.encode())
        assert identify(found) == identify(Reader().read(text.encode()))
