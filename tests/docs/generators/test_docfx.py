"""`docfx.json`, tables of contents, and the repositories of Microsoft Learn."""

import json
from pathlib import Path

from support.generators import configured, list_pages, outline

PAGES = {
    "docs/index.md": "",
    "docs/a/one.md": "",
    "docs/a/two.md": "",
    "docs/includes/part.md": "",
    "README.md": "",
}


def state(*contents: object, **build: object) -> str:
    """Return a `docfx.json` with these groups of contents."""
    return json.dumps({"build": {"content": contents, **build}})


def test_pages_are_the_contents(tmp_path: Path) -> None:
    """What a group excludes is no page, nor what no group names."""
    config = state(
        {"files": ["**/*.md", "**/toc.yml"], "exclude": ["**/includes/**"]},
        globalMetadata={"_appTitle": "Site"},
        sitemap={"baseUrl": "https://e.org"},
    )
    found = configured(tmp_path, {**PAGES, "docs/docfx.json": config}, "docs")
    assert (found.generator, found.title) == ("docfx", "Site")
    assert (found.dialect, found.site_url) == ("docfx", "https://e.org")
    assert list_pages(found) == ["a/one.md", "a/two.md", "index.md"]


def test_stars_at_the_beginning_of_a_name_are_for_folders(tmp_path: Path) -> None:
    """docfx reads `**.md` as `**/*.md`, also where it excludes; `x**.md` as `x*.md`."""
    config = state(
        {"files": ["docs/**.md", "R**.md"], "exclude": "docs/{x,**two}.md"},
    )
    files = {**PAGES, "docfx.json": config, "docs/a/b/two.md": "", "Ra/b.md": ""}
    found = configured(tmp_path, files)
    assert list_pages(found) == [
        *("README.md", "docs/a/one.md", "docs/includes/part.md", "docs/index.md"),
    ]


def test_the_root_has_the_folders_of_all_contents(tmp_path: Path) -> None:
    """The same file may be in one group and excluded from another."""
    config = state(
        {"src": "../docs/a", "files": "*.md", "exclude": "two.md"},
        {"src": "../docs", "files": ["index.md", "a/t*.md"]},
        "**/*.cs",
    )
    files = {**PAGES, ".git/HEAD": "", "site/docfx.json": config}
    found = configured(tmp_path, files)
    assert found.root == tmp_path / "docs"
    assert list_pages(found) == ["a/one.md", "a/two.md", "index.md"]


def test_pages_of_a_reference_are_the_source_of_its_yaml(tmp_path: Path) -> None:
    """Microsoft Learn makes the reference of a command from Markdown."""
    files = {"docfx.json": state({"files": "7.4/**/*.yml"}), "7.4/m/Get-X.md": ""}
    found = configured(tmp_path, {**files, "b.md": ""})
    assert list_pages(found) == ["7.4/m/Get-X.md"]


def test_tables_of_contents_are_one_navigation(tmp_path: Path) -> None:
    """By folder or file; what none of them names follows; each counts once."""
    tables = {
        "toc.yml": """
- name: Start
  href: index.md
- name: Folder
  href: a/
  topicHref: a/one.md
- name: Loop
  href: toc.yml
- {name: Elsewhere, href: /azure/x}
- {name: Site, href: "https://e.org"}
- not an entry
""",
        "a/TOC.yml": """
items:
- href: ~/a/one.md?toc=x
- name: Above
  items:
  - {name: Up, href: ../index.md#b}
  - {name: Out, href: ../../x.md}
""",
        "b/toc.yml": "- {name: Other, href: b.md}",
        "_site/toc.yml": "- {name: Built, href: b.md}",
    }
    config = state({"files": "**/*.md"})
    found = configured(tmp_path, {"docfx.json": config, "b/b.md": "", **tables})
    assert outline(found.navigation) == [
        *("Start index.md", "Folder a/one.md", "  - a/one.md"),
        *("  Above", "    Up index.md", "    Out", "Loop", "Elsewhere", "Site"),
        "Other b/b.md",
    ]


def test_the_first_site_of_a_repository_is_read(tmp_path: Path) -> None:
    """That of Microsoft Learn, which has its configuration in its folder."""
    published = '{"docsets_to_publish": [{"build_source_folder": "%s"}]}'
    files = {
        ".git/HEAD": "",
        ".openpublishing.publish.config.json": published % "docs",
        "docs/docfx.json": state({"files": "**/*.md"}),
        **PAGES,
    }
    found = configured(tmp_path / "a", files)
    assert found.root == tmp_path / "a" / "docs"
    assert found.values == {"docfx.host": "https://learn.microsoft.com"}
    files[".openpublishing.publish.config.json"] = published % "none"
    del files["docs/docfx.json"]
    assert configured(tmp_path / "b", files).generator == ""


def test_a_broken_configuration_hides_all_pages(tmp_path: Path) -> None:
    """One without pages is that of a program."""
    published = '{"docsets_to_publish": [{"build_source_folder": "docs"}]}'
    files = {".openpublishing.publish.config.json": published, **PAGES}
    broken = configured(tmp_path / "a", {**files, "docs/docfx.json": "build:"})
    assert broken.fault is not None
    assert list_pages(broken) == []
    glob = state({"files": "!(a)/*.md"})
    refused = configured(tmp_path / "b", {**files, "docs/docfx.json": glob}, "docs")
    assert refused.fault is not None
    assert "build.content" in refused.fault.message
    program = state({"files": "*.cs"})
    other = configured(tmp_path / "c", {"docfx.json": program, "a.md": ""})
    assert list_pages(other) == ["a.md"]
