"""Texts of events: formats with rules of their own, brackets and standings."""
