"""The style sheet as it is sent has the rules of the file."""

from pathlib import Path

from e2e.reader import Reader

from asdlc_kb.site.layout import assets

FOLDER = Path(assets.__file__).parent / "assets"

READ = """(text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  // Custom properties keep the blanks as they are written.
  return [...sheet.cssRules].map((rule) => rule.cssText.replaceAll(/,\\s+/g, ","));
}"""


def test_a_minified_style_sheet_has_the_same_rules(reader: Reader) -> None:
    """As the browser reads them."""
    page = reader.open()
    sent = assets.find(assets.address("style.css"))
    assert sent is not None
    icon = assets.address("callouts.svg").removeprefix("/-/")
    written = (FOLDER / "style.css").read_text(encoding="utf-8")
    rules = page.evaluate(READ, written.replace("callouts.svg", icon))
    assert page.evaluate(READ, sent.body.decode()) == rules
    assert len(rules) > 200
