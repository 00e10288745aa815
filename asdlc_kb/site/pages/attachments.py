"""Attachments as resources of the site: their addresses, and what is sent."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from asdlc_kb.attachments.referenced_files import ReferencedFiles
from asdlc_kb.site.representation import ServedFile


@dataclass(frozen=True, slots=True)
class AttachmentAddresses(Collection[str]):
    """The addresses to which visible texts refer; a file need not exist.

    The texts are read with the first use: blocks.
    """

    files: ReferencedFiles
    prefix: str
    """The address of the root of the files."""
    locate: Callable[[str], str]
    """Returns the address of an attachment by its name."""

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.find_name(path) in self.files.names

    def __iter__(self) -> Iterator[str]:
        return map(self.locate, self.files.names)

    def __len__(self) -> int:
        return len(self.files.names)

    def find_name(self, path: str) -> str:
        """Return the name in the address of an attachment; empty for other ones."""
        below = path.removeprefix(self.prefix)
        return unquote(below) if len(below) < len(path) else ""

    def find_referrer(self, path: str) -> str:
        """Return the path of a text that refers to the attachment at an address.

        Never blocks; empty if there is none, or if the texts are not read yet.
        """
        if not self.files.has_names:
            return ""
        return self.files.names.get(self.find_name(path), "")

    def render(self, path: str) -> ServedFile | None:
        """Return the file at an address; None if it is missing."""
        attachment = self.files.find(self.find_name(path))
        return None if attachment is None else ServedFile(path, attachment)
