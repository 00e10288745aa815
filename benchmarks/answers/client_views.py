"""Text that each client gives to its model for a tool result.

Observed behind a stand-in for the model's API: Claude Code 2.1.330, Codex 0.169, Gemini
CLI 0.61, openai-agents 0.24, langchain-mcp-adapters 0.3.2, pydantic-ai 2.68. VS Code:
read in `mcpLanguageModelToolContribution.ts`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

Result = Mapping[str, Any]
"""`result` of `tools/call`."""

MAX_CODEX_CHARS: Final = 12_000
"""Characters of a result that Codex shows: it cuts the middle out of a longer one."""

MAX_CLAUDE_CHARS: Final = 50_000
"""Characters beyond which Claude Code writes a result to a file."""


_LANGCHAIN_ID: Final = f"lc_{UUID(int=0)}"
"""Stands for the random identifier of a block."""


def view_in_claude_code(result: Result) -> str:
    """Return links first, then the structured content, or else the texts."""
    links = [
        f"[Resource link: {link['name']}] {link['uri']} ({link.get('description', '')})"
        for link in _links(result)
    ]
    shown = "\n".join([*links, *_texts_or_structure(result)])
    if len(shown) <= MAX_CLAUDE_CHARS:
        return shown
    return f"<persisted-output> Output too large ({len(shown) / 1024:.1f}KB)"


def view_in_codex(result: Result) -> str:
    """Return the structured content, or else the content blocks as JSON."""
    shown = _compact(result.get("structuredContent") or result["content"])
    if len(shown) <= MAX_CODEX_CHARS:
        return shown
    half = MAX_CODEX_CHARS // 2
    return f"{shown[:half]}...truncated...{shown[-half:]}"


def view_in_gemini_cli(result: Result) -> str:
    """Return the texts, each in its tags, and a line for each link."""
    parts = []
    for block in result["content"]:
        if block["type"] == "text":
            wrapped = f"<untrusted_context>\n{block['text']}\n</untrusted_context>"
            parts.append(wrapped)
        else:
            title = block.get("title") or block["name"]
            parts.append(f"Resource Link: {title} at {block['uri']}")
    return "\n".join(parts)


def view_in_vs_code(result: Result) -> str:
    """Return the structured content, or else the texts; then each link's address."""
    uris = [_compact({"uri": link["uri"]}) for link in _links(result)]
    return "\n".join([*_texts_or_structure(result), *uris])


def view_in_openai_agents(result: Result) -> str:
    """Return the content blocks as JSON; the structured content is ignored."""
    blocks = result["content"]
    if len(blocks) == 1:
        return _compact(blocks[0])
    return json.dumps(blocks)


def view_in_langchain(result: Result) -> str:
    """Return the texts, and the links as file blocks."""
    files = [
        {
            "type": "file",
            "url": link["uri"],
            "mime_type": link.get("mimeType"),
            "id": _LANGCHAIN_ID,
        }
        for link in _links(result)
    ]
    return "\n".join([*_texts(result), *(json.dumps(file) for file in files)])


def view_in_pydantic_ai(result: Result) -> str:
    """Return the structured content of a result without links, or else the texts."""
    if _links(result):
        return "\n".join(_texts(result))
    return "\n".join(_texts_or_structure(result))


CLIENTS: Final[Mapping[str, Callable[[Result], str]]] = {
    "Claude Code": view_in_claude_code,
    "Codex": view_in_codex,
    "Gemini CLI": view_in_gemini_cli,
    "VS Code": view_in_vs_code,
    "openai-agents": view_in_openai_agents,
    "langchain": view_in_langchain,
    "pydantic-ai": view_in_pydantic_ai,
}


def _texts(result: Result) -> list[str]:
    return [block["text"] for block in result["content"] if block["type"] == "text"]


def _links(result: Result) -> Sequence[Mapping[str, Any]]:
    return [block for block in result["content"] if block["type"] == "resource_link"]


def _texts_or_structure(result: Result) -> list[str]:
    structure = result.get("structuredContent")
    return [_compact(structure)] if structure else _texts(result)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
