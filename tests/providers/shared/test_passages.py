"""Passages: whole sections of a document where they fit, else their best blocks."""

import pytest

from asdlc_kb.providers.shared.passages import Place, find_all
from asdlc_kb.providers.shared.size_budget import SizeBudget

WEIGHTS = {"heron": 1.0}
FILL = "Reeds and water. " * 20
CODE = f"```python\n{'heron()' * 3}\n\nnest()\n```"
BODY = (
    "Lead.\n\n# Birds\n\nAll birds.\n\n## Herons\n\nThe heron waits.\n\n"
    "### Nests\n\nOf twigs.\n\n"
    f"## Long\n\n{FILL}\n\n{CODE}\n\n{FILL}\n\n## Eggs\n\nBlue.\n"
)
LINES = {line: number for number, line in enumerate(BODY.split("\n"), 1)}


def find(line: str, max_chars: int, *further: str, is_json: bool = False) -> str:
    """Return the passage at a heading, with the next best sections."""
    place = Place(BODY, LINES[line], [LINES[other] for other in further])
    (passage,) = find_all([place], WEIGHTS, SizeBudget(max_chars, is_json))
    return passage.text


def test_a_section_that_fits_is_whole() -> None:
    """Without its heading, which stands above the passage."""
    assert find("## Herons", 200) == "The heron waits."
    assert find("Lead.", 200) == "Lead."


def test_words_are_recognized_in_the_language_of_the_text() -> None:
    """The block with a form of the word is chosen."""
    body = f"# Top\n\n{FILL}\n\nZwei Häuser.\n\n{FILL}\n"
    for language, is_found in (("de", True), ("", False)):
        place = Place(body, 1, language=language)
        (passage,) = find_all([place], {"haus": 1.0}, SizeBudget(300, is_json=False))
        assert ("Zwei Häuser." in passage.text) is is_found


def test_the_headings_lead_to_the_section() -> None:
    """From the top; a long one is cut."""
    body = f"# Top\n\n## {'w' * 300}\n\n### Here\n\nText.\n"
    (passage,) = find_all([Place(body, 5)], {}, SizeBudget(1_000))
    assert passage.headings == ("Top", "w" * 99 + "…", "Here")
    (empty,) = find_all([Place("", 1)], {}, SizeBudget(1_000))
    assert (empty.headings, empty.text) == ((), "")


def test_the_section_that_matches_best_comes_first() -> None:
    """With a mark before each further one that does not follow the one above it."""
    assert find("## Herons", 1_000, "## Eggs", "### Nests", "# Birds") == (
        "The heron waits.\n\n…\n\n## Eggs\n\nBlue.\n\n…\n\n### Nests\n\nOf twigs."
    )
    assert find("### Nests", 1_000, "## Herons") == (
        "Of twigs.\n\n…\n\n## Herons\n\nThe heron waits."
    )
    assert find("## Herons", 1_000, "### Nests") == (
        "The heron waits.\n\n### Nests\n\nOf twigs."
    )


def test_a_further_section_that_does_not_fit_is_left_out() -> None:
    """A shorter one behind it may fit."""
    text = find("## Herons", 160, "## Long", "## Eggs")
    assert text == "The heron waits.\n\n…\n\n## Eggs\n\nBlue."


def test_the_best_blocks_of_a_long_section_are_shown() -> None:
    """Code is whole, and marks stand for what was cut."""
    cut = "…"
    assert find("## Long", 160) == f"{cut}\n\n{CODE}\n\n{cut}"


@pytest.mark.parametrize("indent", ["", "  ", "> "])
def test_code_that_is_cut_has_its_fences(indent: str) -> None:
    """What comes behind it is not read as code."""
    lines = "\n".join(f"{indent}heron({n})" for n in range(200))
    body = f"{indent}~~~~python\n{lines}\n{indent}~~~~\n"
    for weights in ({"heron": 1.0}, {"150": 1.0}):
        (passage,) = find_all([Place(body, 1)], weights, SizeBudget(300, is_json=False))
        shown = passage.text.strip("…\n").split("\n")
        assert shown[0] == f"{indent}~~~~python"
        assert shown[-1] == f"{indent}~~~~"
        assert 150 < len(passage.text) <= 300


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize("max_chars", [150, 200, 400, 1_000])
def test_a_passage_fits(max_chars: int, is_json: bool) -> None:
    """Whatever is asked: escapes of JSON count."""
    text = find("## Long", max_chars, "## Herons", is_json=is_json)
    assert text
    assert SizeBudget(max_chars, is_json).spend(text).chars >= -2


def test_a_block_that_does_not_fit_is_cut() -> None:
    """A passage without text would answer nothing."""
    body = "# A\n\n" + "word " * 1_000
    (passage,) = find_all([Place(body, 1)], {}, SizeBudget(300, is_json=False))
    assert 200 < len(passage.text) <= 300


def test_the_better_a_result_the_longer_is_its_passage() -> None:
    """One without room is empty; what one leaves is for the next."""
    place = Place(BODY, LINES["## Long"])
    budget = SizeBudget(900, is_json=False)
    sizes = [len(p.text) for p in find_all([place] * 3, {}, budget)]
    assert sizes[0] > sizes[1] > 0
    assert sum(sizes) <= 900
    short = Place(BODY, LINES["## Eggs"])
    _, last = find_all([short, place], {}, budget)
    assert len(last.text) > sizes[0]
    (none,) = find_all([place], {}, SizeBudget(100))
    assert none.text == ""
