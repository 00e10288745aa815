"""Frontmatter in JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.json_format import begins_with_json, read_json
from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Sequence
from asdlc_kb.frontmatter.parser import MAX_FRONTMATTER_BYTES


def test_an_object_is_read_as_texts() -> None:
    """The text below it is the body."""
    fields, body = read_json('{\n"a": ["b", 1], "c": true, "d": null\n}\n\n# T\n')
    assert fields == Mapping(
        {
            "a": Sequence((Scalar("b", False, 1, 1), Scalar("1", False, 1, 1)), 1, 1),
            "c": Scalar("true", False, 1, 1),
            "d": Scalar("", True, 1, 1),
        },
        1,
        1,
    )
    assert body == "\n# T\n"


@pytest.mark.parametrize(
    ("text", "is_json"),
    [
        ('{"a": 1}', True),
        ("{\n  'a': 1}", True),
        ("{ a: 1 }", True),
        ("{}", True),
        ("{{< note >}}", False),
        ("{% raw %}", False),
        ("{/* a comment: x */}", False),
        ("{#id}", False),
        ("{name}", False),
        (' {"a": 1}', False),
        ("# T", False),
    ],
)
def test_an_object_is_told_from_an_expression(text: str, is_json: bool) -> None:
    """Templates and components begin with braces, too."""
    assert begins_with_json(text) is is_json


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1',
        '{"a": 1} text',
        '{"a": 1, "a": 2}',
        '{"a": "\\ud800"}',
        "{'a': 1}",
        json.dumps({"a": "x" * MAX_FRONTMATTER_BYTES}),
        '{"a": ' + "[" * 100_000,
        '{"a": ' + "9" * 10_000 + "}",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_not_json_is_a_fault(text: str) -> None:
    """And one that a writer can repair."""
    with pytest.raises(FrontmatterError):
        read_json(text)


@given(st.text())
def test_no_text_fails_otherwise(text: str) -> None:
    """Whatever follows a brace."""
    try:
        read_json("{" + text)
    except FrontmatterError:
        return


@given(st.one_of(st.text(), st.text('{}[]",:\\ud80 \nnul1e9.-').map("{{{}}}".format)))
def test_no_text_raises_anything_but_a_frontmatter_error(text: str) -> None:
    """D-051: one bad file cannot break a scan of the others, object or not."""
    try:
        read_json(text)
    except FrontmatterError as error:
        assert error.line == 1
