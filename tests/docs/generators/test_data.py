"""Parts of configuration data: empty where they are absent or of another type."""

from asdlc_kb.docs.generators.data import (
    MAX_TEXT_CHARS,
    find_object,
    find_part,
    is_computed,
    is_true,
    to_fields,
    to_items,
    to_number,
    to_text,
    to_texts,
)
from asdlc_kb.docs.generators.javascript import (
    COMPUTED,
    Alternatives,
    Data,
    FunctionCall,
)


def test_parts_of_another_type_are_empty() -> None:
    """A configuration may say anything anywhere."""
    for value in (None, 1.0, True, COMPUTED, {"a": 1.0}):
        assert (to_text(value), to_items(value), to_texts(value)) == ("", (), ())
    assert to_fields([1.0]) == to_fields("a") == to_fields(None) == {}
    assert find_part({"a": ["b"]}, "a", "b") is None


def test_a_call_stands_for_its_object_argument() -> None:
    """As in `defineConfig({...})`."""
    call = FunctionCall("wrap", [FunctionCall("define", ["name", {"a": {"b": "c"}}])])
    assert find_part(call, "a", "b") == "c"
    assert to_fields(FunctionCall("f", [])) == {}
    assert find_object(FunctionCall("f", [{}])) == {}
    assert find_object(FunctionCall("f", ["a"])) is None


def test_what_running_a_module_would_decide_is_computed() -> None:
    """Alternatives too; an object in a call is not."""
    computed: list[Data] = [COMPUTED, Alternatives(("a",)), FunctionCall("f", ["a"])]
    assert all(map(is_computed, computed))
    known: list[Data] = [None, "a", {}, FunctionCall("f", [{}])]
    assert not any(map(is_computed, known))


def test_texts_are_on_one_line_and_bounded() -> None:
    """They become titles."""
    assert to_text(" a\n  b ") == "a b"
    assert len(to_text("x" * 1_000)) == MAX_TEXT_CHARS
    assert to_texts("a") == ("a",)


def test_numbers_and_booleans_may_be_texts() -> None:
    """YAML is read as texts."""
    assert (to_number("1.5"), to_number(2), to_number("x")) == (1.5, 2.0, None)
    assert (to_number(True), to_number("1e400"), to_number("nan")) == (None, None, None)
    assert is_true(True)
    assert is_true("Yes")
    assert not is_true("false")
    assert not is_true(None)
