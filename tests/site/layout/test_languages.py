"""Languages: tags, names, direction."""

import pytest

from asdlc_kb.site.layout.languages import is_right_to_left, name_language, read_tag


@pytest.mark.parametrize(
    ("language", "tag"),
    [
        ("fr", "fr"),
        ("pt_BR", "pt-BR"),
        ("zh-Hans-CN", "zh-Hans-CN"),
        ("", ""),
        ("english", ""),
        ('fr"><script>', ""),
    ],
)
def test_a_tag_is_one_of_html(language: str, tag: str) -> None:
    """What is none has no place in an attribute."""
    assert read_tag(language) == tag


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("fr", "Français"),
        ("zh-CN", "简体中文"),
        ("pt_BR", "Português (Brasil)"),
        ("tlh", "tlh"),
    ],
)
def test_a_language_has_its_own_name(language: str, name: str) -> None:
    """Who looks for it knows that one."""
    assert name_language(language) == name


def test_some_languages_are_written_from_right_to_left() -> None:
    """In every region."""
    assert all(map(is_right_to_left, ("ar", "fa", "he-IL", "UR")))
    assert not any(map(is_right_to_left, ("en", "arn", "")))
