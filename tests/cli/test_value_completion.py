"""Tests of completed values: words, and folders with a name."""

import click
import pytest

from asdlc_kb.cli.value_completion import NamedFolder, complete_words

CONTEXT = click.Context(click.Command("serve"))
OPTION = click.Option(["--docs"])


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", ["one", "other"]),
        ("on", ["one"]),
        ("kb=on", ["kb=one"]),
        ("a=b=o", ["a=b=one", "a=b=other"]),
        ("x", []),
    ],
)
def test_the_last_part_of_a_value_is_completed(typed: str, found: list[str]) -> None:
    """What is before the mark is kept."""
    complete = complete_words(["one", "other", "one"], "=")
    assert complete(CONTEXT, OPTION, typed) == found


def test_without_a_mark_the_value_is_a_word() -> None:
    """It may contain any character."""
    complete = complete_words(["a=b"])
    assert complete(CONTEXT, OPTION, "a=") == ["a=b"]


def test_a_folder_with_a_name_is_completed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Folders only; those that a terminal cannot show are left out (D-083)."""
    root = tmp_path_factory.mktemp("[x]")
    for name in ("hand", "happy", "ha\x1b"):
        (root / name).mkdir()
    (root / "hat").touch()
    (path,) = NamedFolder().shell_complete(CONTEXT, OPTION, f"{root}/ha")
    assert (path.type, path.value) == ("file", f"{root}/ha")
    items = NamedFolder().shell_complete(CONTEXT, OPTION, f"kb={root}/ha")
    assert [(item.type, item.value) for item in items] == [
        ("plain", f"kb={root}/hand/"),
        ("plain", f"kb={root}/happy/"),
    ]
