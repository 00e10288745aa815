"""The tools of documentation: pages, sections, chunks and lists."""

from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.files import save_over
from support.manual import PAGES, Manual
from support.peers import VERSIONS
from support.shelf import DirectPeer

from asdlc_kb.mcp.dispatch.provider import CallContext

LARGE = "# Large\n\n" + "".join(
    f"## Chapter {number}\n\n{'Many words in it. ' * 300}\n\n" for number in range(60)
)


async def test_a_page_is_given_as_markdown(manual: Manual) -> None:
    """D-020: its text, without frontmatter; the same in structured content."""
    body = PAGES["configuration.md"].partition("---\n")[2].partition("---\n")[2]
    assert await manual.text("get_doc_page", path="configuration.md") == body
    assert await manual.call("get_doc_page", path="configuration.md") == {
        "path": "configuration.md",
        "title": "Configuration",
        "category": "root",
        "description": "Every setting",
        "tags": ["env"],
        "content": body,
        "characters": len(body),
        "start": 0,
        "end": len(body),
    }


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *(("/configuration", "configuration.md"), ("guide/", "guide/index.md")),
        *(("GUIDE/First Steps.md", "guide/first steps.md"), ("/", "index.md")),
        *(("guide/first%20steps", "guide/first steps.md"), ("größe", "größe.md")),
        ("guide/deep/down/x.html", "guide/deep/down/x.mdx"),
    ],
)
async def test_a_page_is_found_by_what_people_call_it(
    manual: Manual, name: str, path: str
) -> None:
    """The result has the path as it is on disk."""
    assert (await manual.call("get_doc_page", path=name))["path"] == path


async def test_links_lead_to_what_can_be_asked_for(manual: Manual) -> None:
    """In pages, passages and resources; what an answer names is found."""
    link = "[Steps](../first-steps/#zebra) `[x](../first-steps/)`"
    path = "guide/first%20steps.md"
    manual.tree.write("guide/zebra.md", f"# Zebra\n\nA zebra is at {link}.\n")
    manual.update()
    expected = f"[Steps]({path}#zebra) `[x](../first-steps/)`"
    assert expected in await manual.text("get_doc_page", path="guide/zebra.md")
    assert expected in await manual.text("search_docs", query="zebra")
    read = await manual.peer.result("resources/read", {"uri": "kb://doc/guide/zebra"})
    assert expected in read["contents"][0]["text"]
    found = await manual.call("get_doc_page", path=f"{path}#zebra")
    assert found["path"] == "guide/first steps.md"


async def test_sections_are_given_below_the_title(manual: Manual) -> None:
    """Any level, any case, by heading or anchor; code is no heading."""
    text = await manual.text(
        "get_doc_page", path="configuration", sections=["rate LIMITS"]
    )
    assert text.startswith("# Configuration\n\n## Rate limits\n\nAt most 120")
    assert "### Bursts" in text and text.count("```") == 2
    assert "## Paths" not in text and "Settings are" not in text
    bursts = await manual.call(
        "get_doc_page", path="configuration", sections=["#bursts", "Paths"]
    )
    assert bursts["content"].startswith("# Configuration\n\n### Bursts\n")
    assert bursts["content"].endswith("## Paths\n\nWhere things lie.\n")


async def test_an_anchor_in_the_path_names_a_section(manual: Manual) -> None:
    """Search results show both; `sections` win, and a missing anchor is reported."""
    name = "configuration.md"
    for path in (f"{name}#rate-limits", f"kb://doc/{name}#Rate%20limits"):
        text = await manual.text("get_doc_page", path=path)
        assert text.startswith("# Configuration\n\n## Rate limits\n\nAt most 120")
        assert "## Paths" not in text
    text = await manual.text("get_doc_page", path=f"{name}#bursts", sections=["Paths"])
    assert text == "# Configuration\n\n## Paths\n\nWhere things lie.\n"
    result = await manual.peer.call("get_doc_page", path=f"{name}#none")
    whole, note = (item["text"] for item in result["content"])
    assert whole == await manual.text("get_doc_page", path=name)
    assert note == "It has no section 'none'."


async def test_a_hash_in_the_name_of_a_file_is_no_anchor(manual: Manual) -> None:
    """A page of C#."""
    manual.tree.write("c#.md", "# C\n\n## md\n\nText.\n")
    manual.update()
    result = await manual.peer.call("get_doc_page", path="c#.md")
    assert [item["text"] for item in result["content"]] == ["# C\n\n## md\n\nText.\n"]


@pytest.mark.parametrize("sections", [None, []])
async def test_no_sections_are_the_whole_page(
    manual: Manual, sections: list[str] | None
) -> None:
    """Many clients send null or an empty list for what they leave out."""
    answer = await manual.call("get_doc_page", path="guide/", sections=sections)
    assert answer["content"] == PAGES["guide/index.md"]


@pytest.mark.parametrize("max_chars", [None, 5_000, 80_000])
async def test_a_large_page_comes_in_parts(
    manual: Manual, max_chars: int | None
) -> None:
    """Outline first, then chunk after chunk by cursor; joined, they are the page."""
    manual.tree.write("large.md", LARGE)
    manual.update()
    arguments: dict[str, Any] = {"path": "large.md", "max_chars": max_chars}
    whole, cursor, count = "", None, 0
    while True:
        result = await manual.peer.call("get_doc_page", **arguments, cursor=cursor)
        answer = result["structuredContent"]
        text, note = (item["text"] for item in result["content"])
        assert answer["start"] == len(whole)
        assert len(text) <= (max_chars or 10_000)
        assert ("outline" in answer) is (count == 0)
        whole += answer["content"]
        assert answer["end"] == len(whole)
        count += 1
        cursor = answer.get("nextCursor")
        if cursor is None:
            break
        advice = "Or name `sections` of its outline."
        assert note.endswith(f'Next: cursor "{cursor}". {advice}')
    assert note.endswith("This is the last part.")
    assert whole == LARGE
    assert count > 1


async def test_a_part_of_a_large_page_is_found_by_its_outline(manual: Manual) -> None:
    """Names of the outline can be requested."""
    manual.tree.write("large.md", LARGE)
    manual.update()
    first = await manual.call("get_doc_page", path="large", max_chars=80_000)
    outline = first["outline"]
    assert outline[0]["heading"] == "Large"
    answer = await manual.call(
        "get_doc_page", path="large", sections=[outline[30]["anchor"]]
    )
    assert "## Chapter 29\n" in answer["content"]
    assert "nextCursor" not in answer


async def test_a_cursor_of_a_page_that_changed_is_refused(manual: Manual) -> None:
    """D-011: a stale cursor is a clear tool error, not a wrong chunk."""
    path = manual.tree.write("large.md", LARGE)
    manual.update()
    cursor = (await manual.call("get_doc_page", path="large"))["nextCursor"]
    save_over(path, LARGE.replace("Many", "Some"))
    for token in (cursor, "forged", " "):
        error = await manual.failure("get_doc_page", path="large", cursor=token)
        assert error.startswith("Invalid cursor: ")
        assert error.endswith("Ask again without it")


async def test_a_page_is_as_fresh_as_its_file(manual: Manual) -> None:
    """D-066: saved, hidden, shown: visible to the next call, before the watcher."""
    for text, is_shown in (
        ("# Two\n", True),
        ("---\ndraft: true\n---\n# Two\n", False),
        ("# Three\n", True),
    ):
        manual.tree.write("guide/index.md", text)
        # The last result comes from the cache.
        for _ in range(3):
            result = await manual.peer.call("get_doc_page", path="guide/index.md")
            assert result.get("isError", False) is not is_shown
            if is_shown:
                assert result["content"][0]["text"] == text
    assert manual.peer.remembered == 2


async def test_pages_are_listed_by_category(manual: Manual) -> None:
    """D-100: a Markdown list with paths and titles, and the total."""
    assert await manual.text("list_doc_pages") == (
        "# Available Documentation Pages\n\n"
        "- [Welcome](index.md)\n"
        "- [Configuration](configuration.md): Every setting\n"
        "- [Größe](größe.md)\n\n"
        "## Guide\n\n"
        "- [Guide](guide/index.md)\n"
        "- [First \\[steps\\]](<guide/first steps.md>)\n"
        "- [Deep down](guide/deep/down/x.mdx)\n\n"
        "---\n\n"
        "Total: 6 pages"
    )
    answer = await manual.call("list_doc_pages")
    assert answer["total"] == 6
    assert answer["pages"][1] == {
        "path": "configuration.md",
        "title": "Configuration",
        "category": "root",
        "description": "Every setting",
    }


async def test_an_empty_category_is_none(manual: Manual) -> None:
    """Some clients send every argument."""
    everything = await manual.text("list_doc_pages")
    assert await manual.text("list_doc_pages", category="") == everything


@pytest.mark.parametrize("category", ["guide", "GUIDE", "Guide/"])
async def test_a_category_is_listed_alone(manual: Manual, category: str) -> None:
    """Case-insensitive."""
    text = await manual.text("list_doc_pages", category=category)
    assert text.startswith(f"# Documentation Pages in '{category}'\n\n- [Guide](guide/")
    assert text.endswith("Total: 3 pages")
    answer = await manual.call("list_doc_pages", category=category)
    assert [page["category"] for page in answer["pages"]] == ["guide"] * 3


async def test_the_sidebar_is_the_order_and_the_categories(manual: Manual) -> None:
    """A group of the sidebar is a category; a hidden page in it is not named."""
    sidebar = "* Basics\n  * [Go](guide/)\n  * [Top](/)\n  * [Draft](known-draft.md)\n"
    manual.tree.write("sidebar.md", sidebar)
    manual.update()
    text = await manual.text("list_doc_pages")
    assert "## Basics\n\n- [Guide](guide/index.md)\n- [Welcome](index.md)\n\n" in text
    assert "Draft" not in text and "sidebar" not in text
    answer = await manual.call("list_doc_pages", category="basics")
    assert answer["total"] == 2


@pytest.mark.parametrize("limit", [1, 2, 4])
async def test_a_list_goes_on_where_it_ended(manual: Manual, limit: int) -> None:
    """By cursor, to the end, each page once."""
    paths, cursor = [], None
    while True:
        answer = await manual.call("list_doc_pages", limit=limit, cursor=cursor)
        paths += [page["path"] for page in answer["pages"]]
        cursor = answer.get("nextCursor")
        if cursor is None:
            break
        arguments = {"limit": limit, "cursor": cursor}
        page = await manual.peer.call("list_doc_pages", **arguments)
        note = page["content"][1]["text"]
        assert note.startswith(f"Pages {len(paths) + 1:,} to ")
    assert len(paths) == len(set(paths)) == 6
    manual.tree.write("new.md", "# New\n")
    first = (await manual.call("list_doc_pages", limit=limit))["nextCursor"]
    manual.update()
    error = await manual.failure("list_doc_pages", cursor=first)
    assert error.startswith("Invalid cursor: it belongs to other arguments")


async def test_a_long_list_stays_within_an_answer(manual: Manual) -> None:
    """No default answer exceeds 80,000 characters, whatever the titles are."""
    for number in range(150):
        text = f"---\ndescription: {'d' * 300}\n---\n# {'T' * 290}\n"
        manual.tree.write(f"many/{number}.md", text)
    manual.update()
    answer = await manual.call("list_doc_pages")
    assert 10 < len(answer["pages"]) < 100
    assert len(manual.peer.body) < 80_000
    assert answer["total"] == 156


async def test_an_empty_tree_says_so(tmp_path: Path, manual: Manual) -> None:
    """An empty tree is no error."""
    for path in PAGES:
        (manual.tree.root / path).unlink()
    manual.update()
    assert await manual.text("list_doc_pages") == "There are no documentation pages."


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_version_is_served(
    manual: Manual, scanner: Scanner, version: str
) -> None:
    """The three tools answer peers of any version, which get their schemas."""
    peer = DirectPeer(version, server=manual.server, scanner=scanner)
    tools = (await peer.result("tools/list"))["tools"]
    names = [tool["name"] for tool in tools]
    assert names == ["search_docs", "get_doc_page", "list_doc_pages"]
    result = await peer.call("get_doc_page", path="guide")
    assert result["content"][0]["text"] == PAGES["guide/index.md"]


CALLS = [
    ("tools/call", {"name": "get_doc_page", "arguments": {"path": "guide"}}),
    ("tools/call", {"name": "list_doc_pages", "arguments": {}}),
    ("tools/call", {"name": "search_docs", "arguments": {"query": "pelican"}}),
    ("resources/read", {"uri": "kb://doc/guide/index.md"}),
    ("resources/list", {}),
]


@pytest.mark.parametrize(("method", "params"), CALLS)
async def test_an_answer_is_remembered_until_something_changes(
    manual: Manual, method: str, params: dict[str, Any]
) -> None:
    """D-107: hot, read-only calls are bytes; the peer compares them."""
    first = await manual.peer.result(method, params)
    assert await manual.peer.result(method, params) == first
    assert manual.peer.remembered == 1
    manual.tree.write("guide/index.md", "# Guide to a pelican\n")
    manual.update()
    assert await manual.peer.result(method, params) != first


async def test_the_source_of_a_page_is_given_if_asked_for(manual: Manual) -> None:
    """With its frontmatter; sections of it too."""
    text = await manual.text("get_doc_page", path="configuration", format="source")
    assert text == PAGES["configuration.md"]
    section = await manual.text(
        "get_doc_page", path="configuration", format="source", sections=["Bursts"]
    )
    assert "### Bursts" in section and "## Paths" not in section


async def test_a_list_takes_no_waiting(manual: Manual) -> None:
    """A page is read from its file, and a search waits for the index."""
    for arguments in ({}, {"category": "guide", "limit": 1}):
        result = manual.provider.call_now("list_doc_pages", arguments)
        context = CallContext("2026-07-28")
        assert result == await manual.provider.call_tool(
            "list_doc_pages", arguments, context
        )
    for name, others in (
        ("list_doc_pages", {"category": "none"}),
        ("list_doc_pages", {"limit": 0}),
        ("get_doc_page", {"path": "index.md"}),
        ("search_docs", {"query": "pelican"}),
    ):
        assert manual.provider.call_now(name, others) is None
