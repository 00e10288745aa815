"""Reader of the configuration of an Obsidian vault."""

from pathlib import Path

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import find_part, to_text, to_texts


def read_obsidian(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `app.json`, or of the folder `.obsidian` alone."""
    has_settings = path.name != ".obsidian"
    filters = files.read_json(path) if has_settings else None
    folder = to_text(find_part(filters, "attachmentFolderPath")).strip("/")
    stated = to_texts(find_part(filters, "userIgnoreFilters"))
    return TreeConfiguration(
        generator="obsidian",
        root=path.parent.parent if has_settings else path.parent,
        dialect="obsidian",
        name_folders=("", folder) if folder else ("",),
        excluded=tuple(f"/{each.lstrip('/')}" for each in stated if each[0] != "/"),
    )
