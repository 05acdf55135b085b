"""The site as a WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournaments.settings")

_django = get_wsgi_application()

from tournaments.web.content_types import with_readable_content_types  # noqa: E402 - needs Django set up

application = with_readable_content_types(_django)
