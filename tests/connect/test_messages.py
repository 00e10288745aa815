"""Tests of messages as a client makes and reads them."""

import json

import pytest

from asdlc_kb.connect.messages import (
    HANDSHAKE,
    MAX_SHOWN,
    MODERN,
    make_request,
    parse_answer,
    read_result,
    shorten,
    split_events,
)
from asdlc_kb.exceptions import ProbeFailed


def test_only_the_modern_version_has_metadata_in_each_request() -> None:
    """MCP 2026-07-28: the version and the capabilities are in `_meta`."""
    assert make_request("ping", {"a": 1}, HANDSHAKE, 3) == {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "ping",
        "params": {"a": 1},
    }
    meta = make_request("ping", {}, MODERN, 4)["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == MODERN


def test_events_without_data_are_passed_over() -> None:
    """The WHATWG's event streams: lines of data are joined, comments are none."""
    body = b": ping\r\n\r\ndata: {\r\ndata: }\r\n\r\nevent: x\n\n"
    assert list(split_events(body)) == [b"{\n}"]


def test_a_web_page_is_not_quoted() -> None:
    """Another program at the port: its address says more than its markup."""
    with pytest.raises(ProbeFailed, match="a web page, perhaps of another"):
        parse_answer(b" <!DOCTYPE html><title>x</title>")


@pytest.mark.parametrize("text", [b"", b"[]", b"<html>", b"[" * 100_000, b"\xff"])
def test_what_is_no_message_is_refused(text: bytes) -> None:
    """With its beginning alone."""
    with pytest.raises(
        ProbeFailed, match="the response is not a JSON-RPC message"
    ) as refused:
        parse_answer(text)
    assert len(str(refused.value)) < MAX_SHOWN + 50
    assert shorten(b"x" * 1000) == "x" * MAX_SHOWN


def test_an_error_is_told_with_its_message() -> None:
    """And an error without a message is reported as such."""
    answer = {"result": {"a": 1}}
    assert read_result(parse_answer(json.dumps(answer).encode()), "here") == {"a": 1}
    with pytest.raises(ProbeFailed, match="here: no"):
        read_result({"error": {"message": "no"}}, "here")
    with pytest.raises(ProbeFailed, match="here: not this port"):
        read_result({"error": "not this port"}, "here")
    with pytest.raises(ProbeFailed, match="here: None"):
        read_result({"error": 3}, "here")
