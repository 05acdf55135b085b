"""Environment variables whose values are in files, as container engines and systemd pass secrets.

`NAME_FILE=/run/secrets/name` stands for `NAME=<content of the file>`, for every variable that the settings read.
"""

from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping


class SecretFiles(FileAwareMapping):
    """The environment, in which `NAME` is the content of the file named by `NAME_FILE`, without its last line end.

    Raises ImproperlyConfigured on access if the file cannot be read, or if both variables are set.
    """

    def __getitem__(self, key: str) -> str:
        file = self.env.get(f"{key}_FILE")
        if not file:
            return self.env[key]
        if self.env.get(key):
            raise ImproperlyConfigured(f"Both {key} and {key}_FILE are set: unset one of them.")
        try:
            text: str = super().__getitem__(key)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
            raise ImproperlyConfigured(f"{key}_FILE: cannot read {file}: {reason}.") from None
        return text.removesuffix("\n").removesuffix("\r")
