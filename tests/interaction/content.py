"""The project's own content, read without the code under test."""

from dataclasses import dataclass

from support.own_articles import CONTENT, OwnArticle, read_own_articles

FOLDER = CONTENT


@dataclass(frozen=True)
class File:
    """One article's file."""

    category: str
    slug: str
    title: str
    description: str
    tags: list[str]
    aliases: list[str]
    updated: str
    status: str
    is_visible: bool
    body: str

    def weight(self, query: str) -> int:
        """Title 3, tag or alias 2, description 1, added up."""
        folded = query.lower()
        return (
            3 * (folded in self.title.lower())
            + 2 * any(folded in name.lower() for name in (*self.tags, *self.aliases))
            + (folded in self.description.lower())
        )


def _convert(article: OwnArticle) -> File:
    fields = article.fields
    category, _, slug = article.id.partition("/")
    return File(
        category=category,
        slug=slug,
        title=fields["title"],
        description=fields["description"],
        tags=fields["tags"],
        aliases=fields.get("aliases", []),
        updated=fields["lastUpdated"].isoformat(),
        status=fields["status"],
        is_visible=article.is_visible,
        body=article.body,
    )


FILES = [_convert(article) for article in read_own_articles()]
SHOWN = sorted(
    (file for file in FILES if file.is_visible),
    key=lambda file: (file.category, file.slug),
)
"""The visible ones, by category and slug."""

SHOWN.sort(key=lambda file: file.updated, reverse=True)
HIDDEN = [file for file in FILES if not file.is_visible]
