"""Frontmatter as people write it: nothing lost, nothing misread."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.frontmatter import Plain, plain

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.lenient import LenientFrontmatter, LenientValue, read_lenient
from asdlc_kb.frontmatter.nodes import Scalar
from asdlc_kb.frontmatter.parser import MAX_FRONTMATTER_BYTES, parse

words = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1)
pattern = st.lists(
    st.sampled_from(["**", "*", "src", "*.ts", "*.{ts,tsx}", "[a-c]*.py", "x y"]),
    min_size=1,
    max_size=4,
).map("/".join)


def header_of(*lines: str) -> LenientFrontmatter:
    """Return the frontmatter of a file with these lines between its fences."""
    return read_lenient("\n".join(["---", *lines, "---", "body"]))


def value_of(*lines: str) -> LenientValue:
    """Return the only value between the fences."""
    return header_of(*lines).fields["x"]


@pytest.mark.parametrize(
    ("written", "patterns"),
    [
        ("**/*", ["**/*"]),
        ("*.ts,*.tsx", ["*.ts", "*.tsx"]),
        ("**/*.{ts,tsx,js}", ["**/*.{ts,tsx,js}"]),
        ("a/**, b/**  ,", ["a/**", "b/**"]),
        ("Dockerfile, docker-compose*.yml", ["Dockerfile", "docker-compose*.yml"]),
        ('["**/*.py", "**/*.ipynb"]', ["**/*.py", "**/*.ipynb"]),
        ("[**/*.py, *.x]", ["**/*.py", "*.x"]),
        ("[ab]*.ts", ["[ab]*.ts"]),
        ("{a,b}/*.ts", ["{a,b}/*.ts"]),
        ('"**/*.ts", "**/*.tsx"', ["**/*.ts", "**/*.tsx"]),
        ("'*.a'", ["*.a"]),
        ("*.a # all of them", ["*.a"]),
        ('\n  - "**/*.py"\n  - *.x # y\n', ["**/*.py", "*.x"]),
        ("\n- a\n- b", ["a", "b"]),
        ("\n  *.a,\n  *.b", ["*.a", "*.b"]),
        ("[\n  'a',\n  'b',\n]", ["a", "b"]),
        ("!**/*.md, &x, @y, %z", ["!**/*.md", "&x", "@y", "%z"]),
        *((nothing, []) for nothing in ("", "null", "~", "[]", '""', " # none")),
    ],
)
def test_globs_are_what_was_written(written: str, patterns: list[str]) -> None:
    """D-025: unquoted, with braces, as a list of either kind, or none."""
    header = header_of("description: d", f"globs: {written}", "alwaysApply: true")
    assert list(header.patterns("globs")) == patterns
    assert header.text("description") == "d"
    assert header.flag("alwaysApply")
    assert header.body == "body"


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (["x: Foo: bar baz"], "Foo: bar baz"),
        (["x: 'it''s'"], "it's"),
        (['x: "a \\"b\\"\\n"'], 'a "b"\n'),
        (['x: "a" and "b"'], '"a" and "b"'),
        (['x: "never closed'], '"never closed'),
        (["x: @file and *this*"], "@file and *this*"),
        (["x: one", "  two", "  three"], "one two three"),
        (["x: one", "two: with no key"], "one"),
        (["x: one", "", "# a comment", "  two"], "one two"),
        (["x: a # comment"], "a"),
        (["x: C#"], "C#"),
        (["x: |-", "  a", "    b", "", "  c"], "a\n  b\n\nc"),
        (["x: >", "  a", "  b", "", "  c"], "a b\nc"),
        (["x: |", "   ", "  a", "   b"], "a\n b"),
        (["x: |"], ""),
        (["x:", "  folded", "  text"], "folded text"),
        (["x:true"], "true"),
        (['"x": quoted key'], "quoted key"),
        (["my words: y", "x: z"], "z"),
        (["x: old", "x: new"], "new"),
        (["x:", "  a: 1", "  b:", "    c: d"], {"a": "1", "b": {"c": "d"}}),
        (["x:", "  - a", "    goes on", "  - b"], ("a goes on", "b")),
        (["x: null"], None),
        (["x: 'null'"], "null"),
    ],
)
def test_a_value_is_what_its_author_means(
    lines: list[str], value: LenientValue
) -> None:
    """D-025: unquoted colons, signs, blocks, comments, nothing."""
    assert value_of(*lines) == value


@pytest.mark.parametrize("yes", ["true", '"true"', "'True'", "yes", "TRUE # always"])
def test_a_flag_may_be_a_text(yes: str) -> None:
    """D-025: `alwaysApply: "true"` means true."""
    assert header_of(f"x: {yes}").flag("x")
    for no in ("false", '"false"', "", "null", "0", "[true]"):
        assert not header_of(f"x: {no}").flag("x")
    assert not header_of().flag("x")


@pytest.mark.parametrize("text", ["", "# T\n", "text\n---\nx: y\n---\n", "--- a\nb"])
def test_a_file_without_frontmatter_is_all_body(text: str) -> None:
    """A file without frontmatter is the simplest of all."""
    assert read_lenient(text) == LenientFrontmatter(body=text)


def test_rules_between_paragraphs_are_no_frontmatter() -> None:
    """`---` is a thematic break in Markdown."""
    text = "---\nSome words.\n---\nMore."
    assert read_lenient(text) == LenientFrontmatter(body=text)


def test_the_body_knows_its_line() -> None:
    """Line numbers are of the file, not of its body."""
    assert read_lenient("---\na: b\n---\n\nbody\n").first == 4
    assert read_lenient("body").first == 1
    assert read_lenient("---\n---\nbody") == LenientFrontmatter({}, "body", 3)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\nx: y\n\n# Title\ntext\n", "\n# Title\ntext\n"),
        ("---\nx: y\n# Title\ntext\n", "# Title\ntext\n"),
        ("---\nx: y\ntext goes on\n", "text goes on\n"),
        (
            "---\nx: y\n\nFirst words.\n\n---\n\nSecond.\n",
            "\nFirst words.\n\n---\n\nSecond.\n",
        ),
        ("---\nx: y", ""),
        ("---", ""),
    ],
)
def test_a_fence_without_its_end_loses_nothing(text: str, body: str) -> None:
    """D-025: the frontmatter ends where the text cannot be frontmatter any more."""
    header = read_lenient(text)
    assert header.body == body
    assert not header.is_closed
    assert header.fields == ({"x": "y"} if "x" in text else {})


def test_a_long_text_below_a_fence_without_its_end_has_a_header() -> None:
    """The limit is of the frontmatter, not of the file."""
    for end in ("", "---\n"):
        text = f"---\na: b\n{end}"
        body = "\n" + "Words.\n" * MAX_FRONTMATTER_BYTES
        assert read_lenient(text + body).fields == {"a": "b"}
        assert read_lenient(text + body).body == body


def test_blank_lines_and_comments_are_of_the_header() -> None:
    """Lines that YAML allows between keys do not end it."""
    header = header_of("  ", "# about a", "a: b", "", "# about c", "c: d", "")
    assert header.fields == {"a": "b", "c": "d"}
    assert header.is_closed


def test_frontmatter_that_is_too_large_is_body() -> None:
    """D-061: the limit of all frontmatter."""
    for lines in (
        f"x: {'y' * MAX_FRONTMATTER_BYTES}",
        "x: y\n" * MAX_FRONTMATTER_BYTES,
    ):
        text = f"---\n{lines}\n---\nbody"
        assert read_lenient(text) == LenientFrontmatter(body=text)


def test_of_a_list_the_text_is_its_items() -> None:
    """A description that looks like a list is not lost."""
    assert header_of("x: [a, b]").text("x") == "a, b"
    assert header_of("x:", "  y: z").text("x") is None
    assert header_of("x:", "  y: z").patterns("x") == ()


def unplaced(value: LenientValue) -> Plain:
    """Return a value in the form of the strict parser's values."""
    if isinstance(value, str) or value is None:
        return value or ""
    if isinstance(value, tuple):
        return list(value)
    return {key: unplaced(item) or "" for key, item in value.items()}


@given(
    st.dictionaries(
        words,
        st.one_of(
            st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"])),
            st.lists(words, min_size=1),
            st.dictionaries(words, words, min_size=1),
        ),
    )
)
def test_what_strict_yaml_accepts_is_read_the_same(mapping: dict[str, Plain]) -> None:
    """Quoted texts, lists and mappings in blocks: two readers, one result."""
    lines = []
    for key, value in mapping.items():
        if isinstance(value, str):
            lines.append(f"k{key}: {json.dumps(value)}")
        elif isinstance(value, list):
            lines += [f"k{key}:", *(f"  - {json.dumps(item)}" for item in value)]
        else:
            inner = (f"  k{name}: {json.dumps(item)}" for name, item in value.items())
            lines += [f"k{key}:", *inner]
    strict = plain(parse("\n".join(lines)))
    read = {key: unplaced(item) for key, item in header_of(*lines).fields.items()}
    assert read == strict


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=40))
def test_an_unquoted_text_is_read_as_strict_yaml_has_it_if_it_does(text: str) -> None:
    """A line that is YAML has YAML's value; every other is still one value."""
    try:
        strict = parse(f"x: {text}\n").items["x"]
    except FrontmatterError:
        assert "x" in header_of(f"x: {text}").fields
        return
    # Flow mappings stay text: globs begin with a brace.
    assume(isinstance(strict, Scalar) and "\\" not in text)
    assert isinstance(strict, Scalar)
    assert value_of(f"x: {text}") == (None if strict.is_null else strict.text)


@given(st.lists(pattern, min_size=1, max_size=5), st.sampled_from([",", ", ", " , "]))
def test_unquoted_globs_come_back_one_by_one(patterns: list[str], comma: str) -> None:
    """D-025: most rules in use have globs that strict YAML refuses."""
    header = header_of("description: a: b", f"globs: {comma.join(patterns)}", "z: 1")
    assert list(header.patterns("globs")) == patterns
    assert header.fields["z"] == "1"


@given(
    st.lists(
        st.one_of(
            st.text(max_size=12),
            st.sampled_from(
                ["---", "a: b", "a:", "- x", "  y", "[", "x: |", "# h", ""]
            ),
        )
    )
)
def test_no_line_is_lost(lines: list[str]) -> None:
    """Frontmatter and body are the whole text, for any text at all."""
    text = "\n".join(["---", *lines])
    header = read_lenient(text)
    total = text.split("\n")
    if header.body:
        assert total[header.first - 1 :] == header.body.split("\n")
    if header.first > 1 and header.is_closed:
        assert total[header.first - 2].rstrip(" \t") == "---"


def test_a_text_of_a_header_is_one_line() -> None:
    """Names, titles and descriptions are expected to be one line."""
    header = read_lenient('---\ntitle: "a\\n\\n# b"\nname: |\n  c\n  d\nx: "  "\n---\n')
    assert header.text("title") == "a # b"
    assert header.text("name") == "c d"
    assert header.text("x") is None
