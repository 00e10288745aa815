"""A page as it is sent."""

from asdlc_kb.site.representation import HTML, Representation


def test_equal_bytes_have_equal_tags() -> None:
    """A tag depends on the sent bytes only."""
    page = Representation("/a", HTML, b"text")
    assert page.etag == Representation("/b", HTML, b"text").etag
    assert page.etag != Representation("/a", HTML, b"texts").etag
    assert page.etag[0] == page.etag[-1] == '"'
    assert page.etag[1:-1].isalnum()
