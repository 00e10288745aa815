"""Fenced blocks and formulas as HTML, with an effort that the process allows."""

from dataclasses import dataclass
from typing import Final

from asdlc_kb.markup import diagrams, formulas
from asdlc_kb.markup.code_blocks import write_code, write_diagram
from asdlc_kb.markup.code_info import read_info
from asdlc_kb.markup.highlight import (
    CostlyCode,
    Highlighter,
    escape_code,
    highlight,
    highlight_cheap,
)


@dataclass(frozen=True, slots=True)
class BlockWriter:
    """Writes code, formulas and diagrams by functions of one effort."""

    highlight: Highlighter
    convert: formulas.FormulaWriter
    measure: diagrams.DiagramMeter

    def write_fence(self, info: str, code: str) -> str:
        """Return a fenced block as HTML: code, if it is not drawn."""
        read = read_info(info)
        language = read.language.lower()
        if language == formulas.LANGUAGE:
            shown = formulas.show_block(self.convert, code)
            if shown is not None:
                return shown
        if language == diagrams.LANGUAGE:
            size = self.measure(code)
            if size is not None:
                return write_diagram(code, diagrams.name_diagram(code), *size)
        return write_code(code, read, self.highlight)

    def write_formula(self, source: str) -> str:
        """Return a formula with its dollar signs as HTML."""
        return formulas.show_formula(self.convert, source)


def _refuse_formula(tex: str, is_block: bool) -> str:
    raise CostlyCode


def _refuse_diagram(source: str) -> None:
    if diagrams.can_draw():
        raise CostlyCode


FULL: Final = BlockWriter(highlight, formulas.write_formula, diagrams.measure)
"""For a process that can be killed."""

CHEAP: Final = BlockWriter(highlight_cheap, _refuse_formula, _refuse_diagram)
"""For any process: raises CostlyCode for what may be costly."""

SOURCE: Final = BlockWriter(escape_code, lambda tex, is_block: None, lambda code: None)
"""Shows the source of everything."""
