"""Top folders that are languages or versions are recognized, and no others."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.generators import configured, write_files

from asdlc_kb.docs.edition import ONE_EDITION, EditionRules
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.recognized_editions import recognize_editions


def recognize(root: Path, paths: Iterable[str], language: str = "") -> EditionRules:
    """Return the editions of a folder with these pages."""
    write_files(root, dict.fromkeys(paths, "# A\n"))
    stated = EditionRules(language=language, default_language=language)
    return recognize_editions(root, stated, ConfigurationFiles(root))


def test_translations_are_recognized_by_their_page_names(tmp_path: Path) -> None:
    """A folder with pages of its own is no translation, whatever its name."""
    pages = ["en/a.md", "en/b/c.md", "fr/a.md", "zh_cn/b/c.mdx", "zh_cn/x.md"]
    pages += ["zh_cn/a.md", "id/number.md", "id/type.md", "guide/a.md", "README.md"]
    rules = recognize(tmp_path, pages)
    assert rules.languages == {"en": "en", "fr": "fr", "zh_cn": "zh-CN"}
    assert (rules.language, rules.default_language) == ("en", "en")
    assert rules.describe() == "3 languages (default en)"


@pytest.mark.parametrize(
    "pages",
    [
        *(["en/a.md"], ["en/a.md", "api/a.md"], ["en/a.md", "it/b.md"]),
        *(["de/a.md", "fr/a.md"], ["x/en/a.md", "x/fr/a.md"], ["a.md"]),
        *(["en/a.md", "fr/a.txt"], ["en/_a/b.md", "fr/.b/b.md"]),
    ],
)
def test_other_folders_are_no_languages(pages: list[str], tmp_path: Path) -> None:
    """One language alone, other names, other pages, no default one."""
    assert recognize(tmp_path, pages) == ONE_EDITION


def test_translations_next_to_their_pages_are_recognized(tmp_path: Path) -> None:
    """One file alone, or files without an original, are no translations."""
    pages = ["a.md", "a.fr.mdx", "b/c.md", "b/c.fr.md", "b/d.fr.md", "b/c.zh-CN.md"]
    pages += ["x.no.md", "y.no.md", "y.md", "z.v2.md", "a.v2.md", "a.zh-CN.md"]
    rules = recognize(tmp_path / "a", pages)
    assert rules.suffixes == {"fr": "fr", "zh-CN": "zh-CN"}
    assert rules.describe() == "3 languages"
    assert recognize(tmp_path / "b", ["a.md", "a.fr.md", "b.fr.md"]) == ONE_EDITION
    assert recognize(tmp_path / "c", pages, "fr").suffixes.keys() == {"fr", "zh-CN"}


def test_the_default_language_is_the_stated_one_or_that_of_the_readme(
    tmp_path: Path,
) -> None:
    """Or the root has its pages."""
    pages = ["de/a.md", "fr/a.md", "en-us/a.md"]
    assert recognize(tmp_path / "a", pages).default_language == "en-US"
    stated = recognize(tmp_path / "b", pages, "fr")
    assert (stated.default_language, len(stated.languages)) == ("fr", 3)
    readme = "[Fr](./fr/a.md) [De](de/a.md)\n"
    write_files(tmp_path / "c", {"README.md": readme})
    assert recognize(tmp_path / "c", pages[:2]).default_language == "fr"
    rules = recognize(tmp_path / "d", [*pages[:2], "a.md"])
    assert (rules.language, rules.default_language) == ("", "")
    assert rules.languages == {"de": "de", "fr": "fr"}
    assert recognize(tmp_path / "e", [*pages, "a.md"], "it").default_language == "it"


def test_versions_are_recognized_by_their_numbers(tmp_path: Path) -> None:
    """At least two; names of moving ones next to them are versions too."""
    pages = ["v1.9/a.md", "v1.10/a.md", "v2.0-beta/a.md", "dev/a.md", "guide/a.md"]
    rules = recognize(tmp_path, [*pages, "index.md"])
    assert set(rules.versions) == {"v1.9", "v1.10", "v2.0-beta", "dev"}
    assert (rules.version, rules.default_version) == ("v2.0-beta", "v2.0-beta")
    rules = recognize(tmp_path, ["latest/a.md", "current/a.md"])
    assert rules.default_version == "latest"
    assert recognize(tmp_path, ["stable/a.md"]).default_version == "stable"
    assert recognize(tmp_path, ["stable/a.md"]).describe() == (
        "7 versions (default stable)"
    )


@pytest.mark.parametrize(
    ("folders", "highest"),
    [
        (("1.0", "1.0-rc1", "0.9"), "1.0"),
        (("1.x", "1.20.3"), "1.x"),
        (("v2", "v10"), "v10"),
        (("2.0.0", "2.0", "10.1"), "10.1"),
    ],
)
def test_the_highest_number_is_the_default(
    folders: tuple[str, ...], highest: str, tmp_path: Path
) -> None:
    """Numbers are compared as numbers."""
    rules = recognize(tmp_path, [f"{folder}/a.md" for folder in folders])
    assert rules.default_version == highest
    assert set(rules.versions) == set(folders)


@pytest.mark.parametrize(
    "folders",
    [
        *(("v1.0",), ("2023", "2024"), ("01-intro", "02-usage"), ("1.intro", "2.use")),
        *(("1.1-setup", "1.2-use"), ("latest", "stable"), ("vim", "v"), ("v8", "src")),
    ],
)
def test_other_folders_are_no_versions(
    folders: tuple[str, ...], tmp_path: Path
) -> None:
    """Years, chapters, one version alone."""
    assert recognize(tmp_path, [f"{name}/a.md" for name in folders]) == ONE_EDITION


@pytest.mark.parametrize(
    "listed",
    [
        ["two", "none", "1.0"],
        [{"version": "two", "title": "2", "aliases": []}, {"version": "1.0"}, 3],
    ],
)
def test_listed_versions_are_versions(listed: object, tmp_path: Path) -> None:
    """Whatever their names; the first is the default."""
    write_files(tmp_path, {"versions.json": json.dumps(listed)})
    rules = recognize(tmp_path, ["1.0/a.md", "two/a.md", "0.9/a.md", "latest/a.md"])
    assert list(rules.versions) == ["two", "1.0", "latest"]
    assert rules.default_version == "two"


def test_a_broken_list_is_a_note(tmp_path: Path) -> None:
    """Numbers are recognized as without it."""
    files = {"versions.json": "3", "1.0/a.md": "", "2.0/a.md": ""}
    found = configured(tmp_path, files)
    assert found.editions.default_version == "2.0"
    assert found.notes == ("versions.json: not used: it is not JSON",)


def test_a_link_out_of_the_repository_is_no_edition(tmp_path: Path) -> None:
    """Nor is an empty folder."""
    top = tmp_path / "top"
    write_files(tmp_path, {"out/a.md": "", "top/1.0/a.md": "", "top/2.0/a.txt": ""})
    (top / "3.0").symlink_to(tmp_path / "out")
    files = ConfigurationFiles(top)
    assert recognize_editions(top, ONE_EDITION, files) == ONE_EDITION


def test_what_a_configuration_states_stays(tmp_path: Path) -> None:
    """Only what it does not state is recognized."""
    pages = ["en/a.md", "fr/a.md", "1.0/a.md", "2.0/a.md"]
    write_files(tmp_path, dict.fromkeys(pages, ""))
    stated = EditionRules(languages={"x": "de"}, language="de", version="next")
    files = ConfigurationFiles(tmp_path)
    assert recognize_editions(tmp_path, stated, files) == stated
