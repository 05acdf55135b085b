"""Template loader that removes the indentation from pages, a quarter of their size."""

import re

from django.template.base import Origin
from django.template.loaders.app_directories import Loader

# Line breaks stay, so that errors name the right line. `<pre>` and `<textarea>` are on one line in our templates.
_INDENTATION = re.compile(r"(?<=\n)[ \t]+")


class UnindentedLoader(Loader):
    """Loader for templates in the apps' directories; it removes the indentation of HTML templates."""

    def get_contents(self, origin: Origin) -> str:
        contents = super().get_contents(origin)
        return _INDENTATION.sub("", contents) if origin.name.endswith(".html") else contents
