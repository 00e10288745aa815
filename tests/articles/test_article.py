"""An article is a value with a unique name."""

import msgspec
import pytest

from asdlc_kb.articles.article import Article, ArticleText, Unreadable
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.files.lazy_value import LazyValue

ARTICLE = Article(
    category="concepts",
    slug="context-engineering",
    title="Context Engineering",
    description="The discipline",
    tags=("Context",),
    last_updated="2025-01-15",
    status=ArticleStatus.LIVE,
    text=LazyValue(ArticleText("## Definition\n")),
)


def test_the_id_is_category_and_slug() -> None:
    """A slug may be in two categories, `category/slug` may not (D-008)."""
    assert ARTICLE.id == "concepts/context-engineering"


def test_optional_fields_are_absent_by_default() -> None:
    """D-100: maturity, supersededBy and relatedIds are optional."""
    assert (ARTICLE.maturity, ARTICLE.author, ARTICLE.published) == (None, None, None)
    assert (ARTICLE.related, ARTICLE.superseded_by, ARTICLE.removed) == ((), (), 0)


def test_articles_cannot_be_changed() -> None:
    """A snapshot is the same for every request that reads it."""
    with pytest.raises(AttributeError):
        ARTICLE.title = "other"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Unreadable("a", "b").slug = "other"  # type: ignore[misc]


def test_articles_share_the_texts_that_many_have() -> None:
    """Each decoded article would have its own, as those read from files."""
    encoder = msgspec.msgpack.Encoder(enc_hook=lambda text: b"")
    data = encoder.encode(
        msgspec.structs.replace(ARTICLE, maturity="Standard", author="Ada Lovelace")
    )
    decoder = msgspec.msgpack.Decoder(Article, dec_hook=lambda kind, _: LazyValue(""))
    one, other = decoder.decode(data), decoder.decode(data)
    for name in ("category", "last_updated", "maturity", "author", "metadata"):
        assert getattr(one, name) is getattr(other, name)
    assert all(map(lambda a, b: a is b, one.tags, other.tags))
    assert one.title is not other.title
    assert msgspec.structs.replace(one, metadata={"a": 1}).metadata == {"a": 1}
    assert one.metadata == {}
