"""Formulas as MathML."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asdlc_kb.markup.fences import SOURCE
from asdlc_kb.markup.formulas import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_MATHML_CHARACTERS,
    show_formula,
    write_formula,
)
from asdlc_kb.markup.html_renderer import render, render_cheap
from asdlc_kb.markup.outline import read_outline
from asdlc_kb.markup.sections import split_sections

SQUARE = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
BLOCK = SQUARE.replace("<math>", '<math display="block">')


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a $x^2$ b", f"<p>a {SQUARE} b</p>"),
        ("a ($x^2$), **$x^2$**", f"<p>a ({SQUARE}), <strong>{SQUARE}</strong></p>"),
        ("a $`x^2`$ b", f"<p>a {SQUARE} b</p>"),
        ("$$x^2$$", f'<div class="formula" tabindex="0">{BLOCK}</div>'),
        ("a $$\nx^2\n$$ b", f"<p>a {BLOCK} b</p>"),
        ("```math\nx^2\n```", f'<div class="formula" tabindex="0">{BLOCK}</div>'),
        ("[a $x^2$](b)", f'<p><a href="b">a {SQUARE}</a></p>'),
    ],
)
def test_a_formula_is_drawn(text: str, shown: str) -> None:
    """GitHub's forms, in a line and as a block."""
    assert render(text).text.strip() == shown


@pytest.mark.parametrize(
    "text",
    [
        "from $5 to $10",
        "$5-$10, US$5 or $6.",
        "$HOME/$PATH",
        "${a}-${b} and $(c)$(d)",
        "\\$x$ y",
        "$x\\$ y",
        "$ x $",
        "x$y$",
        "$x$2",
        "$$ $$",
        "$$$x$$$",
        "$$x$",
        "$",
        "$`x`",
        "`$x$`",
        "$" + "x" * MAX_CHARACTERS + "$",
    ],
)
def test_prices_and_variables_are_no_formulas(text: str) -> None:
    """Nor is code, or what is escaped, empty, not closed or too long."""
    assert "<math" not in render(text).text


@pytest.mark.parametrize(
    "tex",
    [
        r"\unknown{x}",
        r"\frac{1}",
        "{",
        r"\sqrt{" * (MAX_DEPTH + 1) + "x" + "}" * (MAX_DEPTH + 1),
        "'" * MAX_CHARACTERS * 2,
        r"\def\a{\a\a}\a",
    ],
)
def test_what_cannot_be_drawn_stays_code(tex: str) -> None:
    """Unknown commands, errors, and what exceeds a limit."""
    assert write_formula(tex, False) is None
    if len(tex) < MAX_CHARACTERS:
        shown = render(f"$`{tex}`$").text
        assert shown == f"<p><code>$`{tex}`$</code></p>\n"
    assert "<math" not in render(f"```math\n{tex}\n```\n").text


def test_the_mathml_of_a_formula_is_bounded() -> None:
    """Short formulas can have long MathML."""
    tex = r"\def\a{xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}" + r"\a" * 250
    assert len(tex) < MAX_CHARACTERS
    assert write_formula(tex, True) is None
    assert len(write_formula("x" * 1_000, True) or "") < MAX_MATHML_CHARACTERS


def test_common_environments_are_drawn() -> None:
    """With classes instead of inline styles; text is escaped."""
    for name in ("aligned", "split", "matrix", "pmatrix", "cases", "align*"):
        shown = write_formula(rf"\begin{{{name}}}a&b\\c&d\end{{{name}}}", True)
        assert shown is not None
        assert shown.count("<mtr>") == 2
        assert " style=" not in shown
    shown = write_formula(r"\color{red}{x}\text{<b>}\mbox{y z}", False) or ""
    assert 'mathcolor="#FF0000"' in shown
    assert "&lt;b&gt;" in shown
    assert "<mtext>y\xa0z</mtext>" in shown


def test_formulas_are_drawn_in_a_process_that_can_be_killed() -> None:
    """Never in the process that serves; there the text waits, or shows the source."""
    assert render_cheap("a $x^2$ b") is None
    assert render_cheap("a $5 b") is not None
    shown = render("a $x^2$ b", writer=SOURCE).text
    assert shown == "<p>a <code>$x^2$</code> b</p>\n"
    assert (
        show_formula(lambda tex, is_block: None, "$`a<b`$") == "<code>$`a&lt;b`$</code>"
    )


@given(
    st.lists(
        st.sampled_from(
            ["$", "$$", "x", "_", "*", " ", "\\", "`", "\n", "2", "{", "}"]
        ),
        max_size=12,
    )
    .map("".join)
    .filter(lambda text: " \n" not in text and "\n " not in text)
)
def test_the_words_of_a_heading_are_the_same_for_all_readers(text: str) -> None:
    """They have the source of its formulas."""
    for heading in (f"# {text}\n", f"{text}\n---\n"):
        headings = read_outline(heading).headings
        assert render(heading).headings == headings
        found = [(s.heading, s.anchor) for s in split_sections(heading) if s.level]
        assert found == [(h.text, h.anchor) for h in headings]


@settings(deadline=None)
@given(st.text(alphabet="\\{}^_&$abcfrqt12<>\"'#%~ \n", max_size=60))
def test_converting_never_fails(tex: str) -> None:
    """Whatever the text; markup of it is escaped."""
    write_formula(tex, True)
    assert "<a" not in render(f"$${tex}$$").text
