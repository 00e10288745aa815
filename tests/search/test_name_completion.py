"""Completion of names."""

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.name_completion import CompletionItem, NameCompletion

COMPLETION = NameCompletion(
    (
        CompletionItem("the-agent-loop", "concepts", "The Agent Loop ReAct"),
        CompletionItem("agent-memory", "patterns", "Agent Memory"),
        CompletionItem("loop-budgets", "practices", "Give Each Loop a Budget"),
        CompletionItem("cafe", "concepts", "Café"),
    )
)


def test_a_beginning_comes_before_what_contains_it() -> None:
    """And equally good names keep their order."""
    assert COMPLETION.complete("agent") == ["agent-memory", "the-agent-loop"]
    assert COMPLETION.complete("loop", "concepts") == ["loop-budgets", "the-agent-loop"]
    assert COMPLETION.complete("a")[:2] == ["agent-memory", "the-agent-loop"]


def test_those_of_a_group_come_before_equally_good_ones() -> None:
    """An empty text begins all names."""
    assert COMPLETION.complete("", "patterns")[0] == "agent-memory"
    assert len(COMPLETION.complete("")) == 4


def test_words_are_completed_in_any_order_and_in_titles() -> None:
    """From the second letter of each on."""
    assert COMPLETION.complete("lo ag") == ["the-agent-loop"]
    assert COMPLETION.complete("re") == ["the-agent-loop"]
    assert COMPLETION.complete("each bud") == ["loop-budgets"]
    assert COMPLETION.complete("each b") == []
    assert COMPLETION.complete("gent lo") == []


def test_case_and_accents_do_not_matter() -> None:
    """In what is typed and in what is named."""
    assert COMPLETION.complete("CAFÉ") == ["cafe"]


@given(st.text(max_size=20))
def test_every_name_is_completed_by_its_beginnings(name: str) -> None:
    """Whatever its characters are."""
    completion = NameCompletion([CompletionItem(name)])
    for end in range(len(name) + 1):
        assert completion.complete(name[:end]) == [name]
