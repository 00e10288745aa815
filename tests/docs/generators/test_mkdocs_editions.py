"""Languages of MkDocs: by its plugin, by neighbouring projects, by its theme."""

from pathlib import Path

import pytest
from support.generators import configured, outline

from asdlc_kb.docs.edition import ONE_EDITION, EditionRules
from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.generators.ignored_files import PathPatterns


def read(top: Path, text: str, *pages: str) -> TreeConfiguration:
    """Return the configuration of a site with these pages."""
    return configured(top, {"mkdocs.yml": text, **dict.fromkeys(pages, "")})


def read_plugin(top: Path, options: str, *pages: str) -> TreeConfiguration:
    """Return the configuration of a site with options of the plugin."""
    lines = "".join(f"      {line}\n" for line in options.splitlines())
    text = f"nav: [index.md, A: [a.md, 'https://x.y']]\nplugins:\n  - i18n:\n{lines}"
    return read(top, text, "docs/index.md", *pages)


def test_languages_are_in_folders(tmp_path: Path) -> None:
    """The navigation is that of each; one that is not built is left out."""
    options = """\
docs_structure: folder
languages:
  - {locale: en, name: English, default: true}
  - {locale: pt_BR, name: P, build: true}
  - {locale: it, name: I, build: false}
  - {locale: de, name: D}"""
    pages = ("docs/en/index.md", "docs/pt_BR/index.md", "docs/it/index.md")
    found = read_plugin(tmp_path, options, *pages)
    assert found.editions.languages == {"en": "en", "pt_BR": "pt-BR"}
    assert found.editions.default_language == "en"
    assert outline(found.navigation) == [
        *("- en/index.md", "A", "  - en/a.md", "  - https://x.y"),
    ]
    assert "/it/" in found.excluded


@pytest.mark.parametrize(
    "options",
    [
        "default_language: en\nlanguages: {en: English, fr: F, it: {build: false}}",
        "docs_structure: suffix\nlanguages: [{locale: en, default: true},"
        " {locale: fr}, {locale: it, build: no}]",
    ],
)
def test_languages_are_in_names(options: str, tmp_path: Path) -> None:
    """In the older form of the options too."""
    found = read_plugin(tmp_path, options)
    assert found.editions.suffixes == {"en": "en", "fr": "fr"}
    assert found.editions.language == "en"
    assert outline(found.navigation)[0] == "- index.md"
    assert PathPatterns(found.excluded).match("a/b.it.md")


def test_neighbouring_projects_are_one_tree(tmp_path: Path) -> None:
    """Those that the configuration links to, or that have one themselves."""
    text = (
        "theme: {name: material}\nextra:\n  alternate:\n"
        "  - {link: /, name: en}\n  - {link: /fr/, name: fr}\n"
        "  - {link: 'https://x.y/b/zh-hant/', name: zh}\n  - {link: /it/, name: it}\n"
    )
    files = {
        "docs/en/mkdocs.yml": text,
        "docs/de/mkdocs.yml": "INHERIT: ../en/mkdocs.yml\n",
        "docs/it/other.md": "",
        **{f"docs/{name}/docs/a.md": "" for name in ("en", "fr", "zh-hant", "de")},
        **{f"docs/{name}/docs/a.md": "" for name in ("es", "src")},
    }
    found = configured(tmp_path, files, "docs/en")
    assert found.root == tmp_path / "docs/en/docs"
    assert [
        (each.folder, each.prefix, each.language) for each in found.editions.folders
    ] == [
        (tmp_path / "docs/de/docs", "de", "de"),
        (tmp_path / "docs/fr/docs", "fr", "fr"),
        (tmp_path / "docs/zh-hant/docs", "zh-hant", "zh-Hant"),
    ]
    assert found.editions.default_language == "en"
    assert not found.notes


def test_a_theme_states_one_language(tmp_path: Path) -> None:
    """Material's field, or that of the themes of MkDocs."""
    for number, key in enumerate(("language", "locale")):
        text = f"theme: {{name: x, {key}: pt_br}}\n"
        rules = read(tmp_path / str(number), text, "docs/a.md").editions
        assert rules == EditionRules(language="pt-BR", default_language="pt-BR")
    assert read(tmp_path / "n", "theme: material\n", "docs/a.md").editions == (
        ONE_EDITION
    )


@pytest.mark.parametrize(
    "text",
    [
        *("plugins: 3", "plugins: [i18n]", "plugins: {i18n: 3}", "theme: [3]"),
        "plugins: [{i18n: {languages: [3, {locale: ../..}, {locale: [a]}]}}]",
        "plugins: [{i18n: {docs_structure: folder, languages: {'../x': y}}}]",
        "extra: {alternate: [3, {link: 3}, {link: /fr/}]}",
    ],
)
def test_broken_languages_are_none(text: str, tmp_path: Path) -> None:
    """The tree has one edition."""
    assert read(tmp_path, f"site_name: S\n{text}\n", "docs/a.md").editions == (
        ONE_EDITION
    )
