"""TOML files of commands and agents."""

from pathlib import Path

import pytest
from support.project import list_problems, scan_of

from asdlc_kb.project.toml_header import read_toml


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ('prompt = "x"', "x"),
        ('prompt = """\nx\n"""\n[more]\na = 1', "x\n"),
        ("prompt = ", None),
        ('description = "d"', None),
        ("prompt = 3", None),
        ("prompt = ' '", None),
        ("", None),
        ("a = " + "[" * 10_000, None),
    ],
)
def test_the_text_is_a_field(tmp_path: Path, text: str, body: str | None) -> None:
    """A file without one is a problem."""
    scanner = scan_of(tmp_path, {})
    file = scanner.top("x.toml")
    header = read_toml(scanner, file, text, "prompt")
    assert (header and header.body) == body
    problems = [] if header else [("x.toml", "KB040")]
    assert list_problems(scanner) == problems


def test_other_fields_are_texts(tmp_path: Path) -> None:
    """Others are left out."""
    scanner = scan_of(tmp_path, {})
    text = 'description = "d"\nmodel = "m"\nn = 3\nprompt = "x"'
    header = read_toml(scanner, scanner.top("x.toml"), text, "prompt")
    assert header is not None
    assert header.fields == {"description": "d", "model": "m"}
