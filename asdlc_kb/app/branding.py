"""The settings of the website's look, and the files that they name."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from asdlc_kb.attachments.file_types import AttachmentKind, find_type
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.site.layout.branding import Branding, LogoFile

BRANDING: Final = ("logo", "accent", "custom_css", "footer", "announcement")
"""Settings of the website's look."""

MAX_LOGO_BYTES: Final = 512 * 1024
MAX_STYLE_BYTES: Final = 256 * 1024


def open_branding(settings: Settings) -> "Branding | None":
    """Return the website's look; None if nothing is set.

    Raises SettingsError for a value that cannot be used, OperationalError for a file
    that cannot be read.
    """
    if not any(getattr(settings, name) for name in BRANDING):
        return None
    from asdlc_kb.site.layout.accent import read_colour
    from asdlc_kb.site.layout.branding import Branding

    accent = read_colour(settings.accent) if settings.accent else None
    if settings.accent and accent is None:
        raise SettingsError(
            f"--accent: {settings.accent!r} is not a color; write it as #0b6b6b or #0bb"
        )
    return Branding(
        _open_logo(settings.logo) if settings.logo else None,
        accent,
        _read_style(settings.custom_css) if settings.custom_css else "",
        settings.footer or "",
        settings.announcement or "",
    )


def _open_logo(path: str) -> "LogoFile":
    from asdlc_kb.site.layout.branding import LogoFile

    type = find_type(path)
    if type is None or type.kind is not AttachmentKind.PICTURE:
        raise SettingsError(
            f"--logo: {path} is not a picture; name a file that ends in .svg, .png, "
            ".webp, .avif, .jpg or .gif"
        )
    suffix = path.rpartition(".")[2].lower()
    return LogoFile(suffix, type.media_type, _read(path, "logo", MAX_LOGO_BYTES))


def _read_style(path: str) -> str:
    if not path.lower().endswith(".css"):
        raise SettingsError(f"--custom-css: {path} does not end in .css")
    try:
        return _read(path, "custom-css", MAX_STYLE_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"--custom-css: {path} is not UTF-8") from None


def _read(path: str, flag: str, max_bytes: int) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise OperationalError(
            f"--{flag}: cannot read {path}: {error.strerror}"
        ) from None
    if len(data) > max_bytes:
        raise SettingsError(f"--{flag}: {path} is larger than {max_bytes:,} bytes")
    return data
