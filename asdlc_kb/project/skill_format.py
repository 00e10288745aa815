"""Rules of the Agent Skills format for the frontmatter of a skill.

From https://agentskills.io/specification, as of 2026-11-27.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from asdlc_kb.frontmatter.core_schema import JsonData, read_data
from asdlc_kb.project.skills import (
    MAX_NAME_CHARS,
    SKILL_FILE,
    SkillContent,
    is_skill_name,
)

MAX_DESCRIPTION_CHARS: Final = 1_024
"""Characters of a skill's description."""

MAX_COMPATIBILITY_CHARS: Final = 500
"""Characters of `compatibility`."""

_COMMA: Final = re.compile(r",(?:\s|$)(?![^(]*\))")
"""A comma between tools, rather than in the parentheses of one."""


def check_skill(skill: SkillContent) -> Iterator[str]:
    """Yield what breaks the format, each with what to do."""
    if not skill.is_folder:
        yield f"it is a single file: make it a folder with a {SKILL_FILE}"
    yield from _check_name(skill)
    if not skill.has_description:
        yield "it has no description: say in its frontmatter when to use it"
    elif len(skill.description) > MAX_DESCRIPTION_CHARS:
        yield (
            f"its description is longer than {MAX_DESCRIPTION_CHARS:,} characters: "
            "shorten it"
        )
    yield from _check_fields(read_data(skill.source) or {})


def _check_name(skill: SkillContent) -> Iterator[str]:
    if skill.declared is None:
        yield f"it has no name: add 'name: {skill.name}' to its frontmatter"
        return
    if skill.is_folder and skill.declared != skill.name:
        yield "its name is not its folder's: rename one"
    if not is_skill_name(skill.declared):
        yield f"its name is not {MAX_NAME_CHARS} of a-z, 0-9 and single '-': rename it"


def _check_fields(fields: Mapping[str, JsonData]) -> Iterator[str]:
    """Yield what breaks the rules of the optional fields; null is absence."""
    compatibility = fields.get("compatibility")
    if compatibility is not None and not _is_short(compatibility):
        yield (
            f"its compatibility is not a text of 1 to {MAX_COMPATIBILITY_CHARS} "
            "characters: shorten it"
        )
    if not isinstance(fields.get("license"), str | None):
        yield "its license is not a text: put it in quotes"
    metadata = fields.get("metadata")
    if isinstance(metadata, dict):
        wrong = [name for name, v in metadata.items() if not isinstance(v, str)]
        if wrong:
            yield f"its metadata has a value that is no text: quote '{wrong[0]}'"
    elif metadata is not None:
        yield "its metadata is not a map: indent names and texts below it"
    tools = fields.get("allowed-tools")
    if tools is not None and (not isinstance(tools, str) or _COMMA.search(tools)):
        yield "its allowed-tools are not one text: separate them by spaces alone"


def _is_short(value: JsonData) -> bool:
    is_text = isinstance(value, str) and bool(value.strip())
    return is_text and len(str(value)) <= MAX_COMPATIBILITY_CHARS
