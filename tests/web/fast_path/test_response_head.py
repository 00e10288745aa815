"""The header block of a response."""

from email.utils import parsedate_to_datetime

from asdlc_kb.web.fast_path.response_head import ResponseHead


def split(block: bytes) -> list[str]:
    """Return the lines of a block but for its date."""
    lines = block.decode("latin-1").split("\r\n")
    date = lines.pop(next(n for n, line in enumerate(lines) if line[:5] == "Date:"))
    assert parsedate_to_datetime(date.removeprefix("Date: ")).tzinfo is not None
    return lines


def test_the_headers_are_in_the_order_of_tornado() -> None:
    """Common ones first; a percent sign in a value stays one."""
    fields = {"Cache-Control": "no-cache", "Content-Type": "a/b; c=é", "A": "100 %s"}
    assert split(ResponseHead(fields).write("id-1", 42)) == [
        "HTTP/1.1 200 OK",
        "Server: asdlc-kb",
        "Content-Type: a/b; c=é",
        "Cache-Control: no-cache",
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
        "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff",
        "X-Request-Id: id-1",
        "A: 100 %s",
        "Content-Length: 42",
        "",
        "",
    ]


def test_a_response_without_content_describes_none() -> None:
    """Neither its type nor its length."""
    head = ResponseHead({"Cache-Control": "no-cache"}, "304 Not Modified")
    lines = split(head.write("id-1", 42))
    assert lines[:2] == ["HTTP/1.1 304 Not Modified", "Server: asdlc-kb"]
    assert not any(line.startswith("Content-") for line in lines[2:3] + lines[4:])
