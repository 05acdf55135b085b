"""Compares the names of players: which spellings are one name, and which names look alike.

A name's skeleton is that of Unicode Technical Standard #39, section 4: texts that look alike have one skeleton.
"""

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

# Marks that are neither visible nor part of a word: soft hyphen, zero-width space, word joiner, byte order mark.
_NO_WIDTH: Final = re.compile("[\u00ad\u200b\u2060\ufeff]")
# The property Default_Ignorable_Code_Point of Unicode 17: fonts show nothing for these characters.
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")


@lru_cache(maxsize=4096)  # files of games name each player many times
def tidy(name: str) -> str:
    """Return the name in Unicode's form NFC, with single ordinary spaces and without marks of no width."""
    return " ".join(unicodedata.normalize("NFC", _NO_WIDTH.sub("", name)).split())


def key(name: str) -> str:
    """Return what all spellings of one name have in common: NFKC, case folded, without characters that show nothing.

    It is empty if the name shows nothing.
    """
    return unicodedata.normalize("NFKC", _shown(name).casefold())


def looks(name: str) -> frozenset[str]:
    """Return the skeletons of the name, as it is written and case folded. Two names that share one look alike."""
    return frozenset({_skeleton(_shown(name)), _skeleton(key(name))})


def _shown(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", _UNSEEN.sub("", name)).split())


def _skeleton(text: str) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).translate(_prototypes()))


@cache
def _prototypes() -> dict[int, str]:
    """Return what each confusable character looks like."""
    lines = files(__package__).joinpath("confusables.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split(";") for line in lines if not line.startswith("#"))
    found = {sign: chr(sign) for sign in range(128)}  # `translate` is slow for a character that is not in the table
    return found | {int(sign, 16): "".join(chr(int(each, 16)) for each in look.split()) for sign, look in rows}
