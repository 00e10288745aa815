"""Header blocks that are parsed once, for the settings in force."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.knowledge import KnowledgeBase
from support.peers import Site, open_app, serving
from support.plain_calls import BODY, post
from support.wire import dial

from asdlc_kb.app import Runtime, open_context
from asdlc_kb.app.http_service import HttpService
from asdlc_kb.settings import Settings
from asdlc_kb.web.fast_path import request_reader
from asdlc_kb.web.fast_path.request_head import parse_head
from asdlc_kb.web.fast_path.request_reader import RequestReader
from asdlc_kb.web.http_server import open_sockets


def test_a_header_block_is_parsed_once(
    app: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accepted or not; but not one that no other request has."""
    parsed: list[bytes] = []

    def spy(block: bytes) -> Any:
        parsed.append(block)
        return parse_head(block)

    monkeypatch.setattr(request_reader, "parse_head", spy)
    reader = RequestReader(open_context(app))
    for raw, number in (
        (post(), 1),
        (post(Connection="close"), 1),
        (post(Host="evil.example"), 1),
        (post(Traceparent="00-" + "1" * 32 + "-" + "2" * 16 + "-01"), 3),
    ):
        parsed.clear()
        heads = [reader.read_head(raw) for _ in range(3)]
        assert len(parsed) == number
        assert heads[0] is not None
        assert [head and head[:2] for head in heads] == [heads[0][:2]] * 3


def test_an_incomplete_block_is_left_to_tornado(app: Runtime) -> None:
    """So is one that is longer than any client's."""
    reader = RequestReader(open_context(app))
    end = post().index(b"\r\n\r\n") + 4
    head = reader.read_head(post())
    assert head is not None
    assert (head.size, head.length) == (end, len(BODY))
    assert reader.read_head(post()[: end - 1]) is None
    assert reader.read_head(post(X_Long="x" * 9_000)) is None


async def ask(site: Site, raw: bytes) -> int:
    """Return the status of an answer."""
    async with dial(site.port) as wire:
        await wire.send(raw)
        return (await wire.answer()).status


async def test_it_can_be_switched_off(knowledge: KnowledgeBase) -> None:
    """`--no-fast-path`: everything is answered without it."""
    async with serving(open_app(knowledge, fast_path=False)) as site:
        assert site.context.state.manager.fast_path is None
        assert [await ask(site, post()) for _ in "12"] == [200, 200]


async def test_a_reload_forgets_what_was_checked(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """A host that is no longer allowed is rejected; connections stay."""
    app = open_app(knowledge, allow_host=("kb.example",))
    (listening,) = open_sockets("127.0.0.1", 0)
    service = HttpService(app, [listening])
    raw = post(Host="kb.example")

    def change(**changed: Any) -> Settings:
        given = {
            name: getattr(app.settings, name) for name in app.settings.__struct_fields__
        }
        return Settings(**{**given, **changed})

    try:
        async with dial(service.port) as wire:

            async def converse() -> int:
                await wire.send(raw)
                return (await wire.answer()).status

            assert [await converse() for _ in "123"] == [200, 200, 200]
            assert await service.reload(lambda: change(fast_path=False))
            assert await converse() == 200
            assert await service.reload(lambda: change(allow_host=()))
        async with dial(service.port) as wire:
            await wire.send(raw)
            assert json.loads((await wire.answer()).body)["error"]["code"] == -32600
    finally:
        await service.stop()
