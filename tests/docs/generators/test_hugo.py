"""`hugo.toml`, and a folder with its parts."""

from pathlib import Path

import pytest
from support.generators import configured, list_pages

from asdlc_kb.docs.edition import ONE_EDITION, EditionReader, EditionRules
from asdlc_kb.docs.generators.configuration import FolderLabel, TreeConfiguration
from asdlc_kb.docs.generators.ignored_files import PathPatterns


def test_content_folder_title_and_menu_are_read(tmp_path: Path) -> None:
    """Names of keys are case-insensitive."""
    text = """\
baseurl = "https://example.org/docs/"
title = "Site"
ContentDir = "pages"
[[menus.main]]
name = "Guides"
pageRef = "/guides"
weight = 10
"""
    found = configured(tmp_path, {"hugo.toml": text, "pages/_index.md": ""}, "pages")
    assert (found.generator, found.title) == ("hugo", "Site")
    assert (found.site_url, found.prefixes) == (
        *("https://example.org/docs/", ("/docs/",)),
    )
    assert found.folders == {"guides": FolderLabel("", 10.0)}


def test_mounts_and_languages_name_the_content(tmp_path: Path) -> None:
    """The folder of the default language, in a configuration of several files."""
    found = configured(
        tmp_path,
        {
            "config/_default/hugo.yaml": "defaultContentLanguage: de\n"
            "defaultContentLanguageInSubdir: true\nbaseURL: https://example.org\n",
            "config/_default/module.yaml": "mounts:\n"
            "- {source: content/de, target: content, lang: de}\n",
            "content/de/_index.md": "",
        },
        "content/de",
    )
    assert (found.root, found.prefixes) == (tmp_path / "content/de", ("/de/",))
    own = {"config/_default/languages.toml": "[de]\ncontentDir = 'inhalt'\n"}
    found = configured(tmp_path, {**own, "inhalt/a.md": ""}, "inhalt")
    assert found.root == tmp_path / "inhalt"


def test_a_mount_may_be_of_several_languages(tmp_path: Path) -> None:
    """Each has the first folder that names it, by its name or a pattern."""
    mounts = """\
[languages.en]
[languages.fr]
[languages.de]
[languages.it]
[[module.mounts]]
source = "content/fr"
target = "content"
sites.matrix.languages = ["fr"]
[[module.mounts]]
source = "content/en"
target = "/content/"
sites.matrix.languages = "[!i]*"
[[module.mounts]]
source = "content/any"
target = "content"
"""
    folders = (f"content/{name}/a.md" for name in ("fr", "en", "any"))
    files = {"hugo.toml": mounts, **dict.fromkeys(folders, "")}
    found = configured(tmp_path, files)
    assert (found.root, found.notes) == (tmp_path / "content/en", ())
    assert {each.prefix: each.folder.name for each in found.editions.folders} == {
        "fr": "fr",
        "it": "any",
    }


def test_what_is_mounted_below_the_content_is_included(tmp_path: Path) -> None:
    """Not served as pages, which a note states; nothing outside of the repository."""
    mounts = """\
[module]
mounts = [
  {source = "../geps", target = "content/geps"},
  {source = "../README.md", target = "content/project/README.md"},
  {source = "../a.png", target = "content/project/a.png"},
  {source = "../../out", target = "content/out"},
  {source = "assets", target = "assets"},
]
"""
    files = {".git/HEAD": "", "site/hugo.toml": mounts, "site/content/a.md": "# A"}
    found = configured(tmp_path, files, "site")
    assert found.root == tmp_path / "site/content"
    assert [(name, each.resolve()) for name, each in found.include_mounts] == [
        ("geps", tmp_path / "geps"),
        ("project/README.md", tmp_path / "README.md"),
    ]
    assert found.notes == (
        "hugo.toml: not served as pages: what is mounted at content/geps, "
        "content/project/README.md, content/out",
    )


def read_languages(top: Path, text: str, *pages: str) -> TreeConfiguration:
    """Return the configuration of a site with these languages and pages."""
    files = {"hugo.toml": text, "content/_index.md": "", **dict.fromkeys(pages, "")}
    return configured(top, files)


def test_languages_have_folders_of_their_own(tmp_path: Path) -> None:
    """Outside of the content of the default one; one that is missing is none."""
    text = """\
defaultContentLanguage = "en"
[languages.fr]
contentDir = "content/french"
languageCode = "fr-fr"
[languages.en]
contentDir = "content/en"
locale = "en-US"
[languages.zh-cn]
contentDir = "content/chinese"
[languages.it]
contentDir = "content/it"
disabled = true
[languages.de]
contentDir = "content/de"
"""
    pages = ("content/en/a.md", "content/french/a.md", "content/chinese/a.md")
    found = read_languages(tmp_path, text, *pages, "content/it/a.md")
    assert found.root == tmp_path / "content/en"
    assert [
        (each.folder.name, each.prefix, each.language)
        for each in found.editions.folders
    ] == [("french", "fr", "fr-FR"), ("chinese", "zh-cn", "zh-CN")]
    assert found.editions.default_language == "en-US"
    assert found.editions.describe() == "3 languages (default en-US)"
    assert not found.notes


def test_languages_may_be_in_the_names_of_files(tmp_path: Path) -> None:
    """Those that are not published are left out."""
    text = 'disableLanguages = ["it"]\n[languages.en]\n[languages.fr]\n[languages.it]\n'
    found = read_languages(tmp_path, text)
    rules = found.editions
    assert rules.suffixes == {"en": "en", "fr": "fr"}
    assert (rules.language, rules.default_language) == ("en", "en")
    assert PathPatterns(found.excluded).match("a/x.it.md")
    assert not PathPatterns(found.excluded).match("a/x.fr.md")
    assert EditionReader(rules).read("a/x.fr.md").language == "fr"


def test_languages_may_be_folders_of_the_content(tmp_path: Path) -> None:
    """They keep their paths."""
    text = (
        '[languages.en]\n[languages.fr]\ncontentDir = "content/fr"\n'
        '[languages.de]\ncontentDir = "content/de"\ndisabled = true\n'
    )
    found = read_languages(tmp_path, text, "content/fr/a.md", "content/de/a.md")
    assert found.editions.languages == {"fr": "fr"}
    assert found.excluded == ("/de/",)


def test_a_site_may_state_one_language(tmp_path: Path) -> None:
    """The default of Hugo is none that a site states."""
    rules = read_languages(tmp_path / "a", 'languageCode = "pt-br"\n').editions
    assert rules == EditionRules(language="pt-BR", default_language="pt-BR")
    assert read_languages(tmp_path / "b", "").editions == ONE_EDITION


@pytest.mark.parametrize(
    "text",
    [
        *("languages = 3", '[languages]\nen = 3\nfr = "x"', '[languages."../.."]'),
        *('[languages.fr]\ncontentDir = "/etc"', "disableLanguages = 3"),
        *('[languages.fr]\ncontentDir = "../.."', '[languages.""]'),
        '[languages.fr]\ncontentDir = "."',
    ],
)
def test_broken_languages_are_none(text: str, tmp_path: Path) -> None:
    """No folder is outside of the repository, and none is above the pages."""
    (tmp_path / "top/.git").mkdir(parents=True)
    found = read_languages(tmp_path / "top/site", text)
    assert found.generator == "hugo"
    assert (found.editions.folders, found.editions.languages) == ((), {})


def test_cascades_of_the_site_are_read(tmp_path: Path) -> None:
    """In the file, in one of their own, and of a language; a folder has its path."""
    text = """\
[[cascade]]
draft = true
[cascade.target]
path = "/x/**"
[languages.en]
[languages.fr.cascade]
draft = true
"""
    files = {"hugo.toml": text, "content/docs/a.md": "", "content/a.md": ""}
    found = configured(tmp_path / "one", files, "content/docs")
    assert found.base == "docs/"
    assert found.cascades == (
        {"draft": True, "target": {"path": "/x/**"}},
        {"draft": True, "target": {"lang": "fr"}},
    )
    files = {
        "config/_default/hugo.toml": "title = 'x'",
        "config/_default/cascade.toml": "draft = true",
        "content/a.md": "",
    }
    assert configured(tmp_path / "two", files).cascades == ({"draft": True},)


PAGES = ("a.md", "drafts/b.md", "drafts/x/c.md", "x/d.draft.md", "Internal/e.md")


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ('ignoreFiles = ["drafts/", "Internal/.*"]', (1, 2, 4)),
        ('ignoreFiles = ["drafts$", "^content", "^drafts"]', (1, 2)),
        ('ignorefiles = ["(?i)/internal", "\\\\.draft\\\\.md$"]', (3, 4)),
        ('ignoreFiles = ["/content/x/"]', (3,)),
        ('MOUNT excludeFiles = ["drafts/**", "internal/*"]', (1, 2, 4)),
        ('MOUNT excludeFiles = "/drafts/x"', (2,)),
        ('MOUNT excludeFiles = ["{drafts,x}/*.md", "**/c.md"]', (1, 2, 3)),
        ('MOUNT includeFiles = ["drafts/**", "*.md"]', (3, 4)),
        ('MOUNT files = ["! drafts/**", "! **.draft.md"]', (1, 2, 3)),
        ('MOUNT files = ["drafts/**", "! drafts/x/**"]', (0, 2, 3, 4)),
        ('MOUNT excludeFiles = ["a.md"]\nMOUNT lang = "de"', ()),
        ('MOUNT excludeFiles = ["x/**"]\nMOUNT excludeFiles = ["x/**"]', (3,)),
    ],
)
def test_files_that_hugo_ignores_are_left_out(
    tmp_path: Path, text: str, left_out: tuple[int, ...]
) -> None:
    """A page that one of two mounts takes is one."""
    mount = '[[module.mounts]]\nsource = "content"\ntarget = "content"\n'
    files = {f"content/{page}": "" for page in PAGES}
    found = configured(tmp_path, {"hugo.toml": text.replace("MOUNT", mount), **files})
    kept = [page for at, page in enumerate(PAGES) if at not in left_out]
    assert list_pages(found) == sorted(kept)


def test_a_part_of_the_tree_leaves_out_the_same(tmp_path: Path) -> None:
    """Paths count from the site."""
    files = {"hugo.toml": 'ignoreFiles = ["content/x/a", "^/b"]', "content/x/a.md": ""}
    found = configured(tmp_path, {**files, "content/x/b.md": ""}, "content/x")
    assert list_pages(found) == ["b.md"]


@pytest.mark.parametrize(
    "text", ["(a+)+$", "\\\\pL", "[[:alpha:]]", "a{", "(", "a" * 2000]
)
def test_an_expression_that_cannot_be_read_leaves_out_all(
    tmp_path: Path, text: str
) -> None:
    """Also one that may take very long; a brace is a character."""
    files = {"hugo.toml": f'ignoreFiles = ["{text}"]', "content/x.md": ""}
    found = configured(tmp_path, files)
    if text == "a{":
        assert list_pages(found) == ["x.md"]
        return
    assert found.fault is not None
    assert "'ignoreFiles'" in found.fault.message
    assert list_pages(found) == []


def test_a_part_that_leaves_out_pages_must_be_readable(tmp_path: Path) -> None:
    """A menu leaves out none."""
    files = {"config/_default/hugo.toml": "", "content/a.md": ""}
    bad = "mounts: [\n"
    found = configured(tmp_path / "a", {**files, "config/_default/module.yaml": bad})
    assert found.fault is not None
    found = configured(tmp_path / "b", {**files, "config/_default/menus.yaml": bad})
    assert (found.fault, list_pages(found)) == (None, ["a.md"])


def test_languages_may_be_folders_that_a_program_mounts(tmp_path: Path) -> None:
    """If nothing states them, and no page is next to them."""
    config = "defaultContentLanguage = 'en'\n[languages.en]\n[languages.ja]\n"
    pages = dict.fromkeys(("content/en/_index.md", "content/ja/_index.md"), "")
    files = {"hugo.toml": config, **pages}
    found = configured(tmp_path / "a", files)
    assert found.root == tmp_path / "a" / "content" / "en"
    assert [each.prefix for each in found.editions.folders] == ["ja"]
    found = configured(tmp_path / "b", {**files, "content/_index.md": ""})
    assert found.root == tmp_path / "b" / "content"
