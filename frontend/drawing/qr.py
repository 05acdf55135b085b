"""QR codes as SVG. The page sets the size and the colours."""

from django.utils.safestring import SafeString, mark_safe
from qrcode.main import QRCode


def svg(text: str) -> SafeString:
    """The code, with the quiet zone around it. It is hidden from screen readers: the page also shows the text."""
    code = QRCode(border=4)
    code.add_data(text)
    rows = code.get_matrix()
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    size = len(rows)
    return mark_safe(  # noqa: S308 - numbers
        f'<svg viewBox="0 0 {size} {size}" shape-rendering="crispEdges" aria-hidden="true"><path d="{path}"/></svg>')
