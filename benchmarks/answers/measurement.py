"""Servers of a checkout, the calls to them, and what arrives at each client's model."""

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.answers.client_views import CLIENTS, Result
from benchmarks.answers.probes import ARTICLES, Probe, list_probes
from benchmarks.answers.questions import has_words
from benchmarks.answers.trees import TREES, prepare_tree
from benchmarks.cache import ROOT
from benchmarks.failure import BenchFailure
from benchmarks.recordings.product import Product, Server

_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
_OPTIONS: Final = ("--rate-limit", "off", "--page-rate-limit", "off")
_ANCHOR: Final = re.compile(r"\(#([^()\s]+)\)")
_NEXT_ROW: Final = re.compile(r"^\d+\. ", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """The result of one call."""

    result: Result
    wire: int
    """Bytes of the response's body."""


@dataclass(frozen=True)
class Received:
    """What one client's model receives."""

    characters: int
    """Of the first answer."""
    is_found: bool
    """Whether the first answer has the words."""
    is_found_later: bool
    """Whether the first answer or that of one further call has them."""


@dataclass(frozen=True)
class Measured:
    """One call with its sizes."""

    probe: Probe
    wire: int
    views: Mapping[str, Received]
    """By client."""


class Session:
    """Calls to one server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Return a tool's answer; raise BenchFailure for a protocol error."""
        result, wire = self.request(
            "tools/call", {"name": tool, "arguments": arguments}
        )
        return Answer(result, wire)

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[Any, int]:
        """Return the result of a method, and the bytes of the body."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        body = json.dumps(message).encode()
        answer = self._server.ask("/mcp", "POST", _HEADERS, body)
        payload = json.loads(answer.body)
        if "result" not in payload:
            raise BenchFailure(f"{method}: {answer.body[:500]!r}")
        return payload["result"], len(answer.body)


@dataclass(frozen=True)
class Introduction:
    """What a model is told before any call."""

    instructions: int
    """Characters."""
    tools: int
    """Characters of the list of tools as JSON."""
    tool_count: int


@contextmanager
def open_session(checkout: Path, source: str) -> Iterator[Session]:
    """Yield a session with a server of the checkout's code.

    All checkouts serve the same content: that of this one, or a public tree.
    """
    if source == ARTICLES:
        served = (str(ROOT / "content"),)
        with _serve(checkout, served) as session:
            yield session
        return
    tree = prepare_tree(TREES[source])
    with _serve(checkout, ("--docs", str(tree)), "/-/search.json?q=the") as session:
        yield session


@contextmanager
def _serve(checkout: Path, served: Sequence[str], warm: str = "") -> Iterator[Session]:
    with tempfile.TemporaryDirectory(prefix="answers-") as folder:
        for name in ("work", "home"):
            (Path(folder) / name).mkdir()
        product = Product(Path(folder), sys.executable, checkout)
        with product.serving(*served, *_OPTIONS, warm=warm) as server:
            yield Session(server)


def measure_introduction(checkout: Path) -> Introduction:
    """Return the sizes with this project's articles, documentation and fixtures."""
    project = ROOT / "tests" / "project" / "fixtures" / "cursor"
    served = (str(ROOT / "content"), "--docs", str(ROOT / "docs"))
    with _serve(checkout, (*served, "--project", str(project))) as session:
        client = {"name": "benchmark", "version": "1"}
        greeting = {"protocolVersion": "2025-11-25", "capabilities": {}}
        hello, _ = session.request("initialize", {**greeting, "clientInfo": client})
        listed, _ = session.request("tools/list", {})
    tools = json.dumps(listed["tools"], ensure_ascii=False, separators=(",", ":"))
    return Introduction(len(hello["instructions"]), len(tools), len(listed["tools"]))


def measure_checkout(checkout: Path, sources: Sequence[str]) -> Sequence[Measured]:
    """Return every call that the checkout's tools take, in order."""
    measured = []
    for source in sources:
        with open_session(checkout, source) as session:
            for probe in list_probes(source):
                answer = session.call(probe.tool, probe.arguments)
                if not answer.result.get("isError"):
                    measured.append(measure_answer(session, probe, answer))
    return measured


def measure_answer(session: Session, probe: Probe, answer: Answer) -> Measured:
    """Return the sizes of an answer.

    The document is read by a further call if the answer names it.
    """
    further = None
    if probe.further is not None and _names_document(answer.result, probe.further):
        arguments = {**probe.further.arguments}
        if anchor := _find_anchor(answer.result, arguments.get("path")):
            arguments["sections"] = [anchor]
        further = session.call(probe.further.tool, arguments).result
    return Measured(
        probe,
        answer.wire,
        {
            name: _receive(view(answer.result), view(further) if further else "", probe)
            for name, view in CLIENTS.items()
        },
    )


def _receive(first: str, second: str, probe: Probe) -> Received:
    is_found = has_words(first, probe.words)
    words = probe.further.words if probe.further else probe.words
    later = is_found or has_words(second, words)
    return Received(len(first), is_found, later)


def _names_document(result: Result, further: Probe) -> bool:
    """Whether an answer names the document that a further call would read."""
    (name,) = further.arguments.values()
    return name.rpartition("/")[2] in json.dumps(result, ensure_ascii=False)


def _find_anchor(result: Result, path: str | None) -> str | None:
    """Return the anchor of a page's best section, as the answer's text names it."""
    text = result["content"][0]["text"]
    if path is None or f" {path} " not in text:
        return None
    row = _NEXT_ROW.split(text[text.index(f" {path} ") :])[0]
    found = _ANCHOR.search(row)
    return found[1] if found else None
