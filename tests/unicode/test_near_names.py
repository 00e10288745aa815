"""Near names: what is suggested, and that the work is bounded."""

import random
import string
import time

import pytest

from asdlc_kb.unicode.near_names import MAX_NEAR_NAMES, NearNames, suggest_names

NAMES = [
    ("context-rot", "context-rot"),
    ("Context Rot", "context-rot"),
    ("context-engineering", "context-engineering"),
    ("escalation-ladder", "escalation-ladder"),
    ("agent-memory", "agent-memory"),
    ("guide/getting-started.md", "guide/getting-started.md"),
    ("🚀 Quick start!", "quick"),
]


@pytest.mark.parametrize(
    ("wanted", "best"),
    [
        ("contxt-rot", "context-rot"),
        ("context_rott", "context-rot"),
        ("rot", "context-rot"),
        ("CONTEXT ENGINERING", "context-engineering"),
        ("agent-memory-patterns", "agent-memory"),
        ("getting-started", "guide/getting-started.md"),
        ("quick-start", "quick"),
    ],
)
def test_the_name_that_is_meant_comes_first(wanted: str, best: str) -> None:
    """Typing errors, missing and further words, punctuation and case."""
    assert NearNames(NAMES).find(wanted)[0] == best


@pytest.mark.parametrize("wanted", ["", " ", "-", "kubernetes", "zzz", "🚀"])
def test_nothing_is_suggested_for_what_has_nothing_in_common(wanted: str) -> None:
    """A wrong suggestion costs a turn too."""
    assert NearNames(NAMES).find(wanted) == ()
    assert NearNames(()).find(wanted) == ()


def test_a_name_is_suggested_once_and_at_most_three_are() -> None:
    """However many spellings match."""
    names = [(f"context-rot-{n}", f"context-rot-{n}") for n in range(9)]
    found = NearNames([*names, *names]).find("context-rot")
    assert len(found) == len(set(found)) == MAX_NEAR_NAMES


def test_the_hint_lists_the_names() -> None:
    """One short question; nothing without names."""
    assert suggest_names(("a", "b")) == "Did you mean: a, b?"
    assert suggest_names(()) is None


def test_thirty_thousand_names_are_searched_in_a_few_milliseconds() -> None:
    """The best of several runs: 5 ms, with a margin for slow machines."""
    chooser = random.Random(17)
    words = ["".join(chooser.choices(string.ascii_lowercase, k=6)) for _ in range(300)]
    names = [f"{'-'.join(chooser.choices(words, k=3))}-{n}" for n in range(30_000)]
    index = NearNames((name, name) for name in names)
    wanted = names[12_345].replace("-", "_")[:-1]
    spent = []
    for name in (wanted, "x" * 10_000, " ".join(words), words[0]):
        start = time.process_time()
        index.find(name)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.05
    assert max(spent) < 0.5
    assert any(name in index.find(names[12_345] + "x") for name in [names[12_345]])


def test_a_name_is_found_by_spellings_that_follow_from_it() -> None:
    """Such as the name of a file in a path that is compared only to its beginning."""
    folders = "/".join(f"a-long-folder-{n}" for n in range(9))
    names = [("The title", f"{folders}/page-{n}-of-{n * 7}.md") for n in range(99)]
    index = NearNames(names, lambda title, path: (path, path.rpartition("/")[2], title))
    assert index.find("pge-42-of-294.md")[0] == f"{folders}/page-42-of-294.md"
    assert NearNames(names).find("pge-42-of-294.md") == ()
