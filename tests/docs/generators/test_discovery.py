"""A tree's configuration is found where it is, and never elsewhere."""

from pathlib import Path

import pytest
from support.files import ordinary_user
from support.generators import configured, outline, write_files

from asdlc_kb.docs.generators import (
    TreeConfiguration,
    discovery,
    read_configuration,
)
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.discovery import Generator
from asdlc_kb.docs.generators.ignored_files import PathPatterns

MKDOCS = "site_name: Site\nnav: [index.md]\n"


def test_a_folder_without_configuration_is_as_it_is(tmp_path: Path) -> None:
    """GitHub's dialect, no navigation, nothing left out."""
    found = configured(tmp_path, {"a.md": "# A\n"})
    assert found == TreeConfiguration(root=tmp_path)
    assert read_configuration(tmp_path / "missing").root == tmp_path / "missing"


def test_it_is_found_in_the_folder_and_above_up_to_the_repository(
    tmp_path: Path,
) -> None:
    """But not above the repository, and not for other pages."""
    files = {"mkdocs.yml": MKDOCS, "docs/index.md": "", "other/a.md": ""}
    assert configured(tmp_path, files, "docs").generator == "mkdocs"
    assert configured(tmp_path, {}).root == tmp_path / "docs"
    assert configured(tmp_path, {}, "other").generator == ""
    (tmp_path / "docs/.git").mkdir()
    assert configured(tmp_path, {}, "docs").generator == ""


def test_it_is_found_in_a_folder_that_cannot_be_listed() -> None:
    """What it leaves out must not be served."""
    with ordinary_user() as folder:
        files = {"mkdocs.yml": f"{MKDOCS}exclude_docs: a.md\n", "docs/a.md": ""}
        write_files(folder, files)
        folder.chmod(0o311)
        found = read_configuration(folder / "docs")
        folder.chmod(0o711)
    assert (found.generator, found.root) == ("mkdocs", folder / "docs")


def test_it_is_found_in_the_usual_folders_of_a_repository(tmp_path: Path) -> None:
    """Only a repository is searched downwards."""
    files = {"website/mkdocs.yml": MKDOCS, "website/docs/index.md": ""}
    assert configured(tmp_path, files).generator == ""
    found = configured(tmp_path, {".git/HEAD": ""})
    assert (found.generator, found.root) == ("mkdocs", tmp_path / "website/docs")
    assert found.files == (tmp_path / "website/mkdocs.yml",)


def test_it_is_found_in_the_project_of_the_pages(tmp_path: Path) -> None:
    """In another folder of the repository, which names the pages as its own."""
    files = {
        "website/docusaurus.config.js": "export default {presets: [['classic',"
        " {docs: {path: '../docs'}}]]}",
        "site/mkdocs.yml": "nav: [\n",
        "docs/guide/a.md": "",
        "other/a.md": "",
    }
    assert configured(tmp_path, files, "docs").generator == ""
    found = configured(tmp_path, {".git/HEAD": ""}, "docs")
    assert (found.generator, found.root) == ("docusaurus", tmp_path / "docs")
    assert found.files == (tmp_path / "website/docusaurus.config.js",)
    assert found.notes == ()
    found = configured(tmp_path, {}, "docs/guide")
    assert (found.generator, found.root) == ("docusaurus", tmp_path / "docs/guide")
    other = configured(tmp_path, {}, "other")
    assert (other.generator, other.notes, other.fault) == ("", (), None)


def test_a_folder_of_the_tree_has_its_part(tmp_path: Path) -> None:
    """Addresses and labels are relative to it."""
    text = (
        "site_name: S\nexclude_docs: |\n  /a/x.md\n  /b/\n  *.txt\n"
        "nav:\n- index.md\n- A:\n  - a/one.md\n  - B: b/two.md\n"
    )
    files = {"mkdocs.yml": text, "docs/a/one.md": ""}
    found = configured(tmp_path, files, "docs/a")
    assert (found.root, found.prefixes) == (tmp_path / "docs/a", ("/a/",))
    assert outline(found.navigation) == ["A", "  - /one.md"]
    assert found.base == "a/"


def test_a_repository_without_generator_leaves_out_what_is_no_documentation(
    tmp_path: Path,
) -> None:
    """What git ignores, copies of other projects, tests."""
    found = configured(tmp_path, {".git/HEAD": "", ".gitignore": "/out\n", "a.md": ""})
    patterns = PathPatterns(found.excluded)
    for path in ("out/", "vendor/", "x/tests/", "target/"):
        assert patterns.match(path), path
    for path in ("docs/", "src/", "guide/testing.md"):
        assert not patterns.match(path), path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mkdocs.yml", "nav: [\n"),
        ("mkdocs.yml", "- a\n"),
        ("mkdocs.yml", "docs_dir: ../..\nnav: {a: {b: {c: d}}}\n"),
        ("mkdocs.yml", "docs_dir: {a: b}\nnav: 3\nmarkdown_extensions: x\n"),
        ("zensical.toml", "project = 3\n"),
        ("docusaurus.config.js", "presets: ["),
        ("docusaurus.config.js", "export default {presets: [[1, {docs: 3}]]}"),
        ("astro.config.mjs", "export default {integrations: [starlight()]}"),
        ("hugo.toml", 'languages = 3\nmenus = "x"\n'),
        ("_config.yml", "exclude: {a: b}\ncollections: [a]\nsource: /etc\n"),
        ("book.toml", "book = 3\n"),
        ("docs.json", '{"navigation": [3, {"group": 4, "pages": 5}]}'),
        (".vitepress/config.ts", "export default {themeConfig: {sidebar: [[], 3]}}"),
        ("docusaurus.config.js", "export default {i18n: {locales: [[], '..', 3]}}"),
        (
            "docusaurus.config.js",
            "export default {i18n: 3, presets: [['x', {docs: 3}]]}",
        ),
        (
            "docusaurus.config.js",
            r"export default {presets: [['x', {docs: {path: 'a\0'}}]]}",
        ),
        ("mkdocs.yml", 'site_name: S\nINHERIT: "a\\0b"\n'),
        ("versions.json", '["..", "/etc", {"version": ["a"]}]'),
        ("LANGS.md", "* [A](../../)\n* [B](/etc)\n"),
        (".obsidian/app.json", '{"userIgnoreFilters": ["", 3]}'),
    ],
)
def test_a_broken_configuration_is_no_failure(
    name: str, text: str, tmp_path: Path
) -> None:
    """The tree is served as far as it is known, and never from outside."""
    site = tmp_path / "site"
    files = {".git/HEAD": "", name: text, "docs/a.md": "", "content/a.md": ""}
    found = configured(site, files, "")
    assert found.root == site or site in found.root.parents
    write_files(site, {"src/content/docs/a.md": ""})
    assert configured(site, {}, "docs").root == site / "docs"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("mkdocs.yml", "nav: [", "not used: it is not YAML (line 1)"),
        ("mkdocs.yml", "INHERIT: base.yml", "not read: No such file or directory"),
        ("book.toml", "[", "not used: it is not TOML"),
        ("docs.json", "no", "not used: it is not JSON"),
        ("_config.yml", "a: [", "not used: it is not YAML (line 1)"),
        ("config.toml", "[", "not used: it is not TOML"),
    ],
)
def test_a_tree_whose_configuration_is_unusable_has_no_pages(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    """Which pages it leaves out is not known, so each of them may be secret."""
    found = configured(tmp_path, {name: text, "content/a.md": "", "docs/a.md": ""})
    assert found.fault is not None
    assert reason in found.fault.message
    assert PathPatterns(found.excluded).match("docs/a.md")
    assert any(each.name in (name, "base.yml") for each in found.files)


def test_a_common_name_is_no_unusable_configuration(tmp_path: Path) -> None:
    """Many programs have a `config.yaml`, with templates too."""
    found = configured(tmp_path, {"config.yaml": "{{ a", "docs/a.md": ""})
    assert found.fault is None
    assert not PathPatterns(found.excluded).match("docs/a.md")


def test_a_loop_of_links_changes_nothing(tmp_path: Path) -> None:
    """Neither the navigation nor what is left out."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/one").symlink_to("two")
    (tmp_path / "docs/two").symlink_to("one")
    found = configured(tmp_path, {"mkdocs.yml": MKDOCS})
    assert (found.generator, found.fault, len(found.navigation)) == ("mkdocs", None, 1)


def test_no_reader_serves_what_is_above_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configuration with a root above it counts for the folder only."""

    def read(path: Path, files: ConfigurationFiles) -> TreeConfiguration:
        return TreeConfiguration(root=path.parent.parent, generator="own")

    monkeypatch.setattr(discovery, "MARKED_TREES", (Generator(read, ("own.toml",)),))
    found = configured(tmp_path, {"a/own.toml": "", "a/b.md": "# B"}, "a")
    assert (found.generator, found.root, found.base) == ("own", tmp_path / "a", "a/")
