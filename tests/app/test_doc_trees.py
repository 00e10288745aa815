"""The trees that the settings name: names, addresses, dialects, languages."""

import json
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from support.docs import DocsTree

from asdlc_kb.app.doc_trees import open_trees
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.generators import view_edition
from asdlc_kb.exceptions import SettingsError
from asdlc_kb.settings import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two trees, `one` and `two`."""
    for name in ("one", "two"):
        tree = DocsTree(tmp_path / name)
        tree.write("guide/a.md", f"# Of {name}\n\nA ==mark==.\n")
    return tmp_path


def load(folder: Path, *given: str, **settings: Any) -> DocCollection:
    """Return the loaded trees; `{}` in a value is the folder."""
    docs = open_trees(Settings(**settings), [text.format(folder) for text in given])
    for tree in docs.trees:
        tree.library.load()
    return docs


def test_named_trees_have_their_pages_below_their_names(folder: Path) -> None:
    """D-162: the unnamed one keeps its paths."""
    alone = load(folder, "{}/one")
    assert list(alone.catalog.by_path) == ["guide/a.md"]
    both = load(folder, "{}/one", "two={}/two")
    assert list(both.catalog.by_path) == ["guide/a.md", "two/guide/a.md"]
    assert [tree.name for tree in both.trees] == ["", "two"]
    named = load(folder, "one={}/one", "two={}/two")
    assert list(named.catalog.by_path) == ["one/guide/a.md", "two/guide/a.md"]


def test_a_folder_with_an_equals_sign_is_written_as_a_path(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise what is before the sign is a name."""
    monkeypatch.chdir(folder)
    (folder / "one").rename(folder / "x=one")
    assert list(load(folder, "./x=one").catalog.by_path) == ["guide/a.md"]
    (folder / "a b=one").symlink_to("x=one")
    assert list(load(folder, "a b=one").catalog.by_path) == ["guide/a.md"]
    assert list(load(folder, "y=x=one").catalog.by_path) == ["y/guide/a.md"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ("{}/one", "{}/two"),
            r"^two documentation trees have no name: name all of them but one, as in ",
        ),
        (("a={}/one", "A={}/two"), r"^two documentation trees are named 'A': "),
        (
            ("{}/one", "guide={}/two"),
            r"^--docs guide=.*/two: .*/one has a folder 'guide', whose pages would "
            r"have the same addresses: choose another name$",
        ),
        (("{}/one", "Guide={}/two"), r"^--docs Guide=.*/one has a folder 'Guide', "),
        (("{}/one", "root={}/two"), r"^--docs root=.*'root' is the name of something "),
        (("LLMS.txt={}/two",), r"^--docs LLMS.txt=.*/two: 'LLMS.txt' is the name of "),
        (("index.md={}/two",), r"^--docs index.md=.*: choose another name$"),
        (
            ("{}/one", "a b={}/two"),
            r"^--docs a b=.*/two: this is not NAME=DIR: .* is written './a b=.*/two'$",
        ),
        (("api=",), r"^--docs api=: this is not NAME=DIR: "),
    ],
)
def test_addresses_that_would_be_two_pages_are_refused(
    folder: Path, given: tuple[str, ...], message: str
) -> None:
    """D-162: at the start, before anything is served."""
    with pytest.raises(SettingsError, match=message):
        load(folder, *given)


def test_each_tree_has_a_dialect_and_a_language_of_its_own(folder: Path) -> None:
    """A value without a name is for the unnamed tree."""
    docs = load(
        folder,
        "{}/one",
        "two={}/two",
        dialect=("mkdocs", "two=obsidian"),
        language=("two=fr",),
    )
    one, two = docs.catalog.by_path.values()
    assert (one.dialect, two.dialect) == ("mkdocs", "obsidian")
    assert (one.edition.language, two.edition.language) == ("", "fr")
    assert (two.edition.source, two.edition.is_default) == ("two", True)
    (only,) = load(folder, "two={}/two", dialect=("mkdocs",)).catalog.by_path.values()
    assert only.dialect == "mkdocs"


def test_a_setting_for_a_tree_that_is_not_served_is_refused(folder: Path) -> None:
    """With the names that there are."""
    message = (
        r"^--dialect mkdocs: no documentation tree is 'three'; the names are: 'two'$"
    )
    with pytest.raises(SettingsError, match=message):
        load(folder, "{}/one", "two={}/two", dialect=("three=mkdocs",))
    message = (
        r"^--language fr: no documentation tree is without a name; the names are: "
        r"'one', 'two'$"
    )
    with pytest.raises(SettingsError, match=message):
        load(folder, "one={}/one", "two={}/two", language=("fr",))


def test_editions_outside_of_a_tree_are_below_their_names(
    tmp_path: Path,
) -> None:
    """D-162: as Docusaurus keeps its versions; the latest one is the default."""
    site = tmp_path / "site"
    for path, text in {
        "docusaurus.config.js": "module.exports = {title: 'Site', presets: []};\n",
        "versions.json": json.dumps(["2.0", "1.0"]),
        "docs/intro.md": "# Next intro\n",
        "versioned_docs/version-2.0/intro.md": "# Intro of two\n",
        "versioned_docs/version-1.0/intro.md": "# Intro of one\n",
        "versioned_docs/version-1.0/old.md": "# Old\n\n[in](intro.md)\n",
        "versioned_docs/version-1.0/no.md": "---\ndraft: true\n---\n# No\n",
    }.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    docs = load(site, "api={}")
    catalog = docs.catalog
    versions = {path: page.edition.version for path, page in catalog.by_path.items()}
    assert versions == {
        "api/intro.md": "next",
        "api/2.0/intro.md": "2.0",
        "api/1.0/intro.md": "1.0",
        "api/1.0/old.md": "1.0",
    }
    assert catalog.pages[0].path == "api/2.0/intro.md"
    others = catalog.list_editions(catalog.by_path["api/intro.md"])
    assert [p.path for p in others] == ["api/2.0/intro.md", "api/1.0/intro.md"]
    target = catalog.resolve("intro.md", "api/1.0/old.md")
    assert target is not None
    assert target.path == "api/1.0/intro.md"
    for href in ("/docs/2.0/intro", "/docs/intro", "kb://doc/api/2.0/intro.md"):
        assert catalog.resolve(href, "api/1.0/old.md") is not None, href
    assert [page.path for page in catalog.match("old")] == ["api/1.0/old.md"]
    assert [e.version for e in catalog.editions] == ["2.0", "next", "1.0"]
    titles = [item.title for item in catalog.sidebar]
    assert titles == ["Site next", "Site", "Site 1.0"]


def test_each_edition_has_the_configuration_of_the_whole_tree(tmp_path: Path) -> None:
    """However many there are: each is one view of it, not one of another edition."""
    names = [f"{number}.0" for number in range(12, 0, -1)]
    site = tmp_path / "site"
    for path, text in {
        "docusaurus.config.js": "module.exports = {title: 'Site', presets: []};\n",
        "versions.json": json.dumps(names),
        "docs/intro.md": "# Next\n",
        **{f"versioned_docs/version-{name}/intro.md": "# Intro\n" for name in names},
    }.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    opened = open_trees(Settings(), [str(site)])
    whole, *parts = (tree.library.configuration for tree in opened.trees)
    assert len(parts) == len(names)
    assert parts == [view_edition(whole, each) for each in whole.editions.folders]


def test_a_link_to_a_page_that_is_not_translated_leads_to_the_original(
    tmp_path: Path,
) -> None:
    """D-162: of the same version; a translated one stays in its language."""
    i18n = "i18n/fr/docusaurus-plugin-content-docs"
    for path, text in {
        "docusaurus.config.js": (
            "module.exports = {i18n: {defaultLocale: 'en', locales: ['en', 'fr']}};\n"
        ),
        "versions.json": json.dumps(["1.0"]),
        "docs/a.md": "# A\n",
        "docs/b.md": "# B\n",
        "versioned_docs/version-1.0/a.md": "# A\n",
        "versioned_docs/version-1.0/b.md": "# B\n",
        f"{i18n}/version-1.0/a.md": "# A\n\n[b](b.md)\n",
        f"{i18n}/version-1.0/c.md": "# C\n",
        f"{i18n}/current/a.md": "# A\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    catalog = load(tmp_path, "{}").catalog
    targets = {
        (source, href): target and target.path
        for source in ("fr/1.0/a.md", "fr/a.md", "1.0/a.md")
        for href in ("b.md#x", "c.md", "a.md")
        for target in [catalog.resolve(href, source)]
    }
    assert targets == {
        ("fr/1.0/a.md", "b.md#x"): "1.0/b.md",
        ("fr/1.0/a.md", "c.md"): "fr/1.0/c.md",
        ("fr/1.0/a.md", "a.md"): "fr/1.0/a.md",
        ("fr/a.md", "b.md#x"): "b.md",
        ("fr/a.md", "c.md"): None,
        ("fr/a.md", "a.md"): "fr/a.md",
        ("1.0/a.md", "b.md#x"): "1.0/b.md",
        ("1.0/a.md", "c.md"): None,
        ("1.0/a.md", "a.md"): "1.0/a.md",
    }


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("https://b.example/en/guide/a/", "two/guide/a.md"),
        (" https://b.example/en/guide/a/#x ", "two/guide/a.md"),
        ("https://b.example/en/", "two/index.md"),
        ("https://a.example/docs/a", "api/2.0/a.md"),
        ("https://a.example/docs/1.0/a", "api/1.0/a.md"),
        ("https://a.example/docs/next/a", "api/a.md"),
        ("https://a.example/docs/next/known-draft", None),
        ("https://b.example/en/known-draft/", None),
        ("https://b.example/en/zzz/", None),
    ],
)
def test_an_address_of_a_published_site_is_of_the_tree_that_it_is_of(
    tmp_path: Path, address: str, path: str | None
) -> None:
    """Whatever the other trees have there; without a version it is the default one."""
    DocsTree(tmp_path / "one").write("en/guide/a.md", "# Of another tree\n")
    (tmp_path / "two").mkdir()
    two = DocsTree(tmp_path / "two" / "docs")
    two.write("index.md", "# Two\n")
    two.write("guide/a.md", "# A\n")
    mkdocs = "site_name: Two\nsite_url: https://b.example/en/\n"
    (tmp_path / "two" / "mkdocs.yml").write_text(mkdocs)
    site = tmp_path / "site"
    for folder in ("docs", "versioned_docs/version-2.0", "versioned_docs/version-1.0"):
        (site / folder).mkdir(parents=True)
        DocsTree(site / folder).write("a.md", f"# A of {folder}\n")
    (site / ".git").mkdir()
    (site / "versions.json").write_text('["2.0", "1.0"]')
    (site / "docusaurus.config.js").write_text(
        "export default {title: 'A', url: 'https://a.example', baseUrl: '/',"
        " presets: [['classic', {docs: {path: 'docs'}}]]};\n"
    )
    catalog = load(tmp_path, "{}/one", "two={}/two", "api={}/site").catalog
    assert [page.path for page in catalog.match(address)] == ([path] if path else [])


def test_pages_that_a_sidebar_does_not_name_are_in_the_group_of_their_tree(
    folder: Path,
) -> None:
    """Not in a second one, which is named after the tree's address."""
    (folder / "x").mkdir()
    tree = DocsTree(folder / "x" / "docs")
    tree.write("a.md", "# A\n")
    tree.write("b.md", "# B\n")
    configuration = "site_name: The Site\nnav:\n- b.md\n"
    (folder / "x" / "mkdocs.yml").write_text(configuration)
    catalog = load(folder, "{}/one", "x={}/x").catalog
    groups = [(g.category, [p.path for p in g.pages]) for g in catalog.groups]
    assert groups == [
        ("Guide", ["guide/a.md"]),
        ("The Site", ["x/b.md", "x/a.md"]),
    ]
    assert len(catalog.select("x")) == 2


@pytest.mark.parametrize(
    ("repository", "path", "file"),
    [
        (".", "index.md", "docs/index.md"),
        (".", "ui/index.md", "ui/docs/index.md"),
        (".", "api/calls/get.md", "api/docs/calls/get.md"),
        (".", "api/1.0/calls/get.md", "api/versioned_docs/version-1.0/calls/get.md"),
        ("api", "api/1.0/calls/get.md", "versioned_docs/version-1.0/calls/get.md"),
        (None, "index.md", "docs/index.md"),
        (None, "ui/index.md", "ui/docs/index.md"),
        (None, "api/1.0/calls/get.md", "api/versioned_docs/version-1.0/calls/get.md"),
    ],
)
def test_a_file_is_named_from_its_repository(
    tmp_path: Path, repository: str | None, path: str, file: str
) -> None:
    """So trees with folders of one name, and versions, have the files that they are."""
    for name in ("docs", "ui/docs", "api/docs", "api/versioned_docs/version-1.0"):
        (tmp_path / name).mkdir(parents=True)
        tree = DocsTree(tmp_path / name)
        tree.write("index.md", "# Index\n")
        tree.write("calls/get.md", "# Get\n")
        rmtree(tree.root / ".git")
    (tmp_path / "ui" / "mkdocs.yml").write_text("site_name: UI\n")
    (tmp_path / "api" / "versions.json").write_text('["1.0"]')
    (tmp_path / "api" / "docusaurus.config.js").write_text(
        "export default {presets: [['classic', {docs: {}}]]};\n"
    )
    if repository is not None:
        (tmp_path / repository / ".git").mkdir()
    docs = load(tmp_path, "{}/docs", "ui={}/ui", "api={}/api")
    assert path in docs.catalog.by_path
    part, below = docs.locate(path)
    assert part.locate_file(below) == file


def test_the_root_of_a_repository_is_no_part_of_the_names_of_its_files(
    tmp_path: Path,
) -> None:
    """A repository that is served as a whole."""
    DocsTree(tmp_path).write("guide/a.md", "# A\n")
    assert (tmp_path / ".git").is_dir()
    tree, below = load(tmp_path, "{}").locate("guide/a.md")
    assert tree.locate_file(below) == "guide/a.md"


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("https://a.example/a", "2.0/a.md"),
        ("https://a.example/next/a", "a.md"),
        ("https://a.example/fr/a", "fr/2.0/a.md"),
        ("https://a.example/fr/1.0/a", "fr/1.0/a.md"),
        ("https://a.example/fr/next/a", "fr/a.md"),
        ("https://a.example/fr/known-draft", None),
    ],
)
def test_an_address_without_a_version_is_of_the_default_one_in_each_language(
    tmp_path: Path, address: str, path: str | None
) -> None:
    """The site that Docusaurus builds has the language before the version."""
    french = "i18n/fr/docusaurus-plugin-content-docs"
    versions = ("version-2.0", "version-1.0")
    for name in (
        *("docs", f"{french}/current"),
        *(f"versioned_docs/{version}" for version in versions),
        *(f"{french}/{version}" for version in versions),
    ):
        (tmp_path / name).mkdir(parents=True)
        DocsTree(tmp_path / name).write("a.md", f"# A of {name}\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / "versions.json").write_text('["2.0", "1.0"]')
    (tmp_path / "docusaurus.config.js").write_text(
        "export default {url: 'https://a.example', baseUrl: '/',"
        " i18n: {defaultLocale: 'en', locales: ['en', 'fr']}, presets: [['classic',"
        " {docs: {routeBasePath: '/', lastVersion: '2.0'}}]]};\n"
    )
    catalog = load(tmp_path, "{}").catalog
    assert [page.path for page in catalog.match(address)] == ([path] if path else [])
