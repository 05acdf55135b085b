"""The Swiss formats: pairings, changes by hand, their repetition from a bundle, and reports. Pure."""
