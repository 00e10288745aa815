"""Content negotiation by Accept and Accept-Encoding (RFC 9110, 12.5.1 and 12.5.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.web.site.content_negotiation import choose_coding, prefers_markdown

MARKDOWN = (
    "text/markdown",
    "text/plain",
    "text/markdown, text/html, */*",
    "text/markdown,*/*;q=0.8",
    "text/plain;q=0.9, */*;q=0.8",
    "Text/Markdown",
    "text/markdown; charset=utf-8",
    "text/html;q=0.9, text/markdown",
    "text/html;q=0.9, text/markdown;q=0.95",
    "text/html;q=0, text/markdown;q=0.001",
    "text/markdown;variant=GFM;q=1.0, text/html;q=0.999",
    "application/xhtml+xml;q=0.5, text/plain;q=0.6",
    "  text/markdown  ;  q=1  ,text/html",
    ",,text/markdown,,",
)
PAGE = (
    "",
    "*/*",
    "text/*",
    "text/markdown;q=0.1, */*",
    "text/plain;q=0.5, text/*",
    "text/*;q=1, text/html;q=0.1",
    "application/json",
    "text/html",
    "text/html, text/markdown",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;"
    "q=0.8",
    "text/html, text/markdown;q=0.9",
    "text/markdown;q=0.5, text/html;q=0.5001",
    "text/markdown;q=0",
    "text/markdown;q=0.0, text/plain;q=0.000",
    "text/markdown;q=",
    "text/markdown;q=nan",
    "text/markdown;q=inf",
    "text/markdown;q=2",
    "text/markdown;q=-1",
    "text/markdown;q=1_0",
    "text/markdown;q=0.5;q=high",
    "text/markdownish",
    "x-text/markdown",
    "text/html;q=0, */*",
    "text / markdown",
)


@pytest.mark.parametrize("accept", MARKDOWN)
def test_markdown_is_wanted(accept: str) -> None:
    """It is named, and no type of a page is preferred to it."""
    assert prefers_markdown(accept)


@pytest.mark.parametrize("accept", PAGE)
def test_a_page_is_wanted(accept: str) -> None:
    """Browsers, clients that take anything, and those with malformed headers."""
    assert not prefers_markdown(accept)


def test_a_long_header_is_not_read_to_its_end() -> None:
    """D-054: work is bounded before it begins."""
    assert not prefers_markdown(f"{'a/b,' * 300}text/markdown")


@given(st.text("textmarkdownhl/*;q=01., ", max_size=60))
def test_any_header_is_understood(accept: str) -> None:
    """Parsing never fails, and blanks around commas make no difference."""
    assert prefers_markdown(accept) == prefers_markdown(accept.replace(",", " , "))


CODINGS = {
    "": "",
    "identity": "",
    "deflate": "",
    "zstd": "",
    "gzip": "gzip",
    "GZIP": "gzip",
    "gzip, deflate": "gzip",
    "br": "br",
    "gzip, deflate, br, zstd": "br",
    "br;q=0.5, gzip": "gzip",
    "br;q=0.5, gzip;q=0.4": "br",
    "br;q=0, gzip;q=0.001": "gzip",
    "gzip;q=0": "",
    "gzip;q=0, br;q=0.0": "",
    "gzip;q=x": "",
    "*": "br",
    "*;q=0": "",
    "br;q=0, *": "gzip",
    "gzip;q=0.5, *;q=0": "gzip",
    "identity, gzip;q=0.5": "",
    "identity;q=0.5, gzip": "gzip",
    "identity, gzip": "gzip",
    "identity;q=0": "",
    "gzippy, x-br": "",
    ",,gzip,,": "gzip",
}


@pytest.mark.parametrize(("accept_encoding", "coding"), CODINGS.items())
def test_the_preferred_coding_is_chosen(accept_encoding: str, coding: str) -> None:
    """Of two with equal quality the smaller result; a plain body otherwise."""
    assert choose_coding(accept_encoding) == coding


def test_a_long_list_of_codings_is_not_read_to_its_end() -> None:
    """D-054: work is bounded before it begins."""
    assert choose_coding(f"{'a,' * 600}gzip") == ""


@given(st.text("gzipbrdentity*;q=01., ", max_size=60))
def test_any_list_of_codings_is_understood(accept_encoding: str) -> None:
    """Parsing never fails, and blanks around commas make no difference."""
    spaced = accept_encoding.replace(",", " , ")
    assert choose_coding(accept_encoding) == choose_coding(spaced)
