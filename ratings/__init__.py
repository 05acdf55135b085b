"""From results to numbers: pure arithmetic, and its Django edge (models, services, selectors, admin)."""
