"""Editions that a configuration states are checked before they are used."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.generators import write_files

from asdlc_kb.docs.edition import ONE_EDITION, EditionFolder
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.edition_builder import (
    MAX_EDITIONS,
    EditionBuilder,
    is_plain_name,
)

NAMES = st.sampled_from(
    ["fr", "de", "docs/fr", "..", "../..", "", "/", ".git", "/etc", "a/../de", "x" * 50]
) | st.text(max_size=8)


def build_in(top: Path) -> tuple[EditionBuilder, ConfigurationFiles]:
    """Return a builder for the root `docs` of a repository."""
    files = ConfigurationFiles(top)
    return EditionBuilder(top / "docs", top / "site.yml", files), files


def test_nothing_stated_is_one_edition(tmp_path: Path) -> None:
    """Without versions and languages."""
    builder, files = build_in(tmp_path)
    assert builder.build() == ONE_EDITION
    assert not files.notes


def test_folders_of_the_root_and_others_are_editions(tmp_path: Path) -> None:
    """One that is missing is none."""
    write_files(tmp_path, {"docs/fr/a.md": "", "docs/v1/a.md": "", "more/de/a.md": ""})
    builder, files = build_in(tmp_path)
    builder.add_language("fr", "fr")
    builder.add_language("it", "it")
    builder.add_version("v1/", "1.0")
    builder.add_folder(tmp_path / "more/de", "de", language="de")
    builder.add_folder(tmp_path / "more/es", "es", language="es")
    builder.add_folder(tmp_path / "docs", "en", language="en")
    rules = builder.build(version="2.0", language="en")
    assert rules.languages == {"fr": "fr"}
    assert rules.versions == {"v1": "1.0"}
    assert rules.folders == (EditionFolder(tmp_path / "more/de", "de", "", "de"),)
    assert (rules.default_version, rules.default_language) == ("2.0", "en")
    assert rules.describe() == "2 versions (default 2.0), 3 languages (default en)"
    assert not files.notes


def test_a_folder_inside_of_the_root_is_not_mounted(tmp_path: Path) -> None:
    """It keeps its path."""
    write_files(tmp_path, {"docs/fr/a.md": ""})
    builder, _ = build_in(tmp_path)
    builder.add_folder(tmp_path / "docs/fr", "x", language="fr", version="1")
    rules = builder.build(language="en")
    assert (rules.languages, rules.versions) == ({"fr": "fr"}, {"fr": "1"})
    assert not rules.folders


def test_one_language_is_that_of_all_pages(tmp_path: Path) -> None:
    """Without folders; the language of the other pages may be unknown."""
    write_files(tmp_path, {"docs/fr/a.md": ""})
    builder, _ = build_in(tmp_path)
    builder.add_language("fr", "fr")
    rules = builder.build(language="fr")
    assert (rules.language, rules.default_language) == ("fr", "fr")
    assert not rules.languages
    unknown = builder.build()
    assert (unknown.language, unknown.default_language) == ("", "")
    assert unknown.languages == {"fr": "fr"}


@pytest.mark.parametrize("prefix", ["..", "a/..", "", "/", "a b", "<b>", ".git", "é"])
def test_a_prefix_is_plain(prefix: str, tmp_path: Path) -> None:
    """It is part of addresses, so others are left out with a note."""
    write_files(tmp_path, {"docs/a.md": "", "fr/a.md": ""})
    builder, files = build_in(tmp_path)
    builder.add_folder(tmp_path / "fr", prefix, language="fr")
    assert builder.build() == ONE_EDITION
    assert len(files.notes) == 1


def test_a_folder_is_in_the_repository_and_has_no_other_pages(tmp_path: Path) -> None:
    """A link that leads out, a folder above the root, a hidden one."""
    top = tmp_path / "site"
    write_files(tmp_path, {"other/a.md": "", "site/docs/a.md": "", "site/.x/a.md": ""})
    write_files(tmp_path, {"site/docs/de/a.md": "", "site/de/a.md": ""})
    (top / "fr").symlink_to(tmp_path / "other")
    (top / "docs/it").symlink_to(tmp_path / "other")
    (top / "es").symlink_to(top / "docs")
    builder, files = build_in(top)
    for number, name in enumerate(("fr", "../other", ".x", ".", "es", "..")):
        builder.add_folder(top / name, f"p{number}", language="fr")
    builder.add_folder(top / "de", "de", language="de")
    builder.add_language("it", "it")
    builder.add_language("../de", "de")
    assert builder.build(language="en").folders == ()
    assert len(files.notes) == 7
    assert all("not served" in note for note in files.notes)


def test_a_prefix_is_no_path_of_another_page(tmp_path: Path) -> None:
    """Neither of the root's, nor of another edition's; no folder is served twice."""
    pages = ("docs/de/a.md", "fr/a.md", "fr/2.0/a.md", "fr1/a.md", "fr2/a.md", "x/a.md")
    (tmp_path / "linked").symlink_to(tmp_path / "fr1")
    write_files(tmp_path, dict.fromkeys(pages, ""))
    builder, files = build_in(tmp_path)
    builder.add_folder(tmp_path / "fr", "fr", language="fr")
    builder.add_folder(tmp_path / "fr1", "fr/1.0", language="fr", version="1.0")
    builder.add_folder(tmp_path / "fr2", "fr/2.0", language="fr", version="2.0")
    builder.add_folder(tmp_path / "x", "fr", language="fr")
    builder.add_folder(tmp_path / "x", "de", language="de")
    builder.add_folder(tmp_path / "fr1", "other", language="it")
    builder.add_folder(tmp_path / "linked", "linked", language="it")
    builder.add_folder(tmp_path / "fr/2.0", "it", language="it")
    prefixes = [each.prefix for each in builder.build(language="en").folders]
    assert prefixes == ["fr", "fr/1.0"]
    assert len(files.notes) == 6


def test_names_are_bounded(tmp_path: Path) -> None:
    """And so is their number."""
    assert is_plain_name("v1.0-rc_1")
    for name in ("", "a" * 41, "a/b", "a\nb", "-a", "ä"):
        assert not is_plain_name(name)
    builder, files = build_in(tmp_path)
    assert builder.read_version("1.0 (LTS)") == ""
    assert builder.read_language("", "not a language") == ""
    assert builder.read_language("x", "pt_br") == "pt-BR"
    assert builder.read_language("") == ""
    for number in range(MAX_EDITIONS + 5):
        builder.add_suffix(f"l{number}", f"l{number}")
    assert len(builder.build(language="en").suffixes) == MAX_EDITIONS
    assert len(files.notes) == 3


@given(st.lists(st.tuples(NAMES, NAMES), max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_name_leads_elsewhere(tmp_path: Path, names: list[tuple[str, str]]) -> None:
    """Whatever a configuration states: names are plain, folders in the repository."""
    write_files(tmp_path, {"docs/fr/a.md": "", "de/a.md": "", ".git/a.md": ""})
    builder, _ = build_in(tmp_path)
    for folder, name in names:
        version = builder.read_version(name)
        language = builder.read_language(name)
        builder.add_version(folder, version)
        builder.add_language(folder, language)
        builder.add_suffix(name, language)
        where = tmp_path / folder.replace("\0", "")
        builder.add_folder(where, name, version=version, language=language)
    rules = builder.build()
    inside = [*rules.versions, *rules.languages, *rules.suffixes]
    stated = [*rules.versions.values(), *rules.languages.values()]
    for path in (*inside, *stated, *(each.prefix for each in rules.folders)):
        assert path in ("", "fr") or all(map(is_plain_name, path.split("/")))
    for folder in {*rules.versions, *rules.languages}:
        assert folder == "fr"
    for each in rules.folders:
        assert each.folder == tmp_path / "de"
