"""TOML files of commands and agents: a text, and fields that describe it.

Gemini CLI has commands of this form, Codex agents.
"""

import tomllib

from asdlc_kb.frontmatter.lenient import LenientFrontmatter
from asdlc_kb.project.artifact_file import ArtifactFile
from asdlc_kb.project.scanner import ProjectScanner


def read_toml(
    scanner: ProjectScanner, file: ArtifactFile, text: str, body: str
) -> LenientFrontmatter | None:
    """Return the fields of a file, with that of its text as the body.

    A file that is not TOML, or has no such text, is a problem.
    """
    try:
        fields = tomllib.loads(text)
    except (ValueError, RecursionError):
        scanner.report(file.shown, "KB040", "is not valid TOML: correct it")
        return None
    content = fields.pop(body, None)
    if not isinstance(content, str) or not content.strip():
        scanner.report(file.shown, "KB040", f"has no text: add a field '{body}'")
        return None
    described = {name: v for name, v in fields.items() if isinstance(v, str)}
    return LenientFrontmatter(described, content)
