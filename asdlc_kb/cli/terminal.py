"""Terminal output, with control characters escaped.

Titles and file names are untrusted; an escape sequence in one could clear the screen,
forge a line or rename the window.
"""

import json
import re
from collections.abc import Iterable
from typing import Final

import click

_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, direction marks, line separators and surrogates."""


def escape(text: str, *, keep: str = "") -> str:
    """Return the text with unsafe characters as `\\x1b`, except those in `keep`."""

    def replace(match: re.Match[str]) -> str:
        if match[0] in keep:
            return match[0]
        return match[0].encode("unicode_escape").decode("ascii")

    return _UNSAFE.sub(replace, text)


def echo(text: str, *, err: bool = False) -> None:
    """Write one line."""
    click.echo(escape(text), err=err)


def report(value: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Write a command's result: a value as JSON, or its lines."""
    if as_json:
        click.echo(json.dumps(value, indent=2))
        return
    for line in lines:
        echo(line)
