"""The table of tools that instructions are converted from and to."""

import pytest

from asdlc_kb.project.instruction_places import PLACES
from asdlc_kb.project.sync.headers import RuleFields, write_header
from asdlc_kb.project.sync.targets import SOURCE_GUIDES, SYNC_TOOLS, SyncTool


@pytest.mark.parametrize("tool", SYNC_TOOLS.values(), ids=lambda tool: tool.name)
def test_every_tool_has_places_of_the_table_of_instructions(tool: SyncTool) -> None:
    """Rules, a guide or both; each activation of its rules can be written."""
    assert tool.rules or tool.guide
    assert tool.rules is None or tool.rules in PLACES
    paths = {place.path for place in PLACES}
    assert not tool.guide or tool.guide in paths
    assert SYNC_TOOLS[tool.name] is tool
    assert bool(tool.activations) == (tool.rules is not None)
    for activation in tool.activations:
        assert tool.rules is not None
        rule = RuleFields(name="a", activation=activation, globs=("*",))
        write_header(tool.rules.dialect, rule)


def test_names_of_guides_are_places() -> None:
    """Those of which a source may have one in any folder."""
    assert {*SOURCE_GUIDES} <= {*SYNC_TOOLS}
    nested = {place.path for place in PLACES if place.is_nested}
    assert {*SOURCE_GUIDES.values()} <= nested
    assert SYNC_TOOLS["gemini"].has_nested_guides
    assert not SYNC_TOOLS["copilot"].has_nested_guides
