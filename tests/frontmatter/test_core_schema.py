"""Frontmatter as data with types, as hosts of skills read it."""

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from asdlc_kb.frontmatter.core_schema import read_data


def test_values_are_what_yaml_says_they_are() -> None:
    """A host reads the same file and compares (SEP-2640, frontmatter)."""
    text = (
        "---\nname: x\ndescription: 'true'\nversion: 1.10\nquoted: \"1.10\"\nnone:\n"
        "list: [a, true, 12, '12', ~]\nmetadata: {draft: true, at: 2026-07-28}\n"
        "hooks:\n  - on: {deep: [1]}\nblock: |\n  12\nhex: 0x1F\noctal: 0o17\n"
        "exponent: 1e3\nminus: -7\nlong: 12345678901234567890\nfar: 1e999\n"
        "time: 12:30:00\nyes: yes\nplus: +1\npoint: .5\n---\n"
    )
    assert read_data(text) == {
        "name": "x",
        "description": "true",
        "version": 1.1,
        "quoted": "1.10",
        "none": None,
        "list": ["a", True, 12, "12", None],
        "metadata": {"draft": True, "at": "2026-07-28"},
        "hooks": [{"on": {"deep": [1]}}],
        "block": "12\n",
        "hex": 31,
        "octal": 15,
        "exponent": 1000.0,
        "minus": -7,
        "long": 12345678901234567890.0,
        "far": "1e999",
        "time": "12:30:00",
        "yes": "yes",
        "plus": 1,
        "point": 0.5,
    }


def test_there_is_no_data_without_frontmatter() -> None:
    """Nothing is made up."""
    assert read_data("text") is None
    assert read_data("---\na: b: c\n---\n") is None


SCALARS = st.one_of(
    st.text("abc 0179.-+eExo'\"|>~truefalsn", max_size=8),
    st.integers(-(2**59), 2**59).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["true", "False", "null", "~", "''", '"1"', "yes", "0x10", "1."]),
)


@given(st.dictionaries(st.sampled_from("abcd"), SCALARS, min_size=1))
def test_values_are_those_of_a_yaml_reader(fields: dict[str, str]) -> None:
    """If ours reads a frontmatter, a complete YAML reader has equal values."""
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    found = read_data(f"---\n{lines}---\n")
    if found is None:
        return
    json.dumps(found, allow_nan=False)
    expected: dict[str, Any] = YAML(typ="safe", pure=True).load(lines) or {}
    for key, value in found.items():
        # Dates and values beyond JSON are strings: parsers disagree on them.
        number = expected[key]
        if isinstance(number, float) and not math.isfinite(number):
            number = str(fields[key])
        if isinstance(number, (str, bool, int, float, type(None))):
            assert value == number
