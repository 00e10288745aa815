"""Comparison of `rules_for_path` with the truth in truth.toml.

    python -m benchmarks.project_rules FOLDER

The folder has a work tree of each repository at its commit, by name. A path is exact if
the files, the reasons, their order by depth and the requestable rules are equal.
"""

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from asdlc_kb.project.applicability import ApplicableRule, rules_for_path
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner


def main() -> int:
    """Print what differs and how many paths are exact."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    truth = tomllib.loads(Path(__file__).with_name("truth.toml").read_text("utf-8"))
    exact = exact_tools = 0
    for wanted in truth["path"]:
        project = Project(wanted["repository"], folder / wanted["repository"])
        found = rules_for_path(ProjectScanner(project), wanted["path"])
        faults = [*_compare(found, wanted)]
        tools = [*_compare_tools(found, wanted)]
        exact += not faults
        exact_tools += not faults and not tools
        for fault in (*faults, *tools):
            print(f"{wanted['repository']}: {wanted['path']}: {fault}")
    count = len(truth["path"])
    print(f"{exact} of {count} paths exact, {exact_tools} with the tools of each file")
    return 0


def _compare(
    found: tuple[ApplicableRule, ...], wanted: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what is wrong about the files, their reasons and order."""
    applying = {path: rule for rule in found for path in _paths(rule)}
    for row in wanted["applies"]:
        rule = _look_up(applying, row)
        if rule is None or rule.is_requested:
            yield f"missing {row['file']} ({row['why']})"
        elif rule.reason != row["why"] and not _is_for_all(rule, row):
            yield f"{row['file']} is {rule.reason}, not {row['why']}"
    depths = [len(Path(r.scope).parts) for r in _in_order(applying, wanted)]
    if depths != sorted(depths, reverse=True):
        yield "the nearest folder is not first"
    known = {p for row in wanted["applies"] for p in (row["file"], *_aliases(row))}
    for rule in found:
        if not rule.is_requested and known.isdisjoint(_paths(rule)):
            yield f"too much: {rule.path} ({rule.why})"
    available = {p for rule in found if rule.is_requested for p in _paths(rule)}
    for path in wanted.get("available", ()):
        if path not in available:
            yield f"missing available {path}"
    for path in sorted(available.difference(wanted.get("available", ()))):
        yield f"too much: available {path}"


def _compare_tools(
    found: tuple[ApplicableRule, ...], wanted: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the files whose tools differ."""
    applying = {path: rule for rule in found for path in _paths(rule)}
    wanted_tools: dict[str, set[str]] = {}
    for row in wanted["applies"]:
        rule = _look_up(applying, row)
        if rule is not None:
            # Two rows may be one text under two names.
            wanted_tools.setdefault(rule.path, set()).update(row["tools"])
    for path, tools in wanted_tools.items():
        read = set(applying[path].tools)
        if read != tools:
            more, less = sorted(read - tools), sorted(tools - read)
            yield f"{path}: tools too much {more}, missing {less}"


def _look_up(
    applying: Mapping[str, ApplicableRule], row: Mapping[str, Any]
) -> ApplicableRule | None:
    """Return the entry of a file, by any of its names."""
    names = (row["file"], *_aliases(row))
    return next((applying[name] for name in names if name in applying), None)


def _in_order(
    applying: Mapping[str, ApplicableRule], wanted: Mapping[str, Any]
) -> Iterator[ApplicableRule]:
    """Yield the entries in the order of the truth."""
    for row in wanted["applies"]:
        rule = _look_up(applying, row)
        if rule is not None:
            yield rule


def _is_for_all(rule: ApplicableRule, row: Mapping[str, Any]) -> bool:
    """Whether both mean that it is for all files of its folder."""
    return {rule.reason, row["why"]} == {"folder", "always"}


def _paths(rule: ApplicableRule) -> tuple[str, ...]:
    return rule.path, *rule.also_in


def _aliases(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row.get("also_in", ()))


if __name__ == "__main__":
    sys.exit(main())
