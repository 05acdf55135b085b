"""Rows 30 and 31: archives and builds, processed like uploads, with an honest match running alongside."""

import io
import stat
import tarfile
import time
import zipfile
import zlib

import pytest

from engines.sandbox import ArchiveRefused, BuildFailed
from tests.sandbox.acceptance import checks
from tests.sandbox.acceptance.arena import note

pytestmark = [pytest.mark.serial, pytest.mark.slow, pytest.mark.usefixtures("undisturbed")]

MANIFEST = ("bot.toml", b'name = "Test"\ncommand = "./bot"\n')
MEGABYTE, GIGABYTE = 2**20, 2**30


def zipped(*entries, compression=zipfile.ZIP_DEFLATED):
    """Return a zip of (name, content[, mode]) with a valid manifest first."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content, *mode in (MANIFEST, *entries):
            info = zipfile.ZipInfo(name)
            info.compress_type = compression
            info.external_attr = (mode[0] if mode else stat.S_IFREG | 0o644) << 16
            file.writestr(info, content)
    return buffer.getvalue()


def tarred(*entries):
    """Return a tar of (name, content[, kind, link name]) with a valid manifest first."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as file:
        for name, content, *special in (MANIFEST, *entries):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = special or (tarfile.REGTYPE, "")
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zeros():
    """Return a gigabyte of zeros, deflated: the same block repeated."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    block = deflate.compress(bytes(MEGABYTE)) + deflate.flush(zlib.Z_FULL_FLUSH)
    return block * (GIGABYTE // MEGABYTE) + zlib.compressobj(wbits=-zlib.MAX_WBITS).flush()


def zip_bomb(stated=GIGABYTE):
    """Return a zip with a gigabyte, which states this size."""
    whole = bytearray(zipped(("bomb", zeros()), compression=zipfile.ZIP_STORED))
    for signature, method, size in ((b"PK\1\2", 10, 24), (b"PK\3\4", 8, 22)):
        place = whole.rindex(signature)
        whole[place + method] = zipfile.ZIP_DEFLATED
        whole[place + size:place + size + 4] = stated.to_bytes(4, "little")
    return bytes(whole)


def tar_bomb():
    """Return a tar.gz with a gigabyte."""
    header = tarfile.TarInfo("bomb")
    header.size = GIGABYTE
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return (b"\x1f\x8b\x08" + bytes(7) + deflate.compress(header.tobuf()) + deflate.flush(zlib.Z_FULL_FLUSH)
            + zeros() + bytes(8))


def many_in_a_zip():
    """Return a zip with 100,000 entries: copies of one, with other names."""
    one = zipped(("f00000", b""))
    local, central, end = one.rindex(b"PK\3\4"), one.index(b"PK\1\2"), one.index(b"PK\5\6")
    names = [b"f%05d" % number for number in range(100_000)]
    files = b"".join(one[local:central].replace(b"f00000", name) for name in names)
    last = one[one.rindex(b"PK\1\2"):end]
    return one[:local] + files + b"".join(last.replace(b"f00000", name) for name in names) + one[end:]


def many_in_a_tar():
    """Return a tar.gz with 2,001 names, the last of which is repeated up to 100,000 entries."""
    headers = [tarfile.TarInfo(f"f{number}").tobuf() for number in range(2_001)]
    deflate = zlib.compressobj(1, wbits=-zlib.MAX_WBITS)
    first = deflate.compress(tarred()[:2 * tarfile.BLOCKSIZE] + b"".join(headers)) + deflate.flush(zlib.Z_FULL_FLUSH)
    block = deflate.compress(headers[0] * 1000) + deflate.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08" + bytes(7) + first + block * 98 + zlib.compressobj(wbits=-zlib.MAX_WBITS).flush() + bytes(8)


ARCHIVES = {
    ".., zip": (lambda: zipped(("../evil", b"")), "'../evil'"),
    ".., tar": (lambda: tarred(("a/../../evil", b"")), "'a/../../evil'"),
    "an absolute path, zip": (lambda: zipped(("/srv/evil", b"")), "'/srv/evil'"),
    "an absolute path, tar": (lambda: tarred(("/srv/evil", b"")), "'/srv/evil'"),
    "a symlink, zip": (lambda: zipped(("evil", b"/etc/passwd", stat.S_IFLNK | 0o777)), "'evil'"),
    "a symlink, tar": (lambda: tarred(("evil", b"", tarfile.SYMTYPE, "/etc/passwd"), ("evil/x", b"")), "'evil'"),
    "a hard link": (lambda: tarred(("evil", b"", tarfile.LNKTYPE, "/etc/passwd")), "'evil'"),
    "a device": (lambda: tarred(("evil", b"", tarfile.CHRTYPE, "")), "'evil'"),
    "a bomb of 1 GB, zip": (zip_bomb, "'bomb'"),
    "a bomb of 1 GB that lies about its size": (lambda: zip_bomb(100), "'bomb'"),
    "a bomb of 1 GB, tar.gz": (tar_bomb, "'bomb'"),
    "100,000 entries, zip": (many_in_a_zip, "'f99999'"),
    "100,000 entries, tar.gz": (many_in_a_tar, "'f1999'"),
    "names that differ only in case": (lambda: zipped(("Evil", b""), ("evil", b"")), "'Evil' and 'evil'"),
}


class TestAHostileArchive:
    @pytest.mark.parametrize("what", ARCHIVES, ids=lambda what: f"row 30: {what}")
    def test_is_refused_with_the_entrys_name(self, runtime, what):
        make, name = ARCHIVES[what]
        archive, before = make(), listing(runtime)
        began = time.process_time()
        with pytest.raises(ArchiveRefused) as refusal:
            runtime.stage(archive)
        seconds = time.process_time() - began
        note(f"{len(archive)} bytes, {1000 * seconds:.1f} ms of CPU time: {refusal.value}")
        assert name in str(refusal.value)
        assert seconds < 2  # a hundred times less than without the limits
        assert listing(runtime) == before


def listing(runtime):
    """Return everything in and next to the runtime directory, except locks."""
    return {path for path in runtime.root.parent.rglob("*") if path.suffix != ".lock" and "slots" not in path.parts}


SECRETIVE = """
env >&2
cat /proc/1/environ /proc/self/environ /proc/self/mountinfo >&2
for file in /etc/shadow {project}/pyproject.toml; do
    echo "#include \\"$file\\"" > leak.c
    gcc -c leak.c -o leak.o
done
exit 0
"""


class TestAHostileBuild:
    """Row 31. Macros replace templates, since a machine with gcc may lack C++."""

    def build(self, opened, tmp_path, script, **files):
        (tmp_path / "bot.toml").write_text('name = "Test"\ncommand = "./bot"\nbuild = ["sh", "build.sh"]\n')
        for name, content in {"build.sh": script, **files}.items():
            (tmp_path / name).write_text(content)
        return opened.runtime.stage_directory(tmp_path, sandbox=opened)

    def test_is_refused_for_including_dev_zero(self, opened, workshop, tmp_path):
        with pytest.raises(BuildFailed) as failure:
            self.build(opened, tmp_path, "gcc -c bot.c", **{"bot.c": '#include "/dev/zero"\n'})
        note(f"{failure.value}: {failure.value.log[-200:]}")

    def test_is_refused_for_a_bomb_of_templates(self, opened, workshop, tmp_path):
        levels = "".join(f"#define m{n} m{n - 1} m{n - 1} m{n - 1} m{n - 1}\n" for n in range(1, 30))
        with pytest.raises(BuildFailed) as failure:
            self.build(opened, tmp_path, "gcc -c bot.c", **{"bot.c": f"#define m0 x\n{levels}m29\n"})
        note(f"{failure.value}: {failure.value.log[-200:]}")

    def test_learns_nothing_from_its_environment(self, opened, workshop, tmp_path, monkeypatch):
        monkeypatch.setenv("DATABASE_URL", checks.SECRET)
        log = self.build(opened, tmp_path, SECRETIVE.format(project=checks.ROOT)).build_log
        assert "PATH=" in log
        assert "No such file or directory" in log
        for secret in ("a-secret", "root:", "squarefield]", "[project]"):
            assert secret not in log
