"""Accent colours: readable in both themes, whatever the operator chooses (D-206)."""

from itertools import product

import pytest

from asdlc_kb.site.layout.accent import (
    MIN_CONTRAST,
    Colour,
    contrast,
    fit_accent,
    read_colour,
    read_theme,
    write_accent,
)

ANY = [Colour(*parts) for parts in product((0, 64, 128, 191, 255), repeat=3)]
"""Colours of every hue, saturation and lightness."""

BACKGROUNDS = ("paper", "raised", "sunk")


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("#0b6b6b", (11, 107, 107)),
        ("#0BB", (0, 187, 187)),
        ("#ffffff", (255, 255, 255)),
        ("0b6b6b", None),
        ("#0b6b6", None),
        ("#0b6b6b80", None),
        ("#0b6b6g", None),
        ("teal", None),
        ("", None),
        ("#fff\n", None),
        ("#٣٣٣", None),
    ],
)
def test_a_colour_is_written_in_hexadecimal(
    text: str, colour: tuple[int, int, int] | None
) -> None:
    """With three or six digits."""
    assert read_colour(text) == colour


def test_contrast_is_that_of_wcag() -> None:
    """Known pairs: black on white, equal colours, and the grey of 4.5."""
    white, black = Colour(255, 255, 255), Colour(0, 0, 0)
    assert contrast(white, black) == contrast(black, white) == pytest.approx(21)
    assert contrast(white, white) == 1
    assert contrast(Colour(0x76, 0x76, 0x76), white) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("colour", ANY, ids=str)
def test_every_accent_is_readable_in_both_themes(colour: Colour) -> None:
    """As text on each background, and the text of buttons on it (WCAG 2.2, AA)."""
    theme = read_theme()
    for column, accent in enumerate(fit_accent(colour)):
        backgrounds = [theme[name][column] for name in BACKGROUNDS]
        for background in (*backgrounds, accent.soft):
            assert contrast(accent.colour, background) >= MIN_CONTRAST
        for text in ("ink", "soft"):
            assert contrast(theme[text][column], accent.soft) >= MIN_CONTRAST
        # Highlighted lines of code: see style.css.
        line = theme["sunk"][column].mix(accent.colour, 0.09)
        for name in theme:
            if name.startswith("code-"):
                assert contrast(theme[name][column], line) >= MIN_CONTRAST, name


def test_a_colour_that_is_readable_stays_as_it_is() -> None:
    """It is changed no more than necessary."""
    light, dark = fit_accent(Colour(0x0B, 0x6B, 0x6B))
    assert str(light.colour) == "#0b6b6b"
    assert str(dark.colour) not in ("#0b6b6b", "#ffffff")
    yellow = Colour(255, 220, 0)
    light, dark = fit_accent(yellow)
    assert dark.colour == yellow
    assert light.colour.blue == 0
    assert light.colour.red > light.colour.green > 60


def test_the_accent_of_the_style_sheet_is_replaced() -> None:
    """In both themes, with the colours of backgrounds."""
    assert write_accent(Colour(0x7C, 0x3A, 0xED)) == (
        ":root {\n  --accent: light-dark(#7c3aed, #a273f2);\n"
        "  --accent-soft: light-dark(#efe9f9, #272337);\n}\n"
    )
    assert {"accent", "accent-soft", *BACKGROUNDS} <= read_theme().keys()
