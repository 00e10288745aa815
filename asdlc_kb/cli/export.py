"""The command `export`: writes a source of a store into a folder."""

import os
import shutil
import tempfile
from pathlib import Path

import click

from asdlc_kb.app.store_address import read_store
from asdlc_kb.cli import terminal
from asdlc_kb.cli.options import CommandSettings, settings_options
from asdlc_kb.cli.progress import show_progress
from asdlc_kb.cli.source import named
from asdlc_kb.cli.terminal import HelpCommand
from asdlc_kb.exceptions import OperationalError


@click.command(cls=HelpCommand)
@settings_options("store", has_argument=False)
@named
@click.argument(
    "folder",
    type=click.Path(path_type=Path),
    help="Folder to write; it must not exist, or be empty",
)
def export(given: CommandSettings, name: str, folder: Path) -> None:
    """Write the visible files of the source NAME of a store to FOLDER."""
    address = read_store(given.settings)
    # Imported late: needs the extra `postgres`.
    from asdlc_kb.store.mirror import SourceMirror
    from asdlc_kb.store.snapshot_reader import SnapshotReader

    folder = folder.absolute()
    if os.path.exists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise OperationalError(f"{folder} exists and is not empty: name another folder")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(prefix=".asdlc-kb-", dir=folder.parent) as new,
            SnapshotReader(address) as reader,
        ):
            files = Path(new) / "files"
            with show_progress(f"Exporting {name}"):
                number = SourceMirror(files, name, reader).update()
            files.mkdir(exist_ok=True)
            _share(files)
            if folder.exists():
                folder.rmdir()
            shutil.move(files, folder)
    except OSError as error:
        raise OperationalError(f"cannot write {folder}: {error.strerror}") from None
    count = sum(len(names) for _, _, names in os.walk(folder))
    files_text = terminal.count_noun(count, "file")
    terminal.echo(f"{name}: snapshot {number}, {files_text} in {folder}")


def _share(folder: Path) -> None:
    """Give folders and files the permissions of new ones: a mirror is private."""
    mask = os.umask(0)
    os.umask(mask)
    for parent, _, names in os.walk(folder):
        os.chmod(parent, 0o777 & ~mask)
        for name in names:
            os.chmod(os.path.join(parent, name), 0o666 & ~mask)
