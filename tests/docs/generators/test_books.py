"""mdBook, GitBook and docsify: their navigation is a page of the tree."""

from pathlib import Path

from support.generators import configured, list_pages, outline

from asdlc_kb.docs.generators.ignored_files import PathPatterns


def test_a_book_has_its_source_folder_and_prefix(tmp_path: Path) -> None:
    """Its listings are in the folder of the configuration."""
    text = '[book]\ntitle = "B"\nsrc = "text"\n[output.html]\nsite-url = "/b/"\n'
    files = {"book.toml": text, "text/SUMMARY.md": "- [A](a.md)\n"}
    found = configured(tmp_path, files, "text")
    assert (found.generator, found.dialect, found.title) == ("mdbook", "mdbook", "B")
    assert (found.prefixes, found.include_folders) == (("/b/",), (tmp_path,))


SUMMARY = """# Summary

[Before](before.md)
[Also](./a%20b/c.md#d)
# Part
- [One](one.md)
  - [Two](<x y/two.md>)
  - [Draft]()
  - [Elsewhere](../top.md)
<!-- - [Secret](secret.md) -->
- [R][r] <!-- [Inline](inline.md) -->

---
[After](x/after.md)

[r]: x/README.md
"""


def test_only_the_chapters_of_a_book_are_pages(tmp_path: Path) -> None:
    """Those of its summary, as mdBook does; files with other suffixes stay."""
    pages = ["a b/c.md", "before.md", "one.md", "x y/two.md", "x/README.md"]
    others = ["secret.md", "inline.md", "x/two.md", "README.md", "top.md"]
    pages += ["x/after.md", "SUMMARY.md", "x/raw.markdown"]
    files = {f"src/{name}": "" for name in (*pages, *others)}
    files |= {"book.toml": "", "src/SUMMARY.md": SUMMARY}
    found = configured(tmp_path, files, "src")
    assert list_pages(found) == sorted(pages)
    assert list_pages(configured(tmp_path, {}, "src/x")) == [
        *("README.md", "after.md", "raw.markdown"),
    ]


def test_a_book_without_chapters_has_no_pages(tmp_path: Path) -> None:
    """mdBook makes no book of a folder without a summary."""
    for name, text in (("a", None), ("b", "# Summary\n")):
        summary = {} if text is None else {"src/SUMMARY.md": text}
        found = configured(
            tmp_path / name, {"book.toml": "", "src/a.md": "", **summary}
        )
        assert found.fault is not None
        assert (found.fault.path, found.fault.code) == ("src/SUMMARY.md", "KB034")
        assert list_pages(found) == []


def test_gitbook_may_have_its_pages_below(tmp_path: Path) -> None:
    """A summary alone is that of GitBook."""
    found = configured(tmp_path / "a", {".gitbook.yaml": "root: ./d/\n", "d/x.md": ""})
    assert (found.generator, found.root) == ("gitbook", tmp_path / "a/d")
    found = configured(tmp_path / "b", {"SUMMARY.md": "- [A](a.md)\n"})
    assert (found.generator, found.root) == ("gitbook", tmp_path / "b")


def test_a_configuration_left_over_from_gitbook_does_not_count(tmp_path: Path) -> None:
    """It names a summary that is gone; the notes say so."""
    text = "structure:\n  summary: docs/TOC.md\n"
    files = {".gitbook.yaml": text, "docs/a.md": "", "mkdocs.yml": "site_name: A\n"}
    assert configured(tmp_path / "a", files).generator == "mkdocs"
    del files["mkdocs.yml"]
    found = configured(tmp_path / "b", files)
    assert found.generator == ""
    assert any("there is no docs/TOC.md" in note for note in found.notes)
    files["docs/TOC.md"] = "- [A](a.md)\n"
    assert configured(tmp_path / "c", files).sidebar_file == "docs/TOC.md"


def test_docsify_is_found_by_its_sidebar(tmp_path: Path) -> None:
    """Only in the folder itself."""
    found = configured(tmp_path, {"_sidebar.md": "- [A](a.md)\n", "sub/a.md": ""})
    assert found.generator == "docsify"
    assert configured(tmp_path, {}, "sub").generator == ""


def test_a_book_in_several_languages_has_a_summary_for_each(tmp_path: Path) -> None:
    """Folders that `LANGS.md` lists; the first is the default one."""
    files = {
        "LANGS.md": "# Languages\n\n* [English](en/)\n* [Chinois](./zh-hans)\n"
        "* [Site](https://x.y)\n* [Up](../)\n* [None](it/)\n",
        "en/SUMMARY.md": "# Summary\n\n* [Start](README.md)\n  * [A](a/b.md)\n",
        "zh-hans/README.md": "",
    }
    found = configured(tmp_path, files)
    assert (found.generator, found.root) == ("gitbook", tmp_path)
    rules = found.editions
    assert rules.languages == {"en": "en", "zh-hans": "zh-Hans"}
    assert (rules.language, rules.default_language) == ("en", "en")
    assert outline(found.navigation) == [
        *("English", "  Start en/README.md", "    A en/a/b.md", "Chinois"),
    ]
    patterns = PathPatterns(found.excluded)
    assert patterns.match("LANGS.md")
    assert patterns.match("en/SUMMARY.md")
    assert not patterns.match("en/README.md")


def test_a_book_states_its_language(tmp_path: Path) -> None:
    """Other texts are unknown languages."""
    for text, language in (("pt_br", "pt-BR"), ("Latin of old", "")):
        files = {
            "book.toml": f'[book]\nlanguage = "{text}"\n',
            "src/SUMMARY.md": "[A](a.md)",
        }
        rules = configured(tmp_path, files).editions
        assert (rules.language, rules.default_language) == (language, language)
