"""Chances that bots report: counts of them, and how often they were right."""
