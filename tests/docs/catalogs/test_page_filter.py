"""Filters of pages: which pages they let pass, and how their values are written."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from support.docs import DocsTree
from support.knowledge import settled_clock

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.collection_catalog import Mount
from asdlc_kb.docs.catalogs.page_filter import (
    PageFilter,
    SelectedPages,
    knows_filter,
    make_request,
    select_pages,
    split_query,
)
from asdlc_kb.docs.collection import DocCollection, DocTree
from asdlc_kb.docs.edition import EditionRules
from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.exceptions import UnknownCategory, UnknownEdition
from asdlc_kb.search.filters import Filter, FilteredQuery

RULES = EditionRules(
    version="2.0",
    language="en",
    versions={"v1": "1.0"},
    languages={"fr": "fr", "br": "pt-BR"},
    default_version="2.0",
    default_language="en",
)
PATHS = ("a.md", "guide/b.md", "v1/a.md", "fr/a.md", "br/guide/b.md")
OLD, FRENCH, BRAZILIAN = "api/v1/a.md", "api/fr/a.md", "api/br/guide/b.md"
ENGLISH = {"api/a.md", "api/guide/b.md", OLD}
QUESTION = "Comment utiliser les cookies dans une API ?"


@pytest.fixture
def catalog(tmp_path: Path) -> DocCatalog:
    """An unnamed tree without editions, and one named api with five of them."""
    plain, api = DocsTree(tmp_path / "plain"), DocsTree(tmp_path / "api")
    plain.write("guide/x.md", "---\nlastmod: 2026-01-31\n---\n# X\n")
    for path in PATHS:
        api.write(path, f"# {path}\n")
    libraries = []
    for tree, rules in ((plain, EditionRules()), (api, RULES)):
        configuration = TreeConfiguration(root=tree.root, editions=rules)
        configure = partial(replace, configuration)
        library = DocLibrary(tree.root, configure, clock=settled_clock)
        library.load()
        libraries.append(library)
    mounts = (Mount(), Mount("api/", "api"))
    return DocCollection(list(map(DocTree, mounts, libraries))).catalog


def test_the_values_are_those_of_visible_pages(catalog: DocCatalog) -> None:
    """Those of the default editions first."""
    assert catalog.sources == ("root", "api")
    assert catalog.versions == ("2.0", "1.0")
    assert catalog.languages == ("en", "pt-BR", "fr")


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        (PageFilter(), None),
        (PageFilter(source="root"), {"guide/x.md"}),
        (PageFilter(source="API"), {f"api/{path}" for path in PATHS}),
        (PageFilter(version="1.0"), {"api/v1/a.md"}),
        (PageFilter(version=" V1.0 "), {"api/v1/a.md"}),
        (PageFilter(language="FR"), {"api/fr/a.md"}),
        (PageFilter(language="fr-CA"), {"api/fr/a.md"}),
        (PageFilter(language="pt"), {"api/br/guide/b.md"}),
        (PageFilter(language="pt_BR"), {"api/br/guide/b.md"}),
        (PageFilter(version="1.0", language="fr"), set()),
        (PageFilter(source="api", language="en-GB"), ENGLISH),
        (PageFilter(language="en"), {"guide/x.md", *ENGLISH}),
        (PageFilter(category="guide"), {"guide/x.md"}),
        (PageFilter(category="api/guide"), {"api/guide/b.md"}),
        (PageFilter(category="api", language="fr"), {"api/fr/a.md"}),
    ],
)
def test_a_filter_lets_pass_what_has_all_its_values(
    catalog: DocCatalog, wanted: PageFilter, paths: set[str] | None
) -> None:
    """However a model writes them."""
    assert select_pages(catalog, wanted).paths == paths


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (PageFilter(source="zz"), r"^Unknown source 'zz'\. Known: root, api$"),
        (PageFilter(version="3"), r"^Unknown version '3'\. Known: 2\.0, 1\.0$"),
        (PageFilter(language="pt-PT"), r"^Unknown language 'pt-PT'\. Known: en, "),
    ],
)
def test_an_unknown_value_is_answered_with_the_known_ones(
    catalog: DocCatalog, wanted: PageFilter, message: str
) -> None:
    """As an unknown category is."""
    with pytest.raises(UnknownEdition, match=message):
        select_pages(catalog, wanted)
    with pytest.raises(UnknownCategory):
        select_pages(catalog, PageFilter(category="zz"))


@pytest.mark.parametrize(
    ("wanted", "secondary"),
    [
        (PageFilter(), {"api/v1/a.md", "api/fr/a.md", "api/br/guide/b.md"}),
        (PageFilter(version="1.0"), {"api/fr/a.md", "api/br/guide/b.md"}),
        (PageFilter(language="fr"), {"api/v1/a.md"}),
        (PageFilter(version="1.0", language="fr"), set()),
    ],
)
def test_what_was_not_chosen_ranks_behind_the_default(
    catalog: DocCatalog, wanted: PageFilter, secondary: set[str]
) -> None:
    """Of the version, if none is chosen, and of the language."""
    is_secondary = select_pages(catalog, wanted).is_secondary
    found = {path for path in catalog.by_path if is_secondary and is_secondary(path)}
    assert found == secondary
    assert is_secondary == select_pages(catalog, wanted).is_secondary


@pytest.mark.parametrize(
    ("text", "secondary"),
    [
        (QUESTION, ENGLISH),
        ("How do I use cookies?", {"api/fr/a.md"}),
        ("cookies dans API", {"api/fr/a.md"}),
        ("", {"api/fr/a.md"}),
    ],
)
def test_pages_in_the_language_of_a_query_are_not_behind_others(
    catalog: DocCatalog, text: str, secondary: set[str]
) -> None:
    """If two words are certain. Old versions stay behind."""
    select = partial(select_pages, catalog, PageFilter(), text)
    is_secondary = select().is_secondary
    found = {path for path in catalog.by_path if is_secondary and is_secondary(path)}
    assert found == {*secondary, "api/v1/a.md", "api/br/guide/b.md"}
    assert is_secondary == select().is_secondary


@pytest.mark.parametrize(
    ("path", "text", "wanted", "secondary"),
    [
        ("api/a.md", "x", PageFilter(), {FRENCH, OLD, BRAZILIAN}),
        (FRENCH, "x", PageFilter(), {*ENGLISH, BRAZILIAN}),
        (FRENCH, "How do I use cookies?", PageFilter(), {*ENGLISH, BRAZILIAN}),
        (OLD, "x", PageFilter(), {*ENGLISH, FRENCH, BRAZILIAN} - {OLD}),
        (OLD, QUESTION, PageFilter(), {*ENGLISH, BRAZILIAN}),
        (FRENCH, "x", PageFilter(language="en"), {OLD}),
        (OLD, "x", PageFilter(version="1.0"), {FRENCH, BRAZILIAN}),
    ],
)
def test_pages_of_the_edition_that_is_read_come_first(
    catalog: DocCatalog, path: str, text: str, wanted: PageFilter, secondary: set[str]
) -> None:
    """D-292: unless a query states another one, by a filter or its language."""
    read = catalog.by_path[path].edition
    select = partial(select_pages, catalog, wanted, text, read)
    is_secondary = select().is_secondary
    found = {path for path in catalog.by_path if is_secondary and is_secondary(path)}
    assert found == secondary
    assert is_secondary == select().is_secondary


@pytest.mark.parametrize(
    ("language", "paths"),
    [
        ("en", {"plain/x.md", "us/x.md", "us/gb/x.md", "both/x.md"}),
        ("en-us", {"plain/x.md", "us/x.md", "both/us/x.md"}),
        ("en-AU", {"plain/x.md", "both/x.md"}),
        ("EN_GB", {"plain/x.md", "us/gb/x.md", "both/x.md"}),
    ],
)
def test_each_tree_has_a_language_in_its_own_spelling(
    tmp_path: Path, language: str, paths: set[str] | None
) -> None:
    """As it is written, else wider or narrower; a tree that states none is English."""
    catalog = open_trees(
        tmp_path,
        plain=EditionRules(),
        us=EditionRules(language="en-US", languages={"gb": "en-GB"}),
        both=EditionRules(language="en", languages={"us": "en-US"}),
    )
    assert catalog.languages == ("en", "en-US", "en-GB")
    assert select_pages(catalog, PageFilter(language=language)).paths == paths


def test_a_tree_without_languages_is_not_filtered_by_one(tmp_path: Path) -> None:
    """All of its pages are treated as English, so there is no choice."""
    catalog = open_trees(tmp_path, plain=EditionRules())
    assert catalog.languages == ()
    assert search_for(catalog, "language:en")[0] == "language:en"
    with pytest.raises(UnknownEdition, match=r"^Unknown language 'en'"):
        select_pages(catalog, PageFilter(language="en"))


def open_trees(folder: Path, **editions: EditionRules) -> DocCatalog:
    """Return the catalog of named trees, each with a page in each of its folders."""
    opened = []
    for name, rules in editions.items():
        tree = DocsTree(folder / name)
        for path in ("x.md", *(f"{each}/x.md" for each in rules.languages)):
            tree.write(path, "# X\n")
        configuration = TreeConfiguration(root=tree.root, editions=rules)
        configure = partial(replace, configuration)
        library = DocLibrary(tree.root, configure, clock=settled_clock)
        library.load()
        opened.append(DocTree(Mount(f"{name}/", name), library))
    return DocCollection(opened).catalog


def search_for(catalog: DocCatalog, query: str) -> tuple[str, SelectedPages]:
    """Return the text of a query, and the pages that its filters let pass."""
    text, wanted = split_query(catalog, query, PageFilter())
    return text, select_pages(catalog, wanted)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("source:API x", PageFilter(source="API")),
        ("source:root x", PageFilter(source="root")),
        ("version:v1.0 x", PageFilter(version="v1.0")),
        ("x language:fr-CA", PageFilter(language="fr-CA")),
        ("category:api/guide x", PageFilter(category="api/guide")),
        ("category:api language:fr x", PageFilter(category="api", language="fr")),
    ],
)
def test_a_filter_of_a_query_is_that_of_an_argument(
    catalog: DocCatalog, query: str, wanted: PageFilter
) -> None:
    """The same pages, language and order of editions."""
    assert search_for(catalog, query) == ("x", select_pages(catalog, wanted))


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("-source:api x", {"guide/x.md"}),
        ("-version:2.0 x", {"guide/x.md", "api/v1/a.md"}),
        ("-language:en x", {"api/fr/a.md", "api/br/guide/b.md"}),
        ("version:1.0 version:2.0 x", set()),
        ("-category:api x", {"guide/x.md"}),
        ("updated:2026 x", {"guide/x.md"}),
        ("updated:<2026 x", set()),
        ("source:root -updated:2026 x", set()),
    ],
)
def test_excluded_and_repeated_filters_are_all_met(
    catalog: DocCatalog, query: str, paths: set[str]
) -> None:
    """A page without a date has none of any range."""
    text, selected = search_for(catalog, query)
    assert text == "x"
    assert set(selected.paths or ()) == paths


@pytest.mark.parametrize(
    "query", ["version:9 x", "source:zz x", "language:pt-PT x", "category:secret x"]
)
def test_an_unknown_value_in_a_query_is_text(catalog: DocCatalog, query: str) -> None:
    """As an argument it is an error."""
    assert search_for(catalog, query) == (query, select_pages(catalog, PageFilter()))


def test_a_filter_of_another_source_lets_no_page_pass(catalog: DocCatalog) -> None:
    """Or all of them, if it excludes."""
    one = Filter("source", "articles")
    assert not knows_filter(catalog, one)
    assert make_request(catalog, FilteredQuery("x", (one,)), 9).keys == frozenset()
    excluded = FilteredQuery("x", (Filter("source", "articles", True),))
    assert make_request(catalog, excluded, 9).keys == frozenset(catalog.by_path)


def test_the_only_tree_has_a_name_in_queries_too(tmp_path: Path) -> None:
    """Beside articles it can be chosen."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("x.md", "# X\n")
    library = DocLibrary(tree.root, clock=settled_clock)
    library.load()
    collection = DocCollection([DocTree(Mount(), library)])
    text, selected = search_for(collection.catalog, "source:root x")
    assert text == "x"
    assert selected.paths == frozenset({"x.md"})
