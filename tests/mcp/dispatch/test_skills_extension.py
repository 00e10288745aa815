"""The skills extension: declared if there are skills, and answered page by page."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.canary import Scanner
from support.shelf import DirectPeer, SampleProvider, make_server

from asdlc_kb.mcp.dispatch.provider import Provider
from asdlc_kb.mcp.dispatch.skills_extension import PAGE_SIZE
from asdlc_kb.mcp.protocol.model import Resource, Skill, SkillResource
from asdlc_kb.mcp.protocol.pagination import Listed
from asdlc_kb.mcp.protocol.versions import HANDSHAKE

L3, M = "2025-11-25", "2026-07-28"
EXTENSION = "io.modelcontextprotocol/skills"
DIGEST = f"sha256:{0:064}"
METHODS = ("skills/list", "skills/get", "resources/directory/read")
both_eras = pytest.mark.parametrize("version", [L3, M])


def uri_of(name: str, scheme: str = "skill") -> str:
    """Return the URI of a skill's main file."""
    return f"{scheme}://{name}/SKILL.md"


@dataclass
class SkillProvider(Provider):
    """Skills of two files each, and a folder of many."""

    names: list[str] = field(default_factory=lambda: ["a", "b"])
    scheme: str = "skill"
    has_skills = True
    gone: set[str] = field(default_factory=set)
    """Skills that are listed, and missing when requested."""

    def handles(self, uri: str) -> bool:
        return uri.startswith(f"{self.scheme}://")

    async def skills(self) -> Sequence[Listed[str]]:
        return [Listed(name, uri_of(name, self.scheme)) for name in self.names]

    async def find_skills(self, uris: Sequence[str]) -> Sequence[Skill]:
        return [
            Skill(
                uri=uri_of(name, self.scheme),
                frontmatter={"name": name, "description": "d", "x": [1, None]},
                resources=(
                    SkillResource(uri=uri_of(name), digest=DIGEST, size=0),
                    SkillResource(uri=f"skill://{name}/x", digest=DIGEST, size=3),
                ),
            )
            for name in self.names
            if uri_of(name, self.scheme) in uris and name not in self.gone
        ]

    async def list_directory(self, uri: str) -> Sequence[Listed[Resource]] | None:
        if uri == "skill://empty":
            return []
        if uri != "skill://a":
            return None
        names = [f"{number:03}" for number in range(120)]
        return [Listed(n, Resource(uri=f"skill://a/{n}", name=n)) for n in names]


def peer_of(scanner: Scanner, version: str, *providers: Provider) -> DirectPeer:
    """Return a client of a server with these providers."""
    return DirectPeer(version, server=make_server(*providers), scanner=scanner)


async def capabilities(peer: DirectPeer) -> dict[str, Any]:
    """Return the capabilities of a server."""
    if peer.is_stateless:
        result = await peer.result("server/discover")
    else:
        params = {"protocolVersion": peer.version}
        result = await peer.result("initialize", params)
    declared: dict[str, Any] = result["capabilities"]
    return declared


@both_eras
async def test_the_extension_is_declared_where_there_may_be_skills(
    scanner: Scanner, version: str
) -> None:
    """SEP-2640, capabilities: the settings are directly under the identifier."""
    declared = await capabilities(
        peer_of(scanner, version, SampleProvider(), SkillProvider([]))
    )
    assert declared["extensions"] == {EXTENSION: {"directoryRead": True}}
    assert "resources" in declared
    assert "extensions" not in await capabilities(
        peer_of(scanner, version, SampleProvider())
    )


@pytest.mark.parametrize("version", HANDSHAKE[:-1])
async def test_older_versions_know_of_no_extension(
    scanner: Scanner, version: str
) -> None:
    """schema.ts: what is not declared has no methods."""
    peer = peer_of(scanner, version, SkillProvider())
    assert "extensions" not in await capabilities(peer)
    for method in METHODS:
        assert (await peer.error(method, {"uri": "skill://a"}))["code"] == -32601


@pytest.mark.parametrize(("version", "status"), [(L3, 200), (M, 404)])
async def test_a_server_without_skills_has_none_of_the_methods(
    scanner: Scanner, version: str, status: int
) -> None:
    """The specification: an unknown method, with 404 in 2026-07-28."""
    peer = peer_of(scanner, version, SampleProvider())
    for method in METHODS:
        error = await peer.error(method, {"uri": "skill://a"})
        assert (error["code"], peer.status) == (-32601, status)
        assert error["message"] == f"Method '{method}' not found"


@both_eras
async def test_an_entry_has_frontmatter_and_every_file(
    scanner: Scanner, version: str
) -> None:
    """SEP-2640, skill entries; the same entry from skills/get."""
    peer = peer_of(scanner, version, SampleProvider(), SkillProvider(["a"]))
    listed = await peer.result("skills/list")
    entry = {
        "uri": "skill://a/SKILL.md",
        "frontmatter": {"name": "a", "description": "d", "x": [1, None]},
        "resources": [
            {"uri": "skill://a/SKILL.md", "digest": DIGEST, "size": 0},
            {"uri": "skill://a/x", "digest": DIGEST, "size": 3},
        ],
    }
    assert listed["skills"] == [entry]
    assert "nextCursor" not in listed
    got = await peer.result("skills/get", {"uri": "skill://a/SKILL.md"})
    assert got["skill"] == entry
    hints = {"ttlMs": 60_000, "cacheScope": "public"} if version == M else {}
    for result in (listed, got):
        found = {key: result[key] for key in ("ttlMs", "cacheScope") if key in result}
        assert found == hints


@both_eras
async def test_entries_come_whole_on_pages_over_all_providers(
    scanner: Scanner, version: str
) -> None:
    """SEP-2640, listing: cursors as elsewhere, and no entry is split."""
    names = [f"s{number:02}" for number in range(PAGE_SIZE + 3)]
    racks = (
        SkillProvider(names[:-2], gone={"s01"}),
        SkillProvider(names[-2:], scheme="other"),
    )
    peer = peer_of(scanner, version, *racks)
    first = await peer.result("skills/list")
    rest = await peer.result("skills/list", {"cursor": first["nextCursor"]})
    assert "nextCursor" not in rest
    found = [
        [skill["frontmatter"]["name"] for skill in page]
        for page in (first["skills"], rest["skills"])
    ]
    assert found == [[names[0], *names[2:PAGE_SIZE]], names[PAGE_SIZE:]]
    error = await peer.error("skills/list", {"cursor": "x"})
    assert error["code"] == -32602


@both_eras
@pytest.mark.parametrize(
    "uri", ["skill://none/SKILL.md", "skill://a", "note://a", "", "x" * 9_000]
)
async def test_an_unknown_skill_is_an_invalid_parameter(
    scanner: Scanner, version: str, uri: str
) -> None:
    """SEP-2640, getting a skill: -32602 in every version."""
    peer = peer_of(scanner, version, SampleProvider(), SkillProvider())
    error = await peer.error("skills/get", {"uri": uri})
    assert error["code"] == -32602
    assert error["message"] == f"No skill is served at {uri[:200]}"
    assert error["data"] == {"uri": uri[:200]}


@both_eras
@pytest.mark.parametrize("method", ["skills/get", "resources/directory/read"])
@pytest.mark.parametrize("params", [{}, {"uri": None}, {"uri": 7}])
async def test_a_uri_must_be_a_text(
    scanner: Scanner, version: str, method: str, params: dict[str, Any]
) -> None:
    """SEP-2640: params.uri is a string."""
    error = await peer_of(scanner, version, SkillProvider()).error(method, params)
    assert (error["code"], error["message"]) == (
        -32602,
        "Invalid params: uri must be a string",
    )


@both_eras
async def test_a_folder_is_read_page_by_page(scanner: Scanner, version: str) -> None:
    """SEP-2640, reading directories: resources, and a cursor as of resources/list."""
    peer = peer_of(scanner, version, SkillProvider())
    params = {"uri": "skill://a"}
    first = await peer.result("resources/directory/read", params)
    cursor = first["nextCursor"]
    rest = await peer.result("resources/directory/read", {**params, "cursor": cursor})
    assert [len(page["resources"]) for page in (first, rest)] == [100, 20]
    assert first["resources"][0] == {"uri": "skill://a/000", "name": "000"}
    assert "nextCursor" not in rest
    assert "ttlMs" not in first
    elsewhere = {"uri": "skill://empty", "cursor": cursor}
    assert (await peer.error("resources/directory/read", elsewhere))["code"] == -32602
    empty = await peer.result("resources/directory/read", {"uri": "skill://empty"})
    assert empty["resources"] == []


@pytest.mark.parametrize(
    "method", ["tools/list", "resources/templates/list", "prompts/list", "skills/list"]
)
async def test_a_cursor_of_another_list_is_invalid(
    scanner: Scanner, method: str
) -> None:
    """The client would lose the first items of this list without a sign."""
    notes = [f"n{n:03}" for n in range(101)]
    peer = peer_of(scanner, M, SampleProvider(notes=notes), SkillProvider())
    cursor = (await peer.result("resources/list"))["nextCursor"]
    error = await peer.error(method, {"cursor": cursor})
    assert (error["code"], error["data"]["reason"]) == (
        -32602,
        "not a cursor of this list",
    )


@both_eras
@pytest.mark.parametrize("uri", ["skill://a/SKILL.md", "skill://none", "note://a", ""])
async def test_what_is_no_folder_is_an_invalid_parameter(
    scanner: Scanner, version: str, uri: str
) -> None:
    """SEP-2640, errors: -32602, and the message says of what."""
    error = await peer_of(scanner, version, SampleProvider(), SkillProvider()).error(
        "resources/directory/read", {"uri": uri}
    )
    assert error["code"] == -32602
    assert error["message"] == f"{uri} is not a directory resource"


async def test_an_answer_about_skills_is_not_remembered(scanner: Scanner) -> None:
    """D-022: answers about projects are never cached."""
    rack = SkillProvider(["a"])
    peer = peer_of(scanner, M, rack)
    await peer.result("skills/list")
    rack.names = ["b"]
    assert "skill://b/" in json.dumps(await peer.result("skills/list"))
    assert peer.remembered == 0
