"""Where bots' archives and builds are kept: in files, or in an S3-compatible store when an address says so."""

import sys
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured

EXAMPLE: Final = "s3://bucket/prefix?endpoint_url=https://s3.example.org&region_name=eu-1"
# What an address may say, in django-storages' words.
_OPTIONS: Final = ("endpoint_url", "region_name", "addressing_style", "signature_version")
# A store that does not answer is given up after half a minute: so long a request of the web may wait for it.
CONNECT_SECONDS: Final = 5
READ_SECONDS: Final = 10
_ATTEMPTS: Final = 2


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
            # Strangers' code: the bucket is for the site alone, and nobody is ever sent to it.
            "default_acl": None,
            "querystring_auth": False,
            # Files are named by their content, so there is nothing to write over.
            "file_overwrite": False,
        },
    }


def is_unreachable(error: BaseException) -> bool:
    """Whether an S3-compatible store did not answer in time, or could not be reached."""
    # Where nothing has loaded it, it has raised nothing.
    botocore = sys.modules.get("botocore.exceptions")
    return botocore is not None and isinstance(error, botocore.HTTPClientError)
