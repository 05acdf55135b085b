"""The precision format: when it stops, and which matches it plays next. Pure."""
