"""Histories of events, read from the database as formats take them."""
