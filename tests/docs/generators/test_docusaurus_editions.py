"""Versions and languages of Docusaurus."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.generators import configured, outline

from asdlc_kb.docs.edition import ONE_EDITION, EditionFolder
from asdlc_kb.docs.generators import TreeConfiguration

VERSIONED = {
    "versions.json": '["2.0", "1.0"]',
    "docs/intro.md": "",
    "sidebars.js": "module.exports = {docs: ['intro']}",
    "versioned_docs/version-2.0/intro.md": "",
    "versioned_docs/version-1.0/intro.md": "",
    "versioned_sidebars/version-1.0-sidebars.json": '{"docs": {"Old": ["intro"]}}',
}
PLUGIN = "docusaurus-plugin-content-docs"


def read(
    top: Path, options: str = "", more: Mapping[str, str] | None = None, rest: str = ""
) -> TreeConfiguration:
    """Return the configuration of a versioned site with options."""
    config = f"export default {{presets: [['classic', {{docs: {{{options}}}}}]]{rest}}}"
    files = {**VERSIONED, "docusaurus.config.js": config, **(more or {})}
    return configured(top / "site", files)


def list_prefixes(found: TreeConfiguration) -> list[str]:
    """Return where the folders of editions are, with version and language."""
    folders = found.editions.folders
    return [f"{f.prefix} {f.version} {f.language}".rstrip() for f in folders]


def test_a_site_without_versions_has_one_edition(tmp_path: Path) -> None:
    """Copies that `versions.json` does not name are not published."""
    assert read(tmp_path, "", {"versions.json": "[]"}).editions == ONE_EDITION
    found = read(tmp_path, "disableVersioning: true", VERSIONED)
    assert found.editions == ONE_EDITION
    assert found.prefixes == ("/docs/",)


def test_the_first_of_the_versions_is_the_default(tmp_path: Path) -> None:
    """The folder with the present pages is the next one."""
    found = read(tmp_path)
    rules = found.editions
    assert found.root == tmp_path / "site/docs"
    assert (rules.version, rules.default_version) == ("next", "2.0")
    assert list_prefixes(found) == ["2.0 2.0", "1.0 1.0"]
    newer, older = rules.folders
    assert newer.folder == tmp_path / "site/versioned_docs/version-2.0"
    assert newer.navigation == ()
    assert outline(older.navigation) == ["Old", "  - intro"]
    assert outline(found.navigation) == ["- intro"]
    assert found.prefixes == ("/docs/next/", "/docs/")
    assert rules.describe() == "3 versions (default 2.0)"
    assert not found.notes


@pytest.mark.parametrize(
    ("options", "version", "default", "others"),
    [
        ("lastVersion: 'current'", "next", "next", ["2.0 2.0", "1.0 1.0"]),
        ("lastVersion: '1.0'", "next", "1.0", ["2.0 2.0", "1.0 1.0"]),
        ("lastVersion: 'none'", "next", "2.0", ["2.0 2.0", "1.0 1.0"]),
        ("onlyIncludeVersions: ['current', '1.0']", "next", "1.0", ["1.0 1.0"]),
        ("onlyIncludeVersions: ['current']", "", "", []),
        ("onlyIncludeVersions: ['none']", "next", "2.0", ["2.0 2.0", "1.0 1.0"]),
        (
            "versions: {current: {label: '3.0-beta', path: 'canary'}}",
            *("3.0-beta", "2.0", ["2.0 2.0", "1.0 1.0"]),
        ),
        (
            "versions: {current: {label: 'The next!', path: '/canary/'}}",
            *("canary", "2.0", ["2.0 2.0", "1.0 1.0"]),
        ),
    ],
)
def test_options_choose_the_versions(
    options: str, version: str, default: str, others: list[str], tmp_path: Path
) -> None:
    """Which there are, which is the default, how the present one is called."""
    found = read(tmp_path, options)
    assert found.root == tmp_path / "site/docs"
    rules = found.editions
    assert (rules.version, rules.default_version) == (version, default)
    assert list_prefixes(found) == others


def test_the_default_version_is_the_tree_without_the_current_one(
    tmp_path: Path,
) -> None:
    """Pages that are not published yet are not served."""
    found = read(tmp_path, "includeCurrentVersion: false, lastVersion: '1.0'")
    assert found.root == tmp_path / "site/versioned_docs/version-1.0"
    assert (found.editions.version, found.editions.default_version) == ("1.0", "1.0")
    assert list_prefixes(found) == ["2.0 2.0"]
    assert outline(found.navigation) == ["Old", "  - intro"]
    assert found.prefixes == ("/docs/",)


def test_languages_have_each_version(tmp_path: Path) -> None:
    """With the titles of their sidebars translated."""
    i18n = (
        ", i18n: {defaultLocale: 'en', locales: ['en', 'fr', 'zh-cn', 'it', 'b b'],"
        " localeConfigs: {'zh-cn': {path: 'chinese', htmlLang: 'zh_Hans'}}}"
    )
    title = '{"sidebar.docs.category.Old": {"message": "Ancien"}}'
    translated = {
        f"i18n/fr/{PLUGIN}/current/intro.md": "",
        f"i18n/fr/{PLUGIN}/version-1.0/intro.md": "",
        f"i18n/fr/{PLUGIN}/version-1.0.json": title,
        f"i18n/chinese/{PLUGIN}/current/intro.md": "",
        f"i18n/fr/{PLUGIN}/current/a/_category_.json": '{"label": "Un"}',
        "i18n/it/other.json": "{}",
    }
    found = read(tmp_path, "", translated, i18n)
    assert list_prefixes(found) == [
        *("2.0 2.0 en", "1.0 1.0 en", "fr next fr", "fr/1.0 1.0 fr"),
        "zh-cn next zh-Hans",
    ]
    menus = {f.prefix: outline(f.navigation) for f in found.editions.folders}
    assert menus["fr"] == []
    assert menus["fr/1.0"] == ["Ancien", "  - intro"]
    assert found.folders["fr/a"].title == "Un"
    rules = found.editions
    assert (rules.language, rules.default_language) == ("en", "en")
    expected = "3 versions (default 2.0), 3 languages (default en)"
    assert rules.describe() == expected


def test_a_second_plugin_has_files_of_its_own(tmp_path: Path) -> None:
    """They begin with its id."""
    config = (
        "export default {plugins: [['@docusaurus/plugin-content-docs',"
        " {id: 'api', path: 'api'}]], i18n: {defaultLocale: 'en', locales: ['fr']}}"
    )
    files = {
        "docusaurus.config.js": config,
        "api_versions.json": '["1"]',
        "api/a.md": "",
        "api_versioned_docs/version-1/a.md": "",
        f"i18n/fr/{PLUGIN}-api/version-1/a.md": "",
    }
    found = configured(tmp_path / "site", files)
    assert list_prefixes(found) == ["1 1 en", "fr/1 1 fr"]


def test_what_is_missing_or_no_name_is_a_note(tmp_path: Path) -> None:
    """The other versions are served."""
    (tmp_path / "site/versioned_docs").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "site/.git").mkdir()
    link = tmp_path / "site/versioned_docs/version-9"
    link.symlink_to(tmp_path / "out")
    listed = '["../x", "0.1", "1.0", "9", 3, {"a": 1}, "2.0", "2.0"]'
    found = read(tmp_path, "", {"versions.json": listed})
    assert list_prefixes(found) == ["1.0 1.0", "2.0 2.0"]
    assert found.notes == (
        "versions.json: not used as the name of a version: '../x'",
        "versioned_docs/version-0.1: there is no such folder",
        "versioned_docs/version-9: there is no such folder",
    )


def test_a_version_of_the_name_of_a_folder_is_left_out(tmp_path: Path) -> None:
    """Two pages never have one path."""
    found = read(tmp_path, "", {"docs/1.0/notes.md": ""})
    assert list_prefixes(found) == ["2.0 2.0"]
    assert "1.0 is another folder's path" in found.notes[0]


def test_a_folder_of_the_tree_has_its_versions(tmp_path: Path) -> None:
    """Those that have the folder."""
    read(tmp_path, "", {"docs/guide/a.md": ""})
    more = {"versioned_docs/version-1.0/guide/a.md": ""}
    found = configured(tmp_path / "site", more, "docs/guide")
    folder = tmp_path / "site/versioned_docs/version-1.0/guide"
    assert found.editions.folders == (EditionFolder(folder, "1.0", "1.0"),)
    assert (found.editions.version, found.editions.default_version) == (
        *("next", "next"),
    )
