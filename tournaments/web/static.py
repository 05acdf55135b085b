"""Static files under names that carry their hashes, in scripts that import one another too."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """WhiteNoise's, with the `import` lines of ES modules rewritten: a browser's cache never mixes two releases."""

    support_js_module_import_aggregation = True
