"""Addresses of the pictures and files of a text."""

from pathlib import Path

import pytest
from support.pictures import make_png
from support.publishing import find_page, open_docs

from asdlc_kb.attachments.referenced_files import ReferencedFiles, ReferringText
from asdlc_kb.attachments.store import AttachmentStore
from asdlc_kb.markup.pictures import Picture
from asdlc_kb.site.rendering.attachment_resolver import AttachmentResolver

BODY = "![](a.png) ![](b.svg) [m](m.pdf) ![](no.png) <video src=v.mp4></video>"


@pytest.fixture
def resolver(tmp_path: Path) -> AttachmentResolver:
    """Return the resolver of a page with a picture, a video and a download."""
    (tmp_path / "a.png").write_bytes(make_png(40, 30))
    (tmp_path / "b.svg").write_text("<svg/>")
    (tmp_path / "v.mp4").write_bytes(b"")
    (tmp_path / "m.pdf").write_bytes(b"%PDF")
    text = ReferringText.of("page.md", BODY)
    files = ReferencedFiles(AttachmentStore((tmp_path,)), lambda: (text,))
    return AttachmentResolver(files.open_text(text), lambda name: f"/kb/docs/{name}")


def test_a_picture_has_its_address_and_size(resolver: AttachmentResolver) -> None:
    """A size that is not known is 0."""
    assert resolver.find_picture("a.png#only-dark") == Picture("/kb/docs/a.png", 40, 30)
    assert resolver.find_picture("b.svg") == Picture("/kb/docs/b.svg")
    assert resolver.find_picture("v.mp4") == Picture("/kb/docs/v.mp4")
    for source in ("m.pdf", "no.png", "https://example.com/a.png", ""):
        assert resolver.find_picture(source) is None


def test_a_link_leads_to_a_served_file_or_elsewhere(
    resolver: AttachmentResolver,
) -> None:
    """One to a file that is not served leads nowhere."""
    resolve = resolver.wrap(lambda href: f"other:{href}")
    assert resolve("m.pdf#page=2") == "/kb/docs/m.pdf#page=2"
    assert resolve("../a.png") == "/kb/docs/a.png"
    assert resolve("no.png") is None
    for href in ("guide.md", "https://example.com/m.pdf", "#m.pdf", "x.html"):
        assert resolve(href) == f"other:{href}"


def test_a_file_of_the_published_site_is_that_of_the_tree(tmp_path: Path) -> None:
    """By its full address, as a page; what the tree lacks is on the published site."""
    root = tmp_path / "docs"
    (root / "img").mkdir(parents=True)
    (root / "img" / "a.png").write_bytes(make_png(40, 30))
    (root / "m.pdf").write_bytes(b"%PDF")
    site = "https://x.example/sub"
    (tmp_path / "mkdocs.yml").write_text(f"site_name: X\nsite_url: {site}/\n")
    (root / "index.md").write_text(
        f"# X\n\n![a]({site}/img/a.png) ![b]({site}/no.png) [c]({site}/m.pdf#page=2)\n"
        f"[d]({site}/no.zip) [e](https://x.example/m.pdf)\n"
    )
    shown = find_page(open_docs(f"kb={root}"), "/docs/kb/").body.decode()
    assert '<img src="/docs/kb/img/a.png" alt="a" width="40"' in shown
    for href in (
        "/docs/kb/m.pdf#page=2",
        *(f"{site}/no.png", f"{site}/no.zip", "https://x.example/m.pdf"),
    ):
        assert f'href="{href}"' in shown
