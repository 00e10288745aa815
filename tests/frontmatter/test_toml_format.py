"""Frontmatter between lines of `+++`."""

import pytest

from asdlc_kb.exceptions import FrontmatterError, FrontmatterUnclosed
from asdlc_kb.frontmatter.nodes import MAX_DEPTH, Mapping, Scalar, Sequence
from asdlc_kb.frontmatter.parser import MAX_FRONTMATTER_BYTES, TOML_FENCE, Parts, split
from asdlc_kb.frontmatter.toml_format import parse_toml


@pytest.mark.parametrize(
    ("text", "frontmatter", "body"),
    [
        ("+++\na = 1\n+++\n# T\n", "a = 1\n", "# T\n"),
        ("+++ \na = 1\n+++", "a = 1\n", ""),
        ("+++\n+++\nx", "", "x"),
        ("x\n+++\na = 1\n+++\n", None, "x\n+++\na = 1\n+++\n"),
        ("", None, ""),
    ],
)
def test_a_document_is_cut_at_its_fences(
    text: str, frontmatter: str | None, body: str
) -> None:
    """Hugo's and Zola's form; without a fence on top it is text."""
    assert split(text, TOML_FENCE) == Parts(frontmatter, body)


def test_a_document_without_its_second_fence_is_unfinished() -> None:
    """D-067: it may be half written: nothing of it is text yet."""
    with pytest.raises(FrontmatterUnclosed, match=r"add a line '\+\+\+' below it"):
        split("+++\nno end\n", TOML_FENCE)


def test_values_come_as_texts() -> None:
    """Like YAML's, so that a domain reads both alike."""
    text = 'a = "x"\nb = [1, 2]\nc = true\nd = 2026-01-31\n[e]\nf = 1.5\n'
    fields = parse_toml(text).items
    scalars = {k: v.text for k, v in fields.items() if isinstance(v, Scalar)}
    assert scalars == {"a": "x", "c": "true", "d": "2026-01-31"}
    listed = fields["b"]
    assert isinstance(listed, Sequence)
    assert [item.text for item in listed.items if isinstance(item, Scalar)] == [
        "1",
        "2",
    ]
    assert isinstance(fields["e"], Mapping)


@pytest.mark.parametrize(
    "text",
    [
        *("a", "a = ", "a = 1\na = 2", "status: Draft", "a = " + "[" * 8000),
        *("a = " + "9" * 9000, "a = '" + "x" * MAX_FRONTMATTER_BYTES + "'"),
    ],
    ids=lambda text: text[:12],
)
def test_what_is_not_toml_is_told(text: str) -> None:
    """No bomb and no traceback: one error with advice."""
    with pytest.raises(FrontmatterError, match="frontmatter is"):
        parse_toml(text)


def test_levels_are_bounded_as_in_yaml() -> None:
    """D-061: at most eight levels, in every format of frontmatter."""
    inside = MAX_DEPTH - 1
    assert parse_toml("a = " + "[" * inside + "]" * inside + "\n").items["a"]
    with pytest.raises(FrontmatterError, match="levels"):
        parse_toml("a = " + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "\n")
