"""The whole recording: content, servers, commands, log."""

import re
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from benchmarks.recordings import calls, commands, mcp, website
from benchmarks.recordings.content import write_content
from benchmarks.recordings.product import Product, RecordingError

Recording = dict[str, str]
Args = tuple[str, ...]

_ALL: Final = ("../content", "--docs", "../handbook")
_PROJECTS: Final = ("--project", "../project", "--project", "../second")
_UNLIMITED: Final = ("--rate-limit", "off", "--page-rate-limit", "off")
_WARM: Final = "/-/search.json?q=xylophone"
_BASE: Final = "https://kb.example.com/kb"


def record_answers(python: str, source: Path | None = None) -> Recording:
    """Return every answer by its key; raise RecordingError if one does not come."""
    with tempfile.TemporaryDirectory(prefix="answers-") as folder:
        # A site's title may be the name of the folder above its content.
        root = Path(folder).resolve() / "answers"
        root.mkdir()
        product = Product(root, python, source)
        write_content(product.root)
        # Servers find the indexes that this run has built.
        built = product.run(["index", "build", *_ALL])
        if built.returncode:
            raise RecordingError(f"no index: {built.stderr}")
        parts: list[Callable[[Product], Recording]] = [
            commands.record_commands,
            _record_default,
            *(_record_stdio(version) for version in calls.VERSIONS),
            _record_public,
            _record_protocol_errors,
            _record_drafts,
            _record_docs_alone,
            _record_projects_alone,
            _record_without_mcp,
            _record_limits,
            _record_tokens,
            _record_log,
            _record_changes,
        ]
        recording: Recording = {}
        with ThreadPoolExecutor(2) as pool:
            for part in pool.map(lambda record: record(product), parts):
                recording |= part
        # These write and delete, so they come last.
        return recording | commands.record_files(product)


def _record_default(product: Product) -> Recording:
    args = (*_ALL, *_PROJECTS, *_UNLIMITED)
    with product.serving(*args, warm=_WARM) as server:
        recording = website.record_website(server, "site")
        recording |= website.record_variants(server, "site")
        for version in calls.VERSIONS:
            recording |= mcp.record_http(server, version, "http")
        recording |= mcp.record_sse(server, "sse")
        recording |= mcp.record_get(server, "http")
        recording |= mcp.record_listen(server, "http")
        return recording | website.record_metrics(server, "site")


def _record_stdio(version: str) -> Callable[[Product], Recording]:
    def record(product: Product) -> Recording:
        return mcp.record_stdio(product, version, [*_ALL, *_PROJECTS])

    return record


def _record_public(product: Product) -> Recording:
    args: Args = (*_ALL, *_UNLIMITED, "--base-url", _BASE, "--title", "Our <handbook>")
    args += (
        "--tagline",
        "What we know & love.",
        "--no-sse",
        "--instructions",
        "Be kind.",
    )
    args += ("--content-signal", "search=yes, ai-train=no")
    args += ("--edit-url", "https://git.example/{folder}/{path}")
    with product.serving(*args, warm=_WARM, host="kb.example.com") as server:
        recording = website.record_website(server, "public site", _BASE)
        recording |= mcp.record_get(server, "public")
        recording |= website.record_metrics(server, "public")
        session = mcp.HttpSession(server, "2025-11-25")
        return recording | {"public initialize": session.begin()}


def _record_protocol_errors(product: Product) -> Recording:
    args = (*_ALL, *_PROJECTS, *_UNLIMITED, "--tool-errors", "protocol", "--dev")
    recording: Recording = {}
    with product.serving(*args, "--debug", warm=_WARM) as server:
        for version in ("2025-06-18", calls.STATELESS):
            recording |= mcp.record_http(server, version, "protocol errors")
    return recording


def _record_drafts(product: Product) -> Recording:
    args = (*_ALL, *_UNLIMITED, "--dev", "--drafts")
    with product.serving(*args, warm=_WARM) as server:
        return website.record_website(server, "drafts")


def _record_docs_alone(product: Product) -> Recording:
    args = ("--docs", "../handbook", *_UNLIMITED)
    with product.serving(*args, warm=_WARM) as server:
        recording = website.record_website(server, "docs alone")
        return recording | mcp.record_http(server, "2025-11-25", "docs alone")


def _record_projects_alone(product: Product) -> Recording:
    with product.serving(*_PROJECTS, *_UNLIMITED) as server:
        recording = website.record_website(server, "projects alone")
        return recording | mcp.record_http(server, calls.STATELESS, "projects alone")


def _record_without_mcp(product: Product) -> Recording:
    args = ("../content", *_UNLIMITED, "--no-mcp-enabled")
    with product.serving(*args) as server:
        recording = website.record_website(server, "without MCP", limit=100)
        answer = server.show(server.ask("/mcp", "POST", {}, b"{}"))
        return recording | {"without MCP POST /mcp": answer}


def _record_limits(product: Product) -> Recording:
    args = ("../content", "--rate-limit", "2/minute", "--page-rate-limit", "4/minute")
    recording: Recording = {}
    with product.serving(*args, "--max-body", "2000") as server:
        session = mcp.HttpSession(server, calls.STATELESS)
        recording["limits: large body"] = session.post(b" " * 3000)
        for number in range(4):
            recording[f"limits: call {number}"] = session.exchange("tools/list", {})[0]
        for number in range(6):
            recording[f"limits: page {number}"] = server.show(
                server.ask("/concepts/other")
            )
        recording["limits: search"] = server.show(server.ask("/-/search.json?q=a"))
    return recording


def _record_tokens(product: Product) -> Recording:
    made = product.run(["token", "alice"])
    token = re.findall(r"[\w-]{20,}", made.stderr)[-1]
    file = product.root / "tokens"
    file.write_text(made.stdout)
    file.chmod(0o600)
    args = (*_ALL, *_UNLIMITED, "--auth-tokens-file", str(file))
    recording: Recording = {}
    with product.serving(*args) as server:
        for label, value in {
            "right": f"Bearer {token}",
            "wrong": f"Bearer {token}x",
            "basic": "Basic eDp5",
            "bare": "Bearer",
        }.items():
            session = mcp.HttpSession(server, calls.STATELESS, {"Authorization": value})
            recording[f"tokens: {label} token"] = session.exchange("tools/list", {})[0]
            page = server.ask("/concepts/other", headers={"Authorization": value})
            recording[f"tokens: page, {label} token"] = server.show(page)
        recording |= website.record_website(server, "no token", limit=70)
    return recording


def _record_log(product: Product) -> Recording:
    """Return the log of a few requests, its lines in the order of their texts."""
    file = product.root / "log"
    args = (*_ALL, *_PROJECTS, *_UNLIMITED, "--log-queries")
    with product.serving(*args, warm=_WARM, log=file) as server:
        for path in (
            "/",
            "/nosuch",
            "/search?q=zeppelin",
            "/concepts//alpha",
            "/health",
        ):
            server.ask(path)
        for version in calls.VERSIONS:
            session = mcp.HttpSession(server, version)
            session.begin()
            for method, params in (
                (
                    "tools/call",
                    {"name": "search_articles", "arguments": {"query": "a"}},
                ),
                ("tools/call", {"name": "get_article", "arguments": {"slug": "no"}}),
                ("resources/read", {"uri": "kb://article/alpha"}),
                ("nosuch", {}),
            ):
                session.exchange(method, params)
            session.post(b"{")
            session.end()
        normaliser = server.normaliser
    lines = normaliser.normalise(file.read_text("utf-8")).splitlines()
    # The number of polls during startup differs.
    kept = {line for line in lines if "/ready" not in line and _WARM not in line}
    shown = re.sub(
        r'"(?:address|peer)": ?"127\.0\.0\.1:\d+"', "<peer>", "\n".join(kept)
    )
    return {"log": "\n".join(sorted(shown.splitlines()))}


def _record_changes(product: Product) -> Recording:
    """Return what a subscriber gets when its article is replaced and one appears."""
    folder = product.root / "changing"
    shutil.copytree(product.root / "content/concepts", folder / "concepts")
    with product.serving("../changing", *_UNLIMITED) as server:
        session = mcp.HttpSession(server, "2025-11-25")
        session.begin()
        session.post(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        session.exchange("resources/subscribe", {"uri": "kb://article/other"})
        with session.listen() as stream:
            draft = folder / "concepts/other.new"
            text = (folder / "concepts/other.md").read_text("utf-8")
            draft.write_text(text.replace("Other", "Changed"), "utf-8")
            time.sleep(0.5)
            draft.replace(folder / "concepts/other.md")
            events = sorted(stream.read_event() for _ in range(2))
        return {"changes": "\n\n".join(events)}
