"""Queries of agents and people: nothing is an error, and the intended page is found."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.texts import DOCUMENTS, Texts, document, find, index, keys, section

from asdlc_kb.search.service.fulltext import FullText

CACHE, DEPLOY, META, CHINESE = (one.key for one in DOCUMENTS)


@pytest.fixture(scope="module")
def pair() -> tuple[FullText, Texts]:
    """An index of some documents."""
    return index(*DOCUMENTS)


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("How do I clear the cache?", CACHE),
        ("what is the lifetime of entries", CACHE),
        ("cahce lifetmie", CACHE),
        ("configurtaion file proxy", DEPLOY),
        ("proxy_pass", DEPLOY),
        ("nginx timeout", DEPLOY),
        ("ngin", DEPLOY),
        ("front matter", META),
        ("meta data", META),
        ("isodates", META),
        ("cafe", META),
        ("CAFÉ", META),
        ("don't read café", META),
        ("服务器配置", CHINESE),
        ("缓存", CHINESE),
        ("\uff4e\uff47\uff49\uff4e\uff58", DEPLOY),
        ('"clear command"', CACHE),
        ('"configuration file"', DEPLOY),
        ("configuration -cache", DEPLOY),
        ("configuration NOT cache", DEPLOY),
        ("configuration AND nginx", DEPLOY),
        ("(nginx OR okapi) AND proxy", DEPLOY),
        ("+nginx cache", DEPLOY),
        ("title:metadata", META),
        ("heading:dates", META),
        ("body:frontmatter", META),
        ('body:"begins with"', META),
        ("tags:speed", CACHE),
        ("category:operations configuration", DEPLOY),
        ("category:OPERATIONS", DEPLOY),
        ("ngi*", DEPLOY),
        ("title:deploy*", DEPLOY),
        ('"unbalanced nginx', DEPLOY),
        ("foo:nginx", DEPLOY),
        ("nginx AND", DEPLOY),
        ("the", None),
        ("-nginx +nginx", None),
        ('"cache clear keeps"', None),
        ("title:nginx", None),
        ("zzzzqqqq", None),
        ("", None),
        ("   ", None),
        ("?!", None),
    ],
)
def test_a_query_finds_what_is_meant(
    pair: tuple[FullText, Texts], query: str, best: str | None
) -> None:
    """Questions, typos, fragments, operators, other scripts; or nothing."""
    results = keys(find(pair, query))
    if query == "the":
        assert CACHE in results
    else:
        assert (results[0] if results else None) == best


@pytest.mark.parametrize(
    ("query", "corrected"),
    [
        ("nginx", ()),
        ("ngnix", (("ngnix", "nginx"),)),
        ("ngin", (("ngin", "nginx"),)),
        ("frontm", (("frontm", "frontmatter"),)),
        ("front matter", (("front matter", "frontmatter"),)),
        ("isodates", (("isodates", "iso dates"),)),
        ('"ngnix" cache', ()),
    ],
)
def test_the_answer_says_what_was_searched_instead(
    pair: tuple[FullText, Texts], query: str, corrected: tuple[tuple[str, str], ...]
) -> None:
    """D-103: corrections, completions, joined and split words; never of quoted ones."""
    assert find(pair, query).corrected == corrected


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ("+okapi nginx", "nginx"),
        ("title:nginx", "nginx"),
        ("zzzzqqqq", None),
        ('"frontmater dats"', "frontmatter dates"),
        ("nginx -proxy", "nginx"),
        ("cache", None),
    ],
)
def test_another_query_is_suggested_only_if_it_finds_something(
    pair: tuple[FullText, Texts], query: str, suggestion: str | None
) -> None:
    """And only if this one finds nothing."""
    assert find(pair, query).suggestion == suggestion


PIECES = st.sampled_from(
    [
        *("cache", "cahce", "ngin", "proxy_pass", " ", '"', "(", ")", "+", "-", "*"),
        *(" AND ", " OR ", " NOT ", "title:", "tags:", "body:", "category:", "tag:"),
        *("缓", "存", "é", "\0", "\n", "\ud800", "😀", "::", ".", "/", "\\", "[", "^"),
    ]
)
QUERIES = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=30).map("".join),
    st.text(alphabet=st.characters(), max_size=40).map(lambda text: text * 50),
)


@settings(deadline=None, max_examples=300)
@given(QUERIES)
@example("(" * 20_000)
@example('"' * 20_000)
@example("a " * 10_000)
@example("缓" * 20_000)
@example("-a AND " * 12)
@example("a" * 20_000)
@example("body:*")
@example("it's foo:bar - \"unbalanced")
@example("/.*/ [a TO b] {x} a^2 ~3")
def test_no_query_of_any_kind_fails(query: str) -> None:
    """And its result is well formed: counted, ordered, of existing documents."""
    pair = PAIR
    results = find(pair, query, 2)
    assert len(results.hits) == min(results.total, 2)
    scores = [hit.score for hit in results.hits]
    assert scores == sorted(scores, reverse=True)
    assert set(keys(results)) <= pair[1].documents.keys()
    assert not (results.total and results.suggestion)


PAIR = index(*DOCUMENTS)


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_a_word_of_a_document_finds_it(data: st.DataObject) -> None:
    """Whatever its case, and with whatever other characters."""
    document = data.draw(st.sampled_from(DOCUMENTS))
    words = [w for s in document.sections for w in s.text.split() if w.isalpha()]
    if words:
        word = data.draw(st.sampled_from(words))
        results = find(PAIR, f"{word.title()} zzzzqqqq")
        assert document.key in keys(results)


OTHER = "别的内容在这个页面上。他の内容はこのページにある。" * 8
CJK = (
    document(
        "data.md",
        "指南",
        OTHER,
        section("数据与缓存", f"说明。{OTHER}", 5),
        language="zh",
    ),
    document(
        "all.md",
        "参考",
        OTHER,
        section("其他", f"数据。缓存。{OTHER}", 9),
        language="zh",
    ),
    document(
        "collection.md",
        "ガイド",
        OTHER,
        section("コンテンツコレクションの定義", f"詳細。{OTHER}", 7),
        language="ja",
    ),
    document(
        "content.md",
        "参照",
        OTHER,
        section("定義", f"コンテンツ。{OTHER}コレクション。", 8),
        language="ja",
    ),
    *(document(f"{n}.md", f"其他{n}", OTHER) for n in range(40)),
)


@pytest.mark.parametrize(
    ("query", "key", "heading"),
    [
        ("数据 缓存", "data.md", "数据与缓存"),
        ("缓存 数据", "data.md", "数据与缓存"),
        ("コンテンツコレクション", "collection.md", "コンテンツコレクションの定義"),
        (
            "定義 コンテンツコレクション",
            "collection.md",
            "コンテンツコレクションの定義",
        ),
    ],
)
def test_a_heading_with_all_words_of_a_script_without_blanks_comes_first(
    query: str, key: str, heading: str
) -> None:
    """In any order, before a page that has the words more often."""
    best = find(index(*CJK), query).hits[0]
    assert (best.key, best.heading) == (key, heading)
