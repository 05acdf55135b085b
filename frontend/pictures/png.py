"""Convert SVG to PNG with resvg and the site's own font."""

from pathlib import Path
from typing import Final

import resvg_py

_FONTS: Final = str(Path(__file__).with_name("fonts"))
# Fonts installed by the operator, for the scripts that the site's font does not cover.
_OTHERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts")
_LAST_OWN: Final = 0x24F
_OWN_BLOCKS: Final = ((0x370, 0x3FF), (0x400, 0x45F), (0x2010, 0x2027))


def png_of(svg: str, *, width: int) -> bytes:
    """The drawing as a PNG of `width` pixels. Its text is set in Inter Semibold."""
    # Scanning the machine's fonts takes longer than drawing, so it is done only for letters that our font lacks. They
    # are not passed as resvg's system fonts, because resvg would then not find ours.
    others = () if all(_is_own(character) for character in svg) else _OTHERS
    return bytes(resvg_py.svg_to_bytes(
        svg_string=svg, width=width, skip_system_fonts=True, font_family="Inter", sans_serif_family="Inter",
        font_dirs=[_FONTS, *(place for place in others if Path(place).is_dir())]))


def _is_own(character: str) -> bool:
    code = ord(character)
    return code <= _LAST_OWN or any(first <= code <= last for first, last in _OWN_BLOCKS)
