"""Notices to the users who asked for them."""
