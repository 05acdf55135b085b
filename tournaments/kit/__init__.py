"""The author's kit: the command `squarefield`, from a new bot over games at home to its submission."""
