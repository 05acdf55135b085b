"""Notices on their way to those who asked for them."""
