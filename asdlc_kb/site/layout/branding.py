"""The operator's look of the website: logo, colours, footer, announcement."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from asdlc_kb.attachments.picture_size import PictureSize, read_size
from asdlc_kb.site.layout import assets
from asdlc_kb.site.layout.accent import Colour, fit_accent, write_accent
from asdlc_kb.site.representation import CSS, SVG, Representation

_ICON: Final = "icon.svg"
_ICON_COLOUR: Final = b"#0b6b6b"
"""The colour of the icon, which the accent replaces."""


@dataclass(frozen=True)
class LogoFile:
    """A picture in place of the site's mark."""

    suffix: str
    media_type: str
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Branding:
    """What the operator set; nothing by default."""

    logo_file: LogoFile | None = None
    accent: Colour | None = None
    css: str = ""
    """Style sheet of the operator, after those of the site."""
    footer: str = ""
    """Markdown."""
    announcement: str = ""
    """Markdown."""

    @cached_property
    def logo(self) -> Representation | None:
        """The logo as a file of the site."""
        file = self.logo_file
        if file is None:
            return None
        return assets.make("logo", file.suffix, file.media_type, file.body)

    @cached_property
    def logo_size(self) -> PictureSize | None:
        """Width and height of the logo, if its file states them."""
        file = self.logo_file
        if file is None:
            return None
        return read_size(lambda start, size: file.body[start : start + size])

    @cached_property
    def icon(self) -> Representation:
        """The icon of the site in browsers: the logo, or the mark in the accent."""
        if self.logo is not None:
            return self.logo
        plain = assets.read(_ICON)
        if self.accent is not None:
            light, _ = fit_accent(self.accent)
            plain = plain.replace(_ICON_COLOUR, str(light.colour).encode())
        return assets.make("icon", "svg", SVG, plain)

    @cached_property
    def style(self) -> Representation | None:
        """The style sheet with accent and CSS of the operator, if there is any."""
        accent = write_accent(self.accent) if self.accent else ""
        text = accent + self.css
        return assets.make("custom", "css", CSS, text.encode()) if text else None

    @cached_property
    def assets(self) -> Mapping[str, Representation]:
        """All files by address."""
        files = (self.logo, self.icon, self.style)
        return {file.path: file for file in files if file is not None}


NO_BRANDING: Final = Branding()
