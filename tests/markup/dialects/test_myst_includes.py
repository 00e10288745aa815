"""Includes of MyST."""

import pytest

from asdlc_kb.markup.dialects.myst_includes import find_myst_includes


@pytest.mark.parametrize(
    ("text", "include"),
    [
        ("```{include} ../README.md\n:start-after: <!-- a -->\n:end-before: z\n```",
         ("../README.md", (), None, "<!-- a -->", "z")),
        ("- x\n  ```{include} a.md\n  :start-line: 2\n  ```",
         ("a.md", ((3, None),), None, "", "")),
        (":::{include} a.txt\n:literal:\n:end-line: 3\n:::",
         ("a.txt", ((1, 3),), "txt", "", "")),
        ("```{literalinclude} a.py\n:language: python\n:lines: 1,3-4,6-\n```",
         ("a.py", ((1, 1), (3, 4), (6, None)), "python", "", "")),
        ("````{note}\n```{literalinclude} Makefile\n```\n````",
         ("Makefile", (), "Makefile", "", "")),
        ("```\n```{include} a.md\n```\n```{include} b.md",
         ("b.md", (), None, "", "")),
        ("````{code-block} md\n```{include} a.md\n```\n````\n```{include} b.md\n```",
         ("b.md", (), None, "", "")),
    ],
)  # fmt: skip
def test_includes_are_found(text: str, include: tuple[object, ...]) -> None:
    """In directives of text, and not in code."""
    found = [
        (each.path, each.ranges, each.language, each.after, each.before)
        for each in find_myst_includes(text)
    ]
    assert found == [include]
    (span,) = [(each.start, each.end) for each in find_myst_includes(text)]
    assert "include}" in text[slice(*span)].split("\n")[0]
