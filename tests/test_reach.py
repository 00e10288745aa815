"""What a running server reaches: its own files, what it serves, and nothing else.

Names, paths and URIs that lead elsewhere are sent over every transport. None of
Python's audit events for them starts a program or a connection, and no file is opened
that is not below a served folder.
"""

import base64
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
import tornado
from support.audited import prefix
from support.canary import CANARY, Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase, article_text
from support.peers import STATELESS, envelope, message
from support.processes import Served, serve_process
from support.stateless import headers_of
from support.wire import Wire, dial
from support.workspace import make_workspace

import asdlc_kb

SIBLING: Final = "content-private/secret"
"""Its folder's name begins like that of the content."""

ELSEWHERE: Final = (
    *(
        "..",
        "../secret",
        f"../{SIBLING}",
        f"../{SIBLING}.md",
        f"concepts/../../{SIBLING}",
    ),
    *(f"..\\{SIBLING}", f"..%2f{SIBLING}", f"%2e%2e/{SIBLING}", f"..%252f{SIBLING}"),
    *(
        f"..%c0%af{SIBLING}",
        f"\uff0e\uff0e/{SIBLING}",
        f"..\uff0f{SIBLING}",
        f"....//{SIBLING}",
    ),
    *(f"./../{SIBLING}", f"concepts/./../../{SIBLING}", f"/../{SIBLING}"),
    *("/etc/passwd", "//etc/passwd", "/proc/self/environ", "/dev/zero", "~/.netrc"),
    *("file:///etc/passwd", "file:/etc/passwd", "http://127.0.0.1:9/x"),
    *("https://evil.example/x", "\\\\evil.example\\share", "c:\\windows\\win.ini"),
    *("known-draft", "known-draft\0", "known-draft.md", "concepts/known-draft/"),
    *("known-draft\n", " known-draft", "KNOWN-DRAFT", ".env", ".git/x.md"),
    *("outside.md", "outside/secret.md", "dotfile.md", "$(id)", "`id`", "|id", ";id"),
    *("a" * 5_000, "../" * 1_000 + "etc/passwd", "{}", "{slug}", "%s%n", "*"),
)

PROJECT: Final = ("get_rule", "get_command", "get_skill", "get_spec")
URIS: Final = ("kb://article/", "kb://doc/", "ace://rule/", "skill://", "file://", "")


def calls() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield requests for other files: method, name, parameters."""
    for name in ELSEWHERE:
        for tool, arguments in (
            ("get_article", {"slug": name}),
            ("search_articles", {"query": name, "mode": "fulltext"}),
            ("search_articles", {"query": "x", "category": name}),
            ("get_doc_page", {"path": name}),
            ("get_doc_page", {"path": "index.md", "sections": [name]}),
            ("list_doc_pages", {"category": name}),
            ("search_docs", {"query": name}),
            ("list_rules", {"projectPath": name}),
            ("get_asdlc_artifacts", {"projectPath": name}),
            *((tool, {"name": name}) for tool in PROJECT),
        ):
            yield "tools/call", tool, {"name": tool, "arguments": arguments}
        for scheme in URIS:
            yield "resources/read", scheme + name, {"uri": scheme + name}
            quoted = scheme + quote(name, safe="")
            yield "resources/read", quoted, {"uri": quoted}
        arguments = {"slug": name}
        params = {"name": "explain_concept", "arguments": arguments}
        yield "prompts/get", "explain_concept", params


async def post(wire: Wire, method: str, name: str, params: dict[str, Any]) -> None:
    """Make one call; it is answered, without an internal error."""
    body = json.dumps(message(method, {**params, "_meta": envelope(STATELESS[-1])}))
    is_plain = name.isascii() and name.isprintable() and name == name.strip()
    encoded = name if is_plain else f"=?base64?{_encode(name)}?="
    await wire.request("POST", "/mcp", headers_of(method, encoded), body.encode())
    answer = await wire.answer()
    assert answer.status in (200, 400, 404), (answer.status, params)
    assert answer.json.get("error", {}).get("code") != -32603, params


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


async def ask_for_all(port: int, scanner: Scanner) -> None:
    """Send every request over each transport."""
    async with dial(port, scanner) as wire:
        for method, name, params in calls():
            await post(wire, method, name, params)
        for outside in ELSEWHERE:
            for path in (f"/{outside}", f"/concepts/{outside}", f"/docs/{outside}"):
                plain = quote(path, safe="/%.\\~") if path.isascii() else quote(path)
                for spelt in {plain, quote(path, safe="/"), quote(path, safe="")}:
                    await wire.request("GET", spelt if spelt[0] == "/" else f"/{spelt}")
                    answer = await wire.answer()
                    assert answer.status in (200, 301, 404), (answer.status, spelt)


@pytest.fixture
def served(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> Iterator[Served]:
    """A server of all sources, with an audit hook."""
    text = article_text("concepts/secret", title=CANARY, body=CANARY)
    knowledge.save(tmp_path / f"{SIBLING}.md", text)
    knowledge.write("concepts/open")
    docs = DocsTree(tmp_path / "docs")
    docs.write("index.md", "# Welcome\n\nThe manual.\n")
    project = make_workspace(tmp_path / "shop")
    with serve_process(
        knowledge.root,
        *("--docs", str(docs.root), "--project", str(project)),
        *("--cache-dir", str(tmp_path / "cache")),
        scanner=scanner,
        prefix=prefix(tmp_path / "watched"),
    ) as running:
        yield running


def is_own(path: str, tmp_path: Path) -> bool:
    """Whether a file belongs to the program, the system, or the served sources."""
    folders = (
        *(tmp_path / name for name in ("content", "docs", "shop", "cache")),
        *(Path(sys.prefix), Path(sys.base_prefix), Path(os.__file__).parent),
        *(Path(module.__file__ or "").parent for module in (asdlc_kb, tornado)),
        *(Path("/proc"), Path("/sys")),
    )
    real = Path(os.path.normpath(path))
    return path == os.devnull or any(real.is_relative_to(one) for one in folders)


async def test_nothing_is_reached_but_what_is_served(
    served: Served, tmp_path: Path, scanner: Scanner
) -> None:
    """No program, no connection, no other file, for any request."""
    watched = tmp_path / "watched"
    before = len(watched.read_text(encoding="utf-8").splitlines())
    await ask_for_all(served.port, scanner)
    assert served.stop().code == 0
    rows = [json.loads(line) for line in watched.read_text("utf-8").splitlines()]
    # Files opened at the start show that the audit hook works.
    assert [path for event, path, _ in rows[:before] if event == "open"]
    reached = [row for row in rows if row[0] != "open"]
    # It must resolve its own address.
    assert {row[0] for row in reached} <= {"socket.getaddrinfo"}
    assert [row for row in reached if row in rows[before:]] == []
    opened = {(path, flags) for _, path, flags in rows[before:] if path is not None}
    assert opened
    for path, flags in opened:
        if os.path.isabs(path):
            assert is_own(path, tmp_path), path
        else:
            # One level below an open folder, and not a link.
            assert path not in (os.pardir, ""), path
            assert os.sep not in path
            assert flags & os.O_NOFOLLOW, path
