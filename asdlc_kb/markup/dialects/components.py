"""Components of site generators by name, and the rule that reads them as blocks.

Of an unknown component the text stays and the tags go; one without a text is left out.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from asdlc_kb.markup.dialects import component_writers as writers
from asdlc_kb.markup.dialects.component_elements import UNCLOSED, find_components
from asdlc_kb.markup.dialects.component_spans import (
    SPANS,
    TEXTS,
    is_component,
    make_span_rule,
)
from asdlc_kb.markup.dialects.constructs import (
    WriteElement,
    write_inside,
    write_nothing,
)
from asdlc_kb.markup.dialects.dialect import BlockRule, Written
from asdlc_kb.markup.dialects.elements import Element
from asdlc_kb.markup.dialects.source import Source

_KINDS: Final = (
    "Note Tip Info Warning Check Danger Caution Important Success Error Question"
)
_WRITERS: Final[Mapping[str, WriteElement]] = {
    "Aside Admonition Callout Alert": writers.write_typed_callout,
    "Tabs TabGroup UIFrameworkTabs PackageManagerTabs StaticSsrTabs "
    "MarkdownProcessorTabs JavascriptFlavorTabs": writers.write_tab_list,
    "CodeGroup RequestExample ResponseExample": writers.write_code_tabs,
    "details Details Accordion Expandable Collapsible": writers.write_accordion,
    "Card LinkCard Tile DocCard HeroCard": writers.write_link_card,
    "Steps": writers.write_steps,
    "ParamField ResponseField Property": writers.write_field,
    "Update View": writers.write_titled,
    "Frame": writers.write_frame,
    "Tree.Folder Folder": writers.write_folder,
    "Tree.File File Color.Item": writers.write_file,
    "Option": writers.write_choice,
    "Code CodeBlock": writers.write_code,
    "Visibility": writers.write_audience,
    "h1 h2 h3 h4 h5 h6": writers.write_heading,
    "script style head Head svg DontEditWarning": write_nothing,
}
BLOCKS: Final[Mapping[str, WriteElement]] = {
    **{kind: writers.callout_writer(kind) for kind in _KINDS.split()},
    **{name: write for names, write in _WRITERS.items() for name in names.split()},
}
"""The writers of components and tags of whole lines."""

MAX_SPAN_LINES: Final = 100
"""Lines of an element in a paragraph; a longer one is a block."""

_TAG_NAME: Final = re.compile(r"</?([\w.:-]*)")


def find_blocks(lines: Sequence[str]) -> Mapping[int, Element]:
    """Return the elements of whole lines by the index of their first line."""
    return find_components(lines, _is_block)


def _is_block(name: str) -> bool:
    return name in BLOCKS or name in TEXTS or is_component(name)


def read_component(first: re.Match[str], source: Source) -> Written | None:
    """Read an element of whole lines; None for one that belongs to a paragraph."""
    element = source.element
    if element is None:
        return None
    found = _TAG_NAME.match(element.tag)
    name = found[1] if found else ""
    if element.name == UNCLOSED:
        return Written([], element.end) if is_component(name) else None
    if "v-for" in element.arguments.named:
        # Vue writes it once for each value of data that is not here.
        return Written([], element.end)
    if write := BLOCKS.get(name):
        return Written(write(element, source), element.end)
    if not _is_block(name) or _is_in_paragraph(element, source):
        return None
    return Written(write_inside(element, source), element.end)


def _is_in_paragraph(element: Element, source: Source) -> bool:
    """Whether an element is a part of the paragraph around it."""
    body = element.body or []
    if element.name in SPANS and len(body) <= MAX_SPAN_LINES:
        return all(line.strip() for line in body)
    if len(body) > 1:
        return False
    above = source.lines[source.at - 1] if source.at else ""
    below = source.lines[element.end] if element.end < len(source.lines) else ""
    return any(line.strip() and not _is_apart(line) for line in (above, below))


def _is_apart(line: str) -> bool:
    """Whether a line is no text of a paragraph, but a heading or begins with a tag."""
    return line.lstrip().startswith(("<", "# ", "## ", "### ", "#### "))


COMPONENT: Final = BlockRule(re.compile(r"</?(?=[A-Za-z>])"), read_component)
"""An element of whole lines."""

COMPONENT_SPAN: Final = make_span_rule()
"""Elements in a paragraph."""
