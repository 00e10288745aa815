"""Links and imports in rules and guides that lead to nothing.

A link may be relative to its file, to the folder that the file is about or to the top
of the project; Cursor's `mdc:` is relative to the top. Only paths inside the project
are looked up, and none that Git ignores.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import unquote

from asdlc_kb.exceptions import PathNotFound
from asdlc_kb.files.problem import Problem
from asdlc_kb.markup.link_scanner import find_links
from asdlc_kb.project.agent_guides import AgentGuide
from asdlc_kb.project.applicability import HOPS
from asdlc_kb.project.link_targets import check_mention, check_private
from asdlc_kb.project.markdown_lines import read_prose
from asdlc_kb.project.project_files import read_ignored
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rules import RuleContent
from asdlc_kb.project.tool_names import join_tools

_MDC: Final = "mdc:"
_KIRO: Final = re.compile(r"#\[\[file:([^\]\n]{1,300})\]\]")
_PATH: Final = re.compile(r"[^\s:*?<>{}$|\\\"'`]*(?:/[^\s:*?<>{}$|\\\"'`]+|\.\w{1,8})")
"""A path without a scheme, and without signs that stand for something else."""

_PLACEHOLDER: Final = re.compile(r"\.{3}|(?:^|/)path/to(?:/|$)", re.IGNORECASE)


def check_links(
    project: Project, guides: Sequence[AgentGuide], rules: Sequence[RuleContent]
) -> Iterator[Problem]:
    """Yield a problem for each link or import that leads to nothing."""
    finder = _LinkFinder(project)
    for rule in rules:
        yield from finder.check(rule, rule.source, has_files=rule.platform == "kiro")
    for guide in guides:
        if not guide.same_as:
            yield from finder.check(guide, guide.content)
            yield from finder.check_imports(guide)


class _LinkFinder:
    """Looks up what texts of one project link to."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._ignored = read_ignored(project)

    def check(
        self,
        instruction: AgentGuide | RuleContent,
        text: str,
        *,
        has_files: bool = False,
    ) -> Iterator[Problem]:
        """Yield the broken links of a text; `#[[file:x]]` is one only for Kiro."""
        for number, line in read_prose(text):
            written = [*find_links(line)] if "](" in line or "]:" in line else []
            if has_files:
                written += _KIRO.findall(line)
            for each in dict.fromkeys(written):
                if not self._has_target(instruction, each):
                    message = (
                        "the link leads to no file, so an agent cannot follow it: "
                        "correct its path"
                    )
                    column = max(line.find(each), 0) + 1
                    where = (instruction.path, number + 1, column)
                    yield Problem(*where, "KB048", message)

    def check_imports(self, guide: AgentGuide) -> Iterator[Problem]:
        """Yield the imports of a guide that no tool can read."""
        readers = [tool for tool in guide.tools if tool in HOPS]
        for imported in guide.imports if readers else ():
            path = imported.path
            is_literal = _PATH.fullmatch(imported.written)
            if not path or not is_literal or check_mention(path) is not None:
                continue
            if not imported.exists and not self._exists(path):
                message = (
                    f"{join_tools(readers)} cannot import what this line names: "
                    "correct the path behind the @"
                )
                yield Problem(guide.path, imported.line + 1, 1, "KB048", message)

    def _has_target(self, instruction: AgentGuide | RuleContent, written: str) -> bool:
        """Whether a link leads to a file or folder, or cannot be judged."""
        is_from_top = written.startswith(_MDC)
        target = written.removeprefix(_MDC).partition("#")[0].partition("?")[0]
        target = unquote(target)
        if is_from_top:
            target = target.lstrip("/")
        if not _PATH.fullmatch(target) or _PLACEHOLDER.search(target):
            return True
        if target.startswith(("/", "~", "@")):
            return True
        folder = instruction.path.rpartition("/")[0]
        return self._exists(os.path.join(folder, target)) or any(
            self._exists(os.path.join(base, target), is_outside_unknown=False)
            for base in ("", instruction.scope)
        )

    def _exists(self, path: str, *, is_outside_unknown: bool = True) -> bool:
        """Whether a path exists, is private or ignored by Git, or may exist outside."""
        try:
            inside = self._project.locate(path)
        except PathNotFound:
            return is_outside_unknown
        if check_private(inside) is not None:
            # Whether a private file exists is not disclosed.
            return True
        is_there = os.path.lexists(self._project.root / inside)
        return is_there or self._ignored.match_file(inside)
