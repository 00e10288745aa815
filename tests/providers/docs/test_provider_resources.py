"""`kb://doc/{path}`: lists, reads, completion, and reads of missing pages."""

from typing import Any

import pytest
from support.canary import Scanner
from support.manual import PAGES, Manual
from support.peers import VERSIONS
from support.shelf import DirectPeer

from asdlc_kb.mcp.subscriptions.events import ResourceUpdated

EXPECTED = "Invalid URI format. Expected: kb://doc/{path}"


async def test_every_visible_page_is_a_resource(manual: Manual) -> None:
    """By path; blanks and letters of any script are percent-encoded, slashes kept."""
    long = f"---\ndescription: {'d' * 250}\n---\n# Long\n"
    manual.tree.write("long.md", long)
    manual.update()
    resources = (await manual.peer.result("resources/list"))["resources"]
    assert [resource["uri"] for resource in resources] == [
        "kb://doc/configuration.md",
        "kb://doc/gr%C3%B6%C3%9Fe.md",
        "kb://doc/guide/deep/down/x.mdx",
        "kb://doc/guide/first%20steps.md",
        "kb://doc/guide/index.md",
        "kb://doc/index.md",
        "kb://doc/long.md",
    ]
    assert resources[0] == {
        "uri": "kb://doc/configuration.md",
        "name": "configuration.md",
        "title": "Configuration",
        "description": "Every setting",
        "mimeType": "text/markdown",
    }
    named = {resource["name"]: resource for resource in resources}
    assert named["long.md"]["description"] == "d" * 199 + "…"
    assert "description" not in named["index.md"]
    for resource in resources:
        await manual.peer.result("resources/read", {"uri": resource["uri"]})


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_page_is_read_as_markdown(
    manual: Manual, scanner: Scanner, version: str
) -> None:
    """Complete, however large; under the requested URI."""
    large = "# Large\n\n" + "words " * 50_000
    manual.tree.write("large.md", large)
    manual.update()
    peer = DirectPeer(version, server=manual.server, scanner=scanner)
    for uri, text in (
        ("kb://doc/guide/first%20steps.md", PAGES["guide/first steps.md"]),
        ("kb://doc/guide/", PAGES["guide/index.md"]),
        ("kb://doc/large", large),
    ):
        (contents,) = (await peer.result("resources/read", {"uri": uri}))["contents"]
        assert contents == {"uri": uri, "text": text, "mimeType": "text/markdown"}


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("kb://doc/", EXPECTED),
        ("kb://doc/%ff", EXPECTED),
        (f"kb://doc/{'x' * 1001}", EXPECTED),
        ("kb://doc/none.md", "Documentation page 'none.md' not found"),
        ("kb://doc/known-draft.md", "Documentation page 'known-draft.md' not found"),
        ("kb://doc/..%2Fx.md", "Documentation page '../x.md' not found"),
        ("kb://doc/.env", "Documentation page '.env' not found"),
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
async def test_what_cannot_be_read_is_not_found(
    manual: Manual,
    scanner: Scanner,
    version: str,
    uri: str,
    message: str,
) -> None:
    """D-035: the code of the peer's era, the URI as data; never empty contents."""
    peer = DirectPeer(version, server=manual.server, scanner=scanner)
    error = await peer.error("resources/read", {"uri": uri})
    assert error["code"] == (-32602 if peer.is_stateless else -32002)
    assert error["message"] == message
    assert error["data"] == {"uri": uri[:500]}


async def test_there_is_one_template(manual: Manual) -> None:
    """Its variable is what completion completes."""
    (template,) = (await manual.peer.result("resources/templates/list"))[
        "resourceTemplates"
    ]
    assert template["uriTemplate"] == "kb://doc/{path}"
    assert template["mimeType"] == "text/markdown"


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ("guide/", ["guide/index.md", "guide/first steps.md", "guide/deep/down/x.mdx"]),
        ("INDEX", ["index.md", "guide/index.md"]),
        ("known", []),
    ],
)
async def test_paths_are_completed(
    manual: Manual, value: str, paths: list[str]
) -> None:
    """Prefix matches first; hidden pages never."""
    params: dict[str, Any] = {
        "ref": {"type": "ref/resource", "uri": "kb://doc/{path}"},
        "argument": {"name": "path", "value": value},
    }
    completion = (await manual.peer.result("completion/complete", params))["completion"]
    assert completion["values"] == paths
    assert completion["total"] == len(paths)


async def test_a_uri_is_spelled_as_lists_spell_it(manual: Manual) -> None:
    """D-117: events use this spelling, in whatever spelling a client subscribed."""
    for uri in ("kb://doc/guide/first steps.md", "kb://doc//guide/First%20steps"):
        assert manual.provider.canonical_uri(uri) == "kb://doc/guide/first%20steps.md"
        assert await manual.provider.exists(uri)
    assert manual.provider.canonical_uri("kb://doc/no ne") == "kb://doc/no%20ne"
    assert not await manual.provider.exists("kb://doc/known-draft.md")
    assert not await manual.provider.exists("kb://doc/")
    assert (
        ResourceUpdated(manual.provider.canonical_uri("kb://doc/")).uri == "kb://doc/"
    )
