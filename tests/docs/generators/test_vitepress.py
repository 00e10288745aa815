"""`.vitepress/config.ts`."""

from pathlib import Path

from support.generators import configured, outline

from asdlc_kb.docs.edition import ONE_EDITION, EditionRules
from asdlc_kb.docs.generators import TreeConfiguration

CONFIG = """\
import { defineConfig, type DefaultTheme } from 'vitepress'
const version: string = pkg.version
const guide: DefaultTheme.SidebarItem[] = [
  { text: `Since v${version}`, link: '/guide/new' },
  { text: 'Steps', collapsed: false, items: [{ text: 'One', link: '/guide/one' }] },
]
export default defineConfig({
  title: 'Site', base: '/docs/', srcDir: 'src', srcExclude: ['**/README.md'],
  themeConfig: {
    nav: nav(),
    sidebar: {
      '/guide/': guide,
      '/api/': { base: '/api/', items: [{ text: 'X', link: 'x' }] },
      '/more/': sidebarOfMore(),
    },
  },
  transformHead({ page }) { return [['meta', { name: `x${page}` }]] },
})
"""


def test_the_sidebars_of_all_parts_are_one(tmp_path: Path) -> None:
    """A computed title is left to the page, a computed part is a note."""
    files = {".vitepress/config.ts": CONFIG, "src/index.md": ""}
    found = configured(tmp_path, files, "src")
    assert (found.generator, found.title) == ("vitepress", "Site")
    assert (found.prefixes, found.excluded) == (("/docs/",), ("**/README.md",))
    assert len(found.notes) == 1
    assert outline(found.navigation) == [
        *("- /guide/new", "Steps", "  One /guide/one", "X /api/x"),
    ]


def read_locales(top: Path, fields: str, *folders: str) -> TreeConfiguration:
    """Return the configuration of a site with these fields and folders of pages."""
    config = f"export default defineConfig({{{fields}}})"
    pages = {f"{folder}/a.md": "" for folder in folders}
    return configured(top, {".vitepress/config.mts": config, "b.md": "", **pages})


def test_languages_are_folders_with_a_sidebar_each(tmp_path: Path) -> None:
    """One on another site is none, nor one without pages."""
    fields = """
      lang: 'en-GB', themeConfig: {sidebar: [{text: 'B', link: '/b'}]},
      locales: {
        root: {label: 'English'},
        zh: {lang: 'zh_hans', themeConfig: {sidebar: {'/zh/': [
          {text: 'A', link: '/zh/a'}]}}},
        fr: {label: 'F', themeConfig: {sidebar: bar()}},
        ja: {link: 'https://ja.example.org'}, it: {},
      }
    """
    found = read_locales(tmp_path, fields, "zh", "fr", "ja")
    rules = found.editions
    assert rules.languages == {"zh": "zh-Hans", "fr": "fr"}
    assert (rules.language, rules.default_language) == ("en-GB", "en-GB")
    assert outline(found.navigation) == ["B /b", "A /zh/a"]
    assert len(found.notes) == 1


def test_the_root_may_be_a_folder(tmp_path: Path) -> None:
    """That which is rewritten; without a root, the first language is the default."""
    fields = "rewrites: {'en/:rest*': ':rest*'}, locales: {root: {}, fr: {}}"
    rules = read_locales(tmp_path / "a", fields, "en", "fr").editions
    assert rules.languages == {"en": "en-US", "fr": "fr"}
    assert rules.default_language == "en-US"
    fields = "locales: {de: {}, fr: {}}"
    rules = read_locales(tmp_path / "b", fields, "de", "fr").editions
    assert rules.languages == {"de": "de", "fr": "fr"}
    assert rules.default_language == "de"


def test_one_language_is_that_of_the_site(tmp_path: Path) -> None:
    """Unknown if it is not stated."""
    rules = read_locales(tmp_path / "a", "lang: 'pt-br'", "fr").editions
    assert rules == EditionRules(language="pt-BR", default_language="pt-BR")
    rules = read_locales(tmp_path / "b", "lang: 3, locales: [], rewrites: 3").editions
    assert rules == ONE_EDITION
