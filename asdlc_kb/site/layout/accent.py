"""Accent colours of both themes, from one colour, with enough contrast (D-206).

Text in the accent colour, and text on it, has at least the contrast that WCAG 2.2
requires at level AA, on every background of the style sheet.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from asdlc_kb.site.layout import assets

MIN_CONTRAST: Final = 4.5
"""Contrast of text at level AA (WCAG 2.2, 1.4.3)."""

_COLOUR: Final = re.compile("#(?:[0-9a-fA-F]{3}){1,2}")
_VARIABLE: Final = re.compile(
    r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);"
)
_BACKGROUNDS: Final = ("paper", "raised", "sunk")
_STEPS: Final = 100


class Colour(NamedTuple):
    """A colour in sRGB, each part from 0 to 255."""

    red: int
    green: int
    blue: int

    def __str__(self) -> str:
        """Return it in hexadecimal."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def luminance(self) -> float:
        """The relative luminance, from 0 to 1 (WCAG 2.2)."""
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (value / 255 for value in self)
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def mix(self, other: "Colour", share: float) -> "Colour":
        """Return this colour with a share of another one, as CSS mixes in sRGB."""
        pairs = zip(self, other, strict=True)
        return Colour(*(round(a + (b - a) * share) for a, b in pairs))


class Accent(NamedTuple):
    """The accent colours of one theme."""

    colour: Colour
    """Of links, buttons and marks."""
    soft: Colour
    """Of backgrounds."""


class _Theme(NamedTuple):
    """What the accent of a theme is fitted to."""

    column: int
    """The place of the theme in a light-dark() of the style sheet."""
    limit: Colour
    """The colour with the most contrast, towards which an accent is changed."""
    soft_share: float
    """Share of the accent in its soft colour; the rest is the page's background."""


_THEMES: Final = (
    _Theme(0, Colour(0, 0, 0), 0.10),
    _Theme(1, Colour(255, 255, 255), 0.145),
)


def read_colour(text: str) -> Colour | None:
    """Return a colour such as #0b6b6b or #0bb; None if it is none."""
    if _COLOUR.fullmatch(text) is None:
        return None
    digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
    return Colour(*bytes.fromhex(digits))


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    light, dark = sorted((one.luminance, other.luminance), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def fit_accent(colour: Colour) -> tuple[Accent, Accent]:
    """Return the accents of the light and of the dark theme.

    Each is the colour, made darker or lighter until its contrast is sufficient.
    """
    light, dark = (_fit(colour, theme) for theme in _THEMES)
    return light, dark


def _fit(colour: Colour, theme: _Theme) -> Accent:
    backgrounds = [read_theme()[name][theme.column] for name in _BACKGROUNDS]
    for step in range(_STEPS + 1):
        fitted = colour.mix(theme.limit, step / _STEPS)
        soft = backgrounds[0].mix(fitted, theme.soft_share)
        if all(contrast(fitted, b) >= MIN_CONTRAST for b in (*backgrounds, soft)):
            break
    return Accent(fitted, soft)


def write_accent(colour: Colour) -> str:
    """Return the CSS that replaces the accent of the style sheet."""
    light, dark = fit_accent(colour)
    return (
        f":root {{\n  --accent: light-dark({light.colour}, {dark.colour});\n"
        f"  --accent-soft: light-dark({light.soft}, {dark.soft});\n}}\n"
    )


@cache
def read_theme() -> Mapping[str, tuple[Colour, Colour]]:
    """Return the colours of the style sheet by name, light and dark."""
    style = assets.read("style.css").decode()
    colours = {}
    for name, *pair in _VARIABLE.findall(style):
        light, dark = (Colour(*bytes.fromhex(text[1:])) for text in pair)
        colours[name] = (light, dark)
    return colours
