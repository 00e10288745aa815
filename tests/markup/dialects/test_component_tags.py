"""Tags of components: attributes, literals, expressions, and their limits."""

import pytest

from asdlc_kb.markup.dialects.component_tags import (
    MAX_BRACES,
    MAX_TAG_CHARS,
    evaluate,
    find_brace,
    read_tag,
)


@pytest.mark.parametrize(
    ("text", "name", "attributes"),
    [
        ("<A>", "A", {}),
        ("<A.B c='d' e=\"f &amp; g\" h>", "A.B", {"c": "d", "e": "f & g", "h": "true"}),
        ("<A n={1} s={'x'} t={`y`} b={false}>", "A", {"n": "1", "s": "x", "t": "y"}),
        ('<A\n  title="a > b"\n  {...rest}\n>', "A", {"title": "a > b"}),
        ("<A items={[{a: '}'}]}>", "A", {"items": "{[{a: '}'}]}"}),
        ('<Tab :items="x" @click="y" v-if="z">', "Tab", {":items": "x", "v-if": "z"}),
        ("<img src={require('./a.png').default}/>", "img", {"src": "./a.png"}),
        ("<img src={useBaseUrl('/a.png')}/>", "img", {"src": "/a.png"}),
        ("<>", "", {}),
    ],
)
def test_a_tag_has_the_values_of_its_literals(
    text: str, name: str, attributes: dict[str, str]
) -> None:
    """Another expression keeps its braces."""
    tag = read_tag(text, 0)
    assert tag is not None
    assert (tag.name, tag.end) == (name, len(text))
    assert attributes.items() <= tag.attributes.items()
    assert tag.is_single is text.endswith("/>")


def test_only_literal_values_are_shown() -> None:
    """An expression would need a program."""
    tag = read_tag("<A title={t} label='L' wide closed={false}>", 0)
    assert tag is not None
    assert tag.get("title", "label") == "L"


@pytest.mark.parametrize(
    "text",
    [
        "< A>",
        "<1>",
        "<A",
        "<A b=<c>>",
        "<https://example.com>",
        "<a@b.example>",
        "<A {b>",
    ],
)
def test_other_text_is_no_tag(text: str) -> None:
    """Sentences, addresses and unfinished tags."""
    assert read_tag(text, 0) is None


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("{a}b", 3),
        ("{ {a} '}' \"}\" `}` /* } */ } b", 27),
        ("{a", 0),
        ("{'a", 0),
        ("{/* a }", 0),
    ],
)
def test_a_brace_is_closed_outside_of_strings_and_comments(text: str, end: int) -> None:
    """As JavaScript reads them."""
    assert find_brace(text, 0) == end


def test_large_and_deep_expressions_are_text() -> None:
    """Each brace costs no more than the limit."""
    assert not find_brace("{" + "a" * MAX_TAG_CHARS + "}", 0)
    assert not find_brace("{" * (MAX_BRACES + 1) + "}" * (MAX_BRACES + 1), 0)
    assert find_brace("{" * MAX_BRACES + "}" * MAX_BRACES, 0)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'a\\'b'", "a'b"),
        ('" "', " "),
        ("`a`", "a"),
        ("`a${b}`", None),
        ("42", "42"),
        ("a.b", None),
        ("'a' + b", None),
    ],
)
def test_only_literals_have_a_value(expression: str, value: str | None) -> None:
    """Nothing is run."""
    assert evaluate(expression) == value
