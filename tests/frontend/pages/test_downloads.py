"""The release on the site: the page, the files, pip's index and the API; and what they say if it was not built."""

import hashlib
import os
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from wsgiref.simple_server import make_server

import pytest
from django.core.wsgi import get_wsgi_application

from engines.version import VERSION as OURS
from frontend.management.commands.web import build_downloads
from tests.tournaments.api import contract
from tournaments.operations.downloads import SUMS, release
from tournaments.setup.bootstrap.environment import BASE_PYTHON

VERSION = "1.2.3"
WHEEL, KIT, SBOM = f"squarefield-{VERSION}-py3-none-any.whl", "squarefield.pyz", f"squarefield-{VERSION}.cdx.json"
NATIVE = f"squarefield_native-{VERSION}-cp311-cp311-manylinux_2_36_x86_64.whl"

_TIMES = count(10**18)


def build(directory: Path, **contents: bytes) -> None:
    """Write these files, named by the constants above, and their hashes."""
    names = {"wheel": WHEEL, "kit": KIT, "sbom": SBOM, "native": NATIVE}
    lines = []
    for kind, content in contents.items():
        (directory / names[kind]).write_bytes(content)
        lines.append(f"{hashlib.sha256(content).hexdigest()}  {names[kind]}\n")
    (directory / SUMS).write_text("".join(lines))
    # A file system may give two quick builds the same time.
    os.utime(directory / SUMS, ns=(next(_TIMES), next(_TIMES)))


def wheel_of(path: Path) -> bytes:
    """Return a wheel with one module, `squarefield`."""
    facts = f"squarefield-{VERSION}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("squarefield.py", "")
        wheel.writestr(f"{facts}/METADATA", f"Metadata-Version: 2.1\nName: squarefield\nVersion: {VERSION}\n")
        wheel.writestr(f"{facts}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{facts}/RECORD", "")
    return path.read_bytes()


@pytest.fixture
def directory(settings, tmp_path) -> Path:
    """The directory of the site's downloads, with nothing in it."""
    settings.RELEASE, settings.DOWNLOADS = VERSION, str(tmp_path)
    return tmp_path


@pytest.fixture
def built(directory) -> dict[str, bytes]:
    contents = {"kit": b"kit", "wheel": wheel_of(directory / "made.zip"), "sbom": b"{}", "native": b"native"}
    build(directory, **contents)
    return contents


@pytest.fixture
def address() -> Iterator[str]:
    """The address of the downloads, in the settings of the test. They need no database."""
    with make_server("127.0.0.1", 0, get_wsgi_application()) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/downloads/"
        server.shutdown()
        thread.join()


class TestDownloads:
    def test_sends_each_file_as_it_is_with_its_hash_as_etag(self, client, built):
        types = {KIT: "application/zip", WHEEL: "application/zip", SBOM: "application/vnd.cyclonedx+json"}
        for name, content in ((KIT, built["kit"]), (WHEEL, built["wheel"]), (SBOM, built["sbom"])):
            answer = client.get(f"/downloads/{name}")
            assert (answer.status_code, answer.content) == (200, content)
            assert answer["ETag"] == f'"{hashlib.sha256(content).hexdigest()}"'
            assert answer["Content-Type"] == types[name]
            assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
            assert int(answer["Content-Length"]) == len(content)
            assert answer["X-Content-Type-Options"] == "nosniff"
            assert client.get(f"/downloads/{name}", headers={"If-None-Match": answer["ETag"]}).status_code == 304

    def test_lists_names_sizes_and_hashes_on_the_page_and_as_sha256sum_reads_them(self, client, built):
        lines = client.get("/downloads/SHA256SUMS").content.decode().splitlines()
        assert f"{hashlib.sha256(b'kit').hexdigest()}  {KIT}" in lines
        assert len(lines) == 4
        page = client.get("/downloads/").content.decode()
        for name, content in ((KIT, built["kit"]), (WHEEL, built["wheel"])):
            digest = hashlib.sha256(content).hexdigest()
            assert f'href="/downloads/{name}#sha256={digest}"' in page
            assert f'<code class="hash">{digest}</code>' in page
        assert "3\N{NO-BREAK SPACE}bytes" in page

    def test_lists_the_same_files_in_the_api(self, client, built):
        answer = client.get("/api/downloads/")
        contract.check(answer, "/api/downloads/")
        listed = answer.json()
        assert listed["version"] == VERSION
        assert [file["kind"] for file in listed["files"]] == ["kit", "wheel", "native", "sbom"]
        assert listed["files"][0] == {
            "name": KIT, "kind": "kit", "size": 3, "sha256": hashlib.sha256(b"kit").hexdigest(),
            "url": f"http://testserver/downloads/{KIT}"}

    def test_has_an_index_of_each_project_for_pip(self, client, built):
        page = client.get("/downloads/squarefield/").content.decode()
        assert f"/downloads/{WHEEL}#sha256=" in page
        assert KIT not in page
        assert NATIVE in client.get("/downloads/squarefield-native/").content.decode()
        assert client.get("/downloads/numpy/").status_code == 404

    def test_sends_no_other_file_but_names_the_remedy(self, client, built):
        for name in ("made.zip", "..%2fsettings.py", "%2e%2e/x", "nothing"):
            assert client.get(f"/downloads/{name}").status_code == 404, name
        answer = client.get("/downloads/squarefield-0.1.0-py3-none-any.whl")
        assert (answer.status_code, answer.content.decode()) == (
            404, "There is no file squarefield-0.1.0-py3-none-any.whl in version 1.2.3. /downloads/ lists the files.\n")

    def test_serves_a_new_build_without_a_restart(self, client, directory, built):
        before = client.get(f"/downloads/{KIT}")["ETag"]
        build(directory, kit=b"new kit", wheel=b"new wheel")
        assert client.get(f"/downloads/{KIT}")["ETag"] != before


class TestASiteWithoutRelease:
    def says_so(self, client):
        page = client.get("/downloads/")
        assert "This site has no release files of version 1.2.3." in page.content.decode()
        for address in (f"/downloads/{KIT}", "/downloads/SHA256SUMS", "/downloads/squarefield/"):
            answer = client.get(address)
            assert (answer.status_code, answer["Content-Type"]) == (404, "text/plain; charset=utf-8")
            assert "/docs/serve-downloads/" in answer.content.decode()
        assert client.get("/api/downloads/").json() == {"version": VERSION, "files": []}

    def test_says_so_if_nothing_was_built(self, client, directory):
        self.says_so(client)

    @pytest.mark.parametrize("case", ["another version", "a damaged file", "a file elsewhere"])
    def test_says_so_if_the_files_are_not_those_of_this_version(self, client, directory, built, case):
        sums = directory / SUMS
        if case == "another version":
            (directory / WHEEL).rename(directory / WHEEL.replace("1.2.3", "1.2.2"))
            sums.write_text(sums.read_text().replace("1.2.3", "1.2.2"))
        elif case == "a damaged file":
            (directory / KIT).write_bytes(b"cut")
            os.utime(sums, ns=(1, 1))
        else:
            sums.write_text(f"{'0' * 64}  ../{KIT}\n")
        self.says_so(client)
        assert release().files == ()


class TestTheWebProcess:
    def test_builds_the_release_of_its_code(self, client, settings, tmp_path):
        settings.VAR_DIR = tmp_path
        build_downloads()
        served = release()
        assert served.version == OURS
        assert [file.kind for file in served.files] == ["kit", "wheel", "source", "sbom"]
        assert client.get(f"/downloads/squarefield-{OURS}-py3-none-any.whl").content[:2] == b"PK"

    def test_serves_the_site_even_if_it_cannot_build_the_release(self, client, settings, tmp_path, caplog):
        settings.VAR_DIR = tmp_path / "file"
        settings.VAR_DIR.touch()
        build_downloads()
        assert "the files for /downloads/ could not be built" in caplog.text
        assert client.get("/downloads/").status_code == 200

    @pytest.mark.thorough
    @pytest.mark.slow
    def test_serves_files_that_pip_finds_and_compares_with_their_hashes(self, address, built, tmp_path):
        for way in (["--index-url", address], ["--no-index", "--find-links", address]):
            command = [BASE_PYTHON, "-m", "pip", "--isolated", "--disable-pip-version-check", "download", "--no-deps",
                       "--no-cache-dir", "--dest", tmp_path / way[0], *way, "squarefield"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            assert (tmp_path / way[0] / WHEEL).read_bytes() == built["wheel"]
