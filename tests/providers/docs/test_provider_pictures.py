"""Pictures of documentation over MCP: with a page where asked, and as resources."""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.manual import Manual
from support.peers import VERSIONS
from support.pictures import SECRET_PNG, make_png, make_svg
from support.shelf import DirectPeer

from asdlc_kb.providers.shared.pictures import MAX_BLOB_BYTES

PAGE = (
    "# Pictures\n\n![a](img/a.png)\n\n## More\n\n![s](/img/s.svg) ![b](img/b.png) "
    "[m](m.pdf) ![l](img/large.png)\n"
)


@pytest.fixture
def pictures(manual: Manual) -> Path:
    """Write a page with pictures, and a draft with another one; return the folder."""
    root = manual.tree.root
    (root / "img").mkdir()
    (root / "img" / "a.png").write_bytes(make_png(1, 1))
    (root / "img" / "b.png").write_bytes(make_png(2, 2))
    (root / "img" / "s.svg").write_bytes(make_svg(3, 3))
    (root / "img" / "large.png").write_bytes(bytes(MAX_BLOB_BYTES + 1))
    (root / "img" / "hidden.png").write_bytes(SECRET_PNG)
    (root / "img" / "unnamed.png").write_bytes(SECRET_PNG)
    (root / "m.pdf").write_bytes(b"%PDF")
    manual.tree.write("pictures.md", PAGE)
    manual.tree.write("d.md", "---\ndraft: true\n---\n![h](img/hidden.png)\n")
    manual.update()
    return root / "img"


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_page_comes_with_its_pictures_where_asked(
    manual: Manual, scanner: Scanner, pictures: Path, version: str
) -> None:
    """In every version; structured content and text stay as they are."""
    peer = DirectPeer(version, server=manual.server, scanner=scanner)
    plain = await peer.call("get_doc_page", path="pictures")
    full = await peer.call("get_doc_page", path="pictures", include_images=True)
    assert [item["type"] for item in plain["content"]] == ["text"]
    text, note, *images = full["content"]
    assert text == plain["content"][0]
    assert full.get("structuredContent") == plain.get("structuredContent")
    assert note["text"].startswith("Pictures, in order: img/a.png, img/b.png. ")
    assert "not sent: img/s.svg, img/large.png." in note["text"]
    assert [(image["type"], image["mimeType"]) for image in images] == [
        ("image", "image/png")
    ] * 2
    assert b64decode(images[1]["data"]) == make_png(2, 2)


async def test_only_the_pictures_of_the_returned_part_are_sent(
    manual: Manual, pictures: Path
) -> None:
    """Of the sections that were asked for."""
    found = await manual.peer.call(
        "get_doc_page", path="pictures", sections=["More"], include_images=True
    )
    assert "in order: img/b.png." in found["content"][1]["text"]
    assert len(found["content"]) == 3


async def test_a_new_version_of_a_picture_is_sent_at_once(
    manual: Manual, pictures: Path
) -> None:
    """A result with pictures is not kept."""
    arguments: dict[str, Any] = {"path": "pictures", "include_images": True}
    await manual.peer.call("get_doc_page", **arguments)
    (pictures / "a.png").write_bytes(make_png(9, 9))
    found = await manual.peer.call("get_doc_page", **arguments)
    assert b64decode(found["content"][2]["data"]) == make_png(9, 9)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_picture_is_read_by_its_path(
    manual: Manual, scanner: Scanner, pictures: Path, version: str
) -> None:
    """As a blob with its type; it is not listed."""
    peer = DirectPeer(version, server=manual.server, scanner=scanner)
    uri = "kb://doc/img/s.svg"
    assert (await peer.result("resources/read", {"uri": uri}))["contents"] == [
        {
            "uri": uri,
            "mimeType": "image/svg+xml",
            "blob": (await manual.peer.result("resources/read", {"uri": uri}))[
                "contents"
            ][0]["blob"],
        }
    ]
    listed = (await peer.result("resources/list"))["resources"]
    assert not any("img/" in resource["uri"] for resource in listed)


@pytest.mark.parametrize(
    "path",
    [
        *("img/hidden.png", "img/unnamed.png", "m.pdf", "img/../img/a.png", ".env"),
        *("img/a.PNG", "/img/a.png", "img%2F..%2F..%2Fx.png", "img/a.png%00"),
    ],
)
async def test_other_files_are_missing(
    manual: Manual, pictures: Path, path: str
) -> None:
    """Hidden, unmentioned and unsafe ones have the answer of a missing one."""

    async def read(name: str) -> object:
        error = await manual.peer.error("resources/read", {"uri": f"kb://doc/{name}"})
        return str(error).replace(name, "NAME")

    missing = await read("img/never.png")
    assert "not found" in str(missing)
    found = await read(path)
    if "%" not in path:
        assert found == missing


async def test_a_large_picture_is_refused(manual: Manual, pictures: Path) -> None:
    """With its size and where to look at it."""
    uri = "kb://doc/img/large.png"
    error = await manual.peer.error("resources/read", {"uri": uri})
    assert "open it on the website" in str(error)


async def test_a_picture_is_missing_as_soon_as_its_page_is_hidden(
    manual: Manual, pictures: Path
) -> None:
    """No scan is needed."""
    uri = "kb://doc/img/a.png"
    await manual.peer.result("resources/read", {"uri": uri})
    manual.tree.write("pictures.md", f"---\ndraft: true\n---\n{PAGE}")
    error = await manual.peer.error("resources/read", {"uri": uri})
    assert "not found" in str(error)
