"""Responses to connections without a readable request."""

import json

import pytest

from asdlc_kb.web.connections.rejections import (
    BAD_REQUEST,
    HEADER_TOO_LARGE,
    URI_TOO_LONG,
    write_rejection,
)


@pytest.mark.parametrize(
    ("answer", "status"),
    [(BAD_REQUEST, 400), (URI_TOO_LONG, 414), (HEADER_TOO_LARGE, 431)],
)
def test_each_is_a_whole_answer(answer: bytes, status: int) -> None:
    """RFC 9112: with its length, and the end of the connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *fields = head.split(b"\r\n")
    assert first.startswith(b"HTTP/1.1 %d " % status)
    assert b"Content-Length: %d" % len(body) in fields
    assert b"Connection: close" in fields
    assert [*json.loads(body)] == ["error"]


def test_one_may_have_further_headers() -> None:
    """As Retry-After."""
    answer = write_rejection(503, "busy", b"Retry-After: 5")
    assert answer.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert b"\r\nRetry-After: 5\r\n" in answer
