"""Pictures and videos of sanitized HTML: those that are served, others by name.

Works on the output of `markup.html_renderer`, in which `<` begins a tag everywhere: the
sanitizer escapes it in texts and in attribute values.
"""

import re
from collections.abc import Callable, Mapping
from html import escape, unescape
from typing import Final, NamedTuple, TypeAlias

MAX_SOURCES: Final = 10
"""Sources of one video or picture, and candidates of one `srcset`."""


class Picture(NamedTuple):
    """A picture or video that is served."""

    address: str
    width: int = 0
    """CSS pixels; 0 if unknown."""
    height: int = 0


ResolvePicture: TypeAlias = Callable[[str], Picture | None]
"""Returns the picture to which a reference leads; None if it is not served."""

_THEMES: Final = {
    "only-light": "only-light",
    "only-dark": "only-dark",
    "gh-light-mode-only": "only-light",
    "gh-dark-mode-only": "only-dark",
}
"""Classes of pictures for one theme, by the fragment of the reference."""
_LIGHT: Final = frozenset({"only-light", "dark:hidden", "dark:sl-hidden"})
"""Classes of a picture for the light theme, as generators name them."""
_DARK: Final = frozenset({"only-dark", "light:sl-hidden"})
_UNHIDDEN: Final = frozenset(
    f"dark:{shown}" for shown in ("block", "inline", "inline-block", "flex")
)
"""Classes that show a `hidden` picture in the dark theme."""
CLASSES: Final = _LIGHT | _DARK | _UNHIDDEN | {"hidden"}
"""The classes of pictures that mean something here."""

_GROUP: Final = re.compile(r"<(video|picture)\b([^>]*)>(.*?)</\1>", re.DOTALL)
_TAG: Final = re.compile(r"<(/?)(a|img|source|video|picture)\b([^>]*)>")
_TAG_NAMES: Final = re.compile(r"<(?:img|video|picture|source)\b")
_ATTRIBUTE: Final = re.compile(r" ([a-z-]+)=\"([^\"]*)\"")
_EXTERNAL: Final = re.compile(r"(?i)https?://")
_PIXELS: Final = re.compile(r"[1-9][0-9]{0,3}")
_PERCENT: Final = re.compile(r"(?:100|[1-9]?[0-9])%")
_CANDIDATE: Final = re.compile(
    r"\s*+([^\s,]++)(?:\s++([0-9.]{1,8}[wx]))?\s*+(?:,|\Z)", re.ASCII
)
_MEDIA: Final = re.compile(r"[\w\s():.,-]{1,200}", re.ASCII)
_TYPE: Final = re.compile(r"(?:image|video)/[\w.+-]{1,40}", re.ASCII)


def no_picture(source: str) -> None:
    """Return None: no picture is served."""


def write_pictures(html: str, resolve: ResolvePicture) -> str:
    """Return sanitized HTML in which each picture is one that is served, or a text."""
    if not _TAG_NAMES.search(html):
        return html
    return _Writer(resolve).write(html)


class _Writer:
    """Writes the pictures of one text."""

    def __init__(self, resolve: ResolvePicture) -> None:
        self._resolve = resolve
        self._is_link = False

    def write(self, html: str) -> str:
        """Return HTML with its pictures and videos."""
        parts: list[str] = []
        at = 0
        for group in _GROUP.finditer(html):
            parts.append(_TAG.sub(self._write_tag, html[at : group.start()]))
            if group[1] == "video":
                parts.append(self._write_video(_read(group[2]), group[3]))
            else:
                parts.append(self._write_choice(group[3]))
            at = group.end()
        parts.append(_TAG.sub(self._write_tag, html[at:]))
        return "".join(parts)

    def _write_tag(self, match: re.Match[str]) -> str:
        name = match[2]
        if name == "a":
            self._is_link = not match[1]
            return match[0]
        if name == "img":
            return self._write_picture(_read(match[3]))
        # A source of nothing, or what is left of a video in a video.
        return ""

    def _write_choice(self, below: str) -> str:
        """Return a `<picture>` with its sources; without them if it has no picture."""
        shown = _TAG.sub(self._write_tag, below)
        if "<img" not in shown:
            return shown
        tags = [_read(tag[3]) for tag in _TAG.finditer(below) if tag[2] == "source"]
        sources = map(self._write_source, tags[:MAX_SOURCES])
        return f"<picture>{''.join(sources)}{shown.strip()}</picture>"

    def _write_picture(self, given: Mapping[str, str]) -> str:
        source = given.get("src", "")
        picture = self._find(source)
        if picture is None:
            return self._name(source, given)
        shown = {"src": picture.address, "alt": given.get("alt", "")}
        shown |= {key: given[key] for key in ("title", "id") if given.get(key)}
        if theme := _find_theme(source, given.get("class", "")):
            shown["class"] = theme
        shown |= _write_size(given, picture)
        if candidates := self._write_candidates(given.get("srcset", "")):
            shown["srcset"] = candidates
            if _MEDIA.fullmatch(given.get("sizes", "")):
                shown["sizes"] = given["sizes"]
        shown |= {"loading": "lazy", "decoding": "async"}
        return f"<img{_write(shown)}>"

    def _write_source(self, given: Mapping[str, str]) -> str:
        """Return a `<source>` if each of its files is served, or an empty text."""
        shown: dict[str, str] = {}
        if (found := self._find(given.get("src", ""))) is not None:
            shown["src"] = found.address
        if candidates := self._write_candidates(given.get("srcset", "")):
            shown["srcset"] = candidates
        if not shown:
            return ""
        for key, allowed in (("media", _MEDIA), ("sizes", _MEDIA), ("type", _TYPE)):
            if allowed.fullmatch(given.get(key, "")):
                shown[key] = given[key]
        return f"<source{_write(shown)}>"

    def _write_video(self, given: Mapping[str, str], below: str) -> str:
        tags = [_read(tag[3]) for tag in _TAG.finditer(below) if tag[2] == "source"]
        tags = tags[:MAX_SOURCES]
        named = [given.get("src", ""), *(tag.get("src", "") for tag in tags)]
        served = [found for source in named if (found := self._find(source))]
        if not served:
            return self._name(next(filter(None, named), ""), given)
        shown = {"controls": "", "preload": "metadata"}
        if (poster := self._find(given.get("poster", ""))) is not None:
            shown["poster"] = poster.address
        shown |= _write_size(given, served[0])
        name = _find_name(named[0] or named[-1], given)
        shown["aria-label"] = name
        sources = "".join(f"<source{_write({'src': f.address})}>" for f in served)
        link = escape(name, quote=False)
        if not self._is_link:
            link = f"<a{_write({'href': served[0].address})}>{link}</a>"
        return f"<video{_write(shown)}>{sources}{link}</video>"

    def _write_candidates(self, srcset: str) -> str:
        """Return a `srcset` if each candidate is served, or an empty text."""
        shown: list[str] = []
        at = 0
        for match in _CANDIDATE.finditer(srcset):
            picture = self._find(match[1])
            is_apart = match.start() != at
            if picture is None or is_apart or len(shown) == MAX_SOURCES:
                return ""
            # A comma would end the candidate.
            address = picture.address.replace(",", "%2C")
            shown.append(f"{address} {match[2]}" if match[2] else address)
            at = match.end()
        return ", ".join(shown) if at == len(srcset) else ""

    def _find(self, source: str) -> Picture | None:
        return self._resolve(source) if source else None

    def _name(self, source: str, given: Mapping[str, str]) -> str:
        """Return the text for a picture that is not served.

        The name of a picture on another site leads there, except in a link.
        """
        name = escape(_find_name(source, given), quote=False)
        if not _EXTERNAL.match(source):
            return f'<span class="picture">[{name}]</span>'
        shown = f'<span class="picture">{name}</span>'
        return shown if self._is_link else f"<a{_write({'href': source})}>{shown}</a>"


def _read(attributes: str) -> dict[str, str]:
    """Return the attributes of a sanitized tag."""
    return {key: unescape(value) for key, value in _ATTRIBUTE.findall(attributes)}


def _write(attributes: Mapping[str, str]) -> str:
    return "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())


def _write_size(given: Mapping[str, str], picture: Picture) -> dict[str, str]:
    """Return width and height: as given, the other side in proportion."""
    width, height = given.get("width", ""), given.get("height", "")
    if _PERCENT.fullmatch(width):
        return {"width": width}
    pixels = [int(side) if _PIXELS.fullmatch(side) else 0 for side in (width, height)]
    if not any(pixels):
        pixels = [picture.width, picture.height]
    elif not all(pixels) and picture.width and picture.height:
        if pixels[0]:
            pixels[1] = max(1, round(pixels[0] * picture.height / picture.width))
        else:
            pixels[0] = max(1, round(pixels[1] * picture.width / picture.height))
    sides = zip(("width", "height"), pixels, strict=True)
    return {key: str(side) for key, side in sides if side}


def _find_theme(source: str, written: str) -> str:
    """Return the class of a picture for one theme; empty for both."""
    classes = set(written.split())
    if classes & _LIGHT:
        return "only-light"
    if classes & _DARK or ("hidden" in classes and classes & _UNHIDDEN):
        return "only-dark"
    return _THEMES.get(source.partition("#")[2].lower(), "")


def _find_name(source: str, given: Mapping[str, str]) -> str:
    """Return what a picture is called: its text, its title, or its file's name."""
    file = source.partition("#")[0].partition("?")[0].rpartition("/")[2]
    names = (given.get("alt", ""), given.get("aria-label", ""), given.get("title", ""))
    return next(filter(None, map(str.strip, names)), file or "picture")
