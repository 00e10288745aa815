"""The headers of pages, as functions of the page."""

from dataclasses import replace

import pytest

from asdlc_kb.site.content_coding import GZIP, MIN_BYTES, compress
from asdlc_kb.site.representation import CSS, HTML, MARKDOWN, SVG, TEXT, Representation
from asdlc_kb.web.site.page_headers import (
    PICTURE_POLICY,
    POLICY,
    cache_control,
    is_negotiable,
    list_found_headers,
    list_headers,
)

PAGE = Representation("/a", HTML, b"text", alternate="/a.md")
TWIN = Representation("/a.md", MARKDOWN, b"text, some", alternate="/a")


def headers(page: Representation, *, negotiated: bool = False) -> dict[str, str]:
    """Return the headers of a found page of a public site below a path."""
    listed = list(
        list_found_headers(
            page,
            lambda path: f"/kb{path}",
            is_negotiated=negotiated,
            is_private=False,
        )
    )
    assert len(dict(listed)) == len(listed)
    return dict(listed)


def test_a_page_states_its_type_policy_caching_and_tag() -> None:
    """And nothing of what it does not have."""
    page = Representation("/robots.txt", TEXT, b"text")
    assert list(list_headers(page, is_private=False)) == [
        ("Content-Type", TEXT),
        ("Content-Security-Policy", POLICY),
        ("Cache-Control", "no-cache"),
        ("Etag", page.etag),
    ]
    assert headers(page) == dict(list_headers(page, is_private=False))


def test_a_page_that_accept_chooses_varies() -> None:
    """An HTML page with Markdown, and its Markdown when it was chosen."""
    assert is_negotiable(PAGE)
    assert not is_negotiable(TWIN)
    assert not is_negotiable(replace(PAGE, alternate=""))
    assert headers(PAGE, negotiated=True)["Vary"] == "Accept"
    assert headers(TWIN, negotiated=True)["Vary"] == "Accept"
    assert "Vary" not in headers(TWIN)


def test_a_page_that_is_served_compressed_varies() -> None:
    """All of its representations do, and name their coding; small ones do not."""
    large = replace(PAGE, body=b"x" * MIN_BYTES)
    packed = compress(large, GZIP)
    assert headers(large)["Vary"] == headers(packed)["Vary"] == "Accept-Encoding"
    for page in (large, packed):
        assert headers(page, negotiated=True)["Vary"] == "Accept, Accept-Encoding"
    assert headers(packed)["Content-Encoding"] == GZIP
    assert headers(packed)["Etag"] == packed.etag != large.etag
    assert "Content-Encoding" not in headers(large)
    assert "Vary" not in headers(replace(large, status=404))
    assert "Vary" not in headers(PAGE)


def test_agents_learn_where_the_index_and_the_markdown_are() -> None:
    """Below the public path; the estimate of tokens is that of the sent text."""
    assert headers(PAGE)["X-Llms-Txt"] == "/kb/llms.txt"
    assert "Content-Location" not in headers(PAGE)
    found = headers(TWIN)
    assert found["X-Llms-Txt"] == "/kb/llms.txt"
    assert found["Content-Location"] == "/kb/a.md"
    assert found["X-Markdown-Tokens"] == str(TWIN.tokens)
    style = Representation("/-/a.css", CSS, b"")
    assert "X-Llms-Txt" not in headers(style)


@pytest.mark.parametrize(
    ("page", "name", "value"),
    [
        (replace(PAGE, is_open=True), "Access-Control-Allow-Origin", "*"),
        (replace(PAGE, links=("<a>", "<b>")), "Link", "<a>, <b>"),
        (replace(PAGE, type=SVG), "Content-Security-Policy", PICTURE_POLICY),
        (replace(PAGE, status=404), "Etag", None),
        (PAGE, "Access-Control-Allow-Origin", None),
        (PAGE, "Link", None),
    ],
)
def test_a_header_is_there_only_where_it_applies(
    page: Representation, name: str, value: str | None
) -> None:
    """One property of a page, one header."""
    assert dict(list_headers(page, is_private=False)).get(name) == value


@pytest.mark.parametrize(
    ("is_lasting", "is_private", "value"),
    [
        (False, False, "no-cache"),
        (False, True, "private, no-cache"),
        (True, False, "public, max-age=31536000, immutable"),
        (True, True, "private, max-age=31536000, immutable"),
    ],
)
def test_shared_caches_store_nothing_that_needs_a_token(
    is_lasting: bool, is_private: bool, value: str
) -> None:
    """Content at an address with its digest never changes."""
    page = replace(PAGE, is_lasting=is_lasting)
    found = dict(list_headers(page, is_private=is_private))
    assert found["Cache-Control"] == value
    assert cache_control("max-age=60", is_private=is_private) == (
        "private, max-age=60" if is_private else "max-age=60"
    )
