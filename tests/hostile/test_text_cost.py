"""No text of a file costs more than its size allows: nothing is quadratic (D-139).

Each text is read in a child process with limited CPU time. The limit is generous, as
the machine that runs the tests may be slow.
"""

import resource
import subprocess
import sys

import pytest

MAX_SECONDS = 10
"""CPU seconds of a child, the imports included."""

RENDER = "from asdlc_kb.markup.html_renderer import render; render({})"
OUTLINE = "from asdlc_kb.markup.outline import read_outline; read_outline({})"
BORDERS = (
    "from asdlc_kb.markup.split_points import find_split_points; find_split_points({})"
)
LINKS = "from asdlc_kb.markup.link_scanner import find_links; list(find_links({}))"
SPLIT = "from asdlc_kb.markup.sections import split_sections; split_sections({})"


def read(code: str) -> None:
    """Run code in a child; fail if it exceeds its CPU time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))

    run = subprocess.run([sys.executable, "-c", code], preexec_fn=limit, timeout=300)
    assert run.returncode == 0, "killed: the text costs too much"


@pytest.mark.parametrize(
    "text",
    [
        "'<http://a' * 20_000",
        "'{: ' * 60_000",
        "'http://a) ' * 2 + 'http://a' + ')' * 200_000",
        "'<div>' * 100_000",
        "'<a><div>' * 60_000",
        "'<b></i>' * 70_000",
        "''.join(f'<p><b x{n}>\\n\\n' for n in range(9_000))",
        "'![[' * 25_000",
        "'[^a]: b\\n\\n' + '[^' * 40_000",
        "'[^a]: b\\n\\n' + '[^' * 40_000 + ']'",
    ],
)
def test_a_page_of_repeats_is_rendered_in_bounded_time(text: str) -> None:
    """CWE-407: no rule of Markdown or HTML reads the rest of the text at each mark."""
    read(RENDER.format(text))


@pytest.mark.parametrize(
    "text", ["'a {docsify-' + ' ' * 60_000 + 'b'", "'# a' + ' ' * 200_000 + ':id=b c'"]
)
def test_a_page_of_docsify_is_translated_in_bounded_time(text: str) -> None:
    """CWE-407: no mark is looked for again at each blank before it."""
    load = (
        "from asdlc_kb.markup.dialects.docsify import DOCSIFY; "
        "from asdlc_kb.markup.dialects.source import Output; "
        "from asdlc_kb.markup.dialects.translator import translate; "
        "translate({}, DOCSIFY, Output.MARKDOWN)"
    )
    read(load.format(text))


def test_blanks_in_frontmatter_are_read_in_bounded_time() -> None:
    """CWE-407: a date's zone, and a field that only articles have."""
    zone = "from asdlc_kb.docs.pages.stated_fields import _ZONE; _ZONE.sub('', {})"
    read(zone.format("' ' * 60_000 + 'x'"))
    field = "from asdlc_kb.docs.recognition import _FIELD; _FIELD.search({})"
    read(field.format("'\\n' * 60_000"))


def test_a_list_that_is_not_closed_is_read_in_bounded_time() -> None:
    """D-139: text in brackets is read once, in as many files as there are."""
    load = (
        "from asdlc_kb.frontmatter.yaml_fast import read_fast; "
        "[read_fast({}) for _ in {}]"
    )
    read(load.format("'a: [' + ' ' * 16_000 + ':'", "range(200)"))


def test_a_list_of_quotes_is_split_in_bounded_time() -> None:
    """D-139: a quote within an item does not read the item again."""
    split = (
        "from asdlc_kb.frontmatter.comma_lists import split_commas; split_commas({})"
    )
    read(split.format('"{{\'" * 900_000'))


def test_a_page_whose_frontmatter_is_blank_lines_is_loaded_in_bounded_time() -> None:
    """D-139: looking for a key reads each line once, before a page is shown."""
    load = "from asdlc_kb.docs.pages.page_frontmatter import _is_rule; _is_rule({})"
    read(load.format("'---\\na\\n' + '\\n' * 15_000 + '---\\n'"))


@pytest.mark.parametrize("reader", [SPLIT, BORDERS, LINKS])
@pytest.mark.parametrize(
    "text",
    [
        "'](x)\\n' + '`' * 300_000",
        "'](x)\\n' + '~' * 300_000 + 'x'",
        "'# {#' + ' ' * 1_000_000 + 'x'",
        "'- a\\n' * 520_000",
        "'# a\\n\\t\\n' * 350_000",
        "'> a\\n' * 520_000",
    ],
)
def test_a_file_of_any_size_is_cut_and_followed_in_bounded_time(
    reader: str, text: str
) -> None:
    """D-139: chunks of tool results and relations are computed in the server."""
    read(reader.format(text))


@pytest.mark.parametrize("reader", [OUTLINE, SPLIT], ids=["outline", "sections"])
@pytest.mark.parametrize(
    "text", ["'# ' + '[' * 40_000", "'# ' + '![[' * 25_000", "'# a\\n' * 30_000"]
)
def test_headings_and_links_are_found_in_bounded_time(reader: str, text: str) -> None:
    """D-139: loading and checking have the bounds of rendering."""
    read(reader.format(text))


@pytest.mark.parametrize(
    "code",
    [
        # The message repeats a value that is not one of the choices.
        """
from contextlib import suppress
from asdlc_kb.mcp.protocol.errors import ToolFailure
from asdlc_kb.mcp.protocol.tool_schema import check_arguments
from asdlc_kb.providers.articles.tools import GetArticle
with suppress(ToolFailure):
    check_arguments({"slug": "a", "format": " - at `$." + "a" * 1_000_000}, GetArticle)
""",
        """
from asdlc_kb.project.placeholders import PlaceholderSyntax, fill_placeholders
for _ in range(4):
    fill_placeholders("$1", "\\U0001f600" * 250_000, PlaceholderSyntax(("$1",)))
""",
    ],
    ids=["choice", "words"],
)
def test_an_argument_of_a_call_is_read_in_bounded_time(code: str) -> None:
    """CWE-407: a body of 1 MiB may hold a single value."""
    read(code)


@pytest.mark.parametrize(
    "read_file",
    [
        "from asdlc_kb.articles.schema import read_article as read",
        "from asdlc_kb.docs.pages.page import read_page as read",
    ],
    ids=["article", "page"],
)
@pytest.mark.parametrize(
    "tag", [r"'\ue000'", r"""'"\\ue000"'"""], ids=["raw", "escaped"]
)
def test_values_cost_nothing_of_the_text_below_them(read_file: str, tag: str) -> None:
    """D-139: 16 KB of tags that may show nothing, each looked up, on top of 2 MB."""
    read(
        f"""
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.signature import Signature
{read_file}
tag = {tag}
tags = ", ".join([tag] * (15_000 // (len(tag.encode()) + 2)))
fields = f"title: T\\ntags: [{{tags}}]\\nstatus: Live\\nlastUpdated: 2026-01-01\\n"
text = f"---\\n{{fields}}description: D\\n---\\n" + "\\u4e2d" * 690_000
reading = read(RawFile("c/a.md", Signature(0, 0, 0, 0, 0), b"", text))
assert len(reading.value.tags) > 1_000, reading.problems
"""
    )
