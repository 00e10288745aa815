"""Plugins of Claude Code in a project: folders with a manifest.

A folder is a plugin if it has `.claude-plugin/plugin.json`, of which only the name is
read.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.folder_walk import join_below
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.project.locations import PLUGIN_HOLDER, Plugin
from asdlc_kb.project.registry import Project
from asdlc_kb.project.scanner import ProjectScanner

MAX_PLUGINS: Final = 300
"""Plugins read per project."""

_MANIFEST: Final = "plugin.json"
_NAME: Final = re.compile(r"[a-zA-Z0-9][\w.-]{0,63}", re.ASCII)


def read_plugins(scanner: ProjectScanner) -> tuple[Plugin, ...]:
    """Return the plugins of a project, upper folders first."""
    if scanner.plugins is None:
        found = islice(scanner.nested.plugins, MAX_PLUGINS)
        named = ((path, _read_name(scanner.project, path)) for path in found)
        scanner.plugins = tuple(Plugin(name, path) for path, name in named if name)
    return scanner.plugins


def list_manifests(scanner: ProjectScanner) -> Iterator[str]:
    """Yield the paths of manifests, whether they exist or not."""
    return map(_locate, islice(scanner.nested.plugins, MAX_PLUGINS))


def _locate(folder: str) -> str:
    return f"{join_below(folder, PLUGIN_HOLDER)}/{_MANIFEST}"


def _read_name(project: Project, folder: str) -> str | None:
    """Return the name of the plugin in a folder; None if it is not one."""
    path = _locate(folder)

    def refuse_links(real: str) -> UnreadableFile | None:
        return None if real == path else UnreadableFile("is a link", "copy the file")

    try:
        manifest = json.loads(read_file(project.root, path, judge=refuse_links).text)
    except (OSError, UnreadableFile, ChangedWhileRead, ValueError, RecursionError):
        return None
    name = manifest.get("name") if isinstance(manifest, dict) else None
    return name if isinstance(name, str) and _NAME.fullmatch(name) else None
