"""The contract of resources: articles as resources, search as readable text."""

import pytest
from interaction.content import FILES, SHOWN
from interaction.raw import MODIFIED_SINCE, Connect, has, titled, tool_value
from support.knowledge import KnowledgeBase
from support.peers import open_app

from asdlc_kb.app import Runtime


@pytest.mark.behaviour("resources-list")
async def test_resources_are_the_articles_newest_first(
    project_app: Runtime, connect: Connect
) -> None:
    """resources/list: URI, name, description and type of every visible article."""
    async with connect(project_app) as peer:
        resources = (await peer.result("resources/list"))["resources"]
    assert [r["uri"] for r in resources] == [f"kb://article/{f.slug}" for f in SHOWN]
    for resource, file in zip(resources, SHOWN, strict=True):
        titles = {key: resource[key] for key in ("name", "title") if key in resource}
        assert titles == {"name": file.slug, **titled(peer, file.title)}
        assert resource["description"] == file.description
        assert resource["mimeType"] == "text/markdown"
        annotations = {
            "audience": ["user", "assistant"],
            "priority": 0.8 if file.status == "Live" else 0.4,
        }
        if has(peer, MODIFIED_SINCE):
            annotations["lastModified"] = f"{file.updated}T00:00:00Z"
        assert resource["annotations"] == annotations


@pytest.mark.behaviour("resources-list")
async def test_long_descriptions_are_cut_in_lists_and_whole_in_tools(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-104: resources/list has at most 200 characters, tools the whole."""
    description = "é" * 150 + " " + "x" * 100
    knowledge.write("concepts/wordy", description=description)
    async with connect(open_app(knowledge)) as peer:
        resources = (await peer.result("resources/list"))["resources"]
        article = tool_value(await peer.call("get_article", slug="wordy"))
    assert resources[0]["description"] == "é" * 150 + "…"
    assert article["description"] == description


@pytest.mark.behaviour("resources-read")
async def test_an_article_reads_as_markdown_with_a_footer(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-010: resources/read: title, text, then author, category and date."""
    knowledge.write(
        "patterns/signed",
        title="Signed",
        author="Ada",
        publishedDate="2024-11-04",
        tags="[guide, beginner]",
        body="Text.\n",
    )
    knowledge.write(
        "patterns/plain", tags="[]", status="Experimental", body="# Plain\n\nText.\n"
    )
    async with connect(open_app(knowledge)) as peer:
        signed = await peer.result("resources/read", {"uri": "kb://article/signed"})
        plain = await peer.result("resources/read", {"uri": "kb://article/plain"})
    assert signed["contents"] == [
        {
            "uri": "kb://article/signed",
            "mimeType": "text/markdown",
            "text": "# Signed\n\nText.\n\nAuthor: Ada\nCategory: patterns\n"
            "Tags: guide, beginner\nPublished: 2024-11-04\nStatus: Live",
        }
    ]
    assert plain["contents"][0]["text"] == (
        "# Plain\n\nText.\n\nAuthor: Unknown\nCategory: patterns\nTags: None\n"
        "Published: 2025-01-15\n"
        "Status: Experimental (high-risk: an emerging pattern, not yet proven)"
    )


@pytest.mark.behaviour("resources-read")
async def test_every_listed_resource_can_be_read(
    project_app: Runtime, connect: Connect
) -> None:
    """resources/read: each item of the list, in full."""
    bodies = {file.slug: file.body.strip("\n") for file in FILES}
    titles = {file.slug: file.title for file in FILES}
    async with connect(project_app) as peer:
        for resource in (await peer.result("resources/list"))["resources"]:
            uri = resource["uri"]
            read = await peer.result("resources/read", {"uri": uri})
            (contents,) = read["contents"]
            slug = uri.removeprefix("kb://article/")
            assert contents["uri"] == uri
            assert slug == resource["name"]
            assert f"# {titles[slug]}\n\n{bodies[slug]}\n\n" in contents["text"]


@pytest.mark.behaviour("resources-read")
async def test_a_name_of_other_scripts_is_percent_encoded(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """RFC 3986: a URI has only ASCII; what is listed can be read."""
    knowledge.write("concepts/日本語", title="Other", lastUpdated="2025-06-01")
    uri = "kb://article/%E6%97%A5%E6%9C%AC%E8%AA%9E"
    async with connect(open_app(knowledge)) as peer:
        resources = (await peer.result("resources/list"))["resources"]
        read = await peer.result("resources/read", {"uri": uri})
        as_written = await peer.result("resources/read", {"uri": "kb://article/日本語"})
    assert resources[0]["uri"] == uri
    assert read["contents"][0]["text"].startswith("# Other\n")
    assert as_written["contents"][0]["text"] == read["contents"][0]["text"]


@pytest.mark.behaviour("resources-bad-uri")
@pytest.mark.parametrize(
    "uri",
    [
        "kb://article/",
        "kb://articles/x",
        "kb:article/x",
        "KB://article/context-engineering",
        "file:///etc/passwd",
        "http://127.0.0.1/",
        "",
        "kb://article/%ff",
    ],
)
async def test_a_uri_of_another_form_is_told_the_right_one(
    project_app: Runtime, connect: Connect, uri: str
) -> None:
    """D-035: the code is that of a missing resource."""
    async with connect(project_app) as peer:
        error = await peer.error("resources/read", {"uri": uri})
        code = -32602 if peer.is_stateless else -32002
    assert error == {
        "code": code,
        "message": "Invalid URI format. Expected: kb://article/{slug}",
        "data": {"uri": uri},
    }


@pytest.mark.behaviour("resources-found")
async def test_a_search_can_be_read_as_text(
    knowledge: KnowledgeBase, connect: Connect
) -> None:
    """D-010: Found N articles, a block each; none: it says so."""
    knowledge.write("patterns/wide", title="Wide", description="w" * 220)
    knowledge.write("concepts/widow", title="Widow", lastUpdated="2024-01-01")
    async with connect(open_app(knowledge)) as peer:
        result = await peer.call("search_articles", query="wid", format="markdown")
        none = await peer.call("search_articles", query="qqq", format="markdown")
    assert result["content"][0]["text"] == (
        "Found 2 articles:\n\n"
        "- Widow (widow)\n  Category: concepts\n  What widow is about\n\n"
        f"- Wide (wide)\n  Category: patterns\n  {'w' * 199}…"
    )
    assert none["content"][0]["text"] == "No articles found matching 'qqq'."
