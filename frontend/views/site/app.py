"""The site as an app that browsers can install: manifest, icons, service worker, and the page without a network."""

import json
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import mark_safe

from frontend.pictures.png import png_of

# As --bg in site.css, in the light and in the dark theme.
THEMES: Final = ("#fbfaf7", "#131417")
_STATIC: Final = Path(__file__).resolve().parents[2] / "static" / "frontend"
_TEMPLATES: Final = Path(__file__).resolve().parents[2] / "templates" / "frontend"
# Systems cut a maskable icon to any shape that contains the circle of 80 % in its middle.
_SAFE: Final = 0.75


def manifest(request: HttpRequest) -> HttpResponse:
    """The web app manifest (W3C)."""
    icons = [{"src": reverse("icon", args=[f"{kind}-{side}"]), "sizes": f"{side}x{side}", "type": "image/png",
              "purpose": kind} for kind in ("any", "maskable") for side in ("192", "512")]
    about = {"id": "/", "name": settings.SITE_NAME, "short_name": settings.SITE_NAME, "start_url": reverse("home"),
             "scope": "/", "display": "standalone", "background_color": THEMES[0], "theme_color": THEMES[0],
             "icons": icons}
    return HttpResponse(json.dumps(about), content_type="application/manifest+json", headers=_cached(3600))


def icon(request: HttpRequest, name: str) -> HttpResponse:
    """The site's mark as PNG; a maskable one fills the whole square with its background."""
    kind, _, side = name.partition("-")
    return HttpResponse(_icon(kind, int(side)), content_type="image/png", headers=_cached(86_400))


def service_worker(request: HttpRequest) -> HttpResponse:
    """The service worker. Its first line changes with the page without a network, so that browsers then reload it."""
    page = b"".join(file.read_bytes() for file in (_TEMPLATES / "site" / "offline.html", _STATIC / "site.css"))
    script = (_STATIC / "service-worker.js").read_text("utf-8")
    return HttpResponse(f"// {sha256(page).hexdigest()[:16]}\n{script}", content_type="text/javascript; charset=utf-8",
                        headers={"Cache-Control": "no-cache"})


def offline(request: HttpRequest) -> HttpResponse:
    """The page that browsers show without a network. It is the same for all users, and needs no other file."""
    return render(request, "frontend/site/offline.html", {
        "mark": mark_safe((_STATIC / "mark.svg").read_text("utf-8"))})  # noqa: S308 - our own file


@lru_cache(maxsize=8)
def _icon(kind: str, side: int) -> bytes:
    mark = (_STATIC / "mark.svg").read_text("utf-8").strip()
    if kind == "maskable":
        head, _, inner = mark.partition(">")
        square, shift = f"{head}><rect width='28' height='28' fill='#efe7d8'/>", 14 * (1 - _SAFE)
        inner = inner.removesuffix("</svg>")
        mark = f"{square}<g transform='translate({shift} {shift}) scale({_SAFE})'>{inner}</g></svg>"
    return png_of(mark, width=side)


def _cached(seconds: int) -> dict[str, str]:
    return {"Cache-Control": f"public, max-age={seconds}"}
