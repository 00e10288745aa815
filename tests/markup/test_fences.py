"""Fenced blocks by language, with an effort that the process allows."""

import pytest

from asdlc_kb.markup.fences import CHEAP, FULL, SOURCE
from asdlc_kb.markup.highlight import CostlyCode

FORMULA, DIAGRAM, CODE = ("math", "x^2\n"), ("mermaid", "pie\n"), ("text", "x\n")


def test_each_language_has_its_form() -> None:
    """Formulas and diagrams are drawn, all else is code; so is what has errors."""
    assert "<math" in FULL.write_fence(*FORMULA)
    assert "data-diagram" in FULL.write_fence("Mermaid title=x", "graph TD\n  a-->b\n")
    assert FULL.write_fence(*CODE).startswith('<pre class="code"')
    assert "<pre" in FULL.write_fence("math", "{\n")
    assert "<pre" in FULL.write_fence("mermaid", "nonsense\n")


def test_nothing_costly_is_tried_in_the_process_that_serves() -> None:
    """Formulas, diagrams, and most languages."""
    for info, code in (FORMULA, DIAGRAM):
        with pytest.raises(CostlyCode):
            CHEAP.write_fence(info, code)
    with pytest.raises(CostlyCode):
        CHEAP.write_formula("$x$")
    assert "<pre" in CHEAP.write_fence(*CODE)


def test_a_text_that_is_too_costly_has_the_source_of_everything() -> None:
    """Nothing of it is drawn or highlighted."""
    for info, code in (FORMULA, DIAGRAM, ("py", "import x\n")):
        assert f"<code>{code}</code>" in SOURCE.write_fence(info, code)
    assert SOURCE.write_formula("$x$") == "<code>$x$</code>"
