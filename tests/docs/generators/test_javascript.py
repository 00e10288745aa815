"""Literals of JavaScript modules are data; the rest is computed, and nothing fails."""

import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.generators.javascript import (
    COMPUTED,
    MAX_DEPTH,
    Alternatives,
    Data,
    FunctionCall,
    read_literal,
    read_module,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON)
def test_all_json_is_read_as_json_means_it(value: object) -> None:
    """With and without indentation."""
    assert read_literal(json.dumps(value)) == value
    assert read_literal(json.dumps(value, indent=2, ensure_ascii=False)) == value


@given(JSON)
def test_types_comments_and_trailing_commas_change_nothing(value: object) -> None:
    """A value is found wherever a configuration may have it."""
    text = json.dumps(value)
    module = read_module(
        f"""\
        // A configuration
        import type {{ Config }} from 'generator';
        const config: Config<{{ a: string }}, 'x' | 'y'> = {{
          /* , */ value: {text}, list: [{text}, ], "odd key": {text} as const,
          method() {{ return [1, 2, {{}}]; }}, ...unknown, async: async () => {{}},
        }} satisfies Config
        export default defineConfig(config);
        """
    )
    call = module.exported
    assert isinstance(call, FunctionCall)
    assert call.function == "defineConfig"
    assert call.arguments == [module.constants["config"]]
    fields = module.constants["config"]
    assert isinstance(fields, dict)
    assert (fields["value"], fields["odd key"]) == (value, value)
    assert fields["list"] == [value]


def _function(returned: Data) -> FunctionCall:
    return FunctionCall("", [returned])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it\\'s \\u0041\\x42\\n'", "it's AB\n"),
        ("`a ${b} c`", COMPUTED),
        ("`plain\ntext`", "plain\ntext"),
        ("['a', b, `c${d}`]", ["a", COMPUTED, COMPUTED]),
        ("[-1, 0x10, 1_000, .5]", [-1.0, 16.0, 1000.0, 0.5]),
        ("({ a: 1 })", {"a": 1.0}),
        ("(a, b) => ({ a: 1 })", _function({"a": 1.0})),
        ("{ a: () => { return 'b' }, c: 2 }", {"a": _function("b"), "c": 2.0}),
        ("async x => { const b = 1; return b }", _function(1.0)),
        ("async function* f(a = {}): P<T> { return 1 }", _function(1.0)),
        ("(a): Promise<T> => 1", _function(1.0)),
        ("() => { if (a) { return 1 } return 2 }", _function(COMPUTED)),
        ("() => { if (a) return 1; return 2 }", _function(COMPUTED)),
        ("{ a: /[/}]\\/,/g, c: 2 }", {"a": COMPUTED, "c": 2.0}),
        ("{ a: 4 / 2, c: 6 / 3 }", {"a": COMPUTED, "c": COMPUTED}),
        ("process.env.SITE || 'https://example.org'", "https://example.org"),
        ("a ? 'b' : 'c'", Alternatives(("b", "c"))),
        ("!a && b() === 2 ? 'b' : (1)", Alternatives(("b", 1.0))),
        ("a as T ? b ? 1 : 2 : 3", Alternatives((Alternatives((1.0, 2.0)), 3.0))),
        ("typeof a ? (b) : { c: 1 }", Alternatives((COMPUTED, {"c": 1.0}))),
        ("a && 'b' || 'c'", Alternatives(("b", "c"))),
        ("[...(a ? ['b'] : []), 1]", [Alternatives((["b"], [])), 1.0]),
        ("{ a: 1, ...(b ? { a: 2 } : {}) }", {"a": Alternatives((1.0, 2.0))}),
        ("'a' + 'b'", COMPUTED),
        ("[...a, 1]", [COMPUTED, 1.0]),
        ("require.resolve('./x.js')", FunctionCall("require.resolve", ["./x.js"])),
        ("define<A, B<C>>({ a: 1 })", FunctionCall("define", [{"a": 1.0}])),
        ("new URL('x')", COMPUTED),
        ("{ a, b: 1 }", {"a": COMPUTED, "b": 1.0}),
        ("", COMPUTED),
        ("{ a: 1", {"a": 1.0}),
    ],
)
def test_an_expression_is_its_literal_or_computed(text: str, value: Data) -> None:
    """What is not a literal does not disturb what is."""
    assert read_literal(text) == value


def test_constants_are_known_by_name_and_as_module_exports() -> None:
    """A module may be of either kind, and needs no semicolons."""
    module = read_module(
        "import a, { b as c } from './d'\n"
        "const x = { y: ['z'] }\n"
        "function f() { const x = 1 }\n"
        "module.exports = { x, w: x.y }\n"
    )
    assert module.exported == {"x": {"y": ["z"]}, "w": ["z"]}
    assert module.imports == {"a": ("./d", "default"), "c": ("./d", "b")}
    assert read_module("export default c", {"c": 5.0}).exported == 5.0


def test_a_function_is_what_it_returns_with_the_names_in_it() -> None:
    """Where it is called without arguments; names outside stay what they are."""
    module = read_module(
        "const a = 1\n"
        "async function make() { const a = 2; const f = (b) => b; return { a } }\n"
        "export default make()\n"
        "const c = { a }\n"
    )
    assert module.exported == {"a": 2.0}
    assert module.constants["c"] == {"a": 1.0}


@given(
    st.text(
        st.sampled_from("ab1 \n{}[]()<>,;:.='\"`$\\/*|&?!-+ asconstexportdefault"),
        max_size=80,
    )
)
def test_no_text_fails(text: str) -> None:
    """Every text is a module and a literal."""
    read_module(text)
    read_literal(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "](" * 100_000,
        "(" * 100_000,
        "f(" * 50_000,
        "{a:" * 50_000,
        "`${" * 50_000,
        "a || " * 50_000,
        "x as " * 50_000,
        "/" * 100_000,
        "/*" * 50_000,
        "'\\" * 50_000,
        "const a = " * 15_000,
        "-" * 100_000,
        "a." * 50_000,
        "...[" * 30_000,
        "a ? " * 50_000,
        "a ? b : " * 30_000,
        "a => " * 50_000,
        "(a): " * 40_000,
        "async " * 50_000,
        "function f() {" * 25_000,
        "()=>{const a=1;" * 15_000,
        "a && " * 50_000,
        "a<" * 50_000,
    ],
    ids=lambda text: text[:6],
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    """100 kB of any sign are read within seconds, on a busy machine too."""
    started = perf_counter()
    read_module(f"export default {text}")
    read_literal(text)
    assert perf_counter() - started < 30


def test_deeper_values_are_computed() -> None:
    """And what follows them is still read."""
    deep = "[" * (MAX_DEPTH + 5) + "]" * (MAX_DEPTH + 5)
    value = read_literal(f"{{ a: {deep}, b: 1 }}")
    assert isinstance(value, dict)
    assert value["b"] == 1.0
