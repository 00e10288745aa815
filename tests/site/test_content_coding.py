"""Compression of representations: the same content in fewer bytes, repeatable."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from support.codings import decompress

from asdlc_kb.site import content_coding
from asdlc_kb.site.content_coding import (
    BROTLI,
    GZIP,
    MIN_BYTES,
    can_compress,
    compress,
    list_codings,
)
from asdlc_kb.site.layout import assets
from asdlc_kb.site.representation import MARKDOWN, Representation

TEXT = b"A line of words, and \xe2\x80\x9cmarks\xe2\x80\x9d.\n" * 60
PAGE = Representation("/a.md", MARKDOWN, TEXT, alternate="/a", links=("<b>",))


@pytest.mark.parametrize("coding", [GZIP, BROTLI])
def test_a_page_is_the_same_in_each_coding(coding: str) -> None:
    """Only body, tag and coding differ; the tokens are those of the plain text."""
    packed = compress(PAGE, coding)
    assert decompress(packed.body, coding) == TEXT
    assert len(packed.body) < len(TEXT) / 4
    assert packed.etag not in (PAGE.etag, '""')
    assert packed.tokens == PAGE.tokens
    same = replace(packed, body=TEXT, coding="")
    assert same == PAGE


@pytest.mark.parametrize("coding", [GZIP, BROTLI])
def test_equal_pages_are_compressed_to_equal_bytes(coding: str) -> None:
    """Processes of one server have the same tags: no time is in the bytes."""
    assert compress(PAGE, coding).etag == compress(replace(PAGE), coding).etag


def test_each_coding_has_a_tag_of_its_own() -> None:
    """RFC 9110, 8.8.3: strong tags differ where bytes do."""
    tags = {PAGE.etag, *(compress(PAGE, coding).etag for coding in (GZIP, BROTLI))}
    assert len(tags) == 3


def test_what_is_not_worth_it_stays_plain() -> None:
    """Small bodies, errors, what becomes no smaller, and where none is accepted."""
    small = replace(PAGE, body=b"x" * (MIN_BYTES - 1))
    missing = replace(PAGE, status=404)
    noise = replace(PAGE, body=random.Random(1).randbytes(MIN_BYTES))
    picture = replace(PAGE, type="image/png")
    for page in (small, missing, noise, picture):
        assert all(compress(page, coding) is page for coding in list_codings())
    assert compress(PAGE, "") is PAGE
    assert not can_compress(small)
    assert not can_compress(missing)
    assert can_compress(PAGE)
    assert can_compress(compress(PAGE, GZIP))


def test_what_browsers_cache_forever_is_compressed_best() -> None:
    """It is compressed rarely: the style sheet is smaller than as part of a page."""
    style = assets.find(assets.address("style.css"))
    assert style is not None
    best = len(compress(style, BROTLI).body)
    assert best < len(compress(replace(style, is_lasting=False), BROTLI).body)
    assert best < len(compress(style, GZIP).body)


@pytest.fixture
def without_brotli(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hide the library, as without the extra `compression`."""
    monkeypatch.setattr(content_coding, "find_spec", lambda name: None)
    list_codings.cache_clear()
    yield
    list_codings.cache_clear()


def test_brotli_is_an_extra() -> None:
    """With the library it comes first: its results are smaller."""
    assert list_codings() == (BROTLI, GZIP)


@pytest.mark.usefixtures("without_brotli")
def test_gzip_needs_no_library() -> None:
    """Without the extra there is one coding."""
    assert list_codings() == (GZIP,)
