"""The version of Squarefield: of the library `squarefield`, of its wheels, and of the site."""

from typing import Final

VERSION: Final = "1.0.0"
