"""The release on the site: the page, the files, pip's index and the API; and what they say if it was not built."""

import hashlib
import os
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
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
    write(directory / SUMS, "".join(lines))


def write(sums: Path, listed: str) -> None:
    """Write the list at a time of its own: a file system may give two quick builds the same one."""
    sums.write_text(listed)
    os.utime(sums, ns=(next(_TIMES), next(_TIMES)))


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


class TestDownloads:
    def test_sends_each_file_as_it_is_with_its_hash_as_etag(self, client, built):
        types = {KIT: "application/zip", WHEEL: "application/zip", SBOM: "application/vnd.cyclonedx+json"}
        for name, content in ((KIT, built["kit"]), (WHEEL, built["wheel"]), (SBOM, built["sbom"])):
            answer = client.get(f"/downloads/{name}")
            assert (answer.status_code, answer.content) == (200, content)
            assert {header: answer[header] for header in (
                "ETag", "Content-Type", "Content-Disposition", "Content-Length", "X-Content-Type-Options")} == {
                "ETag": f'"{hashlib.sha256(content).hexdigest()}"', "Content-Type": types[name],
                "Content-Disposition": f'attachment; filename="{name}"', "Content-Length": str(len(content)),
                "X-Content-Type-Options": "nosniff"}
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

    def test_says_so_if_nothing_was_built_or_the_files_are_not_those_of_this_version(self, client, directory):
        self.says_so(client)
        build(directory, kit=b"kit", wheel=b"wheel")
        sums = directory / SUMS
        listed = sums.read_text()
        for name, other in ((WHEEL, WHEEL.replace("1.2.3", "1.2.2")), (KIT, f"../{KIT}")):
            (directory / other.removeprefix("../")).write_bytes((directory / name).read_bytes())
            write(sums, listed.replace(name, other))
            self.says_so(client)
        (directory / KIT).write_bytes(b"cut")
        write(sums, listed)
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
    def test_serves_files_that_pip_finds_and_compares_with_their_hashes(self, built, tmp_path):
        with make_server("127.0.0.1", 0, get_wsgi_application()) as server, ThreadPoolExecutor(1) as pool:
            pool.submit(server.serve_forever)
            address = f"http://127.0.0.1:{server.server_port}/downloads/"
            for way in (["--index-url", address], ["--no-index", "--find-links", address]):
                done = subprocess.run([
                    BASE_PYTHON, "-m", "pip", "--isolated", "--disable-pip-version-check", "download", "--no-deps",
                    "--no-cache-dir", "--dest", tmp_path / way[0], *way, "squarefield"],
                    capture_output=True, text=True, check=False)
                if done.returncode:
                    break
            server.shutdown()
        assert done.returncode == 0, done.stdout + done.stderr
        assert [(tmp_path / way / WHEEL).read_bytes() for way in ("--index-url", "--no-index")] == [built["wheel"]] * 2
