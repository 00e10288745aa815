"""The URIs of skills: one spelling written, any read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.providers.project.skill_uris import MAX_URI_CHARS, SkillUri, read_uri


@pytest.mark.parametrize(
    ("uri", "found"),
    [
        ("skill://a", SkillUri(None, "a")),
        ("skill://a/SKILL.md", SkillUri(None, "a", "SKILL.md")),
        ("skill://a/b/c%20d.md", SkillUri(None, "a", "b/c d.md")),
        ("skill://a/b/c d.md", SkillUri(None, "a", "b/c d.md")),
        ("skill://~shop/a/x", SkillUri("shop", "a", "x")),
        ("skill://%7Eshop%20b/a", SkillUri("shop b", "a")),
        ("skill://a/100%25", SkillUri(None, "a", "100%")),
        ("skill://a/%E4%BD%A0", SkillUri(None, "a", "你")),
        ("skill://a/..", SkillUri(None, "a", "..")),
    ],
)
def test_a_uri_is_read_however_it_is_spelt(uri: str, found: SkillUri) -> None:
    """RFC 3986: percent signs encode bytes; dots are names that do not exist."""
    assert read_uri(uri) == found


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "a",
        "skill:a",
        "skill:///",
        "skill://",
        "skill:///a",
        "skill://a/",
        "skill://a//b",
        "skill://~shop",
        "skill://~shop/",
        "skill://a/b%2Fc",
        "skill://a/b%00",
        "skill://a/b\0",
        "skill://a/%FF",
        "SKILL://a",
        f"skill://a/{'b' * MAX_URI_CHARS}",
    ],
)
def test_what_can_name_nothing_is_none(uri: str) -> None:
    """SEP-2640: no trailing slash; no hidden separator, NUL or broken text."""
    assert read_uri(uri) is None


def test_a_uri_is_written_as_lists_have_it() -> None:
    """All but letters, digits, `-`, `.`, `_` and `~` are percent-encoded."""
    assert str(SkillUri(None, "a", "b c/d%é.md")) == "skill://a/b%20c/d%25%C3%A9.md"
    assert str(SkillUri("my shop?", "a")) == "skill://~my%20shop%3F/a"


NAMES = st.text(min_size=1, max_size=9).filter(
    lambda name: not {"/", "\0"} & {*name} and name.isprintable()
)


@given(
    st.none() | NAMES,
    NAMES.filter(lambda name: name[0] != "~"),
    st.lists(NAMES, max_size=3),
)
def test_what_is_written_is_read_again(
    project: str | None, skill: str, parts: list[str]
) -> None:
    """One spelling for any file name."""
    uri = SkillUri(project, skill, "/".join(parts))
    assert read_uri(str(uri)) == uri
    assert str(read_uri(str(uri))) == str(uri)
