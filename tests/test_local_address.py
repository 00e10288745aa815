"""The address of a server for clients on its own machine."""

import asyncio
import re
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.docs import DocsTree
from support.wire import BOUND, dial

from asdlc_kb.app import Runtime
from asdlc_kb.app.http_service import HttpService
from asdlc_kb.local_address import find_local_url
from asdlc_kb.settings import Settings
from asdlc_kb.web.http_server import open_sockets


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "http://127.0.0.1:8123"),
        ({"host": "localhost"}, "http://localhost:8123"),
        ({"host": "0.0.0.0"}, "http://127.0.0.1:8123"),
        ({"host": ""}, "http://127.0.0.1:8123"),
        ({"host": "::"}, "http://[::1]:8123"),
        ({"host": "192.168.0.7"}, "http://192.168.0.7:8123"),
        ({"tls_cert": "a.pem"}, "https://127.0.0.1:8123"),
    ],
)
def test_the_address_can_be_opened(given: dict[str, Any], expected: str) -> None:
    """The unspecified address is none that a client can call."""
    assert find_local_url(Settings(**given), 8123) == expected


async def test_the_connect_page_names_the_port_that_is_listened_on(
    app: Runtime, tmp_path: Path
) -> None:
    """Readers without scripts get it as it is; also after a reload of either kind."""
    docs = DocsTree(tmp_path / "docs")
    docs.write("a.md", "# A\n")
    service = HttpService(app, open_sockets("127.0.0.1", 0))
    settings: dict[str, Any]
    try:
        async with dial(service.port) as wire:
            for settings in ({}, {"title": "Other"}, {"docs": (str(docs.root),)}):
                assert await service.reload(
                    partial(msgspec.structs.replace, app.settings, **settings)
                )
                await wire.request("GET", "/connect")
                page = (await wire.answer()).body.decode()
                found = set(re.findall(r"127\.0\.0\.1:([0-9]+)", page))
                assert found == {str(service.port)}
    finally:
        await asyncio.wait_for(service.stop(), BOUND)
