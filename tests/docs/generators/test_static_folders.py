"""Folders of generators with files that are published as they are."""

from pathlib import Path

import pytest
from support.generators import configured

from asdlc_kb.docs.generators.static_folders import find_static_folders


@pytest.mark.parametrize(
    ("files", "folders"),
    [
        (("docusaurus.config.js", "docs/a.md", "static/a.png"), ["static"]),
        (("hugo.toml", "content/a.md", "static/a.png", "assets/b.png"), None),
        (("config/_default/hugo.toml", "content/a.md", "static/a.png"), ["static"]),
        ((".vitepress/config.ts", "a.md", "public/a.png"), ["public"]),
        (
            (".vuepress/config.ts", "a.md", ".vuepress/public/a.png"),
            [".vuepress/public"],
        ),
        (("docs.json", "a.md"), ["."]),
        (("mkdocs.yml", "docs/a.md", "static/a.png"), []),
        (("a.md", "static/a.png"), []),
    ],
)
def test_the_folders_are_those_of_the_generator(
    tmp_path: Path, files: tuple[str, ...], folders: list[str] | None
) -> None:
    """In the folder of its configuration, as far as they exist."""
    texts = {".json": '{"navigation": []}', ".js": "module.exports = {}"}
    texts[".ts"] = "export default {}"
    contents = {name: texts.get(Path(name).suffix, "") for name in files}
    found = find_static_folders(configured(tmp_path, contents))
    wanted = ["static", "assets"] if folders is None else folders
    assert [folder.resolve() for folder in found] == [
        (tmp_path / name).resolve() for name in wanted
    ]


def test_a_link_out_of_the_repository_is_no_folder_of_a_site(tmp_path: Path) -> None:
    """A cloned repository chooses its links, the operator does not."""
    outside, root = tmp_path / "outside", tmp_path / "site"
    outside.mkdir()
    root.mkdir()
    (root / "static").symlink_to(outside)
    configuration = configured(root, {"docusaurus.config.js": "", "docs/a.md": ""})
    assert find_static_folders(configuration) == ()
