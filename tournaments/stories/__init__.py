"""Stories about rated games: which facts make one, and which of them a short list has. Pure, and without words."""
