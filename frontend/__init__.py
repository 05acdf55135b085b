"""What people look at: pages, boards, styles. Reads through `tournaments.selectors`, writes through its services."""
