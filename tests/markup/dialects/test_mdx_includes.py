"""Includes of MDX: partials and code that are imported."""

import pytest

from asdlc_kb.markup.dialects.includes import Include, IncludedFile, Includer
from asdlc_kb.markup.dialects.mdx import MDX
from asdlc_kb.markup.dialects.mdx_includes import find_mdx_includes
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def find(text: str) -> list[tuple[str, str, str | None]]:
    """Return the included part of a text, its path and its language."""
    return [
        (text[i.start : i.end], i.path, i.language) for i in find_mdx_includes(text)
    ]


@pytest.mark.parametrize(
    ("statement", "use", "path"),
    [
        ("import Part from './_part.mdx'", "<Part />", "./_part.mdx"),
        ("import Part from '@site/docs/_p.md';", "<Part a={b}>x</Part>", None),
        ("import { Content } from '~/a.mdx'", "<Content/>", "~/a.mdx"),
        (r"import Part from './\_a\u005fb.mdx'", "<Part />", "./_au005fb.mdx"),
        ("import {Content as Top} from '/src/a.md'", "<Top/>", "/src/a.md"),
    ],
)
def test_a_partial_is_included_where_it_is_used(
    statement: str, use: str, path: str | None
) -> None:
    """Its path is as written."""
    found = find(f"{statement}\n\ntext\n\n{use}\n")
    assert found == [(use, path or "@site/docs/_p.md", None)]


@pytest.mark.parametrize(
    ("statement", "use", "language"),
    [
        (
            "import Code from '!!raw-loader!./x.py'",
            '<CodeBlock language="python" title="a b.py">{Code}</CodeBlock>',
            'python title="a b.py"',
        ),
        ("import x from './x.py?raw'", "<Code code={x} />", "py"),
        ("import x from './x.py?raw'", '<Code code={x} lang="js" />', "js"),
    ],
)
def test_code_is_included_with_its_language(
    statement: str, use: str, language: str
) -> None:
    """That of the component, or else the suffix of the file."""
    assert find(f"{statement}\n\n{use}") == [(use, "./x.py", language)]


def test_a_snippet_of_mintlify_is_included() -> None:
    """From the folder of snippets."""
    assert find('<Snippet file="a.mdx" />')[0][1] == "/snippets/a.mdx"


@pytest.mark.parametrize(
    "text",
    [
        "<Part />",
        "import Part from './part.jsx'\n\n<Part />",
        "import Part from './part.mdx'\n\n`<Part />`",
        "```\nimport Part from './part.mdx'\n```\n\n<Part />",
        "import Part from './part.mdx'\n\n```\n<Part />\n```",
        "import Part from './part.mdx'\n\n<Part>",
    ],
)
def test_other_components_and_code_are_no_includes(text: str) -> None:
    """Only what is imported as a text."""
    assert find(text) == []


class _Partial:
    """One partial, which includes itself."""

    def read(self, written: str, source: str) -> IncludedFile:
        """Return the partial."""
        return IncludedFile(written, f"import P from '{written}'\n\n*in* <P />")


def test_an_included_partial_is_translated_with_its_page() -> None:
    """Its own imports go, and one that includes itself ends."""
    includer = Includer(find_mdx_includes, _Partial())
    text = includer.expand("import P from './p.mdx'\n\n<P />\n\nend", "page.mdx")
    shown = translate(text, MDX, Output.MARKDOWN).split("\n")
    assert [line for line in shown if line] == [
        "*in* [not included: ./p.mdx]",
        "end",
    ]
    assert isinstance(next(find_mdx_includes('<Snippet file="a"/>')), Include)
