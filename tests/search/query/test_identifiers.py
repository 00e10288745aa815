"""Identifiers in a query."""

import pytest

from asdlc_kb.search.query.identifiers import (
    find_code_names,
    find_identifiers,
    find_parts,
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what does trailingSlash do", ["trailingSlash"]),
        ("set server.proxy and rate_limit", ["server.proxy", "rate_limit"]),
        ("client:only, std::move or p->next?", ["client:only", "std::move", "p->next"]),
        ("call parse_obj() of `a.b_c`", ["parse_obj", "a.b_c"]),
        ("[type=int_parsing, input", ["int_parsing"]),
        ("FastAPI on GitHub with JWT", []),
        ("read-only and/or http://localhost:3000 v1.2 12:30", []),
        ("It works. Then: stop. __init__", []),
    ],
)
def test_names_of_code_are_found(text: str, names: list[str]) -> None:
    """As typed; names of products, versions, ports and prose are none."""
    assert list(find_code_names(text)) == names


@pytest.mark.parametrize(
    ("text", "names", "parts"),
    [
        ("a well-known name", ["well-known"], set()),
        ("rate_limit: 5", ["rate_limit"], {"rate", "limit"}),
        ("client:only", ["client:only"], {"client", "only"}),
        ("lib/a.py ->x", ["lib/a.py"], {"lib", "a", "py"}),
        ("plain words", [], set()),
    ],
)
def test_parts_of_identifiers_are_listed(
    text: str, names: list[str], parts: set[str]
) -> None:
    """Words with hyphens are words."""
    assert list(find_identifiers(text)) == names
    assert find_parts(text) == parts
