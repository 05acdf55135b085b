"""Static files with hashes in their names, including in imports between scripts."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """WhiteNoise's storage with rewritten `import` lines in ES modules, so that browser caches never mix releases."""

    support_js_module_import_aggregation = True
