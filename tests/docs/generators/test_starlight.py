"""`astro.config.mjs` with Starlight."""

from pathlib import Path

import pytest
from support.generators import configured, outline

from asdlc_kb.docs.edition import ONE_EDITION, EditionRules

PACKAGE = '{"@astrojs/starlight": "1"}'
CONFIG = """\
import starlight from '@astrojs/starlight';
import { sidebar } from './sidebar.ts';
export default defineConfig({
  site: process.env.PREVIEW || 'https://example.org/',
  integrations: [starlight({
    title: { en: 'Site' }, defaultLocale: 'en', locales: { en: {}, fr: {} }, sidebar,
  })],
});
"""
SIDEBAR = """\
import { group } from './helpers';
export const sidebar = [
  'intro',
  { label: 'Guides', translations: {fr: 'G'}, items: [
    { slug: 'guides/a' }, { label: 'B', link: '/guides/b/' },
    { autogenerate: { directory: 'guides/more' } },
  ] },
  { label: 'Reference', autogenerate: { directory: 'reference' } },
  group('part.newProject', { items: ['p/x'] }),
  group('part.myAPIKeys', { items: ['p/y'] }),
  { label: 'Site', link: 'https://example.org' },
  ...computed(),
];
"""


def test_a_sidebar_in_another_module_is_read(tmp_path: Path) -> None:
    """Below the folder of the default language; computed entries are a note."""
    docs = "src/content/docs"
    files = {"astro.config.mjs": CONFIG, "sidebar.ts": SIDEBAR}
    found = configured(tmp_path, {**files, f"{docs}/en/intro.md": ""}, docs)
    assert (found.generator, found.title) == ("starlight", "Site")
    assert (found.site_url, found.prefixes) == ("https://example.org/", ("/en/",))
    assert found.default_language == "en"
    assert (found.excluded, len(found.notes)) == (("_*",), 1)
    expected = [
        *("- en/intro", "Guides", "  - en/guides/a", "  B en/guides/b"),
        *("  - en/guides/more/**", "Reference", "  - en/reference/**"),
        *("New project", "  - en/p/x", "My API keys", "  - en/p/y"),
        "Site https://example.org",
    ]
    assert outline(found.navigation) == expected
    narrow = configured(tmp_path, {}, f"{docs}/en")
    assert narrow.root == tmp_path / docs / "en"
    assert outline(narrow.navigation)[:4] == [
        *("- /intro", "Guides", "  - /guides/a", "  B /guides/b"),
    ]
    assert configured(tmp_path, {f"{docs}/fr/x.md": ""}, f"{docs}/fr").navigation == ()


def test_a_site_without_documentation_is_none(tmp_path: Path) -> None:
    """Astro builds any website."""
    found = configured(tmp_path, {"astro.config.mjs": "export default {}", "a.md": ""})
    assert (found.generator, found.root) == ("", tmp_path)


@pytest.mark.parametrize(
    ("config", "package", "is_starlight"),
    [
        ("integrations: [mdx(), icon({a: 1})]", '{"dependencies": {}}', False),
        ("integrations: []", "", False),
        ("site: 'x'", "not JSON", False),
        ("integrations: [Theme({title: 'T'})]", "", True),
        ("integrations: [...(x ? [starlight()] : [])]", "{}", True),
        ("integrations: makeList()", "{}", True),
        ("integrations: [own()]", f'{{"dependencies": {PACKAGE}}}', True),
        ("integrations: [own()]", f'{{"devDependencies": {PACKAGE}}}', True),
    ],
)
def test_only_a_project_with_starlight_is_one(
    tmp_path: Path, config: str, package: str, is_starlight: bool
) -> None:
    """Computed integrations may be it; other sites of Astro are plain trees."""
    text = f"import Theme from '@astrojs/starlight'; export default {{{config}}}"
    files = {"astro.config.mjs": text, "src/content/docs/a.md": "# A"}
    found = configured(
        tmp_path, {**files, "package.json": package} if package else files
    )
    assert found.generator == ("starlight" if is_starlight else "")
    assert any("computed" in note for note in found.notes) == (
        is_starlight and "Theme" not in config
    )


def read_locales(top: Path, options: str, *folders: str) -> EditionRules:
    """Return the editions of a site with these options and folders of pages."""
    config = f"export default {{integrations: [starlight({{{options}}})]}}"
    pages = {f"src/content/docs/{folder}/a.md": "" for folder in folders}
    files = {"astro.config.mjs": config, "src/content/docs/b.md": "", **pages}
    return configured(top, files).editions


def test_languages_are_folders(tmp_path: Path) -> None:
    """One without pages is none; pages in no folder are in the default language."""
    options = (
        "defaultLocale: 'en', locales: {en: {label: 'E', lang: 'en-GB'},"
        " fr: {label: 'F'}, 'zh-cn': {lang: 'zh-CN'}, it: {}, 'x y': {}}"
    )
    rules = read_locales(tmp_path, options, "en", "fr", "zh-cn")
    assert rules.languages == {"en": "en-GB", "fr": "fr", "zh-cn": "zh-CN"}
    assert (rules.language, rules.default_language) == ("en-GB", "en-GB")
    assert rules.describe() == "3 languages (default en-GB)"


def test_a_language_may_be_that_of_the_root(tmp_path: Path) -> None:
    """It is the default one."""
    options = "locales: {de: {lang: 'de'}, root: {label: 'English', lang: 'en'}}"
    rules = read_locales(tmp_path, options, "de")
    assert (rules.language, rules.default_language) == ("en", "en")
    assert rules.languages == {"de": "de"}
    one = read_locales(tmp_path / "one", "locales: {root: {lang: 'pt_br'}}", "de")
    assert (one.language, one.default_language, one.languages) == (
        *("pt-BR", "pt-BR", {}),
    )
    assert read_locales(tmp_path / "none", "title: 'x'") == ONE_EDITION


@pytest.mark.parametrize(
    "options",
    [
        *("locales: 3", "locales: ['en']", "locales: {'../..': {lang: '../en'}}"),
        *("locales: {root: 'x', en: 3}, defaultLocale: {}", "locales: {'': {}}"),
    ],
)
def test_broken_languages_are_none(options: str, tmp_path: Path) -> None:
    """The tree has one edition."""
    rules = read_locales(tmp_path, options, "de")
    assert (rules.languages, rules.folders) == ({}, ())
