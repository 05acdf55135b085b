"""Where bots' archives and builds are kept: in files, or in an S3-compatible store when an address says so."""

from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured

EXAMPLE: Final = "s3://bucket/prefix?endpoint_url=https://s3.example.org&region_name=eu-1"
# What an address may say, in django-storages' words.
_OPTIONS: Final = ("endpoint_url", "region_name", "addressing_style", "signature_version")


def storage_for(url: str, *, directory: str) -> dict[str, Any]:
    """Django's setting for the storage at `s3://bucket/prefix?option=value`; files in `directory` for an empty address.

    Keys come from where boto3 looks for them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the machine's role.
    Raises ImproperlyConfigured.
    """
    if not url:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": directory}}
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    unknown = sorted(options.keys() - set(_OPTIONS))
    if parts.scheme != "s3" or not parts.hostname or unknown or "@" in parts.netloc:
        reason = f"it has {', '.join(unknown)}, and may have {', '.join(_OPTIONS)}" if unknown else (
            "keys belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" if "@" in parts.netloc else
            f"an address looks like {EXAMPLE}")
        raise ImproperlyConfigured(f"SQUAREFIELD_STORAGE_URL is not understood: {reason}.")
    if find_spec("boto3") is None or find_spec("storages") is None:
        raise ImproperlyConfigured("SQUAREFIELD_STORAGE_URL needs the packages of the extra `s3`: "
                                   "pip install 'django-storages[s3]'.")
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            **options,
            "bucket_name": parts.netloc,
            "location": parts.path.strip("/"),
            # Strangers' code: the bucket is for the site alone, and nobody is ever sent to it.
            "default_acl": None,
            "querystring_auth": False,
            # Files are named by their content, so there is nothing to write over.
            "file_overwrite": False,
        },
    }
