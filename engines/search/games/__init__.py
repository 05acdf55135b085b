"""What the search knows of single games: their judges, and ways to complete their positions at random."""
