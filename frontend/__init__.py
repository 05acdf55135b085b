"""The web pages: views, boards, styles. Reads through `tournaments.selectors`, writes through its services."""
