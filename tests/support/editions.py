"""Documentation in several versions and languages, as Docusaurus keeps it."""

from pathlib import Path

from support.files import save_over

CONFIGURATION = """module.exports = {
  title: "Site",
  i18n: {defaultLocale: "en", locales: ["en", "fr", "ar"]},
  presets: [],
};
"""

TRANSLATED = "i18n/{}/docusaurus-plugin-content-docs/version-2.0"

FILES = {
    "docusaurus.config.js": CONFIGURATION,
    "versions.json": '["2.0", "1.10", "1.9"]',
    "docs/intro.md": "# Next intro\n",
    "docs/planned.md": "# Planned\n",
    "versioned_docs/version-2.0/intro.md": "# Intro\n\nplover two\n",
    "versioned_docs/version-2.0/guide/use.md": "# Use\n\nplover use\n",
    "versioned_docs/version-1.10/intro.md": "# Intro of ten\n\nplover ten\n",
    "versioned_docs/version-1.10/old.md": "# Old\n\nplover old\n",
    "versioned_docs/version-1.9/intro.md": "# Intro of nine\n\nplover nine\n",
    f"{TRANSLATED.format('fr')}/intro.md": "# Début\n\nplover deux\n",
    f"{TRANSLATED.format('fr')}/guide/use.md": "# Utiliser\n",
    f"{TRANSLATED.format('ar')}/intro.md": "# مقدمة\n",
}
"""Version 2.0 is the default; it has translations."""


def write_editions(root: Path) -> Path:
    """Write the documentation into a folder; return that."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        save_over(root / name, text)
    return root
