"""Where the package is published: `published.toml`, and what follows from it for files.

What is not published has no address: a README of a built package keeps its relative
links, and its metadata names no project page.
"""

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_VERSION: Final = re.compile(r'(?m)^__version__(?:: \w+)? = "(.+)"$')
_LINK: Final = re.compile(r"(?P<start>(?P<picture>!?)\[[^]]*\]\()(?P<target>[^)\s]+)\)")
_FENCE: Final = re.compile(r"(?ms)(^```.*?^```$)")


@dataclass(frozen=True)
class Published:
    """The places that have the package."""

    repository: str
    """Empty, or an https address without a slash at the end."""
    index: bool
    """Whether PyPI has it."""
    image: str
    """Empty, or an image without its tag."""

    def __post_init__(self) -> None:
        """Raise ValueError for what no page should show."""
        if not re.fullmatch(r"|https://[^\s/]+/[^\s]*[^\s/]", self.repository):
            raise ValueError(f"repository: {self.repository!r}")
        if not re.fullmatch(r"|[a-z0-9.-]+(:\d+)?(/[a-z0-9._-]+)+", self.image):
            raise ValueError(f"image: {self.image!r}")


def read_published() -> Published:
    """Return what `published.toml` states."""
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return Published(**tomllib.loads(text))


def read_version() -> str:
    """Return the version of the package in this tree."""
    source = (ROOT / "asdlc_kb" / "__init__.py").read_text(encoding="utf-8")
    (version,) = _VERSION.findall(source)
    return str(version)


def make_links_absolute(text: str, published: Published, version: str) -> str:
    """Return a README of the root whose links work on other sites, such as PyPI.

    They lead to the tag of the version. Without a repository the text stays as it is.
    """
    if not published.repository:
        return text

    def replace(match: re.Match[str]) -> str:
        target = match["target"]
        if target.startswith(("#", "http:", "https:", "mailto:")):
            return match[0]
        kind = "raw" if match["picture"] else "blob"
        base = f"{published.repository}/{kind}/v{version}"
        return f"{match['start']}{base}/{target})"

    # Odd parts are code.
    parts = _FENCE.split(text)
    parts[::2] = [_LINK.sub(replace, part) for part in parts[::2]]
    return "".join(parts)


def add_project_urls(config: str, published: Published, version: str) -> str:
    """Return a `setup.cfg` with the addresses of the project, if there are any."""
    if not (base := published.repository):
        return config
    urls = {
        "Source": base,
        "Documentation": f"{base}/blob/v{version}/docs/README.md",
        "Changelog": f"{base}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{base}/issues",
    }
    lines = "".join(f"    {name} = {address}\n" for name, address in urls.items())
    return config.replace("[metadata]\n", f"[metadata]\nproject_urls =\n{lines}", 1)


def add_extension_urls(manifest: str, published: Published) -> str:
    """Return the extension's `package.json` with the repository, if it is public."""
    if not (base := published.repository):
        return manifest
    urls = {
        "homepage": base,
        "repository": {"type": "git", "url": f"{base}.git"},
        "bugs": {"url": f"{base}/issues"},
    }
    return json.dumps(json.loads(manifest) | urls, indent=2) + "\n"


def describe_entry(published: Published, version: str, bundle: bytes) -> str:
    """Return the entry for the MCP Registry: what is published, and its digest."""
    entry = json.loads((ROOT / "deploy" / "server.json").read_text(encoding="utf-8"))
    if not published.index:
        entry["packages"] = []
    if base := published.repository:
        entry["repository"] = {"url": base, "source": base.split("/")[2].split(".")[0]}
        file = f"{base}/releases/download/v{version}/asdlc-kb-{version}.mcpb"
        digest = hashlib.sha256(bundle).hexdigest()
        package = {"registryType": "mcpb", "identifier": file, "version": version}
        transport = {"transport": {"type": "stdio"}, "fileSha256": digest}
        entry["packages"].append(package | transport)
    return json.dumps(entry, indent=2) + "\n"
