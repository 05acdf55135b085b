"""The rules of the games, the referee, the sandbox and the tools for bots' authors.

Nothing below this package imports Django, Celery, Redis or a database, and nothing but the standard
library is needed to run it.
"""
