"""Frontmatter: properties of every text, generated or hostile."""

import json
import time
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.frontmatter import Plain, plain

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.parser import MAX_FRONTMATTER_BYTES, Parts, parse, split

printable = st.characters(
    codec="utf-8",
    exclude_categories=["Cc", "Cs", "Cn"],
    exclude_characters="\u2028\u2029\ufeff\ufffe\uffff",
)
words = st.text(printable, max_size=12)
keys = words.filter(lambda key: key != "<<")
values = st.recursive(
    words,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=8,
)
mappings = st.dictionaries(keys, values, max_size=5)

TOKENS = [
    *"abL: \n-?,[]{}#&*!|>'\"%@`\t\\xuU019~<=.\u2028\x85\ufeff\u200b\x00",
    *("\n- ", "\n  ", "key: ", "--- ", "\n---\n", "\n...\n", "%YAML 1.2\n"),
    *("%TAG ! x\n", "!!str ", "&a ", "*a", "<<: ", "|2-\n", "|+9\n", ">-\n"),
    *("%YAML 1.3\n", "%YAML 1.1#\n", "%\n", "\ud800"),
    *('"\\x4"', '"\\U00110000"', '"\\ud800"', '"\\UFFFFFFFF"', "? ", "\n: "),
]
yaml_soup = st.lists(st.sampled_from(TOKENS), max_size=60).map("".join)


def depth(value: Plain) -> int:
    """Return the levels of lists and mappings in a value."""
    if isinstance(value, str):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(depth, inner), default=0)


@given(mappings.filter(lambda mapping: depth(mapping) <= 8))
def test_a_flow_mapping_comes_back_as_it_was_written(mapping: dict[str, Plain]) -> None:
    """JSON is YAML: quoted values are read back whole."""
    assert plain(parse(json.dumps(mapping, ensure_ascii=False))) == mapping


@given(st.dictionaries(keys, st.one_of(words, st.lists(words, min_size=1))))
def test_a_block_mapping_comes_back_as_it_was_written(
    mapping: dict[str, str | list[str]],
) -> None:
    """Lines of single quotes and block lists are read back whole."""

    def quoted(text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    lines = []
    for key, value in mapping.items():
        if isinstance(value, str):
            lines.append(f"{quoted(key)}: {quoted(value)}\n")
        else:
            items = "".join(f"  - {quoted(item)}\n" for item in value)
            lines.append(f"{quoted(key)}:\n{items}")
    assert plain(parse("".join(lines))) == mapping


@given(st.lists(words.map(lambda word: f" {word}\n")).map("".join), st.text())
def test_a_document_is_its_two_parts(frontmatter: str, body: str) -> None:
    """Splitting loses nothing: the fences and the parts are the document."""
    assert split(f"---\n{frontmatter}---\n{body}") == Parts(frontmatter, body)


@settings(max_examples=600, deadline=timedelta(seconds=2))
@given(st.one_of(st.text(), yaml_soup))
def test_no_text_raises_anything_but_a_frontmatter_error(text: str) -> None:
    """D-051: one bad file cannot break a scan of the others."""
    try:
        parsed = parse(text)
    except FrontmatterError as error:
        assert error.line >= 1 and error.column >= 1
        assert ": " in error.message and "None" not in error.message
    else:
        json.dumps(plain(parsed), ensure_ascii=False).encode("utf-8")


@given(st.one_of(st.text(), yaml_soup.map("---\n{}".format)))
def test_no_text_breaks_the_cut(text: str) -> None:
    """Any text is either split or refused for its open fence."""
    try:
        parts = split(text)
    except FrontmatterError as error:
        assert (error.line, error.column) == (1, 1)
    else:
        assert text.endswith(parts.body)


def filled(unit: str, head: str = "a: ") -> str:
    """Return as many repetitions as fit the size limit."""
    return head + unit * ((MAX_FRONTMATTER_BYTES - len(head)) // len(unit.encode()))


@pytest.mark.parametrize(
    "text",
    [
        filled("["),
        filled("{"),
        filled("x,", "a: ["),
        filled(":,", "a: ["),
        filled("- ", ""),
        filled("? ", ""),
        filled(": ", ""),
        filled("x "),
        filled(" x\n", "a:\n"),
        filled("x\n", 'a: "'),
        filled("\\x41", 'a: "'),
        filled(" x\n\n", "a: >\n"),
        filled("#\n", ""),
        filled("\n", ""),
        filled("%A\n", ""),
        filled("&a ", ""),
        filled("!", ""),
        "".join(f"k{n}: v\n" for n in range(1500)),
        "".join(f"{' ' * n}a:\n" for n in range(170)),
        "".join(f"a{n}: &a{n} [{f'*a{n - 1},' * 9}]\n" for n in range(1, 90)),
        "".join(f"m{n}: &m{n}\n  <<: [*m{n - 1}, *m{n - 1}]\n" for n in range(1, 90)),
    ],
)
def test_the_worst_that_fits_takes_bounded_time(text: str) -> None:
    """D-139: 16 KiB of any pattern costs at most seconds of CPU."""
    started = time.thread_time()
    try:
        parse(text)
    except FrontmatterError as error:
        assert error.message
    assert time.thread_time() - started < 5
