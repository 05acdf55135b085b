"""Bots, events and matches: the service, and the site's shell (settings, urls, celery).

Nothing is imported here: `manage.py` reads `tournaments.setup.bootstrap` before any package is installed.
"""
