"""Vaults of Obsidian."""

from pathlib import Path

from support.generators import configured


def test_a_vault_is_found_with_and_without_settings(tmp_path: Path) -> None:
    """Its excluded files are no pages."""
    (tmp_path / "a/.obsidian").mkdir(parents=True)
    found = configured(tmp_path / "a", {})
    assert (found.generator, found.dialect) == ("obsidian", "obsidian")
    assert (found.root, found.notes) == (tmp_path / "a", ())
    settings = {".obsidian/app.json": '{"userIgnoreFilters": ["Templates/"]}'}
    assert configured(tmp_path / "b", settings).excluded == ("/Templates/",)


def test_a_vault_without_settings_is_the_folder(tmp_path: Path) -> None:
    """Files next to it are not served, and it may be a repository."""
    for at, own in enumerate(["vault/.obsidian/workspace.json", "vault/.git/HEAD"]):
        home = tmp_path / str(at)
        files = {"vault/.obsidian/workspace.json": "{}", own: "{}"}
        found = configured(home, files, "vault")
        assert (found.root, found.dialect) == (home / "vault", "obsidian")
        assert found.notes == ()


def test_files_are_called_by_their_name(tmp_path: Path) -> None:
    """They are in the vault's folder, or where the settings say."""
    for at, (stated, folders) in enumerate(
        [("/", ("",)), ("Files/", ("", "Files")), ("./files", ("", "./files"))]
    ):
        settings = {".obsidian/app.json": f'{{"attachmentFolderPath": "{stated}"}}'}
        assert configured(tmp_path / str(at), settings).name_folders == folders
