"""Strangers' files in storage, each named by the hash of its content."""

import hashlib

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage


def content_hash(content: bytes) -> str:
    """The hash by which an archive or a built tree is known, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def path_of(directory: str, content: bytes) -> str:
    """Where this content lies, or would lie."""
    return f"{directory}/{content_hash(content)}"


def keep(directory: str, content: bytes) -> str:
    """Store the content, unless it lies there already, and return its path."""
    path = path_of(directory, content)
    if default_storage.exists(path):
        if default_storage.size(path) == len(content):
            return path
        # Cut short by a crash: nothing else can have this name and another size.
        default_storage.delete(path)
    kept = default_storage.save(path, ContentFile(content))
    if kept != path:
        # Somebody stored the same a moment ago, and storage chose another name for ours.
        default_storage.delete(kept)
    return path
