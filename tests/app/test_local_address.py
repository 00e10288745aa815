"""The address of a server for clients on its own machine."""

from typing import Any

import pytest

from asdlc_kb.app.local_address import find_local_url
from asdlc_kb.settings import Settings


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
