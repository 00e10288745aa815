"""The words of the site itself, in eleven languages: `texts.tsv` has a row for each.

A text is named by its English words, in templates and in scripts. Languages without a
column get English, as does traditional Chinese: the column `zh` is simplified.
"""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from asdlc_kb.site.layout import assets
from asdlc_kb.site.layout.languages import ENGLISH

SCRIPTS: Final = ("site.js", "search.js")
"""The scripts that show texts."""

_TABLE: Final = Path(__file__).parent / "texts.tsv"
_TRADITIONAL: Final = re.compile("zh-(hant|hk|mo|tw)(-|$)")
_IN_SCRIPT: Final = re.compile(r'\btranslate\(\s*"([^"]+)"')


class Texts:
    """The texts in one language."""

    def __init__(self, language: str, translations: Mapping[str, str]) -> None:
        self.language = language
        """A language tag (BCP 47)."""
        self._translations = translations

    def __call__(self, text: str, **values: object) -> str:
        """Return a text with values in place of their names in braces.

        Raises KeyError for a text that is not in the table.
        """
        translation = self._translations[text]
        return translation.format(**values) if values else translation

    @property
    def of_scripts(self) -> str:
        """The texts of scripts as JSON; empty for English, which they have."""
        if self.language == ENGLISH:
            return ""
        texts = {text: self(text) for text in list_script_texts()}
        return json.dumps(texts, ensure_ascii=False)


def choose_texts(tag: str) -> Texts:
    """Return the texts for readers of a language (BCP 47)."""
    tag = tag.lower()
    primary = "" if _TRADITIONAL.match(tag) else tag.partition("-")[0]
    texts = read_texts()
    return texts.get(primary, texts[ENGLISH])


@cache
def read_texts() -> Mapping[str, Texts]:
    """Return the texts by language, in the order of the columns."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        languages, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    columns = zip(*rows, strict=True)
    names = [row[0] for row in rows]
    return {
        language: Texts(language, dict(zip(names, column, strict=True)))
        for language, column in zip(languages, columns, strict=True)
    }


@cache
def list_script_texts() -> Sequence[str]:
    """Return the texts that scripts show, in English."""
    scripts = "".join(assets.read(name).decode() for name in SCRIPTS)
    return tuple(dict.fromkeys(_IN_SCRIPT.findall(scripts)))
