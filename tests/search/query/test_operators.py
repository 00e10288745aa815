"""Operators, parsed leniently."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.query.operators import Leaf, QueryGroup, QueryNode, parse_query


def show(node: QueryNode) -> str:
    """Return a condition in short form."""
    if isinstance(node, QueryGroup):
        return f"{node.kind}({' '.join(map(show, node.nodes))})"
    text = f"<{node.text}>" if node.is_phrase else node.text
    named = f"{node.field}:" if node.field else ""
    return f"{node.sign}{named}{text}{'*' if node.is_prefix else ''}"


@pytest.mark.parametrize(
    ("query", "required", "excluded"),
    [
        ('"a b"', "<a b>", ""),
        ('"a b" c', "", ""),
        ("+proxy b", "+proxy", ""),
        ("a -proxy", "", "-proxy"),
        ("a -proxy* -nginx.", "", "-proxy* -nginx."),
        ("a -прокси", "", "-прокси"),
        ('a -"b c"', "", "-<b c>"),
        ('git push -f -"b c" -title:b', "", "-<b c> -title:b"),
        ("x NOT y", "", "y"),
        ("a AND b", "all(a b)", ""),
        ("a OR b", "any(a b)", ""),
        ("a OR b AND c", "any(a all(b c))", ""),
        ("(a OR b) AND c", "all(any(a b) c)", ""),
        ("x (a OR b) -proxy", "any(a b)", "-proxy"),
        ("a AND NOT b", "all(a none(b))", ""),
        ("title:a b", "title:a", ""),
        ("TAG:a heading:b", "tags:a head:b", ""),
        ('category:"a b"', "category:<a b>", ""),
        ("-title:a b", "", "-title:a"),
        ("a AND", "", ""),
        ("OR a", "", ""),
        ("NOT", "", ""),
        ("a AND AND b", "all(a b)", ""),
        ('"a b" NOT "c d"', "<a b>", "<c d>"),
        ('"a b" AND "c d"', "all(<a b> <c d>)", ""),
        ('"A" OR "B"', "any(<A> <B>)", ""),
        ("JWT AND NOT BETA", "all(JWT none(BETA))", ""),
        ("JWT AND (A1 OR B2)", "all(JWT any(A1 B2))", ""),
        ('JWT OR -"BETA"', "any(JWT -<BETA>)", ""),
    ],
)
def test_an_operator_is_a_condition(query: str, required: str, excluded: str) -> None:
    """`OR` binds less than `AND`, and both more than a blank."""
    parsed = parse_query(query)
    assert " ".join(map(show, parsed.required)) == required
    assert " ".join(map(show, parsed.excluded)) == excluded
    assert parsed.is_strict == bool(required or excluded)


@pytest.mark.parametrize(
    "query",
    [
        "Why -32602 (Invalid Params)?",
        "well-known names",
        "a - b",
        "C++ and c#",
        "foo:bar std::string",
        "THIS AND THAT OR OTHERS",
        "DO NOT USE, PLEASE!",
        "USE JWT AND API KEYS NOT PASSWORDS TODAY",
        'an unbalanced " quote',
        "and or not",
        "2 + 2 * 3",
        "-proxy " * 13,
        "chmod +x run.sh",
        "git push -f",
        "hugo server -D",
        "ulimit -Sn 10000",
        "terraform plan -input=false",
        "find . -name notes -type f",
        "docker run --rm -it -p 8000:8000 +proxy",
        "psql --host localhost -dbname",
        "NOT NULL constraint failed: users.email",
        "JWT NOT BETA",
        "create table IF NOT EXISTS hero",
        "a page that is NOT found",
        "status code NOT in the list",
        '"' + "x" * 200 + '"',
    ],
)
def test_what_only_looks_like_an_operator_is_text(query: str) -> None:
    """Prose, numbers, code, capitals, and anything long."""
    assert not parse_query(query).is_strict


def test_what_is_looked_for_is_told_from_what_is_not() -> None:
    """In order, with prefixes and phrases."""
    leaves = parse_query('conf* "a b" -proxy title:d NOT e').leaves
    assert leaves == (
        Leaf("conf", is_prefix=True),
        Leaf("a b", is_phrase=True),
        Leaf("d", field="title"),
    )


@pytest.mark.parametrize(
    ("query", "excluded"),
    [
        ("proxy", ()),
        ("proxy -nginx -nginx -caddy", ("nginx", "caddy")),
        ('proxy NOT (nginx OR "a b")', ("nginx", "a b")),
        ("proxy AND NOT (nginx AND NOT caddy)", ("nginx",)),
        ("proxy -title:nginx", ()),
        ("git push -f", ()),
    ],
)
def test_excluded_words_are_listed(query: str, excluded: tuple[str, ...]) -> None:
    """Those of a field are left out: nothing else looks like them."""
    assert parse_query(query).excluded_texts == excluded


@given(
    st.lists(
        st.sampled_from(["a", "b ", " AND ", " OR ", " NOT ", "(", ")", '"', " -", " "])
        | st.text(max_size=3)
    ).map("".join)
)
def test_reading_never_fails(query: str) -> None:
    """In whatever order."""
    parse_query(query)


@pytest.mark.parametrize(
    ("query", "required", "searched"),
    [
        ("category:guide a", "category:guide", "category:guide a"),
        ("category:other a", "", "category:other a"),
        ("category:guide OR a", "any(category:guide a)", "category:guide a"),
        ("category:other OR a", "any(category:other a)", "category:other a"),
        ('category:"no such" a', "", "<category:no such> a"),
    ],
)
def test_an_unknown_category_is_text(query: str, required: str, searched: str) -> None:
    """A known one is a condition."""
    parsed = parse_query(query, is_category=lambda name: name == "guide")
    assert " ".join(map(show, parsed.required)) == required
    assert " ".join(map(show, parsed.leaves)) == searched
    has_field = any(leaf.field == "category" for leaf in parsed.leaves)
    assert has_field == ("guide" in query)
