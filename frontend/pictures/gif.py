"""Put an animated picture together and write it as GIF of at most MOST_BYTES."""

import io
import time
from collections.abc import Sequence
from typing import Final, TypeVar

from PIL import Image
from PIL.Image import Dither

from frontend.pictures.film import CAPTION, SPRITES, WIDTH, Film, Still
from frontend.pictures.kept import MOST_BYTES
from frontend.pictures.png import png_of

# Colours of the palette. If the file is too large, fewer are tried, and then every other frame is left out.
_COLOURS: Final = (64, 32, 16)
_Item = TypeVar("_Item")


class TooSlow(Exception):
    """The picture takes too long to draw."""


def gif_of(film: Film, *, seconds: float) -> bytes:
    """Draw the film. Raises TooSlow after about `seconds` of processor time."""
    deadline = time.thread_time() + seconds
    drawn = _drawn(film, deadline)
    durations = [still.milliseconds for still in film.stills]
    while True:
        for colours in _COLOURS:
            _check(deadline)
            written = _written(drawn, durations, colours)
            if len(written) <= MOST_BYTES:
                return written
        drawn, durations = _halved(drawn), _halved(durations)


def _drawn(film: Film, deadline: float) -> list[Image.Image]:
    back = _image(film.back, WIDTH).convert("RGB")
    row = _image(film.sprites, SPRITES * film.side)
    sprites = [row.crop((kind * film.side, 0, (kind + 1) * film.side, film.side)) for kind in range(SPRITES)]
    captions = _image(film.captions, WIDTH)
    above: dict[str, Image.Image] = {}
    frames = []
    for still in film.stills:
        _check(deadline)
        if still.over and still.over not in above:
            above[still.over] = _image(still.over, WIDTH)
        frames.append(_frame(still, back, sprites, captions, above))
    return frames


def _frame(still: Still, back: Image.Image, sprites: Sequence[Image.Image], captions: Image.Image,
           above: dict[str, Image.Image]) -> Image.Image:
    frame = back.copy()
    for kind, x, y in still.pastes:
        frame.paste(sprites[kind], (x, y), sprites[kind])
    if still.over:
        frame.paste(above[still.over], (0, 0), above[still.over])
    words = captions.crop((0, CAPTION * still.line, WIDTH, CAPTION * (still.line + 1)))
    frame.paste(words, (0, frame.height - CAPTION), words)
    return frame


def _image(svg: str, width: int) -> Image.Image:
    return Image.open(io.BytesIO(png_of(svg, width=width)), formats=("PNG",)).convert("RGBA")


def _written(frames: Sequence[Image.Image], durations: Sequence[int], colours: int) -> bytes:
    # One palette for all frames, from the first, the middle and the last: equal pixels stay equal, and are not stored.
    several = Image.new("RGB", (WIDTH, 3 * frames[0].height))
    for place, number in enumerate((0, len(frames) // 2, -1)):
        several.paste(frames[number], (0, place * frames[0].height))
    palette = several.quantize(colours, dither=Dither.NONE)
    few = [frame.quantize(palette=palette, dither=Dither.NONE) for frame in frames]
    file = io.BytesIO()
    few[0].save(file, "GIF", save_all=True, append_images=few[1:], duration=list(durations), loop=0, optimize=True)
    return file.getvalue()


def _halved(items: Sequence[_Item]) -> list[_Item]:
    """Every other item, with the last."""
    return [*items[:-1][::2], items[-1]]


def _check(deadline: float) -> None:
    if time.thread_time() >= deadline:
        raise TooSlow
