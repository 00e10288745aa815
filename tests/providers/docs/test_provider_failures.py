"""How the tools of documentation fail, and that nothing hidden leaves."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from support.canary import CANARY, Scanner
from support.manual import Manual

NOT_SEEN = [
    *("known-draft", "known-draft.md", "none", "guide/none.md", "KNOWN-DRAFT.md"),
    *(".env", ".hidden.md", ".git/x.md", "notes.txt", "guide/.cache/x.md"),
    *("outside.md", "outside/secret.md", "dotfile.md", "node_modules/package/README"),
    *("guide/node_modules/README.md", "../docs-outside/secret.md", "/etc/passwd"),
    *("guide/../index.md", "guide\\index.md", "a\0b", "x" * 1000, "sidebar.md"),
]


@pytest.mark.parametrize("arguments", [{}, {"path": None}, {"path": ""}])
async def test_a_missing_path_is_told(
    manual: Manual, arguments: dict[str, Any]
) -> None:
    """D-102: the text of a missing argument."""
    error = await manual.failure("get_doc_page", **arguments)
    assert error == "Missing required parameter: path"
    error = await manual.failure("search_docs")
    assert error == "Missing required parameter: query"


@pytest.mark.parametrize("path", NOT_SEEN)
async def test_what_cannot_be_seen_is_not_found(manual: Manual, path: str) -> None:
    """Hidden, missing, not served and outside: the same words for all."""
    error = await manual.failure("get_doc_page", path=path)
    assert error == f"Documentation page '{path}' not found"
    sections = await manual.failure("get_doc_page", path=path, sections=["x"])
    assert sections == error


async def test_errors_carry_their_data(tmp_path: Path, scanner: Scanner) -> None:
    """D-004: {path}, {field, error}; as protocol errors if configured."""
    manual = Manual(tmp_path / "docs", scanner, tool_errors="protocol")
    for arguments, message, data in (
        (
            {"path": "none.md"},
            "Documentation page 'none.md' not found",
            {"path": "none.md"},
        ),
        ({}, "Missing required parameter: path", {"field": "path", "error": "missing"}),
        (
            {"path": "guide", "cursor": "x"},
            "Invalid cursor: not a cursor of this tool. Ask again without it",
            {"field": "cursor", "error": "not a cursor of this tool"},
        ),
        (
            {"path": "guide", "sections": ["x"]},
            "No section 'x' in 'guide/index.md'. Sections of this page:\n"
            "- Guide (#guide)",
            {"path": "guide/index.md"},
        ),
    ):
        params = {"name": "get_doc_page", "arguments": arguments}
        error = await manual.peer.error("tools/call", params)
        assert (error["code"], error["message"]) == (-32602, message)
        assert error["data"] == data


async def test_an_unknown_section_is_told_with_those_there_are(manual: Manual) -> None:
    """So that the next call can name one."""
    error = await manual.failure(
        "get_doc_page", path="configuration", sections=["Limits", "Paths"]
    )
    assert error == (
        "No section 'Limits' in 'configuration.md'. Sections of this page:\n"
        "- Configuration (#configuration)\n- Rate limits (#rate-limits)\n"
        "- Bursts (#bursts)\n- Paths (#paths)"
    )


async def test_an_unknown_category_is_told_with_the_visible_ones(
    manual: Manual,
) -> None:
    """Categories with only hidden pages are not named."""
    error = await manual.failure("list_doc_pages", category="nope")
    assert error == "Unknown category 'nope'. Categories: root, guide"


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("search_docs", {"query": "x" * 2001}, "query: must be a string of 1 to 2,000"),
        ("search_docs", {"query": 7}, "query: must be a string of 1 to 2,000"),
        ("search_docs", {"query": "x", "limit": 0}, "limit: must be an integer from 1"),
        (
            "search_docs",
            {"query": "x", "limit": 51},
            "limit: must be an integer from 1",
        ),
        (
            "list_doc_pages",
            {"limit": 1001},
            "limit: must be an integer from 1 to 1,000",
        ),
        ("get_doc_page", {"path": "x" * 1001}, "path: must be a string of 1 to 1,000"),
        (
            "get_doc_page",
            {"path": "x", "max_chars": 999},
            "max_chars: must be an integer from 1,000 to 80,000",
        ),
        (
            "get_doc_page",
            {"path": "x", "sections": 1},
            "sections: must be a list of at most 50 texts",
        ),
        (
            "get_doc_page",
            {"path": "x", "sections": ["y", 1]},
            "sections: must be a list of at most 50 texts",
        ),
        (
            "get_doc_page",
            {"path": "x", "cursor": "y" * 101},
            "cursor: must be a string of 0 to 100",
        ),
    ],
)
async def test_what_is_out_of_range_is_told_with_the_range(
    manual: Manual, tool: str, arguments: dict[str, Any], message: str
) -> None:
    """D-102: 1 to 2,000 characters, 1 to 50 results; the error says so."""
    text = await manual.failure(tool, **arguments)
    assert text.startswith(f"Invalid parameter {message}")


async def test_an_unknown_argument_is_told(manual: Manual) -> None:
    """With the known ones."""
    error = await manual.failure("get_doc_page", path="x", page=1)
    assert error == (
        "Unknown parameter: page. "
        "Known parameters: path, sections, format, include_images, max_chars, cursor"
    )


async def test_nothing_hidden_is_in_any_answer(manual: Manual) -> None:
    """Tools, resources, completion and errors; the peer scans every answer for it."""
    sidebar = f"* {CANARY}\n  * [{CANARY}](known-draft.md)\n* [{CANARY}](.env)\n"
    manual.tree.write("sidebar.md", sidebar)
    manual.tree.write("topbar.md", sidebar)
    manual.update()
    listed = await manual.call("list_doc_pages", limit=1000)
    assert listed["total"] == 6
    resources = (await manual.peer.result("resources/list"))["resources"]
    assert len(resources) == 6
    for word in ("secret", "plover", "known-draft", "says", "only", CANARY[:6]):
        answer = await manual.call("search_docs", query=word, limit=50)
        assert (answer["results"], answer["total"]) == ([], 0)
        reference = {"type": "ref/resource", "uri": "kb://doc/{path}"}
        params = {"ref": reference, "argument": {"name": "path", "value": word}}
        completed = await manual.peer.result("completion/complete", params)
        assert completed["completion"]["values"] == []
    for path in NOT_SEEN:
        await manual.failure("get_doc_page", path=path)
        uri = f"kb://doc/{quote(path)}"
        error = await manual.peer.error("resources/read", {"uri": uri})
        assert error["code"] == -32602
    await manual.failure("list_doc_pages", category="canary")
    await manual.failure("get_doc_page", path="index", sections=["x"])


async def test_a_page_that_is_hidden_leaves_everything_at_once(manual: Manual) -> None:
    """A demotion is visible to lists and searches after a scan, to reads at once."""
    text = f"---\nstatus: Deprecated\n---\n# Guide {CANARY}\n\nA pelican.\n"
    manual.tree.write("guide/index.md", text)
    error = await manual.failure("get_doc_page", path="guide/index.md")
    assert error == "Documentation page 'guide/index.md' not found"
    assert (await manual.call("list_doc_pages"))["total"] == 5
    result = await manual.call("search_docs", query="pelican")
    assert "guide/index.md" not in [row["path"] for row in result["results"]]


async def test_near_names_are_in_a_second_text(manual: Manual) -> None:
    """D-102: of pages and sections; D-015: by a URI or a title too."""
    for arguments, hint in (
        ({"path": "configurations.md"}, "Did you mean: configuration.md?"),
        ({"path": "configuration", "sections": "Rate limit"}, "Rate limits?"),
    ):
        result = await manual.peer.call("get_doc_page", **arguments)
        assert result["content"][1]["text"].endswith(hint)
    expected = await manual.peer.call("get_doc_page", path="configuration.md")
    for path in ("kb://doc/configuration.md", "CONFIGURATION", "/docs/configuration"):
        assert await manual.peer.call("get_doc_page", uri=path) == expected
