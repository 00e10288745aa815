"""Instructions beyond what a tool reads, or beyond what an agent can afford.

- Codex reads 32 KiB of the AGENTS.md files from the top down to a folder, or what
  `project_doc_max_bytes` in .codex/config.toml allows.
- Windsurf reads 12,000 characters of a rule.
- What a tool attaches to every conversation has no limit in the tools: this is ours.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from asdlc_kb.files.folder_walk import list_above
from asdlc_kb.files.problem import Problem
from asdlc_kb.project.agent_guides import AgentGuide
from asdlc_kb.project.applicability import HOPS
from asdlc_kb.project.artifact_file import FileIdentity
from asdlc_kb.project.guide_imports import read_imports
from asdlc_kb.project.instruction_places import TOOLS
from asdlc_kb.project.locations import Platform
from asdlc_kb.project.rules import RuleContent
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.tool_names import TOOL_NAMES, join_tools
from asdlc_kb.project.tool_settings import read_codex_max_bytes

MAX_WINDSURF_CHARS: Final = 12_000
"""Characters of a rule that Windsurf reads."""

MAX_ALWAYS_CHARS: Final = 60_000
"""Characters that a tool may attach to every conversation, some 15,000 tokens."""


class _Attached(NamedTuple):
    """A text that a tool always attaches."""

    path: str
    characters: int


def check_sizes(
    scanner: ProjectScanner,
    guides: Sequence[AgentGuide],
    rules: Sequence[RuleContent],
) -> Iterator[Problem]:
    """Yield a problem for each text or sum of texts that is too large."""
    yield from _check_codex(scanner, guides)
    for rule in rules:
        if rule.platform == "windsurf" and len(rule.source) > MAX_WINDSURF_CHARS:
            message = (
                f"Windsurf reads {MAX_WINDSURF_CHARS:,} of its "
                f"{len(rule.source):,} characters: split it"
            )
            yield Problem(rule.path, 1, 1, "KB047", message)
    yield from _check_always(scanner, guides, rules)


def _check_codex(
    scanner: ProjectScanner, guides: Sequence[AgentGuide]
) -> Iterator[Problem]:
    """Yield the guides at which Codex begins to cut."""
    limit = read_codex_max_bytes(scanner.project)
    sizes = {
        guide.scope: len(guide.content.encode("utf-8", "surrogatepass"))
        for guide in guides
        if "codex" in guide.tools
    }
    for guide in guides:
        if "codex" not in guide.tools:
            continue
        own = sizes[guide.scope]
        above = sum(sizes.get(scope, 0) for scope in list_above(guide.scope))
        if above <= limit < above + own:
            what = "AGENTS.md files down to this one" if above else "it"
            message = (
                f"{TOOL_NAMES['codex']} reads {limit:,} bytes of {what}, which "
                f"{'have' if above else 'has'} {above + own:,}: shorten it"
            )
            yield Problem(guide.path, 1, 1, "KB047", message)


def _check_always(
    scanner: ProjectScanner,
    guides: Sequence[AgentGuide],
    rules: Sequence[RuleContent],
) -> Iterator[Problem]:
    """Yield the largest of the texts that are too many, with the tools."""
    tools: dict[tuple[str, int, int], list[Platform]] = defaultdict(list)
    for tool in TOOLS:
        texts = _find_always(scanner, tool, guides, rules).values()
        total = sum(text.characters for text in texts)
        if total > MAX_ALWAYS_CHARS:
            largest = max(texts, key=lambda text: text.characters)
            tools[largest.path, total, len(texts)].append(tool)
    for (path, total, count), found in tools.items():
        files = "this file" if count == 1 else f"{count} files, this is the largest"
        message = (
            f"{join_tools(found)} would attach {total:,} characters to every "
            f"conversation ({files}): give rules patterns, or shorten them to "
            f"{MAX_ALWAYS_CHARS:,}"
        )
        yield Problem(path, 1, 1, "KB047", message)


def _find_always(
    scanner: ProjectScanner,
    tool: Platform,
    guides: Sequence[AgentGuide],
    rules: Sequence[RuleContent],
) -> Mapping[FileIdentity, _Attached]:
    """Return what a tool attaches to every conversation, once each."""
    found: dict[FileIdentity, _Attached] = {}
    for guide in guides:
        if guide.scope or tool not in guide.tools:
            continue
        found.setdefault(guide.identity, _Attached(guide.path, len(guide.content)))
        hops = HOPS.get(tool, 0)
        for each in read_imports(scanner, guide.origin, guide.imports, max_hops=hops):
            size = _Attached(each.path, len(each.text.text))
            found.setdefault(each.text.identity, size)
    for rule in rules:
        if rule.activation == "always" and not rule.scope and tool in rule.tools:
            found.setdefault(rule.identity, _Attached(rule.path, len(rule.content)))
    return found
