"""The paths by which the extension for editors detects a project: those of the server.

`python deploy/release/detected_paths.py` writes them into the extension's sources; a
test compares them.
"""

import json
from typing import Final

from published import ROOT

from asdlc_kb.project import detection

PATHS: Final = ROOT / "deploy" / "editor" / "src" / "detected-paths.json"


def describe_paths() -> str:
    """Return the JSON: files, folders with an entry, folders with a file one below.

    A star in the last name of a folder is any text.
    """
    paths = {
        "files": sorted(set(detection._FILES)),
        "folders": sorted({name.rstrip("/") for name in detection._FOLDERS}),
        "inside": detection._INSIDE,
    }
    return json.dumps(paths, indent=2) + "\n"


def main() -> None:
    """Write the file."""
    PATHS.write_text(describe_paths(), encoding="utf-8")


if __name__ == "__main__":
    main()
