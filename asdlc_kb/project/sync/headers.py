"""Frontmatter of rules in each tool's dialect: the inverse of `rule_dialects`.

The patterns of Cursor and Windsurf are neither quoted nor separated by blanks: Cursor
reads the line literally, quotes included (D-235).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from asdlc_kb.project.rule_dialects import Activation, DialectName

_PLAIN: Final = re.compile(r"[A-Za-z](?:[^:#\"'\\]|:(?=\S)|(?<=\S)#)*(?<![\s:])")
"""Text that needs no quotes in YAML, unless it is one of the words below."""

_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFields:
    """What the frontmatter of a rule says."""

    name: str
    """Without a suffix or a slash."""
    activation: Activation
    globs: tuple[str, ...] = ()
    description: str = ""


def write_header(dialect: DialectName, rule: RuleFields) -> str:
    """Return the frontmatter of a rule with its fences; empty without any field."""
    lines = [*_WRITERS[dialect](rule)]
    return "\n".join(("---", *lines, "---", "")) if lines else ""


def _write_cursor(rule: RuleFields) -> Iterator[str]:
    if rule.activation != "manual" and rule.description:
        yield _describe(rule)
    if rule.activation == "auto-attached":
        yield f"globs: {','.join(rule.globs)}"
    yield f"alwaysApply: {_flag(rule.activation == 'always')}"


def _write_paths(rule: RuleFields) -> Iterator[str]:
    """Yield the fields of Claude Code and Cline."""
    if rule.activation == "auto-attached":
        yield "paths:"
        yield from _list(rule.globs)


def _write_copilot(rule: RuleFields) -> Iterator[str]:
    if rule.activation != "manual" and rule.description:
        yield _describe(rule)
    if rule.activation == "auto-attached":
        yield f"applyTo: {_quote(','.join(rule.globs))}"


def _write_windsurf(rule: RuleFields) -> Iterator[str]:
    yield f"trigger: {_TRIGGERS[rule.activation]}"
    if rule.description:
        yield _describe(rule)
    if rule.activation == "auto-attached":
        yield f"globs: {','.join(rule.globs)}"


def _write_kiro(rule: RuleFields) -> Iterator[str]:
    yield f"inclusion: {_INCLUSIONS[rule.activation]}"
    if rule.activation == "auto-attached":
        yield f"fileMatchPattern: {json.dumps(rule.globs, ensure_ascii=False)}"
    if rule.activation == "agent-requested":
        yield f"name: {_write_text(rule.name)}"
        yield _describe(rule)


def _write_continue(rule: RuleFields) -> Iterator[str]:
    yield f"name: {_write_text(rule.name)}"
    if rule.activation != "manual" and rule.description:
        yield _describe(rule)
    if rule.activation == "auto-attached":
        yield "globs:"
        yield from _list(rule.globs)
    yield f"alwaysApply: {_flag(rule.activation == 'always')}"


_WRITERS: Final[Mapping[DialectName, Callable[[RuleFields], Iterator[str]]]] = {
    "cursor": _write_cursor,
    "claude": _write_paths,
    "cline": _write_paths,
    "copilot": _write_copilot,
    "windsurf": _write_windsurf,
    "kiro": _write_kiro,
    "continue": _write_continue,
}

_TRIGGERS: Final[Mapping[Activation, str]] = {
    "always": "always_on",
    "auto-attached": "glob",
    "agent-requested": "model_decision",
    "manual": "manual",
}
_INCLUSIONS: Final[Mapping[Activation, str]] = {
    "always": "always",
    "auto-attached": "fileMatch",
    "agent-requested": "auto",
    "manual": "manual",
}

WITHOUT_BRACES: Final[frozenset[DialectName]] = frozenset(
    {"cursor", "copilot", "windsurf"}
)
"""Dialects in which commas separate patterns."""


def _describe(rule: RuleFields) -> str:
    return f"description: {_write_text(rule.description)}"


def _write_text(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    return text if is_plain else _quote(text)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _list(globs: Sequence[str]) -> Iterator[str]:
    return (f"  - {_quote(pattern)}" for pattern in globs)
