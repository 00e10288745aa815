"""Frontmatter that strict YAML rejects, and its quotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.project.frontmatter_checks import find_strict_fault, quote_values

CURSOR = ".cursor/rules/x.mdc"
CLAUDE = ".claude/rules/x.md"
LINES = st.text(alphabet="ab: *#\"'-[]{}\\,|>&!%\u00e9", max_size=24)


@pytest.mark.parametrize(
    "source",
    [
        "---\npaths: **/*\n---\n",
        "---\npaths: *.ts,*.tsx\n---\n",
        "---\ndescription: Foo: bar\n---\n",
        "---\ndescription: x\n",
        "---\na: 1\na: 2\n---\n",
        "---\njust text\n---\n",
    ],
)
def test_what_strict_yaml_refuses_is_a_fault(source: str) -> None:
    """D-025: and is read leniently all the same."""
    fault = find_strict_fault("x.md", source)
    assert fault is not None
    assert (fault.path, fault.code) == ("x.md", "KB040")
    assert fault.line >= 1


@pytest.mark.parametrize(
    "source",
    ["", "text", "---\n---\n", '---\nglobs: "**/*"\nalwaysApply: false\n---\nbody'],
)
def test_what_strict_yaml_accepts_is_none(source: str) -> None:
    """Files without frontmatter among them."""
    assert find_strict_fault("x.md", source) is None


@pytest.mark.parametrize(
    "globs", ["**/*.ts", "*.ts, *.tsx", "*.{a,b}", "**/*.a,*.{a,b}"]
)
def test_cursors_globs_are_right_without_quotes(globs: str) -> None:
    """D-229: Cursor takes quotes for a part of the pattern."""
    source = f"---\ndescription: x\nglobs: {globs}\nalwaysApply: false\n---\nT"
    assert find_strict_fault(CURSOR, source) is None
    assert find_strict_fault(f"web/{CURSOR}", source) is None
    assert quote_values(CURSOR, source) == source
    assert quote_values(CLAUDE, source) != source
    # Other faults of the same file are reported.
    other = source.replace("description: x", "description: x: y")
    fault = find_strict_fault(CURSOR, other)
    assert fault is not None
    assert fault.line == 2
    expected = source.replace("description: x", 'description: "x: y"')
    assert quote_values(CURSOR, other) == expected


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (CLAUDE, "; until then Claude Code attaches it to every file"),
        (f"web/{CLAUDE}", "; until then Claude Code attaches it to every file"),
        (".clinerules/x.md", "; until then Cline attaches it always, with its"),
        (".kiro/steering/x.md", ""),
    ],
)
def test_a_fault_names_the_tool_that_misreads_the_file(path: str, message: str) -> None:
    """Where its documentation says what it does."""
    fault = find_strict_fault(path, "---\npaths: **/*.ts\n---\n")
    assert fault is not None
    advice = "a value is not valid YAML: put it in quotes"
    assert fault.message.startswith(advice + message)
    without = find_strict_fault(path, "---\ndescription: a: b\n---\n")
    assert without is not None
    assert without.message == advice


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("paths: **/*.ts", 'paths: "**/*.ts"'),
        ("paths:\n  - **/*.ts\n  - b", 'paths:\n  - "**/*.ts"\n  - b'),
        ('description: a: "b"\'', "description: 'a: \"b\"'''"),
        ("description: C:\\x: y  ", "description: 'C:\\x: y'"),
        ("a: @x\nb: `y`\nc: z", 'a: "@x"\nb: "`y`"\nc: z'),
    ],
)
def test_values_get_quotes_that_make_them_valid(before: str, after: str) -> None:
    """Those only that need them, and once; line ends stay."""
    for end in ("\n", "\r\n"):
        source = f"---\n{before}\n---\nx: y: z\n".replace("\n", end)
        fixed = quote_values(CLAUDE, source)
        assert fixed == f"---\n{after}\n---\nx: y: z\n".replace("\n", end)
        assert quote_values(CLAUDE, fixed) == fixed


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "---\na: b: c\n", "---\njust text\n---\n"),
        "---\na: 1\na: 2\n---\n",
        '---\nglobs: "*.ts", "*.tsx"\n---\n',
        "---\npaths: **/*.ts # all\n---\n",
        "---\ndescription: a: b\n  and more\n---\n",
        "---\npaths: **/*.ts\na: [\n---\n",
        "---\na: b\n---\n",
    ],
)
def test_what_quotes_do_not_mend_stays(text: str) -> None:
    """Also where they would change the meaning."""
    assert quote_values(CLAUDE, text) == text


@given(st.lists(st.tuples(st.sampled_from(["a: ", "  - ", "b:", ""]), LINES)))
def test_quotes_keep_the_meaning(lines: list[tuple[str, str]]) -> None:
    """Whatever the frontmatter: the same fields, and valid if anything changed."""
    head = "\n".join(a + b for a, b in lines)
    source = f"---\n{head}\n---\nText\n"
    fixed = quote_values(CLAUDE, source)
    assert read_lenient(fixed) == read_lenient(source)
    assert fixed == source or find_strict_fault(CLAUDE, fixed) is None
    assert quote_values(CLAUDE, fixed) == fixed
