"""The table of dialects, and the dialect of a page."""

from pathlib import Path

import pytest

from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.table import DIALECTS, find_dialect
from asdlc_kb.markup.dialects.translator import translate


@pytest.mark.parametrize(
    ("name", "path", "dialect"),
    [
        ("github", "a.md", "github"),
        ("github", "guide/A.MDX", "mdx"),
        ("unknown", "a.md", "github"),
        ("starlight", "a.mdx", "starlight"),
        ("docusaurus", "a.md", "docusaurus"),
    ],
)
def test_a_page_has_the_dialect_of_its_tree(name: str, path: str, dialect: str) -> None:
    """Except that MDX is never read as GitHub's Markdown."""
    assert find_dialect(name, path) is DIALECTS[dialect]


def test_a_markdown_file_of_starlight_is_no_mdx() -> None:
    """Astro reads it as Markdown with directives."""
    dialect = find_dialect("starlight", "a.md")
    assert dialect.name == "starlight"
    assert dialect.has_indented_code


def test_mdx_of_no_known_generator_has_no_imports_and_no_component_tags() -> None:
    """Agents and people get the text of the components."""
    text = "import A from './a'\n\n<A>\n\nInside\n\n</A>\n"
    for output in Output:
        assert translate(text, DIALECTS["mdx"], output).split() == ["Inside"]


@pytest.mark.parametrize("name", DIALECTS)
def test_every_match_of_a_rule_contains_its_sign(name: str) -> None:
    """Samples of all dialects: a text without the sign is not searched."""
    samples = [path.read_text("utf-8") for path in Path(__file__).parent.glob("*.py")]
    paragraphs = "\n".join(samples).replace('"', "\n").split("\n\n")
    for rule in DIALECTS[name].inlines:
        found = [m[0] for text in paragraphs for m in rule.mark.finditer(text)]
        assert all(rule.sign in match for match in found), rule
