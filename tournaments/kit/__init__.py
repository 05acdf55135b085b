"""The kit for bot authors: the command `squarefield`, from a new bot through local games to its submission."""
