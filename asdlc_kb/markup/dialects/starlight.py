"""The dialect of Starlight, Astro's theme for documentation: MDX with directives.

Its `.md` files are Markdown with directives: braces are text, indented text is code.
"""

from dataclasses import replace
from typing import Final

from asdlc_kb.markup.dialects.components import COMPONENT, COMPONENT_SPAN
from asdlc_kb.markup.dialects.dialect import Dialect, keep_source
from asdlc_kb.markup.dialects.directives import DIRECTIVE_SPAN, DIRECTIVES
from asdlc_kb.markup.dialects.docusaurus import DOCUSAURUS

STARLIGHT: Final[Dialect] = replace(DOCUSAURUS, name="starlight")

STARLIGHT_MARKDOWN: Final[Dialect] = replace(
    STARLIGHT,
    blocks=(*DIRECTIVES, COMPONENT),
    inlines=(COMPONENT_SPAN, DIRECTIVE_SPAN),
    prepare=keep_source,
    has_indented_code=True,
)
"""The dialect of the files of a tree of Starlight that are no MDX."""
