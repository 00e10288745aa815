"""Where directives of MyST end, and their options."""

from asdlc_kb.markup.dialects.myst import MYST
from asdlc_kb.markup.dialects.myst_directives import (
    FENCED,
    Directive,
    read_directive,
)
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str) -> str:
    """Return a text of MyST as GitHub's Markdown."""
    return translate(text, MYST, Output.MARKDOWN).strip("\n")


def read(first: str, *lines: str) -> Directive:
    """Return the directive with this first line."""
    found = FENCED.match(first)
    assert found is not None
    return read_directive(found, [*lines])


def test_containers_of_colons_are_nested() -> None:
    """Code in them has no containers; one that nothing closes ends with the text."""
    text = (
        "::::{note}\na\n\n```\n:::\n```\n\n:::{tip}\nb\n:::\nc\n::::\n\nd\n:::{hint}\ne"
    )
    shown = (
        "> [!NOTE]\n> a\n>\n> ```\n> :::\n> ```\n>\n> > [!TIP]\n> > b\n>\n> c\n\nd\n\n"
        "> [!TIP] Hint\n> e"
    )
    assert show(text) == shown
    assert len(show(":::{note}\n" * 20_000)) > 20_000


def test_options_are_at_the_beginning() -> None:
    """As fields, or as YAML between lines; text that looks alike is text."""
    lines = [":a: b", "c", ":d: e"]
    found = read("```{note}", *lines)
    assert found.options.named == {"a": "b"}
    assert found.body == lines[1:]
    found = read("```{note}", "---", "a: 'b'", "c:", "- d", "---", "e")
    assert found.options.named == {"a": "b", "c": ""}
    assert found.body == ["e"]


def test_options_are_in_the_braces_too() -> None:
    """As mystmd reads them, of directives and of roles."""
    found = read(':::{tip #a .b icon=false class="c" .d} T', "x")
    assert (found.name, found.argument, found.body) == ("tip", "T", ["x"])
    assert found.options.named == {"class": "c b d", "icon": "false", "name": "a"}
    assert show(":::{note .dropdown} A\nb\n:::") == "> [!NOTE]-\n> A\n>\n> b"
    assert show("{span .red-500 a=b}`Red` {kbd x`A`") == "Red {kbd x`A`"
