"""Simple frontmatter: equal to the YAML parser's result, or declined."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import Mapping
from asdlc_kb.frontmatter.parser import split
from asdlc_kb.frontmatter.yaml_fast import read_fast
from asdlc_kb.frontmatter.yaml_full import read_yaml

PIECES = [
    *"ab1 \"'-[],:#{}&*!|>%@`?~\\.\t\u00e9\u2028\u00a0\u200d\u2014\U0001f600",
    *("title", "null", "Null", "~", "2025-01-31", "1.10", "yes", "<<", "---", "..."),
    *(": ", ": ", ": ", ":", ", ", "[", "]", "[]", '"a"', "'b'", '"a b"', "- ", "  - "),
    *("https://x.y", "a#b", " #", "|-", ">-", "(x)", "/", "$a", "_b"),
]
INDENTS = ["", "", "", " ", "  ", "  ", "    "]
values = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
lines = st.one_of(
    st.builds(
        "{}{}: {}".format, st.sampled_from(INDENTS), st.sampled_from("abc"), values
    ),
    st.builds(
        "{}{}:{}".format,
        st.sampled_from(INDENTS),
        st.sampled_from(["a", "b", "c", "null", "d-e_f", "_g"]),
        st.sampled_from(["", "", " ", " |", " |-", " >", " >-", " |+", " [a, b]"]),
    ),
    st.builds("{}- {}".format, st.sampled_from(INDENTS), values),
    st.builds(
        "{}-{}{}:{}".format,
        st.sampled_from(INDENTS),
        st.sampled_from([" ", " ", "  ", ""]),
        st.sampled_from("ab"),
        st.sampled_from(["", " c", " 'd: e'", " [f]", " |", " >-", "g"]),
    ),
    st.builds("{}{}".format, st.sampled_from(INDENTS), values),
)
documents = st.lists(lines, max_size=8).map("\n".join)


def reference_parse(text: str) -> Mapping | None:
    """Return the YAML parser's result for a text, or None if it refuses it."""
    try:
        return read_yaml(text)
    except FrontmatterError:
        return None


@settings(max_examples=1500)
@given(documents, st.sampled_from(["", "\n"]))
def test_what_is_not_declined_is_as_the_parser_has_it(text: str, end: str) -> None:
    """Every text, every position: equal, or declined."""
    read = read_fast(text + end)
    assert read is None or read == reference_parse(text + end)


@pytest.mark.parametrize(
    "text",
    [
        "params:\n  functions:\n    aliases: [x]\n    signs: ['a (b)', /c]\nd: e\n",
        "sidebar:\n  label: One\n  order:\ni18nReady: true\n",
        "a: https://example.org/#b\nb: C# and (d)\n_c: $e\n",
        "a: >-\n  one: 'x'\n  # two\nb: |\n    one\n    - two\n",
        "a:\n  b:\n    - c\n    - d\n  e:\n  - f\n  g:\n    h: i\nj:\n- k\n",
        "a:\n  - b: c\n    d: https://e\n  - b: 'f: g'\nh: i\n",
        "a:\n- b: [c, d]\n  e: >-\n    f\n- g\n-   h:\n    i: j\n",
        "a:\n  -   b:\n      - c\n      d:\n        e: f\n",
        "a:\n",
        "",
    ],
)
def test_what_documentation_has_is_not_declined(text: str) -> None:
    """Keys below keys, addresses, texts of several lines."""
    read = read_fast(text)
    assert read is not None
    assert read == reference_parse(text)


words = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=9
).filter(lambda word: not set(word) & set("\"\\'"))


@given(
    st.dictionaries(
        st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,9}", fullmatch=True),
        st.one_of(words, st.lists(words, max_size=4)),
        max_size=6,
    ),
    st.booleans(),
    st.sampled_from("\"'"),
)
def test_what_people_write_is_not_declined(
    fields: dict[str, str | list[str]], in_lines: bool, quote: str
) -> None:
    """Texts in quotes, lists in brackets or below: read here, as the parser does."""
    text = ""
    for key, value in fields.items():
        if isinstance(value, str):
            text += f"{key}: {quote}{value}{quote}\n"
        elif in_lines and value:
            items = "".join(f"  - {quote}{item}{quote}\n" for item in value)
            text += f"{key}:\n{items}"
        else:
            items = ", ".join(f"{quote}{item}{quote}" for item in value)
            text += f"{key}: [{items}]\n"
    read = read_fast(text)
    assert read is not None
    assert read == reference_parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: b # comment",
        "# comment\na: b",
        "a: b: c",
        "a: |\n  text",
        "a: |\n  text\n\n  more\n",
        "a: >\n  text\n   more\n",
        "a: |\n  text \n",
        "a: |+\n  text\n",
        "a: |\nb: c\n",
        "a: b\n  c: d",
        "a:\n  b: c\n d: e",
        "a:\n  - b: c\n   d: e",
        "a:\n  - b: c\n     d: e",
        "a:\n  - b: c\n    b: d",
        "a:\n  - b: c\n  d: e",
        "a:\n  - - b: c",
        "a:\n  - b:\n      - c: d\n",
        "a:\n b:\n  c:\n   d:\n    e: f",
        "a: b:",
        "a: &x b",
        "a: *x",
        "a: !t b",
        "<<: b",
        "a: b\na: c",
        "a: {b: c}",
        "a: [b, [c]]",
        "a: [b,]",
        'a: "\\x41"',
        "a: 'it''s'",
        "a: b\n  c",
        "a:\n  - b\n - c",
        "a:\n  -",
        "? a",
        "- a",
        "a:b",
        "a: -5",
        "\ta: b",
        "a: b\n\nc: d",
    ],
)
def test_what_is_unusual_is_declined(text: str) -> None:
    """Comments, YAML's other styles and all else it can do: for the full parser."""
    assert read_fast(text) is None


def test_the_content_of_this_project_is_plain() -> None:
    """The fast reader is the usual one."""
    content = Path(__file__).parents[2] / "content"
    for path in sorted(content.glob("*/*.md")):
        frontmatter = split(path.read_text(encoding="utf-8")).frontmatter
        assert frontmatter is not None
        read = read_fast(frontmatter)
        assert read is not None, path.name
        assert read == reference_parse(frontmatter)


@pytest.mark.parametrize(
    "unit", [" ", "a ", "a", '"', "[", "a, ", "- ", "\n", "a:\n", " b: c\n"]
)
@pytest.mark.parametrize("head", ["a: ", "a: [", "a: b", "a:\n  - ", "a: |\n  "])
def test_no_text_takes_long(unit: str, head: str) -> None:
    """D-139: reading is linear, so a text of the maximum size is cheap."""
    text = head + unit * (16_000 // len(unit)) + ":#"
    read_fast(text)
    assert read_fast(text + "\x00") is None
