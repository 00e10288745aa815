"""Pictures of articles over MCP, where asked."""

from base64 import b64decode

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import VERSIONS, open_app
from support.pictures import SECRET_PNG, make_png
from support.shelf import DirectPeer


@pytest.mark.parametrize("form", ["json", "markdown"])
@pytest.mark.parametrize("version", VERSIONS)
async def test_an_article_comes_with_its_pictures_where_asked(
    knowledge: KnowledgeBase, scanner: Scanner, version: str, form: str
) -> None:
    """Relative to its folder or to the root; those of drafts stay hidden."""
    knowledge.write("concepts/a", body="![a](img/a.png) ![b](/b.png) ![c](c.png)\n")
    knowledge.write("concepts/b", status="Draft", body="![c](/c.png)\n")
    (knowledge.root / "concepts" / "img").mkdir()
    (knowledge.root / "concepts" / "img" / "a.png").write_bytes(make_png(1, 1))
    (knowledge.root / "b.png").write_bytes(make_png(2, 2))
    (knowledge.root / "c.png").write_bytes(SECRET_PNG)
    peer = DirectPeer(version, server=open_app(knowledge).server, scanner=scanner)
    plain = await peer.call("get_article", slug="a", format=form)
    assert len(plain["content"]) == 1
    full = await peer.call("get_article", slug="a", format=form, include_images=True)
    text, note, *images = full["content"]
    assert text == plain["content"][0]
    assert note["text"] == "Pictures, in order: concepts/img/a.png, b.png."
    assert [b64decode(image["data"]) for image in images] == [
        make_png(1, 1),
        make_png(2, 2),
    ]
