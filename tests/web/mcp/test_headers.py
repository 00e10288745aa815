"""Parsing of headers: tables, and arbitrary values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tornado.httputil import HTTPHeaders

from asdlc_kb.mcp.protocol.inbound import McpHeaders
from asdlc_kb.web.mcp.headers import (
    accepts_event_stream,
    accepts_json,
    check_headers,
    media_types,
    names_event_stream,
    read_headers,
)

NOT_JSON = (415, "Content-Type must be application/json")
ENCODED = (415, "send the body without Content-Encoding")


def test_a_request_without_mcp_headers_says_nothing() -> None:
    """Every field has a default."""
    assert (
        read_headers({"Host": "x", "Content-Type": "application/json"}) == McpHeaders()
    )


def test_each_header_has_its_field() -> None:
    """However the client spells their names; parameters are without the prefix."""
    sent = HTTPHeaders()
    for name, value in (
        ("MCP-PROTOCOL-VERSION", "2026-07-28"),
        ("mcp-session-id", "abc"),
        ("mCP-mETHOD", "tools/call"),
        ("Mcp-Name", "get_article"),
        ("MCP-Param-Region", "eu, us"),
        ("mcp-param-x-y", ""),
    ):
        sent.add(name, value)
    assert read_headers(sent) == McpHeaders(
        version="2026-07-28",
        session="abc",
        method="tools/call",
        name="get_article",
        parameters={"region": "eu, us", "x-y": ""},
    )


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-06-18,2025-06-18", "2025-06-18"),
        ("2025-06-18 , 2025-06-18,2025-06-18", "2025-06-18"),
        ("2025-06-18, 2025-11-25", "2025-06-18, 2025-11-25"),
        (",", ""),
        ("", ""),
    ],
)
def test_an_identical_repetition_is_one_value(value: str, read: str) -> None:
    """Some clients send the same header twice; two values are not one of them."""
    sent = {"Mcp-Protocol-Version": value, "Mcp-Session-Id": value}
    assert read_headers(sent) == McpHeaders(version=read, session=read)


def test_names_and_methods_are_not_collapsed() -> None:
    """A tool may have a comma in its name."""
    headers = read_headers({"Mcp-Name": "a,a", "Mcp-Method": "b, b"})
    assert (headers.name, headers.method) == ("a,a", "b, b")


@pytest.mark.parametrize(
    ("sent", "refusal"),
    [
        ({"Content-Type": "application/json"}, None),
        ({"Content-Type": " Application/JSON ; charset=x"}, None),
        ({"Content-Type": "application/json", "Content-Encoding": "Identity"}, None),
        ({"Content-Type": "application/json", "Content-Encoding": "gzip"}, ENCODED),
        ({"Content-Type": "application/json", "Content-Encoding": ""}, ENCODED),
        ({"Content-Encoding": "gzip"}, ENCODED),
        ({}, NOT_JSON),
        ({"Content-Type": ""}, NOT_JSON),
        ({"Content-Type": "text/plain;application/json"}, NOT_JSON),
        ({"Content-Type": "application/json, text/plain"}, NOT_JSON),
    ],
)
def test_a_body_is_json_and_says_so(
    sent: dict[str, str], refusal: tuple[int, str] | None
) -> None:
    """Anything else is not read, with the reason."""
    assert check_headers(sent) == refusal


@pytest.mark.parametrize(
    ("accept", "answers", "events", "names_events"),
    [
        (None, True, False, False),
        ("", False, False, False),
        ("*/*", True, False, False),
        ("application/json", True, False, False),
        ("APPLICATION/*;q=0.1", True, False, False),
        ("text/*", True, True, False),
        ("text/event-stream", True, True, True),
        ("application/json,text/event-stream", True, True, True),
        ("image/png , Text/Event-Stream;q=0.5", True, True, True),
        ("text/html", False, False, False),
        ("application/jsonx", False, False, False),
        (f"image/png;x={'x' * 300}, text/event-stream", True, True, True),
    ],
)
def test_accept_says_what_a_client_takes(
    accept: str | None, answers: bool, events: bool, names_events: bool
) -> None:
    """Lenient with answers, strict with events."""
    sent = {} if accept is None else {"Accept": accept}
    assert accepts_json(sent) is answers
    assert accepts_event_stream(sent) is events
    assert names_event_stream(sent) is names_events


def test_media_types_are_read_the_same_when_they_are_remembered() -> None:
    """Twice on the fast path, once in the handler."""
    short = "a/b;c=d, E/F"
    padded = f"{short};{'x' * 300}"
    assert media_types(short) == media_types(short) == media_types(padded)
    assert media_types(short) == {"a/b", "e/f"}


NAMES = st.sampled_from(
    ["Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"]
) | st.text().map(lambda text: f"Mcp-Param-{text}")


@given(st.dictionaries(NAMES | st.text(), st.text()))
def test_headers_are_read_whatever_is_in_them(sent: dict[str, str]) -> None:
    """Never a failure, and every parameter is kept."""
    read = read_headers(sent)
    prefixed = [name for name in sent if name.startswith("Mcp-Param-")]
    assert set(read.parameters) == {name[10:].lower() for name in prefixed}
    assert check_headers(sent) in (None, NOT_JSON, ENCODED)
    for decide in (accepts_json, accepts_event_stream, names_event_stream):
        assert decide(sent) in (True, False)
