"""Configured sources, and the location of their indexes."""

import os
from pathlib import Path
from typing import Any

import pytest
from support.docs import DocsTree
from support.generators import write_files
from support.knowledge import VISIBLE_COUNT, KnowledgeBase
from support.unusable import REFUSED_NAME

from asdlc_kb.app import ConfiguredSources, find_content, open_index, open_sources
from asdlc_kb.app.sources import find_index, require_folders
from asdlc_kb.articles.documents import ArticleSource
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.documents import PageSource
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.project.registry import Projects
from asdlc_kb.search.semantic import model_files
from asdlc_kb.search.values import SearchRequest
from asdlc_kb.settings import MEMORY, Settings


def test_a_named_folder_is_taken_whether_it_is_there_or_not(tmp_path: Path) -> None:
    """D-130: a named folder that is missing may appear later."""
    settings = Settings(content=str(tmp_path / "later"))
    assert find_content(settings) == tmp_path / "later"


def test_a_relative_folder_does_not_depend_on_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The root is absolute from the start."""
    monkeypatch.chdir(tmp_path)
    assert find_content(Settings(content="kb")) == tmp_path / "kb"


def test_content_here_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-130: the default is `content/`; without it the start fails."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OperationalError, match="no content: name a folder"):
        find_content(Settings())
    (tmp_path / "content").write_text("a file is no folder")
    with pytest.raises(OperationalError, match="no content: name a folder"):
        find_content(Settings())
    (tmp_path / "content").unlink()
    (tmp_path / "content").mkdir()
    assert find_content(Settings()) == tmp_path / "content"


def test_content_here_has_to_be_named_by_whoever_a_client_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its working directory is whatever project is open; it is not read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "content").mkdir()
    assert find_content(Settings()) == tmp_path / "content"
    assert find_content(Settings(docs=("manual",)), is_local=True) is None
    assert find_content(Settings(content="content"), is_local=True) is not None
    with pytest.raises(OperationalError, match="no content: name a folder"):
        find_content(Settings(), is_local=True)


def test_content_here_is_not_added_to_what_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hugo's pages are in such a folder, and none of them is an article."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "content").mkdir()
    assert find_content(Settings(docs=(".",))) is None
    assert find_content(Settings(), Projects((tmp_path,))) is None
    both = Settings(docs=(".",), content="content")
    assert find_content(both) == tmp_path / "content"


def test_content_here_is_no_link_to_a_folder_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link within the working directory is; one that leads out has to be named."""
    here, content = tmp_path / "here", tmp_path / "here" / "content"
    (here / "releases").mkdir(parents=True)
    monkeypatch.chdir(here)
    content.symlink_to("releases")
    assert find_content(Settings()) == content
    content.unlink()
    content.symlink_to("..")
    with pytest.raises(OperationalError) as caught:
        find_content(Settings())
    assert str(caught.value) == (
        f"{content} links to {tmp_path}: name it to serve it, as in "
        "'asdlc-kb serve content'"
    )
    assert find_content(Settings(content="content")) == content


def test_the_library_is_of_the_configured_folder(knowledge: KnowledgeBase) -> None:
    """One-shot commands and servers open the same library."""
    sources = open_sources(Settings(content=str(knowledge.root)))
    assert sources.articles is not None
    assert sources.articles.root == knowledge.root
    assert len(sources.articles.load().articles) == VISIBLE_COUNT


def test_documentation_alone_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative path does not depend on the working directory later on."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "manual").mkdir()
    sources = open_sources(Settings(docs=("manual",)))
    assert sources.articles is None
    assert sources.docs is not None
    assert sources.docs.roots == (tmp_path / "manual",)
    assert [source.root for source in sources.corpus] == [tmp_path / "manual"]
    (tmp_path / "content").mkdir()
    both = open_sources(Settings(content="content", docs=("manual",)))
    assert both.articles is not None
    assert list(both.corpus) == [both.articles, *(t.library for t in both.trees)]


def test_each_source_keeps_the_grace_that_is_set(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-069: how long content is still served when its folder vanishes."""
    tree = DocsTree(tmp_path / "docs")
    for grace in (0.0, 60.0):
        sources = open_sources(
            Settings(
                content=str(knowledge.root), docs=(str(tree.root),), missing_grace=grace
            )
        )
        folders = (knowledge.root, tree.root)
        away = [folder.with_suffix(".away") for folder in folders]
        for source, folder, elsewhere in zip(
            sources.corpus, folders, away, strict=True
        ):
            source.load()
            folder.rename(elsewhere)
            held = source.load().snapshot.entries
            elsewhere.rename(folder)
            assert bool(held) is (grace > 0), source.kind


def place(root: Path, kind: str = "articles", **given: Any) -> Path | None:
    """Return the location of the index of a root."""
    if kind == "articles":
        return find_index(Settings(**given), ArticleLibrary(root))
    return find_index(Settings(**given), DocCollection.of(DocLibrary(root)))


def test_indexes_are_kept_in_the_user_s_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """XDG Base Directory Specification: XDG_CACHE_HOME, else below the home folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    found = place(tmp_path / "kb")
    assert found is not None
    assert found.parent == tmp_path / "caches" / "asdlc-kb"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = place(tmp_path / "kb")
    assert found is not None
    assert found.is_relative_to(tmp_path / "home")


def test_a_folder_for_indexes_can_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting `cache_dir`; a relative one is below the working directory."""
    monkeypatch.chdir(tmp_path)
    absolute = place(tmp_path / "kb", cache_dir=str(tmp_path / "kept"))
    assert absolute is not None
    assert absolute.parent == tmp_path / "kept"
    assert place(tmp_path / "kb", cache_dir="kept") == absolute


def test_each_root_and_kind_has_an_index_of_its_own(tmp_path: Path) -> None:
    """Two servers of one user have different ones; each finds its own again."""
    (tmp_path / "one").mkdir()
    places = {
        place(tmp_path / name, kind)
        for name in ("one", "two", "one/kb", "ONE")
        for kind in ("articles", "docs")
    }
    assert len(places) == 8
    assert None not in places
    assert place(tmp_path / "one") in places
    names = {found.name.split("-")[0] for found in places if found}
    assert names == {"articles", "docs"}
    assert len({found.parent for found in places if found}) == 1


def test_a_root_that_is_no_text_has_an_index_too(tmp_path: Path) -> None:
    """A folder's name is bytes; whatever they are, the index's name is ASCII."""
    found = place(tmp_path / os.fsdecode(b"f\xfc"))
    assert found is not None
    assert found.name.isascii()


def test_off_keeps_indexes_in_memory(tmp_path: Path, cache_home: Path) -> None:
    """Nothing is written anywhere, and search works."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("index.md", "# Welcome\n\nA pelican.\n")
    before = sorted(cache_home.rglob("*"))
    settings = Settings(docs=(str(tree.root),), cache_dir=MEMORY)
    library = DocLibrary(tree.root)
    source = DocCollection.of(library)
    assert find_index(settings, source) is None
    index = open_index(settings, source)
    catalog = library.load()
    index.sync(PageSource(catalog))
    found = index.search(SearchRequest("pelican", 10, catalog.has_digest))
    assert [hit.key for hit in found.hits] == ["index.md"]
    assert sorted(cache_home.rglob("*")) == before
    assert not (tmp_path / MEMORY).exists()


def test_an_index_is_written_where_it_was_said(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """The folder is made when needed, and found again by the next start."""
    settings = Settings(content=str(knowledge.root), cache_dir=str(tmp_path / "a/kept"))
    sources = open_sources(settings)
    assert sources.articles is not None
    index = open_index(settings, sources.articles)
    assert not (tmp_path / "a").exists()
    index.sync(ArticleSource(sources.articles.load()))
    index.close()
    (folder,) = (tmp_path / "a" / "kept").iterdir()
    assert folder == find_index(settings, sources.articles)
    assert folder.stat().st_mode & 0o777 == 0o700
    again = open_index(settings, sources.articles)
    again.sync(ArticleSource(sources.articles.catalog))
    again.close()
    assert [path.name for path in (tmp_path / "a" / "kept").iterdir()] == [folder.name]


def test_excerpts_are_as_long_as_is_set(knowledge: KnowledgeBase) -> None:
    """The setting `snippet_length`."""
    knowledge.write("concepts/long", body="a pelican swims and dives " * 100)
    library = ArticleLibrary(knowledge.root)
    catalog = library.load()
    lengths = []
    for length in (40, 400):
        settings = Settings(cache_dir=MEMORY, snippet_length=length)
        index = open_index(settings, library)
        index.sync(ArticleSource(catalog))
        (hit,) = index.search(SearchRequest("pelican", 1, catalog.has_digest)).hits
        lengths.append(len(hit.snippet.replace("**", "")))
    assert lengths[0] <= 46 < 200 < lengths[1] <= 406


def test_pages_count_as_changelogs_if_it_is_set(knowledge: KnowledgeBase) -> None:
    """The setting `changelog`: they come after others that match a little less."""
    knowledge.write("concepts/often", body="A pelican dives. The pelican swims.")
    knowledge.write("practices/once", body="The heron waits, and the pelican swims.")
    library = ArticleLibrary(knowledge.root)
    catalog = library.load()
    first = []
    for patterns in ((), ("concepts/*",)):
        index = open_index(Settings(cache_dir=MEMORY, changelog=patterns), library)
        index.sync(ArticleSource(catalog))
        results = index.search(SearchRequest("pelican", 2, catalog.has_digest))
        first.append(results.hits[0].key)
    assert first == ["concepts/often", "practices/once"]


def test_meaning_counts_if_it_is_set(knowledge: KnowledgeBase) -> None:
    """The setting `semantic`, with the model that the extra installs."""
    body = "A motor needs oil and fuel to drive the wheels of an automobile."
    knowledge.write("concepts/engines", title="Engines", body=body)
    library = ArticleLibrary(knowledge.root)
    catalog = library.load()
    question = "would petrol or gasoline power my vehicle?"
    found = []
    for is_semantic in (False, True):
        settings = Settings(cache_dir=MEMORY, semantic=is_semantic)
        index = open_index(settings, library)
        index.sync(ArticleSource(catalog))
        index.embed()
        request = SearchRequest(question, 1, catalog.has_digest)
        found.append([hit.key for hit in index.search(request).hits])
    assert found == [[], ["concepts/engines"]]


def test_a_missing_extra_is_reported_at_the_start(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to install."""
    monkeypatch.setattr(model_files, "MODEL", "package_that_is_not_installed")
    library = ArticleLibrary(knowledge.root)
    open_index(Settings(), library)
    with pytest.raises(OperationalError, match="needs the extra `semantic`"):
        open_index(Settings(semantic=True), library)


def test_no_source_is_an_empty_corpus() -> None:
    """A source that is not configured does not exist."""
    assert list(ConfiguredSources().corpus) == []


def test_a_repository_is_served_as_its_generator_is_configured(tmp_path: Path) -> None:
    """The folder of its pages, and the file by which it was recognized."""
    write_files(
        tmp_path,
        {
            ".git/HEAD": "",
            "docs/.vitepress/config.ts": "export default { title: 'Site' }",
            "docs/a.md": "# A\n",
            "src/b.md": "# B\n",
        },
    )
    (tree,) = open_sources(Settings(docs=(str(tmp_path),))).trees
    docs = tree.library
    docs.load()
    assert docs.root == tmp_path / "docs"
    assert list(docs.catalog.by_path) == ["a.md"]
    assert docs.recognized_by == ".vitepress/config.ts"
    assert docs.configuration.title == "Site"


def test_a_cache_folder_that_cannot_be_opened_is_no_obstacle(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """As in the home folder of another user: everything is in memory."""
    cache = str(tmp_path / REFUSED_NAME)
    sources = open_sources(Settings(content=str(knowledge.root), cache_dir=cache))
    assert sources.articles is not None
    assert len(sources.articles.load().articles) == VISIBLE_COUNT


def test_content_that_cannot_be_opened_is_reported_as_missing() -> None:
    """As in the home folder of another user: the start ends with advice."""
    for settings in (
        Settings(content=f"/{REFUSED_NAME}"),
        Settings(docs=(f"/{REFUSED_NAME}",)),
    ):
        with pytest.raises(OperationalError, match=r"no such folder: /x+; create it"):
            require_folders(open_sources(settings))
