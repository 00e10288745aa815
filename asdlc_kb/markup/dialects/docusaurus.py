"""The dialect of Docusaurus: MDX with directives."""

from dataclasses import replace
from typing import Final

from asdlc_kb.markup.dialects.components import COMPONENT_SPAN
from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.directives import DIRECTIVE_SPAN
from asdlc_kb.markup.dialects.mdx import EXPRESSION_SPAN, MDX

DOCUSAURUS: Final[Dialect] = replace(
    MDX,
    name="docusaurus",
    inlines=(COMPONENT_SPAN, DIRECTIVE_SPAN, EXPRESSION_SPAN),
)
