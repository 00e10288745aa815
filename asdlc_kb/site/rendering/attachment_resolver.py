"""Resolution of pictures and files in a text to addresses of the site."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from asdlc_kb.attachments.file_types import AttachmentKind
from asdlc_kb.attachments.referenced_files import TextFiles
from asdlc_kb.markup.html_renderer import ResolveLink
from asdlc_kb.markup.pictures import Picture


@dataclass(frozen=True, slots=True)
class AttachmentResolver:
    """Resolves the references of one text to attachments."""

    files: TextFiles
    locate: Callable[[str], str]
    """Returns the address of an attachment by its name."""

    def find_picture(self, source: str) -> Picture | None:
        """Return a served picture or video with its size, or None."""
        attachment = self.files.find(source)
        if attachment is None or attachment.type.kind is AttachmentKind.DOWNLOAD:
            return None
        size = self.files.store.measure(attachment)
        return Picture(self.locate(attachment.name), *(size or (0, 0)))

    def find_file(self, href: str) -> str | None:
        """Return the address of the served file to which a link leads, or None."""
        attachment = self.files.find(href)
        if attachment is None:
            return None
        fragment = urlsplit(href).fragment
        address = self.locate(attachment.name)
        return f"{address}#{fragment}" if fragment else address

    def wrap(self, resolve: ResolveLink) -> ResolveLink:
        """Return a resolver of links to served files, and of all others by `resolve`.

        A link to a file that is not served has no address, except for one to the
        published site, which may have more files.
        """

        def resolve_link(href: str) -> str | None:
            if not any(self.files.list_names(href)):
                return resolve(href)
            address = self.find_file(href)
            return address or (resolve(href) if urlsplit(href).scheme else None)

        return resolve_link
