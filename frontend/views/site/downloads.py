"""The release of the site's own version: the page, the files, and the index that pip reads."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.operations.downloads import SUMS, Download, release

USES: Final[dict[str, Promise]] = {
    "kit": _("author’s kit in one file; needs only Python"),
    "wheel": _("library and kit, for pip"),
    "native": _("faster engine, for pip"),
    "source": _("source code"),
    "sbom": _("list of components (CycloneDX)"),
}
_PROJECTS: Final = ("squarefield", "squarefield-native")
_NOT_BUILT: Final = ("This site has no release files of version {version}. Its operator finds the reason in the log of "
                     "`manage.py web`: /docs/serve-downloads/\n")
_NO_SUCH_FILE: Final = "There is no file {name} in version {version}. /downloads/ lists the files.\n"


def page(request: HttpRequest) -> HttpResponse:
    served = release()
    return render(request, "frontend/documents/downloads.html", {
        "section": "documents", "version": served.version, "files": [(file, USES[file.kind]) for file in served.files],
        "kit": served.of_kind("kit"), "wheel": served.of_kind("wheel"),
        "site": f"{request.scheme}://{request.get_host()}"})


def index(request: HttpRequest, project: str) -> HttpResponse:
    """The files of a project as pip reads them (PEP 503): `pip install --index-url https://SITE/downloads/`."""
    served = release()
    files = [file for file in served.files if project == file.project]
    if not files:
        return _missing(f"{project}/") if served.files else _not_built()
    return render(request, "frontend/documents/downloads_index.html", {"project": project, "files": files})


def file(request: HttpRequest, name: str) -> HttpResponse:
    """A file of the release. Addresses do not change, so clients must revalidate; an unchanged file is not resent."""
    served = release()
    if not served.files:
        return _not_built()
    if name == SUMS:
        return HttpResponse(served.sums, content_type="text/plain; charset=utf-8",
                            headers={"Cache-Control": "public, no-cache"})
    found = served.find(name)
    return _missing(name) if found is None else _sent(request, found)


def _sent(request: HttpRequest, download: Download) -> HttpResponse:
    etag = f'"{download.sha256}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(
        download.path.read_bytes(), content_type=download.media_type,
        headers={"Content-Disposition": f'attachment; filename="{download.name}"'})
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache"
    return response


def _not_built() -> HttpResponse:
    return _plain(_NOT_BUILT.format(version=release().version))


def _missing(name: str) -> HttpResponse:
    return _plain(_NO_SUCH_FILE.format(name=name, version=release().version))


def _plain(text: str) -> HttpResponse:
    # Plain text, because these addresses are requested by pip and curl.
    return HttpResponse(text, status=404, content_type="text/plain; charset=utf-8")
