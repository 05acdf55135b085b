"""The examples for Caddy and nginx in docs/how-to/operator/files pass requests over TLS to a real web process."""

import http.client
import os
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from tests.ports import reserve_port, serves
from tests.tournaments.site import ROOT
from tournaments.setup.bootstrap.children import Child, tied_to_parent

pytestmark = [pytest.mark.serial, pytest.mark.slow, pytest.mark.thorough]
FILES = ROOT / "docs" / "how-to" / "operator" / "files"
NAME = "bots.example.org"


def caddy(directory: Path, web: int, plain: int, tls: int) -> list[str]:
    """Return the command of Caddy with the example, and a certificate of its own instead of a public one."""
    text = (FILES / "Caddyfile").read_text()
    assert text.count(f"{NAME} {{") == text.count("127.0.0.1:8000") == 1
    options = f"admin off\nskip_install_trust\nhttp_port {plain}\nhttps_port {tls}\nstorage file_system {directory}\n"
    text = text.replace("\tservers {", f"{options}\tservers {{", 1).replace(f"{NAME} {{", f"{NAME} {{\ntls internal\n")
    (directory / "Caddyfile").write_text(text.replace("127.0.0.1:8000", f"127.0.0.1:{web}"))
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(directory / "Caddyfile")]


def nginx(directory: Path, web: int, plain: int, tls: int) -> list[str]:
    """Return the command of nginx with the example, and a certificate of its own."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
                    "-keyout", directory / "key", "-out", directory / "pem"], check=True, capture_output=True)
    text = (FILES / "nginx.conf").read_text()
    for old, new in {
        "listen 80;": f"listen 127.0.0.1:{plain} reuseport;", "listen [::]:80;": "",
        "listen 443 ": f"listen 127.0.0.1:{tls} reuseport ",
        "listen [::]:443 ssl http2;": "", "http://127.0.0.1:8000": f"http://127.0.0.1:{web}",
        f"/etc/ssl/{NAME}.pem": str(directory / "pem"), f"/etc/ssl/private/{NAME}.key": str(directory / "key"),
    }.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (directory / "squarefield.conf").write_text(text)
    places = "".join(f"{kind}_temp_path {directory}/{kind};\n" for kind in
                     ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (directory / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {directory}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{ access_log off;\n{places}include {directory}/squarefield.conf; }}\n")
    return ["nginx", "-c", str(directory / "nginx.conf")]


def ask(port: int, *, tls: bool) -> tuple[int, dict[str, str]]:
    """Return status and headers of a request."""
    unverified = ssl._create_unverified_context()  # noqa: S323 - the certificate is the test's own
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
        connection = http.client.HTTPConnection(NAME)
        connection.sock = unverified.wrap_socket(plain, server_hostname=NAME) if tls else plain
        connection.request("GET", "/api/rulesets/")
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}


def answers(port: int) -> bool:
    """Return whether the proxy has its certificate; Caddy listens before."""
    try:
        return ask(port, tls=True)[0] > 0
    except OSError:
        return False


@pytest.mark.parametrize("proxy", [caddy, nginx])
def test_a_proxy_serves_the_site_over_tls_only(proxy, site, tmp_path):
    site.environment["SQUAREFIELD_DOMAIN"] = NAME
    # Both proxies share ports, as the web process does.
    web, plain, tls = reserve_port(), reserve_port(), reserve_port()
    program, *words = proxy(tmp_path, web, plain, tls)
    if (found := shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")) is None:
        pytest.skip(f"needs {program}")
    site.start("web", "--port", str(web), "--processes", "1")
    site.wait_for(lambda: serves(web))
    child = Child(tied_to_parent([found, *words]), tmp_path / "log",
                  env={**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)})
    child.start()
    try:
        child.wait_until(lambda: answers(tls))
        status, headers = ask(tls, tls=True)
        assert status == 200
        assert "strict-transport-security" in headers
        status, headers = ask(plain, tls=False)
        assert status in (301, 308)
        assert headers["location"].startswith(f"https://{NAME}")
    finally:
        child.stop()
