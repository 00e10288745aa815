"""Instructions without a text of their own, and those hidden by another file."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from asdlc_kb.files.folder_walk import join_below, list_above, relate_below
from asdlc_kb.files.problem import Problem
from asdlc_kb.markup.link_scanner import find_links
from asdlc_kb.project.agent_guides import AgentGuide
from asdlc_kb.project.guide_imports import read_imports
from asdlc_kb.project.instruction_files import list_rules, list_tools
from asdlc_kb.project.instruction_places import GUIDES
from asdlc_kb.project.rule_conflicts import find_differing_copies
from asdlc_kb.project.rules import RuleContent
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.tool_names import TOOL_NAMES

_AGENTS: Final = GUIDES[0]
_CLAUDE: Final = GUIDES[1]


def check_empty(
    guides: Iterable[AgentGuide], rules: Iterable[RuleContent]
) -> Iterator[Problem]:
    """Yield a problem for each instruction file without a text."""
    texts = {guide.path: guide.content for guide in guides}
    texts.update((rule.path, rule.content) for rule in rules)
    for path, text in texts.items():
        if not text.strip():
            message = "it has no text: write instructions or delete the file"
            yield Problem(path, 1, 1, "KB045", message)


def check_repeated(guides: Sequence[AgentGuide]) -> Iterator[Problem]:
    """Yield a problem for each guide that repeats that of a folder above.

    A relative link or an import means something else in another folder.
    """
    own = [guide for guide in guides if not guide.same_as and guide.content.strip()]
    by_place = {(guide.scope, guide.name): guide for guide in own}
    for guide in own:
        places = ((folder, guide.name) for folder in list_above(guide.scope))
        above = next((by_place[each] for each in places if each in by_place), None)
        if above is None:
            continue
        is_relative = bool(guide.imports) or any(
            map(_is_relative, find_links(guide.content))
        )
        if above.content.strip() == guide.content.strip() and not is_relative:
            message = (
                f"it repeats {above.path}, which tools read for this folder too: "
                "delete it"
            )
            yield Problem(guide.path, 1, 1, "KB045", message)


def check_hidden(
    scanner: ProjectScanner, guides: Sequence[AgentGuide]
) -> Iterator[Problem]:
    """Yield a problem for each file that a tool passes over for another one."""
    yield from _check_claude(scanner, guides)
    for listed in list_rules(scanner):
        place = listed.places[0]
        is_ignored = listed.file.path.endswith(place.ignored)
        if not is_ignored and not list_tools(scanner, listed):
            others = " or ".join(place.unless)
            message = (
                f"{TOOL_NAMES[place.tool]} reads {others} instead of it: "
                "move its text there"
            )
            yield Problem(listed.file.shown, 1, 1, "KB044", message)


def check_copies(rules: Sequence[RuleContent]) -> Iterator[Problem]:
    """Yield a problem for each rule that differs from another tool's of its name."""
    for first, other in find_differing_copies(rules):
        message = (
            f"its text differs from {first.path}, which has the same name: "
            "make them equal or rename one"
        )
        yield Problem(other.path, 1, 1, "KB049", message)


def _check_claude(
    scanner: ProjectScanner, guides: Sequence[AgentGuide]
) -> Iterator[Problem]:
    """Yield each AGENTS.md that Claude Code does not read because of a CLAUDE.md.

    One that is named in a CLAUDE.md of its folder or one above is found by the agent.
    """
    readers = [guide for guide in guides if guide.kind == "claude"]
    read = {guide.identity for guide in readers}
    named: list[str] = []
    for guide in readers:
        imported = read_imports(scanner, guide.origin, guide.imports)
        read.update(found.text.identity for found in imported)
        if _AGENTS in guide.content:
            named.append(guide.scope)
    texts = {guide.content.strip() for guide in readers}
    for guide in guides:
        is_read = "claude" in guide.tools or guide.identity in read
        is_own = guide.name == _AGENTS and bool(readers)
        if not is_own or is_read or guide.content.strip() in texts:
            continue
        path = join_below(guide.scope, _AGENTS)
        if all(relate_below(folder, path) is None for folder in named):
            pointer = join_below(guide.scope, _CLAUDE)
            message = (
                "Claude Code does not read it, because the project has a CLAUDE.md: "
                f"write '@{_AGENTS}' in {pointer}"
            )
            yield Problem(guide.path, 1, 1, "KB044", message)


def _is_relative(link: str) -> bool:
    return ":" not in link and not link.startswith(("#", "/"))
