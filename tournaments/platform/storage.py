"""Storage of bots' archives and builds: in files, or in an S3-compatible store if a URL is configured."""

import sys
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured

EXAMPLE: Final = "s3://bucket/prefix?endpoint_url=https://s3.example.org&region_name=eu-1"
# Options of a URL, named as in django-storages.
_OPTIONS: Final = ("endpoint_url", "region_name", "addressing_style", "signature_version")
# A request waits at most half a minute for a store that does not answer.
CONNECT_SECONDS: Final = 5
READ_SECONDS: Final = 10
_ATTEMPTS: Final = 2


def storage_for(url: str, *, directory: str) -> dict[str, Any]:
    """Return Django's setting for the storage at `s3://bucket/prefix?option=value`, or in `directory` for an empty URL.

    Boto3 finds the keys: in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or by the machine's role.
    Raises ImproperlyConfigured.
    """
    if not url:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": directory}}
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    unknown = sorted(options.keys() - set(_OPTIONS))
    if parts.scheme != "s3" or not parts.hostname or unknown or "@" in parts.netloc:
        reason = f"unknown options {', '.join(unknown)}; supported are {', '.join(_OPTIONS)}" if unknown else (
            "put the keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" if "@" in parts.netloc else
            f"use the form {EXAMPLE}")
        raise ImproperlyConfigured(f"SQUAREFIELD_STORAGE_URL is invalid: {reason}.")
    if find_spec("boto3") is None or find_spec("storages") is None:
        raise ImproperlyConfigured("SQUAREFIELD_STORAGE_URL needs additional packages. Run: pip install "
                                   "'django-storages[s3]'.")
    from botocore.config import Config

    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            **{name: value for name, value in options.items() if name in ("endpoint_url", "region_name")},
            "client_config": Config(
                s3={"addressing_style": options.get("addressing_style")},
                signature_version=options.get("signature_version"), connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS, retries={"total_max_attempts": _ATTEMPTS, "mode": "standard"}),
            "bucket_name": parts.netloc,
            "location": parts.path.strip("/"),
            # The bucket holds untrusted code. It is for the site only, and no user is ever redirected to it.
            "default_acl": None,
            "querystring_auth": False,
            # Files are named by their content, so none is ever overwritten.
            "file_overwrite": False,
        },
    }


def is_unreachable(error: BaseException) -> bool:
    """Return whether the error means that an S3-compatible store did not answer in time or could not be reached."""
    # If botocore is not loaded, it cannot have raised the error.
    botocore = sys.modules.get("botocore.exceptions")
    return botocore is not None and isinstance(error, botocore.HTTPClientError)
