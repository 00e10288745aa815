"""Language tags are normalized; everything else is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.generators.language_tags import (
    MAX_TAG_CHARS,
    read_folder_language,
    read_language_tag,
)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        *(("en", "en"), ("EN", "en"), ("zh_CN", "zh-CN"), ("zh-hans", "zh-Hans")),
        *(("pt-br", "pt-BR"), ("ZH-HANT-TW", "zh-Hant-TW"), ("es-419", "es-419")),
        *((" fr ", "fr"), ("de-1996", "de-1996"), ("fil", "fil")),
        *(("", ""), ("english", ""), ("e", ""), ("en-", ""), ("en--US", "")),
        *(("../en", ""), ("en\u200b", ""), ("<b>", ""), (f"en{'-aaaaaaaa' * 5}", "")),
    ],
)
def test_a_tag_has_its_usual_case(text: str, tag: str) -> None:
    """As RFC 5646 recommends to write it."""
    assert read_language_tag(text) == tag


@given(st.text(max_size=60))
def test_a_tag_is_bounded_and_plain(text: str) -> None:
    """Whatever a configuration states; a tag that was read stays as it is."""
    tag = read_language_tag(text)
    assert len(tag) <= MAX_TAG_CHARS
    assert tag.replace("-", "").isalnum() or not tag
    assert tag.isascii()
    assert read_language_tag(tag) == tag


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        *(("fr", "fr"), ("zh-cn", "zh-CN"), ("pt_BR", "pt-BR"), ("zh-hant", "zh-Hant")),
        *(("es-419", "es-419"), ("qa", ""), ("api", ""), ("db", ""), ("os", "")),
        *(("ui", ""), ("en-guide", ""), ("english", "")),
    ],
)
def test_only_common_languages_name_folders(name: str, tag: str) -> None:
    """A folder `db` or `ui` is not a language."""
    assert read_folder_language(name) == tag
