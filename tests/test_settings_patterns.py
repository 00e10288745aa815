"""The patterns that the values of settings match."""

import re

import pytest

from asdlc_kb.settings_patterns import (
    NAME_PATTERN,
    ORIGIN_PATTERN,
    SERVER_NAME_PATTERN,
    URL_PATTERN,
)


@pytest.mark.parametrize(
    ("pattern", "value", "matches"),
    [
        (SERVER_NAME_PATTERN, "my-handbook", True),
        (SERVER_NAME_PATTERN, "A.b_2", True),
        (SERVER_NAME_PATTERN, "", False),
        (SERVER_NAME_PATTERN, "-x", False),
        (SERVER_NAME_PATTERN, "a b", False),
        (SERVER_NAME_PATTERN, "a\n", False),
        (SERVER_NAME_PATTERN, "x" * 65, False),
        (NAME_PATTERN, "Größe & <b>", True),
        (NAME_PATTERN, "a\nb", False),
        (NAME_PATTERN, " ", False),
        (URL_PATTERN, "https://kb.example.com/docs", True),
        (URL_PATTERN, "https://[::1]:8420", True),
        (URL_PATTERN, "ftp://example.com", False),
        (ORIGIN_PATTERN, "https://App.example.com:8443/", True),
        (ORIGIN_PATTERN, "http://[::1]:3000", True),
        (ORIGIN_PATTERN, "vscode-webview://1a2b", True),
        (ORIGIN_PATTERN, "app.example.com", False),
        (ORIGIN_PATTERN, "https://app.example.com/path", False),
        (ORIGIN_PATTERN, "https://*.example.com", False),
        (ORIGIN_PATTERN, "file://", False),
        (ORIGIN_PATTERN, "null", False),
        (ORIGIN_PATTERN, "*", False),
    ],
)
def test_a_value_matches_as_a_whole(pattern: str, value: str, matches: bool) -> None:
    """Without a line end behind it."""
    assert (re.search(pattern, value) is not None) == matches
