"""The table of methods by version."""

import pytest

from asdlc_kb.mcp.protocol.methods import METHODS, find_method
from asdlc_kb.mcp.protocol.versions import KNOWN

L0, L1, L2, L3, M = KNOWN
SHAKING_HANDS = {
    "initialize",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
}
EVERYWHERE = {
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
}
EXTENDING = {"skills/list", "skills/get", "resources/directory/read"}


@pytest.mark.parametrize(
    ("version", "own"),
    [
        *((version, SHAKING_HANDS) for version in (L0, L1, L2)),
        (L3, SHAKING_HANDS | EXTENDING),
        (M, {"server/discover", "subscriptions/listen"} | EXTENDING),
        ("2099-01-01", set()),
    ],
)
def test_a_version_has_its_own_methods_and_the_common_ones(
    version: str, own: set[str]
) -> None:
    """The specification: 2026-07-28 drops the handshake and ping for discover, and
    both methods of subscription for one stream.
    """
    served = {name for name in METHODS if find_method(name, version)}
    assert served == (own | EVERYWHERE if own else set())


@pytest.mark.parametrize("version", KNOWN)
@pytest.mark.parametrize(
    "name",
    [
        "logging/setLevel",
        "tasks/list",
        "tools/List",
        "tools/list ",
        "__init__",
        "",
    ],
)
def test_a_method_without_a_row_does_not_exist(name: str, version: str) -> None:
    """The specification: a capability that is not declared has no methods."""
    assert find_method(name, version) is None


def test_three_methods_repeat_a_parameter_in_a_header() -> None:
    """The specification, 2026-07-28 streamable-http: Mcp-Name is of three methods."""
    mirrored = {name: row.mirrored for name, row in METHODS.items() if row.mirrored}
    assert mirrored == {
        "tools/call": "name",
        "prompts/get": "name",
        "resources/read": "uri",
    }


def test_the_methods_of_an_extension_name_it() -> None:
    """SEP-2640: three methods, which exist where the extension is declared."""
    named = {name: row.extension for name, row in METHODS.items() if row.extension}
    assert named == dict.fromkeys(EXTENDING, "io.modelcontextprotocol/skills")


def test_eight_results_carry_caching_hints() -> None:
    """The specification, server/utilities/caching, and SEP-2640; D-036: resource lists
    and reads are cached for a shorter time than lists that do not change.
    """
    assert {name: row.cached for name, row in METHODS.items() if row.cached} == {
        "server/discover": "discovery",
        "tools/list": "list",
        "prompts/list": "list",
        "resources/templates/list": "list",
        "resources/list": "resource",
        "resources/read": "resource",
        "skills/list": "resource",
        "skills/get": "resource",
    }
