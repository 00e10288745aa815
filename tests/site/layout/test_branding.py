"""The operator's look of the website."""

from support.pictures import make_png

from asdlc_kb.site.layout import assets
from asdlc_kb.site.layout.accent import Colour
from asdlc_kb.site.layout.branding import NO_BRANDING, Branding, LogoFile

PNG = LogoFile("png", "image/png", make_png(40, 20))
PURPLE = Colour(0x7C, 0x3A, 0xED)


def test_by_default_the_site_has_its_own_mark() -> None:
    """No further style sheet, and the icon of the package."""
    assert NO_BRANDING.logo is None
    assert NO_BRANDING.logo_size is None
    assert NO_BRANDING.style is None
    assert NO_BRANDING.icon == assets.find(assets.address("icon.svg"))
    assert set(NO_BRANDING.assets) == {assets.address("icon.svg")}


def test_a_logo_is_an_asset_and_the_icon() -> None:
    """At an address with its digest, with the size of its picture."""
    branding = Branding(logo_file=PNG)
    logo = branding.logo
    assert logo is not None
    assert (logo.type, logo.body, logo.is_lasting) == ("image/png", PNG.body, True)
    assert logo.path.startswith("/-/logo.")
    assert logo.path.endswith(".png")
    assert branding.icon is logo
    assert branding.logo_size == (40, 20)
    other = Branding(logo_file=LogoFile("png", "image/png", make_png(41, 20)))
    assert other.logo is not None
    assert other.logo.path != logo.path


def test_an_accent_colours_style_and_icon() -> None:
    """The operator's style sheet follows, so that it can change it."""
    branding = Branding(accent=PURPLE, css=".x { color: red }")
    style = branding.style
    assert style is not None
    assert style.body.startswith(b":root {\n  --accent: light-dark(#7c3aed,")
    assert style.body.endswith(b"}\n.x { color: red }")
    assert b"#7c3aed" in branding.icon.body
    assert b"#0b6b6b" not in branding.icon.body
    assert set(branding.assets) == {style.path, branding.icon.path}


def test_the_icon_has_the_accent_of_the_style_sheet() -> None:
    """So that another accent replaces it."""
    assert assets.read("icon.svg").count(b"#0b6b6b") == 1
