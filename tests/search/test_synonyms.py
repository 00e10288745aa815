"""Synonyms: the file, and variants of keyword queries."""

from pathlib import Path

import pytest

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.search import synonyms as module
from asdlc_kb.search.synonyms import (
    MAX_PHRASES,
    MAX_VARIANTS,
    MAX_VARIED_CHARS,
    NO_SYNONYMS,
    parse_synonyms,
    read_synonyms,
)

TEXT = """\
# Comment
pull request, PR,  Merge  Request

k8s => kubernetes, container orchestration
c\\,d, c++
"""
RULES = parse_synonyms(TEXT, "words.txt")


def test_a_line_is_a_group_or_a_rule_of_one_way() -> None:
    """Comments and blank lines are none; case and blanks do not matter."""
    assert [(rule.line, rule.typed, rule.searched) for rule in RULES.rules] == [
        (2, ("pull request", "pr", "merge request"), RULES.rules[0].typed),
        (4, ("k8s",), ("kubernetes", "container orchestration")),
        (5, ("c,d", "c++"), ("c,d", "c++")),
    ]


def test_a_phrase_has_the_others_of_its_lines() -> None:
    """Those of a rule have none of their own."""
    assert RULES.find("pr") == ("pull request", "merge request")
    assert RULES.find("k8s") == ("kubernetes", "container orchestration")
    assert RULES.find("kubernetes") == ()
    both = parse_synonyms("a, b\nb, c\n", "x")
    assert both.find("b") == ("a", "c")
    assert both.find("a") == ("b",)


def test_rules_are_added_up() -> None:
    """Without any they are false."""
    other = parse_synonyms("x, y", "x")
    assert (RULES + other).find("x") == ("y",)
    assert (RULES + other).find("pr") == RULES.find("pr")
    assert RULES + NO_SYNONYMS is RULES
    assert NO_SYNONYMS + RULES is RULES
    assert not NO_SYNONYMS


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("alone", "a group has at least two words or phrases"),
        ("same, SAME", "a group has at least two words or phrases"),
        ("a,", "a group has at least two words or phrases"),
        ("a =>", "'=>' needs words on both sides"),
        ("=> a", "'=>' needs words on both sides"),
        ("a => b => c", "more than one '=>'"),
        ("a, +", "'+' has no letters or digits"),
        (f"a, {'x' * 101}", "is too long: at most 8 words and 100 characters"),
        ("a, 1 2 3 4 5 6 7 8 9", "is too long: at most 8 words and 100 characters"),
        (
            ", ".join(f"w{n}" for n in range(MAX_PHRASES + 1)),
            f"more than {MAX_PHRASES} words and phrases",
        ),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(line: str, message: str) -> None:
    """So that an operator finds it."""
    with pytest.raises(SettingsError) as raised:
        parse_synonyms(f"a, b\n\n{line}\n", "words.txt")
    assert str(raised.value).startswith("words.txt:3: ")
    assert message in str(raised.value)


def test_a_file_is_utf_8_of_any_editor(tmp_path: Path) -> None:
    """With the mark of some, their line ends, and invisible characters."""
    path = tmp_path / "words.txt"
    path.write_bytes("\ufeffCafé, ca\u200bfetería\r\n缓存, cache\r\n".encode())
    found = read_synonyms(path)
    assert found.find("café") == ("cafetería",)
    assert found.find("缓存") == ("cache",)


def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing, in another encoding, too large, with too many rules."""
    path = tmp_path / "words.txt"
    with pytest.raises(SettingsError, match=r"words\.txt: No such file"):
        read_synonyms(path)
    path.write_bytes(b"a, b\nc, \xe9\n")
    with pytest.raises(SettingsError, match=r"words\.txt:2: not UTF-8"):
        read_synonyms(path)
    path.write_text("a, b\n" * 3)
    monkeypatch.setattr(module, "MAX_RULES", 2)
    with pytest.raises(SettingsError, match=r"words\.txt:3: more than 2 rules"):
        read_synonyms(path)
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 14)
    with pytest.raises(SettingsError, match=r"larger than 14 bytes"):
        read_synonyms(path)


def vary(query: str) -> list[str]:
    """Return the variants of a query."""
    return [variant.text for variant in RULES.vary(query)]


@pytest.mark.parametrize(
    ("query", "variants"),
    [
        ("PR", ["pull request", "merge request"]),
        ("pull request", ["pr", "merge request"]),
        ("my PR template", ["my pull request template", "my merge request template"]),
        ("k8s!", ["kubernetes!", "container orchestration!"]),
        ("c++", ["c,d"]),
        ("c,d", ["c++"]),
        ("pull", []),
        ("spread", []),
        ("xk8s", []),
        ("k8sx", []),
        ("kubernetes", []),
        ("", []),
        ("pr\nx", []),
    ],
)
def test_phrases_of_a_query_are_replaced(query: str, variants: list[str]) -> None:
    """On borders of words, in any case; the rest stays as it is."""
    assert vary(query) == variants


def test_several_phrases_are_replaced_in_all_ways() -> None:
    """Up to a number of variants, and in queries that are no prose."""
    assert vary("k8s pr") == [
        *("k8s pull request", "k8s merge request"),
        *("kubernetes pr", "kubernetes pull request", "kubernetes merge request"),
        *("container orchestration pr", "container orchestration pull request"),
        "container orchestration merge request",
    ]
    assert len(vary("pr k8s pr k8s")) == MAX_VARIANTS
    assert vary("k8s".rjust(MAX_VARIED_CHARS))
    assert not vary("k8s".rjust(MAX_VARIED_CHARS + 1))


def test_the_longest_phrase_is_replaced() -> None:
    """A part of it is not."""
    rules = parse_synonyms("machine, device\nvirtual machine, VM\n.net, dotnet", "x")
    assert [v.text for v in rules.vary("virtual machine")] == ["vm"]
    assert [v.text for v in rules.vary("a machine")] == ["a device"]
    assert [v.text for v in rules.vary("net")] == []


def test_scripts_without_blanks_have_no_borders() -> None:
    """A phrase is found within a text."""
    rules = parse_synonyms("缓存, cache", "x")
    (variant,) = rules.vary("数据缓存")
    assert variant.text == "数据cache"
    (variant,) = rules.vary("cache")
    assert variant.pattern.search("数据缓存")


@pytest.mark.parametrize(
    ("query", "text", "is_found"),
    [
        ("pull request", "a pr", True),
        ("pull request", "prs are", True),
        ("pull request", "(pr)", True),
        ("pull request", "practice", False),
        ("pull request", "spr", False),
        ("k8s", "kubernetes-native", True),
        ("k8s", "xkubernetes", False),
        ("k8s for all", "kubernetes for allies", True),
        ("my pull request", "my practice", False),
        ("my pull request", "tummy pr", True),
    ],
)
def test_a_short_synonym_is_found_as_a_word_only(
    query: str, text: str, is_found: bool
) -> None:
    """A longer one where a word begins; what was typed anywhere."""
    variants = RULES.vary(query)
    assert any(variant.pattern.search(text) for variant in variants) is is_found
