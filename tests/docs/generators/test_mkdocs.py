"""`mkdocs.yml`, `properdocs.yml` and `zensical.toml`."""

from pathlib import Path

import pytest
from support.generators import configured, list_pages, outline, write_files

CONFIGURATION = """\
site_name: !ENV [NAME, Handbook]
site_url: https://docs.example.org/book/
docs_dir: pages
exclude_docs: |
  # not yet
  /internal/
  !/internal/open.md
draft_docs: |
  _*.md
plugins: [search]
markdown_extensions:
  - admonition
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
  - pymdownx.snippets:
      base_path: [parts, missing, ../outside]
nav:
  - index.md
  - Guides:
      - guides/index.md
      - First steps: guides/first.md
      - Deep:
          - guides/deep.md
  - "":
      - api/index.md
      - api/x.md
  - Elsewhere: https://example.org
"""


def test_everything_that_a_tree_needs_is_read(tmp_path: Path) -> None:
    """Navigation, title, address, folders for includes, what is no page."""
    (tmp_path / "outside").mkdir()
    site = tmp_path / "site"
    files = {".git/HEAD": "", "mkdocs.yml": CONFIGURATION, "pages/index.md": ""}
    found = configured(site, {**files, "parts/a.md": ""}, "pages")
    assert (found.generator, found.dialect, found.root) == (
        *("mkdocs", "mkdocs", site / "pages"),
    )
    assert (found.title, found.site_url) == (
        *("Handbook", "https://docs.example.org/book/"),
    )
    assert found.include_folders == (site / "parts",)
    assert found.excluded == (
        *("/templates/", "# not yet", "/internal/", "!/internal/open.md", "_*.md"),
    )
    assert (found.files, found.notes) == ((site / "mkdocs.yml",), ())
    assert outline(found.navigation) == [
        *("- index.md", "Guides", "  - guides/index.md"),
        *("  First steps guides/first.md", "  Deep", "    - guides/deep.md"),
        *("- api/index.md", "  - api/x.md", "Elsewhere https://example.org"),
    ]


def test_a_configuration_inherits_at_any_depth_that_ends(tmp_path: Path) -> None:
    """Its own values win, mappings are merged, and a cycle is a note."""
    write_files(
        tmp_path,
        {
            "base.yml": "site_name: Base\ntheme: {name: material}\nnav: [index.md]\n",
            "mkdocs.yml": "INHERIT: base.yml\nsite_name: Own\n"
            "theme: {features: [navigation.indexes]}\n"
            "nav:\n- Part: [part/index.md, part/a.md]\n",
            "docs/index.md": "",
        },
    )
    found = configured(tmp_path, {}, "docs")
    assert found.title == "Own"
    assert outline(found.navigation) == ["Part part/index.md", "  - part/a.md"]
    assert {path.name for path in found.files} == {"base.yml", "mkdocs.yml"}
    found = configured(tmp_path, {"base.yml": "INHERIT: mkdocs.yml\n"}, "docs")
    assert (found.title, len(found.notes)) == ("Own", 1)


def test_zensical_is_read_too(tmp_path: Path) -> None:
    """The same keys, in TOML below `project`."""
    text = '[project]\nsite_name = "Z"\nnav = ["index.md", {"A" = "a.md"}]\n'
    found = configured(tmp_path, {"zensical.toml": text, "docs/a.md": ""}, "docs")
    assert (found.generator, found.dialect, found.title) == ("zensical", "mkdocs", "Z")
    assert outline(found.navigation) == ["- index.md", "A a.md"]


@pytest.mark.parametrize("suffix", ["yml", "yaml"])
@pytest.mark.parametrize("folder", ["", "docs"])
def test_properdocs_reads_its_own_file_first(
    tmp_path: Path, suffix: str, folder: str
) -> None:
    """What its configuration leaves out is no page; `mkdocs.yml` is not read."""
    stated = "site_name: P\nexclude_docs: internal/\ndraft_docs: next.md\n"
    files = {
        ".git/HEAD": "",
        "README.md": "",
        "mkdocs.yml": "site_name: M\n",
        f"properdocs.{suffix}": stated,
        "docs/index.md": "",
        "docs/next.md": "",
        "docs/internal/prices.md": "",
    }
    found = configured(tmp_path, files, folder)
    assert (found.generator, found.title, found.root) == (
        *("mkdocs", "P", tmp_path / "docs"),
    )
    assert list_pages(found) == ["index.md"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mkdocs.yml", "extra: {status: {beta: B, Old: O, draft: D, Proposed: P}}"),
        ("zensical.toml", "[project.extra.status]\nbeta = 'B'\nOld = 'O'\ndraft = 'D'"),
    ],
)
def test_statuses_of_the_theme_are_labels(tmp_path: Path, name: str, text: str) -> None:
    """D-295: except those that always hide a page."""
    found = configured(tmp_path, {name: text, "docs/a.md": ""}, "docs")
    assert found.labels == {"beta", "old"}


@pytest.mark.parametrize("name", ["markdown_include", "markdown_include.include"])
def test_files_between_braces_are_relative_to_the_configuration(
    tmp_path: Path, name: str
) -> None:
    """Or to the folder that it states."""
    for at, (stated, folder) in enumerate(
        (("", ""), (": {base_path: parts}", "parts"))
    ):
        text = f"site_name: S\nmarkdown_extensions:\n- {name}{stated}\n"
        files = {"mkdocs.yml": text, "docs/a.md": "", "parts/x.yaml": ""}
        found = configured(tmp_path / str(at), files)
        assert found.include_folders == (tmp_path / str(at) / folder,)


def test_the_plugin_exclude_leaves_out_pages(tmp_path: Path) -> None:
    """Its wildcards also match slashes, and its expressions the beginning of a path."""
    pages = ("private/a.md", "private/x/b.md", "x/c.int.md", "old1.md", "x/old2.md")
    files = {f"docs/{page}": "" for page in (*pages, "index.md", "x/private/d.md")}
    options = "{glob: [private/*, '*.int.md'], regex: 'old\\d+[.]'}"
    for number, plugins in enumerate(
        (f"[search, exclude: {options}]", "{exclude: %s}")
    ):
        text = f"plugins: {plugins.replace('%s', options)}\n"
        found = configured(tmp_path / str(number), {**files, "mkdocs.yml": text})
        assert list_pages(found) == ["index.md", "x/old2.md", "x/private/d.md"]
    found = configured(
        tmp_path, {**files, "mkdocs.yml": "plugins: [exclude: {glob: {a: b}}]"}
    )
    assert found.fault is not None
    assert "'plugins.exclude.glob'" in found.fault.message
