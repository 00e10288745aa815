"""The dialects of AGENTS.md."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.project import fixture

from asdlc_kb.project.agents_md import (
    MAX_CHARS,
    AgentsMdSections,
    Boundaries,
    GuideSection,
    Labelled,
    read_sections,
)


def meaning_of(name: str) -> AgentsMdSections:
    """Return the content of the AGENTS.md of a dialect's project."""
    text = (fixture(name).root / "AGENTS.md").read_text(encoding="utf-8")
    return read_sections(text)


def test_the_dialect_of_ace_is_understood() -> None:
    """D-110: labels in a quotation, labelled items, three tiers."""
    assert meaning_of("ace") == AgentsMdSections(
        mission="Show an agent what its project expects.",
        philosophy="Context before code.",
        tech_stack=(
            Labelled("Language", "Rust 1.80"),
            Labelled("Testing", "cargo test"),
        ),
        boundaries=Boundaries(
            always=("run the tests", "read the spec, the whole of it"),
            ask=("before a new dependency",),
            never=("commit secrets",),
        ),
        sections=(
            GuideSection(1, "AGENTS.md", 0, 5),
            GuideSection(2, "1. Tech Stack", 6, 16),
            GuideSection(2, "2. Operational Boundaries", 17, 18),
            GuideSection(3, "Tier 1 (ALWAYS): Unasked", 19, 24),
            GuideSection(3, "Tier 2 (ASK)", 25, 28),
            GuideSection(3, "Tier 3 (NEVER)", 29, 31),
        ),
    )


def test_the_dialect_of_asdlc_is_understood() -> None:
    """D-110: a quotation, tables, and plain headings."""
    meaning = meaning_of("asdlc")
    assert meaning.mission == "Keeps ships off the rocks."
    assert meaning.philosophy is None
    assert meaning.toolchain == (
        Labelled("Test", "make test"),
        Labelled("Pipe", "a | b"),
    )
    assert meaning.boundaries == Boundaries(
        always=("Light the lamp at dusk",),
        ask=("Before changing the colour",),
        never=("Never leave it alone",),
    )
    assert meaning.personas == (Labelled("Keeper", "Trims the wick"),)
    assert [section.title for section in meaning.sections][:3] == [
        *("Lighthouse", "Toolchain", "Judgment Boundaries")
    ]


def test_free_text_has_sections_and_nothing_else() -> None:
    """agents.md requires no field at all."""
    assert read_sections("# A\n\nText.\n\n## B\n") == AgentsMdSections(
        sections=(GuideSection(1, "A", 0, 3), GuideSection(2, "B", 4, 4))
    )
    assert read_sections("") == AgentsMdSections()


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("# A\n\n```sh\n# no\n```\n\n    # no\n\n## B\n", ["A", "B"]),
        ("~~~\n# no\n~~~\n# A", ["A"]),
        ("A\n===\n\nB\n---\n", ["A", "B"]),
        ("# A `b` *c* ##\n", ["A b c"]),
        ("<!--\n# no\n-->\n\n# A\n", ["A"]),
    ],
)
def test_code_has_no_sections(text: str, titles: list[str]) -> None:
    """D-112: a comment in a shell block is no heading."""
    assert [section.title for section in read_sections(text).sections] == titles


def test_lines_count_from_the_top_of_the_file() -> None:
    """From 0, frontmatter included; the end is the last line."""
    text = "---\ntitle: x\n---\n\n# A\ntext\n## B\ntext\n"
    assert read_sections(text).sections == (
        GuideSection(1, "A", 4, 5),
        GuideSection(2, "B", 6, 7),
    )


@pytest.mark.parametrize(
    ("quotation", "mission"),
    [
        ("> One\n> two.\n\n> Three.", "One two."),
        ("> **Status:** Active\n> Still of the status.", None),
        ("> [!NOTE]\n> Meant.", "Meant."),
        ("> **Project Mission**: With *marks* and `code`.", "With marks and code."),
        ("> **Status**: Active\n\n> Meant.", "Meant."),
        ("Text.\n\n## B\n\n> Not below the title.", None),
        ("```\n> code\n```", None),
    ],
)
def test_the_mission_is_quoted_below_the_title(
    quotation: str, mission: str | None
) -> None:
    """A label for something else is not it."""
    assert read_sections(f"# A\n\n{quotation}\n").mission == mission


def test_boundaries_without_tiers_are_told_by_their_first_word() -> None:
    """Items right below the heading; an item without such a word is none."""
    text = "## Boundaries\n\n- **ALWAYS**: a\n- ASK FIRST b\n- **NEVER** c\n- d\n"
    assert read_sections(text).boundaries == Boundaries(("a",), ("b",), ("c",))
    assert read_sections("## Boundaries\n").boundaries == Boundaries()
    assert read_sections("## Other\n\n- ALWAYS a\n").boundaries is None


def test_the_first_row_of_a_table_is_its_heading() -> None:
    """Every table is read; other text has no rows."""
    table = "| A | B |\n| --- | :-: |\n| {0} | b |\n\n"
    text = "## Commands\n\n| no | table |\n\n" + table.format("x") + table.format("y")
    labels = [row.label for row in read_sections(text).toolchain]
    assert labels == ["x", "y"]


def test_a_section_ends_at_its_like() -> None:
    """Text under a later heading of the same level is not included."""
    text = "## Technology\n\n### Front\n\n- **UI:** a\n\n## Else\n\n- **No:** b\n"
    assert read_sections(text).tech_stack == (Labelled("UI", "a"),)


def test_a_text_that_is_too_long_says_nothing() -> None:
    """D-111: reading it would take too long."""
    assert read_sections("# A\n" + "x" * MAX_CHARS) == AgentsMdSections()


@given(
    st.lists(
        st.sampled_from(
            "# A,## Tech Stack,- **B:** c,```,| a | b |,| - | - |,### NEVER,"
            "## Boundaries,- d,> e,,---,  f,<!--".split(",")
        ),
        max_size=14,
    )
)
def test_sections_cover_the_text_from_their_first(lines: list[str]) -> None:
    """Any text is read; sections follow each other without a gap."""
    sections = read_sections("\n".join(lines)).sections
    for before, after in pairwise(sections):
        assert before.end_line + 1 == after.start_line
    for section in sections:
        assert 0 <= section.start_line <= section.end_line < max(len(lines), 1)
