"""Docfx's and Microsoft Learn's extensions of Markdown."""

import pytest

from asdlc_kb.markup.dialects.docfx import DOCFX
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text of docfx as GitHub's Markdown."""
    return translate(text, DOCFX, output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (':::image type="content" source="a.png" alt-text="A [b]":::',
         "![A (b)](a.png)"),
        ('Press :::image type="icon" source="i.png" border="false"::: now',
         "Press ![](i.png) now"),
        (':::image type="complex" source="a.png" alt-text="A":::\nLong.\n'
         ":::image-end:::", "![A](a.png)\nLong."),
        ('**:::no-loc text="New issue":::** `:::no-loc text="x":::`',
         '**New issue** `:::no-loc text="x":::`'),
        (':::video source="https://e.org/v" title="T":::', "[T](https://e.org/v)"),
        (':::row:::\n:::column span="2":::\nA\n:::column-end:::\n:::row-end:::', "A"),
        (':::zone pivot="csharp,java"\n\nA\n\n:::zone-end',
         "*Applies to: csharp,java*\n\nA"),
        ('::: moniker range=">=net-8"\nA\n::: moniker-end',
         "*Applies to: >=net-8*\n\nA"),
        ('> [!div class="nextstepaction"]\n> [Next](n.md)\n\nb', "[Next](n.md)\n\nb"),
        ('> [!div class="checklist"]\n> * A\n> * B', "* A\n* B"),
        ("> [!VIDEO https://e.org/v?a=b]", "[Video](https://e.org/v?a=b)"),
        ("> [!Note]\n> A", "> [!NOTE]\n> A"),
        ("> [!TODO]\n> A", "> [!NOTE] TODO\n> A"),
        ("See <xref:System.List%601?displayProperty=fullName>.", "See `System.List`."),
        ("[Get-X](xref:M.Get-X) [f](xref:A.F(System.Int32)) [z](a.md)",
         "Get-X f [z](a.md)"),
        ("[a](~/b/c.md#d) `~/x` ~/y", "[a](/b/c.md#d) `~/x` ~/y"),
    ],
)  # fmt: skip
def test_a_mark_is_what_it_means(text: str, shown: str) -> None:
    """In code, nothing is."""
    assert show(text).rstrip("\n") == shown


def test_headings_with_the_address_of_a_tab_are_tabs() -> None:
    """Up to a thematic break, which code does not have."""
    text = (
        "## [Linux](#tab/linux)\n\na\n\n```yml\n---\n```\n\n## [C#](#tab/win/cs)\n\n"
        "> [!TIP]\n> b\n\n---\n\nc"
    )
    shown = "**Linux**\n\na\n\n```yml\n---\n```\n\n**C#**\n\n> [!TIP]\n> b\n\nc"
    assert show(text) == shown
    assert show(text, Output.HTML).count("<details") == 2
    assert show("# [A](#tab/a)\n\n## B") == "**A**\n\n## B"


@pytest.mark.parametrize(
    ("text", "include"),
    [
        ("[!INCLUDE [a](../i/a.md)]", ("../i/a.md", (), "", None)),
        ('x [!include[](<~/i/a.md> "t")]', ("/i/a.md", (), "", None)),
        ("[!code-csharp[Main](~/s/P.cs?name=Two&highlight=1)]",
         ("/s/P.cs", (), "Two", "csharp")),
        ("[!code-azurecli-interactive[](a.sh#L2-L4)]",
         ("a.sh", ((2, 4),), "", "azurecli")),
        ("[!code[](a.json?start=2&end=3)]", ("a.json", ((2, 3),), "", "json")),
        ("[!code-js[](a.js#part)]", ("a.js", (), "part", "js")),
        (':::code language="py" source="a.py" range="1,3-4,9-":::',
         ("a.py", ((1, 1), (3, 4), (9, None)), "", "py")),
        (':::code source="a.py" id="s" range="x":::', ("a.py", (), "s", "py")),
    ],
)  # fmt: skip
def test_includes_are_found(text: str, include: tuple[object, ...]) -> None:
    """Texts, code by its lines or by the name of its part; not in code."""
    text = f"`{text}`\n\n```\n{text}\n```\n\n<!-- {text} -->\n\n{text}"
    found = [
        (each.path, each.ranges, each.section, each.language)
        for each in DOCFX.find_includes(text)
    ]
    assert found == [include]


def test_links_from_the_root_lead_to_the_other_parts_of_the_site() -> None:
    """Not in code, and not without a site."""
    text = "[a](/azure/b) `[a](/b)` [c](~/d.md)"
    values = {"docfx.host": "https://e.org"}
    assert DOCFX.fill(text, values) == text.replace("/azure", "https://e.org/azure")
    assert DOCFX.fill(text, {}) == text
