"""The configuration of a tree, in sync with the disk.

Another version replaces the last good one only as a whole: if its files are missing,
empty, being written or unusable, the last one stays (D-278).
"""

import logging
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.discovery import report_fault
from asdlc_kb.files.dependencies import Dependency, are_unchanged, sign_file
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.write_monitor import WriteMonitor

logger = logging.getLogger(__name__)

Configure: TypeAlias = Callable[[], TreeConfiguration]
"""Return the present configuration of a tree."""

_OPEN_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_UNFINISHED: Final = (
    "being written, so its last version counts: end the program that writes it"
)
_RESTORE: Final = "restore it, or restart the server to serve the tree without it"
_FOLDER_OF_PARTS: Final = "_default"
"""Hugo's folder with a file for each part of the configuration."""


class LiveConfiguration:
    """The last good configuration of a tree, and why it is not the present one."""

    def __init__(
        self,
        configure: Configure,
        *,
        uses_kernel_state: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Read the configuration; see `WriteMonitor` for `uses_kernel_state`."""
        self._configure = configure
        self._writes = WriteMonitor(
            Path("/"), uses_kernel_state=uses_kernel_state, clock=clock
        )
        self._is_unfinished = False
        self.last_good = configure()
        """The first one, even if it is not good, until there is a good one."""
        self.fault = self.last_good.fault
        """Why the present configuration cannot be used; None if it is the last good
        one."""
        self._dependencies = _sign(_list_paths(self.last_good))
        self._good = self._dependencies

    def is_current(self) -> bool:
        """Whether every file is as it was when the configuration was read."""
        dependencies = tuple(Dependency(*each) for each in self._dependencies.items())
        return not self._is_unfinished and are_unchanged(dependencies)

    def refresh(self) -> None:
        """Read the configuration again; blocks for up to 20 ms for each new file."""
        before = _sign(self._dependencies)
        found = self._configure()
        paths = (*_list_paths(found), *_list_paths(self.last_good))
        self._dependencies = _sign(paths)
        files = dict.fromkeys((*found.files, *self.last_good.files))
        unfinished = self._find_unfinished(files, before)
        self._is_unfinished = unfinished is not None
        fault = found.fault or self._find_fault(found, unfinished)
        if fault is None:
            self.last_good, self._good = found, self._dependencies
        elif fault != self.fault:
            logger.warning(
                "configuration of documentation not used, the last one stays in effect",
                extra={"file": fault.path, "reason": fault.message},
            )
        self.fault = fault

    def _find_fault(
        self, found: TreeConfiguration, unfinished: str | None
    ) -> Problem | None:
        """Return why a configuration does not replace the last good one."""
        last = self.last_good
        if unfinished is not None:
            return report_fault(last.root, unfinished, _UNFINISHED)
        for path in map(str, last.files):
            good, now = self._good.get(path), self._dependencies[path]
            if good is None:
                continue
            is_readable = now is not None and os.access(path, os.R_OK)
            if not is_readable and _leaves_out_pages(path, last):
                return report_fault(last.root, path, f"it cannot be read: {_RESTORE}")
            if now is not None and good.size and not now.size:
                return report_fault(last.root, path, f"it is empty: {_RESTORE}")
        if last.generator not in ("", found.generator):
            message = f"it is not used any more: {_RESTORE}"
            return report_fault(last.root, str(last.files[0]), message)
        if found.root != last.root:
            message = "its pages are in another folder: restart the server"
            return report_fault(last.root, str(found.root), message)
        return None

    def _find_unfinished(
        self, files: Iterable[Path], before: Mapping[str, Signature | None]
    ) -> str | None:
        """Return a file that was written while it was read, or still is."""
        paths = [str(path) for path in files]
        self._writes.watch({os.path.dirname(path) for path in paths})
        for path in paths:
            now = self._dependencies[path]
            if before.get(path, now) != now:
                return path
            if now not in (None, self._good.get(path)) and not self._is_finished(path):
                return path
        return None

    def _is_finished(self, path: str) -> bool:
        try:
            descriptor = os.open(path, _OPEN_FLAGS)
        except OSError:
            # Unreadable: that has been noted.
            return True
        with open(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            current, known = Signature.of(status), self._good.get(path)
            is_finished = not stat.S_ISREG(status.st_mode) or (
                current == self._dependencies[path]
                and self._writes.is_finished(path, descriptor, current, known)
            )
        if is_finished:
            self._writes.discard((path,))
        else:
            self._writes.record(path, current)
        return is_finished


def _leaves_out_pages(path: str, configuration: TreeConfiguration) -> bool:
    """Whether pages may appear if a file is missing that states what is left out."""
    folder, name = os.path.split(path)
    if name.endswith("ignore"):
        return os.path.isdir(folder)
    if configuration.fault is not None or os.path.basename(folder) == _FOLDER_OF_PARTS:
        return True
    return bool(configuration.generator) and path == str(configuration.files[0])


def _list_paths(configuration: TreeConfiguration) -> Iterator[str]:
    """Yield the files that were read, and the folders in which others may appear."""
    root = configuration.root
    top = configuration.repository or root
    above = (each for each in root.parents if each == top or top in each.parents)
    yield from map(str, (*configuration.files, root, *above))


def _sign(paths: Iterable[str]) -> dict[str, Signature | None]:
    return {path: sign_file(path) for path in paths}
