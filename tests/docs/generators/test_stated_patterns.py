"""Exclusions are read from literal data, or make the configuration unusable."""

from pathlib import Path

import pytest

from asdlc_kb.docs.generators.configuration_files import ConfigurationUnusable
from asdlc_kb.docs.generators.ignored_files import PathPatterns
from asdlc_kb.docs.generators.javascript import (
    COMPUTED,
    Alternatives,
    Data,
    FunctionCall,
)
from asdlc_kb.docs.generators.stated_patterns import (
    list_texts,
    read_expressions,
    read_globs,
    read_hugo_globs,
    read_plugin_patterns,
)

PATH = Path("config.js")


def test_the_texts_of_all_branches_count() -> None:
    """At any depth; what is absent or false is none."""
    value: Data = ["a", Alternatives((["b", None], Alternatives(("c", False))))]
    assert sorted(list_texts(PATH, "x", value)) == ["a", "b", "c"]
    assert list(list_texts(PATH, "x", None)) == []


@pytest.mark.parametrize(
    "value", [COMPUTED, ["a", COMPUTED], FunctionCall("f", []), {"a": "b"}, 3.0, True]
)
def test_other_values_make_it_unusable(value: Data) -> None:
    """The field and the file are named."""
    with pytest.raises(ConfigurationUnusable, match="'x' is computed") as caught:
        list(list_texts(PATH, "x", Alternatives((value,))))
    assert caught.value.path == PATH


def test_the_last_name_of_a_glob_may_be_that_of_files() -> None:
    """With globby, if it has wildcards."""
    globs: Data = ["a/*", "b", "c/*/**"]
    patterns = PathPatterns(read_globs(PATH, "x", globs, is_globby=True))
    paths = ("a/b", "a/b/c", "b/c", "c/d", "c/d/e")
    assert [each for each in paths if not patterns.match(each)] == ["a/b/c", "c/d"]
    patterns = PathPatterns(read_globs(PATH, "x", globs))
    assert [each for each in paths if not patterns.match(each)] == ["c/d"]


def test_an_unreadable_pattern_is_named() -> None:
    """In each language."""
    with pytest.raises(ConfigurationUnusable, match=r"'!\(a\)' in 'x'"):
        list(read_globs(PATH, "x", "!(a)"))
    with pytest.raises(ConfigurationUnusable, match=r"'\(' in 'x'"):
        list(read_expressions(PATH, "x", "("))
    with pytest.raises(ConfigurationUnusable, match=r"'{1\.\.2}' in 'x'"):
        list(read_hugo_globs(PATH, "x", ["{1..2}"], []))
    with pytest.raises(ConfigurationUnusable, match=r"'\(' in 'x.regex'"):
        list(read_plugin_patterns(PATH, "x", {"regex": "("}))


def test_flags_of_a_plugin_stay_in_front() -> None:
    """Python refuses them elsewhere."""
    (found,) = read_plugin_patterns(PATH, "x", {"regex": "(?i)A|b"})
    assert [found.match(name) for name in ("a.md", "B.md", "ca.md")] == [
        True,
        True,
        False,
    ]
