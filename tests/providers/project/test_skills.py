"""Skills of projects: resources, entries with digests, folders (SEP-2640)."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.files import save_in_place
from support.shelf import DirectPeer, make_server
from support.workspace import make_workspace

from asdlc_kb.project.artifact_file import MAX_ASSET_BYTES
from asdlc_kb.project.registry import Projects
from asdlc_kb.providers.project.skills import SkillProvider

L3, M = "2025-11-25", "2026-07-28"
both_eras = pytest.mark.parametrize("version", [L3, M])

PLAN = (
    "---\nname: plan\ndescription: Plans. Use before work.\nmetadata:\n"
    '  owner: docs\n  version: "1.0"\n---\n# Plan\n\nRead `references/FORM.md`.\n'
)
NESTED = "---\nname: inner\ndescription: Inside.\n---\n"
FILES: Mapping[str, str | bytes] = {
    ".claude/skills/plan/SKILL.md": PLAN,
    ".claude/skills/plan/references/FORM.md": "\ufeff# Form\r\n",
    ".claude/skills/plan/scripts/a b%.sh": "echo 'hi'\n",
    ".claude/skills/plan/assets/logo.png": b"\x89PNG\r\n\0\xff",
    ".claude/skills/plan/assets/deep/blob": b"\xff\xfe",
    ".claude/skills/plan/Makefile": "all:\n",
    ".claude/skills/plan/inner/SKILL.md": NESTED,
    ".cursor/skills/brief/SKILL.md": "---\nname: brief\ndescription: Sums up.\n---\n",
    ".claude/skills/lenient/SKILL.md": "---\nname: lenient\ndescription: a: b\n---\n",
}


class Skills:
    """Projects with skills, the first called `shop`, and a peer."""

    def __init__(
        self,
        folder: Path,
        scanner: Scanner,
        *others: Path,
        version: str = M,
        home: Path | None = None,
    ) -> None:
        self.root = make_workspace(folder / "shop", FILES)
        self.folder = self.root / ".claude" / "skills" / "plan"
        provider = SkillProvider(Projects((self.root, *others)), home)
        server = make_server(provider)
        self.peer = DirectPeer(version, server=server, scanner=scanner)

    async def names(self) -> list[str]:
        """Return the URIs of the skills on the first page."""
        listed = await self.peer.result("skills/list")
        return [skill["uri"] for skill in listed["skills"]]

    async def get(self, uri: str) -> Any:
        """Return the entry of a skill."""
        return (await self.peer.result("skills/get", {"uri": uri}))["skill"]

    async def read(self, uri: str) -> Any:
        """Return the contents of a file."""
        (contents,) = (await self.peer.result("resources/read", {"uri": uri}))[
            "contents"
        ]
        assert contents.pop("uri") == uri
        return contents

    async def children(self, uri: str) -> Any:
        """Return the children of a folder, each without its URI, by URI."""
        params = {"uri": uri}
        result = await self.peer.result("resources/directory/read", params)
        return {child.pop("uri"): child for child in result["resources"]}


@pytest.fixture
def skills(tmp_path: Path, scanner: Scanner) -> Skills:
    """The skills of one project."""
    return Skills(tmp_path, scanner)


def data_of(contents: Mapping[str, str]) -> bytes:
    """Return the bytes that a host would compare."""
    if "text" in contents:
        return contents["text"].encode()
    return base64.b64decode(contents["blob"], validate=True)


@both_eras
async def test_an_entry_is_complete_and_can_be_verified(
    tmp_path: Path, scanner: Scanner, version: str
) -> None:
    """Every file once, SKILL.md included, nested skills' too; read, each has the
    digest and the size that the entry says (integrity and verification).
    """
    skills = Skills(tmp_path, scanner, version=version)
    entry = await skills.get("skill://plan/SKILL.md")
    assert entry["uri"] == "skill://plan/SKILL.md"
    assert entry["frontmatter"] == {
        "name": "plan",
        "description": "Plans. Use before work.",
        "metadata": {"owner": "docs", "version": "1.0"},
    }
    assert [file["uri"] for file in entry["resources"]] == [
        "skill://plan/SKILL.md",
        "skill://plan/Makefile",
        "skill://plan/assets/deep/blob",
        "skill://plan/assets/logo.png",
        "skill://plan/inner/SKILL.md",
        "skill://plan/references/FORM.md",
        "skill://plan/scripts/a%20b%25.sh",
    ]
    for file in entry["resources"]:
        data = data_of(await skills.read(file["uri"]))
        assert file["size"] == len(data)
        assert file["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert entry in (await skills.peer.result("skills/list"))["skills"]


@both_eras
async def test_what_strict_hosts_refuse_is_not_listed(
    tmp_path: Path, scanner: Scanner, version: str
) -> None:
    """SEP-2640, skill format; nested skills are files of the enclosing one."""
    skills = Skills(tmp_path, scanner, version=version)
    assert await skills.names() == ["skill://brief/SKILL.md", "skill://plan/SKILL.md"]
    for uri in ("skill://lenient/SKILL.md", "skill://plan/inner/SKILL.md"):
        error = await skills.peer.error("skills/get", {"uri": uri})
        assert error["code"] == -32602


async def test_answers_are_not_kept(skills: Skills) -> None:
    """D-022: private, with a ttl of 0; and up to date at once."""
    listed = await skills.peer.result("skills/list")
    got = await skills.peer.result("skills/get", {"uri": "skill://plan/SKILL.md"})
    read = await skills.peer.result("resources/read", {"uri": "skill://plan/SKILL.md"})
    for result in (listed, got, read):
        assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    save_in_place(skills.folder / "SKILL.md", PLAN + "More.\n")
    save_in_place(skills.folder / "new.txt", "new")
    after = await skills.get("skill://plan/SKILL.md")
    before = {file["uri"]: file["digest"] for file in got["skill"]["resources"]}
    changed = {
        f["uri"] for f in after["resources"] if f["digest"] not in before.values()
    }
    assert changed == {"skill://plan/SKILL.md", "skill://plan/new.txt"}
    assert (await skills.read("skill://plan/SKILL.md"))["text"] == PLAN + "More.\n"
    assert skills.peer.remembered == 0


@pytest.mark.parametrize(
    ("path", "media_type", "is_text"),
    [
        ("SKILL.md", "text/markdown", True),
        ("references/FORM.md", "text/markdown", True),
        ("scripts/a%20b%25.sh", "application/x-sh", True),
        ("scripts/a b%25.sh", "application/x-sh", True),
        ("Makefile", "text/plain", True),
        ("assets/logo.png", "image/png", False),
        ("assets/deep/blob", "application/octet-stream", False),
    ],
)
async def test_a_file_is_read_as_text_or_bytes(
    skills: Skills, path: str, media_type: str, is_text: bool
) -> None:
    """UTF-8 files are text; the media type depends on the name."""
    contents = await skills.read(f"skill://plan/{path}")
    assert contents["mimeType"] == media_type
    assert set(contents) == {"mimeType", "text" if is_text else "blob"}


@both_eras
async def test_the_main_file_of_a_skill_is_a_listed_resource(
    tmp_path: Path, scanner: Scanner, version: str
) -> None:
    """SEP-2640, resource metadata: name and description of its frontmatter."""
    skills = Skills(tmp_path, scanner, version=version)
    listed = (await skills.peer.result("resources/list"))["resources"]
    assert listed == [
        {
            "uri": f"skill://{name}/SKILL.md",
            "name": name,
            "description": description,
            "mimeType": "text/markdown",
        }
        for name, description in [
            ("brief", "Sums up."),
            ("plan", "Plans. Use before work."),
        ]
    ]
    templates = await skills.peer.result("resources/templates/list")
    (template,) = templates["resourceTemplates"]
    assert template["uriTemplate"] == "skill://{name}/{+path}"


async def test_a_skill_that_only_people_start_is_found_by_its_uri(
    skills: Skills,
) -> None:
    """D-274: it is in neither list."""
    text = FILES[".cursor/skills/brief/SKILL.md"]
    assert isinstance(text, str)
    text = text.replace("name:", "disable-model-invocation: true\nname:")
    save_in_place(skills.root / ".cursor/skills/brief/SKILL.md", text)
    uri = "skill://brief/SKILL.md"
    assert await skills.names() == ["skill://plan/SKILL.md"]
    listed = (await skills.peer.result("resources/list"))["resources"]
    assert [resource["name"] for resource in listed] == ["plan"]
    entry = await skills.get(uri)
    assert entry["frontmatter"]["disable-model-invocation"] is True
    assert (await skills.read(uri))["text"] == text


async def test_a_folder_has_its_direct_children(skills: Skills) -> None:
    """SEP-2640, reading directories: files as they are listed, folders with theirs."""
    folder = {"mimeType": "inode/directory"}
    assert await skills.children("skill://plan") == {
        "skill://plan/Makefile": {"name": "Makefile"},
        "skill://plan/SKILL.md": {
            "name": "plan",
            "description": "Plans. Use before work.",
            "mimeType": "text/markdown",
        },
        "skill://plan/assets": {"name": "assets", **folder},
        "skill://plan/inner": {"name": "inner", **folder},
        "skill://plan/references": {"name": "references", **folder},
        "skill://plan/scripts": {"name": "scripts", **folder},
    }
    assert await skills.children("skill://plan/assets") == {
        "skill://plan/assets/deep": {"name": "deep", **folder},
        "skill://plan/assets/logo.png": {"name": "logo.png", "mimeType": "image/png"},
    }
    assert await skills.children("skill://plan/inner") == {
        "skill://plan/inner/SKILL.md": {
            "name": "SKILL.md",
            "mimeType": "text/markdown",
        }
    }


ESCAPES = (
    "skill://plan/.env",
    "skill://plan/..",
    "skill://plan/../plan/SKILL.md",
    "skill://plan/../../../AGENTS.md",
    "skill://plan/%2E%2E/brief/SKILL.md",
    "skill://plan/..%2F..%2F..%2F.env",
    "skill://../.env",
    "skill://~outside/plan/SKILL.md",
    "skill://~shop/plan/SKILL.md",
    "skill://~/plan/SKILL.md",
    "skill://plan/SKILL.md%00",
    "skill://plan/SKILL.md/",
    "skill://plan/SKILL.md?x",
    "skill://plan//SKILL.md",
    "skill:///plan/SKILL.md",
    "skill://PLAN/SKILL.md",
    "skill://lenient/SKILL.md",
    "skill://plan/out",
    "skill://plan/out-folder/rule.mdc",
    "skill://plan/out-folder",
    "skill://plan/node_modules/x.js",
    "skill://plan/fifo",
    "skill://",
    f"skill://plan/{'x' * 9_000}",
)


@both_eras
@pytest.mark.parametrize("uri", ESCAPES)
async def test_what_is_not_a_skills_own_is_as_if_absent(
    tmp_path: Path, scanner: Scanner, version: str, uri: str
) -> None:
    """D-024: hidden, linked out, climbing or misspelt, by each method."""
    skills = Skills(tmp_path, scanner, version=version)
    folder = skills.folder
    (folder / ".env").write_text(CANARY)
    (folder / "out").symlink_to(tmp_path / "outside" / "rule.mdc")
    (folder / "out-folder").symlink_to(tmp_path / "outside")
    save_in_place(folder / "node_modules" / "x.js", CANARY)
    os.mkfifo(folder / "fifo")
    read = await skills.peer.error("resources/read", {"uri": uri})
    code = -32602 if version == M else -32002
    assert (read["code"], read["message"]) == (code, "Resource not found")
    assert read["data"] == {"uri": uri[:200]}
    for method in ("skills/get", "resources/directory/read"):
        assert (await skills.peer.error(method, {"uri": uri}))["code"] == -32602
    if version == L3:
        subscribed = await skills.peer.error("resources/subscribe", {"uri": uri})
        assert subscribed["code"] == -32002
    listed = [
        file["uri"] for file in (await skills.get("skill://plan/SKILL.md"))["resources"]
    ]
    assert uri not in listed
    assert uri not in await skills.children("skill://plan")


async def test_a_file_that_is_too_large_is_refused_with_the_reason(
    skills: Skills,
) -> None:
    """A host can show the reason to its user; the entry does not promise it."""
    (skills.folder / "big.bin").touch()
    os.truncate(skills.folder / "big.bin", MAX_ASSET_BYTES + 1)
    uri = "skill://plan/big.bin"
    error = await skills.peer.error("resources/read", {"uri": uri})
    assert error["code"] == -32602
    assert error["message"] == "The file is larger than 8,388,608 bytes"
    assert error["data"] == {"uri": uri}
    entry = await skills.get("skill://plan/SKILL.md")
    assert uri not in [file["uri"] for file in entry["resources"]]


async def test_a_skill_beyond_the_limits_is_not_promised(skills: Skills) -> None:
    """SEP-2640, limits: more than 512 files; its files can still be read."""
    for number in range(510):
        (skills.folder / f"{number}.txt").write_text("x")
    assert await skills.names() == ["skill://brief/SKILL.md"]
    error = await skills.peer.error("skills/get", {"uri": "skill://plan/SKILL.md"})
    assert error["code"] == -32602
    assert (await skills.read("skill://plan/7.txt"))["text"] == "x"


async def test_further_projects_have_their_own_names(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Each of two equally named skills in two projects has its own URI."""
    other = make_workspace(
        tmp_path / "my site",
        {".claude/skills/plan/SKILL.md": PLAN.replace("Plans", "Others")},
    )
    home = tmp_path / "home"
    save_in_place(home / ".claude/skills/own/SKILL.md", NESTED.replace("inner", "own"))
    save_in_place(home / ".claude/skills/plan/SKILL.md", PLAN)
    skills = Skills(tmp_path, scanner, other, home=home)
    assert await skills.names() == [
        "skill://brief/SKILL.md",
        "skill://own/SKILL.md",
        "skill://plan/SKILL.md",
        "skill://~my%20site/plan/SKILL.md",
    ]
    uri = "skill://~my%20site/plan/SKILL.md"
    assert (await skills.read(uri))["text"].startswith(
        "---\nname: plan\ndescription: O"
    )
    assert (await skills.get(uri))["frontmatter"]["description"].startswith("Others")
    assert list(await skills.children("skill://~my%20site/plan")) == [uri]
    assert (await skills.get("skill://own/SKILL.md"))["resources"][0]["size"]


async def test_a_file_can_be_subscribed_to_in_any_spelling(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-117: events have one spelling, and the peer gets its own."""
    skills = Skills(tmp_path, scanner, version=L3)
    for uri in ("skill://plan/SKILL.md", "skill://plan/scripts/a b%25.sh"):
        assert await skills.peer.result("resources/subscribe", {"uri": uri}) == {}
    event_filter = skills.peer.session.subscription.filter
    assert event_filter.uris["skill://plan/scripts/a%20b%25.sh"].endswith("a b%25.sh")
    error = await skills.peer.error("resources/subscribe", {"uri": "skill://plan"})
    assert error["code"] == -32002


async def test_no_project_path_leaves(skills: Skills) -> None:
    """D-021: answers name skills and files in them, and not their location."""
    entry = await skills.get("skill://plan/SKILL.md")
    assert str(skills.root) not in json.dumps(entry)
    assert ".claude" not in json.dumps(entry)
