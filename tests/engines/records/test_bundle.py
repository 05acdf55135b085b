"""The container format of bundles: contents survive a round trip, and damaged bundles are refused with the reason."""

import io
import zipfile
from pathlib import Path

import pytest

from engines.records.bundle import Bundle, BundleError, BundleWriter, json_bytes


def written(**files: list[bytes]) -> bytes:
    target = io.BytesIO()
    with BundleWriter(target) as bundle:
        for name, chunks in files.items():
            bundle.add(name, chunks)
    return target.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "bundle.zip").write_bytes(written(a=[b'{"x":1}\n', b'{"x":2}\n'], b=[b"plain\ntext"]))
    return tmp_path / "bundle.zip"


def rewritten(path: Path, **files: bytes) -> Path:
    """Replace these files in the bundle and return its path."""
    with zipfile.ZipFile(path) as bundle:
        held = {name: bundle.read(name) for name in bundle.namelist()} | {
            name.replace("manifest", "manifest.json"): data for name, data in files.items()}
    with zipfile.ZipFile(path, "w") as bundle:
        for name, data in held.items():
            bundle.writestr(name, data)
    return path


class TestABundle:
    def test_returns_the_written_contents(self, path: Path) -> None:
        bundle = Bundle(path)
        assert list(bundle.lines("a")) == [(1, {"x": 1}), (2, {"x": 2})]
        assert bundle.text_lines("b") == ["plain", "text"]
        bundle.close()

    def test_is_identical_for_identical_files(self) -> None:
        assert written(a=[b"12", b"3"]) == written(a=[b"1", b"23"])

    def test_is_not_left_behind_if_writing_fails(self, tmp_path: Path) -> None:
        def fail() -> None:
            with (tmp_path / "x.zip").open("wb") as target, BundleWriter(target):
                raise RuntimeError("no disk")

        with pytest.raises(RuntimeError, match="no disk"):
            fail()
        with pytest.raises(BundleError):
            Bundle(tmp_path / "x.zip")

    def test_names_the_line_that_is_not_json(self, path: Path) -> None:
        with pytest.raises(BundleError, match="b, line 1 is not JSON"):
            list(Bundle(path).lines("b"))


class TestCanonicalJson:
    def test_is_sorted_and_without_spaces(self) -> None:
        assert json_bytes({"b": [1, 2.5], "a": "é"}) == '{"a":"é","b":[1,2.5]}'.encode()

    def test_refuses_numbers_that_json_lacks(self) -> None:
        with pytest.raises(ValueError, match="not JSON compliant"):
            json_bytes(float("nan"))


class TestADamagedBundle:
    @pytest.mark.parametrize(("files", "why"), [
        ({"a": b"x"}, "a does not have 16 bytes"), ({"a": b"x" * 16}, "a was changed: its SHA-256 is"),
        ({"a": b"x" * 17}, "a does not have 16 bytes"), ({"c": b""}, "c was added"),
        ({"manifest": b"{}"}, "not the manifest of a bundle"), ({"manifest": b"["}, "manifest.json is not JSON"),
        ({"manifest": b'{"bundle":1,"files":{"a":7}}'}, "does not give the size and SHA-256"),
        ({"manifest": b'{"bundle":1,"files":[]}'}, "does not give the size and SHA-256"),
    ])
    def test_is_refused_with_the_reason(self, path: Path, files: dict[str, bytes], why: str) -> None:
        with pytest.raises(BundleError, match=why):
            Bundle(rewritten(path, **files))

    def test_is_refused_without_its_manifest(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "x.zip", "w") as bundle:
            bundle.writestr("a", b"")
        with pytest.raises(BundleError, match=r"has no manifest\.json"):
            Bundle(tmp_path / "x.zip")

    @pytest.mark.parametrize("place", [60, -30])
    def test_is_refused_for_a_changed_byte_of_the_zip_structure(self, path: Path, place: int) -> None:
        data = bytearray(path.read_bytes())
        data[place] ^= 0xFF
        path.write_bytes(data)
        with pytest.raises(BundleError):
            Bundle(path)

    @pytest.mark.parametrize("length", [0, 10, 100, 300])
    def test_is_refused_when_truncated(self, path: Path, length: int) -> None:
        path.write_bytes(path.read_bytes()[:length])
        with pytest.raises(BundleError):
            Bundle(path)

    def test_is_refused_with_a_duplicate_file(self, path: Path) -> None:
        with zipfile.ZipFile(path, "a") as bundle, pytest.warns(UserWarning, match="Duplicate name"):
            bundle.writestr("a", b"")
        with pytest.raises(BundleError, match="twice"):
            Bundle(path)
