"""The rules of the games, the referee, the sandbox and the tools for bot authors.

Nothing in this package imports Django, Celery, Redis or a database. It needs only the standard library.
"""
