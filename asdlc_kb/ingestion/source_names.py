"""The names, kinds and libraries of the sources that are stored."""

from collections.abc import Mapping

from asdlc_kb.app.doc_trees import RESERVED_NAMES
from asdlc_kb.app.sources import ARTICLES, ConfiguredSources
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.collection import UNNAMED, DocTree
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.settings_patterns import read_named
from asdlc_kb.store.values import SourceKind, SourceRecord


def list_sources(sources: ConfiguredSources) -> Mapping[str, SourceKind]:
    """Return the names and kinds of the sources that are stored.

    Raises SettingsError for a tree with a name that sources without one have.
    """
    names = dict.fromkeys(tree.mount.source for tree in sources.trees)
    for name in names:
        if name.casefold() == ARTICLES:
            raise SettingsError(
                f"--docs {name}=…: the store has the articles as the source "
                f"'{ARTICLES}': choose another name"
            )
        if name.casefold() == UNNAMED and "" in names:
            raise SettingsError(
                f"--docs {name}=…: the store has the tree without a name as the "
                f"source '{UNNAMED}': name that tree too"
            )
    articles: dict[str, SourceKind] = (
        {} if sources.articles is None else {ARTICLES: "articles"}
    )
    return {**articles, **{name or UNNAMED: "docs" for name in names}}


def make_record(name: str, owner: str) -> SourceRecord:
    """Return a source without files, as `find_files` names and describes it.

    Raises SettingsError for a name that no source gets.
    """
    if name == ARTICLES:
        return SourceRecord(ARTICLES, "articles", {}, owner, 0)
    is_taken = name.casefold() in RESERVED_NAMES | {ARTICLES}
    if not name or is_taken or read_named(f"{name}=.").name != name:
        raise SettingsError(
            f"no source can have the name '{name}': name one as in '--docs NAME=DIR'"
        )
    return SourceRecord(
        name, "docs", {} if name == UNNAMED else {"tree": name}, owner, 0
    )


def list_libraries(
    sources: ConfiguredSources, name: str
) -> tuple[ArticleLibrary | DocLibrary, ...]:
    """Return the libraries of a source."""
    if name == ARTICLES and sources.articles is not None:
        return (sources.articles,)
    return tuple(tree.library for tree in list_trees(sources, name))


def list_trees(sources: ConfiguredSources, name: str) -> list[DocTree]:
    """Return a tree and its editions outside of its root."""
    has_unnamed = any(not tree.mount.source for tree in sources.trees)
    tree_name = "" if name == UNNAMED and has_unnamed else name
    return [tree for tree in sources.trees if tree.mount.source == tree_name]
