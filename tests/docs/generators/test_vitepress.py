"""`.vitepress/config.ts`."""

from pathlib import Path

import pytest
from support.generators import configured, list_pages, outline

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
    files = {".vitepress/config.ts": CONFIG, "src/index.md": "", "src/a/README.md": ""}
    found = configured(tmp_path, files, "src")
    assert (found.generator, found.title) == ("vitepress", "Site")
    assert found.prefixes == ("/docs/",)
    assert list_pages(found) == ["index.md"]
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


SECRET = ("priv/a.md", "drafts/b.md", "x/drafts/deep/c.md", "x.draft.md")


@pytest.mark.parametrize(
    ("stated", "served"),
    [
        ("['priv/**', '**/{drafts,old}/**', '*.draft.{md,mdx}']", []),
        ("['(priv|drafts)/**', '**/drafts/**', './x.draft.md']", []),
        ("process.env.ALL ? [] : ['priv/**']", SECRET[1:]),
        ("secret", SECRET[1:]),
        ("[...secret, ...(isDraft && ['**/drafts'])]", ["x.draft.md"]),
        ("undefined", SECRET),
        ("['*.md']", SECRET[:3]),
    ],
)
def test_excluded_pages_are_left_out_whatever_decides(
    tmp_path: Path, stated: str, served: list[str]
) -> None:
    """Both branches of a condition count."""
    config = f"const secret = ['priv/**']\nexport default {{ srcExclude: {stated} }}"
    found = configured(
        tmp_path, {".vitepress/config.mts": config, **dict.fromkeys(SECRET, "")}
    )
    assert found.fault is None
    assert list_pages(found) == sorted(served)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "export default { srcExclude: list() }",
        "export default { srcExclude: ['a/**', b] }",
        "export default { srcExclude: [...b, 'a/**'] }",
        "export default { srcExclude: ['!(a)/**'] }",
        "export default { srcExclude: [`${a}/**`] }",
        "export default { title: 'x, srcExclude: ['priv/**'] }",
        "export default { srcExclude: ['priv/**'], themeConfig: {",
        "export default { ...(a ? { srcExclude: b } : {}) }",
        "export default make({ a: 1 }, other())",
        "export default async () => { if (a) { return {} } return b }",
    ],
)
def test_exclusions_that_cannot_be_read_leave_out_all(
    tmp_path: Path, text: str
) -> None:
    """The field is named."""
    found = configured(tmp_path, {".vitepress/config.mts": text, "priv/a.md": ""})
    assert list_pages(found) == []
    assert found.fault is not None
    assert found.fault.path == ".vitepress/config.mts"
    assert "'srcExclude'" in found.fault.message


def test_the_result_of_a_function_is_a_configuration(tmp_path: Path) -> None:
    """An asynchronous one, wrapped, with the types of its arguments."""
    for text in (
        "export default defineConfig(async () => {{ {0} }})",
        "export default async (): Promise<UserConfig> => {{ {0} }}",
        "const a = async () => {{ {0} }}\nexport default withMermaid(a)",
        "const a = () => {{ {0} }}\nexport default define<A, B<C>>(a())",
        "async function make() {{ {0} }}\nexport default make()",
    ):
        body = "const x = ['priv/**']; return { srcExclude: x }"
        files = {".vitepress/config.mts": text.format(body), "priv/a.md": ""}
        found = configured(tmp_path, files)
        assert (found.fault, list_pages(found)) == (None, []), text


def test_a_folder_of_the_tree_keeps_what_is_left_out(tmp_path: Path) -> None:
    """Patterns count from the root of the site."""
    config = "export default { srcExclude: ['*/priv/**', 'x/*.draft.md'] }"
    files = {".vitepress/config.mts": config, "x/priv/a.md": "", "x/b.draft.md": ""}
    found = configured(tmp_path, {**files, "x/c.md": ""}, "x")
    assert list_pages(found) == ["c.md"]


VUEPRESS = """\
import { defaultTheme } from '@vuepress/theme-default'
import { bars } from './configs/index.js'
export default defineUserConfig({
  base: '/x/',
  pagePatterns: ['**/*.md', '!drafts', '!**/*.draft.md', '!.vuepress'],
  locales: {'/': {lang: 'en-US', title: 'Site'}, '/zh/': {lang: 'zh-CN'}},
  theme: defaultTheme({
    hostname: 'https://e.org',
    locales: {'/': {sidebar: bars}, '/zh/': {sidebar: 'auto'}},
  }),
})
"""


def test_vuepress_has_its_configuration_in_its_own_folder(tmp_path: Path) -> None:
    """Locales are addresses, and modules may export those of others."""
    files = {
        ".vuepress/config.ts": VUEPRESS,
        ".vuepress/configs/index.ts": "export * from './bars/index.js'",
        ".vuepress/configs/bars/index.ts": "export * from '../index.js'\n"
        "export * from './en'",
        ".vuepress/configs/bars/en.ts": "export const bars: Bars = {'/a/': [\n"
        "{text: 'A', prefix: '/a/', children: ['one.md', '/b.md']}]}",
        **dict.fromkeys(("a/one.md", "b.md", "drafts/x.md", "zh/b.md"), ""),
        **dict.fromkeys(("a/y.draft.md", ".vuepress/z.md"), ""),
    }
    found = configured(tmp_path, files)
    assert (found.generator, found.dialect) == ("vuepress", "vitepress")
    assert (found.title, found.site_url) == ("Site", "https://e.org")
    assert found.prefixes == ("/x/",)
    assert list_pages(found) == ["a/one.md", "b.md", "zh/b.md"]
    assert outline(found.navigation) == ["A", "  - /a/one.md", "  - /b.md"]
    assert found.editions.languages == {"zh": "zh-CN"}
    assert found.notes == ()


def test_items_of_vuepress_1_are_relative_to_their_sidebar(tmp_path: Path) -> None:
    """An item may be an address with a title; a computed part is a note."""
    config = """module.exports = {title: 'T', patterns: ['**/*.md'], themeConfig: {
      sidebar: {'/g/': ['', 'one', ['two', 'Two'], bar(), {title: 'C', path: '/c/',
        children: ['https://e.org']}], '/': 'auto', '/m/': bars()},
    }}"""
    found = configured(tmp_path, {".vuepress/config.js": config, "g/one.md": ""})
    assert outline(found.navigation) == [
        *("- /g/one", "Two /g/two", "C /c/", "  - https://e.org"),
    ]
    assert len(found.notes) == 1
