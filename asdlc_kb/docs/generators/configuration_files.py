"""Bounded reading of configuration files; what cannot be read becomes a note."""

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

from asdlc_kb.docs.generators.data import find_object
from asdlc_kb.docs.generators.javascript import (
    COMPUTED,
    Data,
    JavaScriptModule,
    read_literal,
    read_module,
)
from asdlc_kb.exceptions import FrontmatterError

MAX_FILE_BYTES: Final = 1024 * 1024
"""Bytes of a configuration file."""

MAX_FILES: Final = 2_000
"""Configuration files of one tree."""

MAX_IMPORTS: Final = 64
"""Modules that a JavaScript configuration may import from files."""

MAX_IMPORT_DEPTH: Final = 4
"""Modules that import each other in a row."""

_SCRIPT_SUFFIXES: Final = (".ts", ".mts", ".js", ".mjs", ".cjs", ".json")
_REEXPORT: Final = re.compile(r"(?m)^export\s*\*\s*from\s*[\"']([^\"'\n]++)[\"']")
_READ_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


class ConfigurationUnusable(Exception):
    """Raised for a file without which nothing is known of a configuration."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.path = path


class ConfigurationFiles:
    """Reads the configuration files of one tree, all below one folder.

    Notes name them relative to the folder that is served.
    """

    def __init__(self, top: Path, served: Path | None = None) -> None:
        self._served = served or top
        self.files: list[Path] = []
        self.notes: list[str] = []
        self.unusable: dict[Path, str] = {}
        """Files that exist and could not be read or parsed, with the reason."""
        self._real_top = os.path.realpath(top)
        self._modules: dict[Path, JavaScriptModule] = {}

    def note(self, path: Path, message: str) -> None:
        """Record for the operator what could not be read."""
        name = os.path.relpath(path, self._served)
        if (text := f"{name}: {message}") not in self.notes:
            self.notes.append(text)

    def require(self, path: Path) -> None:
        """Raise ConfigurationUnusable if a file could not be read or parsed."""
        if (reason := self.unusable.get(path)) is not None:
            raise ConfigurationUnusable(path, reason)

    def _refuse(self, path: Path, message: str) -> None:
        self.unusable[path] = message
        self.note(path, message)

    def is_below(self, path: Path) -> bool:
        """Whether the real path of a file or folder is below the folder."""
        real = os.path.realpath(path)
        return real == self._real_top or real.startswith(
            self._real_top.rstrip(os.sep) + os.sep
        )

    def find(self, folder: Path, *names: str) -> Path | None:
        """Return the first of the files in a folder, None if there is none."""
        return next((folder / n for n in names if os.path.isfile(folder / n)), None)

    def read_text(self, path: Path) -> str | None:
        """Return a file's text, None with a note if it cannot be read."""
        if len(self.files) >= MAX_FILES:
            limit = f"more than {MAX_FILES:,} configuration files: the rest is not read"
            self.note(self._served, limit)
            return None
        if not self.is_below(path):
            self._refuse(path, "not read: it links to a file outside the repository")
            return None
        try:
            data = _read_bytes(path)
        except OSError as error:
            self._refuse(path, f"not read: {error.strerror or error}")
            return None
        if data is None:
            limit = f"{MAX_FILE_BYTES:,} bytes"
            self._refuse(path, f"not read: it is no file of at most {limit}")
            return None
        self.files.append(path)
        return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def read_yaml(self, path: Path) -> Data:
        """Return the data of a YAML file; None with a note if it is invalid."""
        from asdlc_kb.frontmatter.yaml_document import read_yaml_document

        text = self.read_text(path)
        if text is None:
            return None
        try:
            return cast(Data, read_yaml_document(text))
        except FrontmatterError as error:
            self._refuse(path, f"not used: {error.message} (line {error.line})")
            return None

    def read_toml(self, path: Path) -> Data:
        """Return the data of a TOML file; None with a note if it is invalid."""
        text = self.read_text(path)
        if text is None:
            return None
        try:
            return cast(Data, tomllib.loads(text))
        except (ValueError, RecursionError) as error:
            reason = str(error) if isinstance(error, ValueError) else "nested too deep"
            self._refuse(path, f"not used: it is not TOML: {reason[:200]}")
            return None

    def read_json(self, path: Path) -> Data:
        """Return the data of a JSON file, comments allowed; None if it is invalid."""
        text = self.read_text(path)
        value = None if text is None else read_literal(text)
        if text is not None and not isinstance(value, dict | list):
            self._refuse(path, "not used: it is not JSON")
            return None
        return value

    def read_any(self, path: Path) -> Data:
        """Return the data of a YAML, TOML or JSON file, by its suffix."""
        match path.suffix:
            case ".toml":
                return self.read_toml(path)
            case ".json":
                return self.read_json(path)
            case _:
                return self.read_yaml(path)

    def read_script(self, path: Path, *, depth: int = 0) -> JavaScriptModule:
        """Return the data of a JavaScript module, with what it imports from files.

        A module that imports itself gets nothing of it.
        """
        if path not in self._modules:
            self._modules[path] = JavaScriptModule()
            text = self.read_text(path)
            if text is not None:
                self._modules[path] = self._read_module(path, text, depth)
        return self._modules[path]

    def _read_module(self, path: Path, text: str, depth: int) -> JavaScriptModule:
        module = read_module(text)
        known = dict(self._resolve_imports(path, module, depth))
        module = read_module(text, known) if known else module
        constants: dict[str, Data] = {}
        for name in _REEXPORT.findall(text):
            found = self._find_import(path, name, depth)
            if found is not None:
                constants |= self.read_script(found, depth=depth + 1).constants
        return replace(module, constants=constants | dict(module.constants))

    def read_export(self, path: Path, needed: str) -> Mapping[str, Data]:
        """Return the fields of the object that a JavaScript configuration exports.

        Raises ConfigurationUnusable if it is computed: the field `needed` says which
        pages are left out.
        """
        fields = find_object(self.read_script(path).exported)
        self.require(path)
        if fields is None:
            raise ConfigurationUnusable(
                path,
                f"not used: its export is computed, and '{needed}' must be written in"
                " an object literal",
            )
        return fields

    def _resolve_imports(
        self, path: Path, module: JavaScriptModule, depth: int
    ) -> Iterator[tuple[str, Data]]:
        for local, (name, exported) in module.imports.items():
            found = self._find_import(path, name, depth)
            if found is None:
                continue
            if found.suffix == ".json":
                yield local, self.read_json(found)
                continue
            imported = self.read_script(found, depth=depth + 1)
            values: Mapping[str, Data] = imported.constants
            value = (
                imported.exported
                if exported == "default"
                else dict(values)
                if exported == "*"
                else values.get(exported, COMPUTED)
            )
            yield local, value

    def _find_import(self, path: Path, name: str, depth: int) -> Path | None:
        is_bounded = depth < MAX_IMPORT_DEPTH and len(self._modules) < MAX_IMPORTS
        if not name.startswith(".") or not is_bounded:
            return None
        base = path.parent / name
        stem = base.with_suffix("") if base.suffix in _SCRIPT_SUFFIXES else base
        return self.find(
            base.parent,
            base.name,
            *(f"{stem.name}{suffix}" for suffix in _SCRIPT_SUFFIXES),
            *(f"{base.name}/index{suffix}" for suffix in _SCRIPT_SUFFIXES),
        )


def _read_bytes(path: Path) -> bytes | None:
    """Return the bytes of a regular file; None if it is none, or too large."""
    descriptor = os.open(path, _READ_FLAGS)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = file.read(MAX_FILE_BYTES + 1)
    return data if len(data) <= MAX_FILE_BYTES else None
