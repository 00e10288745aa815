"""Addresses of attachments as a collection of the route table."""

from pathlib import Path

import pytest
from support.pictures import make_png

from asdlc_kb.attachments.referenced_files import ReferencedFiles, ReferringText
from asdlc_kb.attachments.store import AttachmentStore
from asdlc_kb.site import urls
from asdlc_kb.site.pages.attachments import AttachmentAddresses


@pytest.fixture
def addresses(tmp_path: Path) -> AttachmentAddresses:
    """Return the addresses of a page's pictures, of which one exists."""
    (tmp_path / "a b.png").write_bytes(make_png())
    text = ReferringText.of("index.md", "![](<a b.png>) ![](ü/no.png)")
    files = ReferencedFiles(AttachmentStore((tmp_path,)), lambda: (text,))
    return AttachmentAddresses(files, urls.DOCS, urls.of_file)


def test_names_have_addresses_whether_or_not_they_exist(
    addresses: AttachmentAddresses,
) -> None:
    """Percent-encoded, below the root of the files."""
    assert list(addresses) == ["/docs/a%20b.png", "/docs/%C3%BC/no.png"]
    assert len(addresses) == 2
    assert "/docs/a%20b.png" in addresses
    for other in ("/docs/", "/docs/b.png", "/a%20b.png", "a%20b.png", 7):
        assert other not in addresses


def test_a_file_is_served_if_it_exists(addresses: AttachmentAddresses) -> None:
    """Its type is that of its suffix."""
    served = addresses.render("/docs/a%20b.png")
    assert served is not None
    assert (served.path, served.type) == ("/docs/a%20b.png", "image/png")
    assert addresses.render("/docs/%C3%BC/no.png") is None
    assert addresses.render("/docs/other.png") is None


def test_a_referrer_is_known_once_the_texts_are_read(
    addresses: AttachmentAddresses,
) -> None:
    """The event loop never waits for them."""
    assert addresses.find_referrer("/docs/a%20b.png") == ""
    assert "/docs/x" not in addresses
    assert addresses.find_referrer("/docs/a%20b.png") == "index.md"
    assert addresses.find_referrer("/docs/other.png") == ""
