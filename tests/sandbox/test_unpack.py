"""Untrusted archives: the refusals, which name the entry, and the accepted forms."""

import gzip
import io
import os
import random
import re
import stat
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.sandbox.archives.unpack import ArchiveRefused, pack, read_entries, write_entries
from tests.effort import examples

MANIFEST = b'name = "Test"\ncommand = "./bot"\n'


def zipped(*entries, compression=zipfile.ZIP_DEFLATED):
    """Return a zip of (name, content[, mode]); a name may be a ZipInfo."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for name, content, *mode in entries:
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            info.compress_type = compression
            info.external_attr = (mode[0] if mode else 0o100644) << 16
            file.writestr(info, content)
    return buffer.getvalue()


def renamed(archive, old, new):
    """Replace a name's bytes in the archive with bytes that no tool would write."""
    assert len(old) == len(new)
    return archive.replace(old, new)


def tarred(*entries, mode="w", form=tarfile.PAX_FORMAT):
    """Return a tar of (name, content[, type[, link name]])."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=form) as file:
        for name, content, *special in entries:
            info = tarfile.TarInfo(name)
            info.type = special[0] if special else tarfile.REGTYPE
            info.linkname = special[1] if len(special) > 1 else ""
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def overlapping_zip():
    """Return a zip with two entries that share the same data."""
    archive = zipped(("aaaa", b"x" * 1000), ("bbbb", b""), compression=zipfile.ZIP_STORED)
    central = archive.index(b"PK\1\2")
    second = archive.index(b"PK\1\2", central + 4)
    first = archive[central:second].replace(b"aaaa", b"cccc")
    end = bytearray(archive[archive.index(b"PK\5\6"):])
    end[8:12] = (3).to_bytes(2, "little") * 2
    end[12:16] = (int.from_bytes(end[12:16], "little") + len(first)).to_bytes(4, "little")
    return archive[:second] + first + archive[second:-len(end)] + bytes(end)


def encrypted_zip():
    """Return a zip whose entry states that it is encrypted."""
    archive = bytearray(zipped(("locked", b"x")))
    archive[archive.index(b"PK\3\4") + 6] |= 1
    archive[archive.index(b"PK\1\2") + 8] |= 1
    return bytes(archive)


def stated(size):
    """Return the header of a tar's only file, which states this size."""
    header = tarfile.TarInfo("bomb")
    header.size = size
    return header.tobuf()


SMALL_LIMIT = 2**20
BOTS = zipped(("bot", b"abc"), compression=zipfile.ZIP_STORED)
NOISE = random.Random(7).randbytes(2000)
# The archive, and the refusal that it meets.
REFUSED = {
    "leads out, zip": (zipped(("../evil", b"")), r"'\.\./evil' leads out"),
    "leads out, tar": (tarred(("a/../../evil", b"")), r"'a/\.\./\.\./evil' leads out"),
    "absolute, zip": (zipped(("/etc/evil", b"")), "'/etc/evil' has an absolute name"),
    "absolute, tar": (tarred(("/etc/evil", b"")), "'/etc/evil' has an absolute name"),
    "a drive": (zipped(("C:evil", b"")), "'C:evil' has an absolute name"),
    "backslash": (renamed(zipped(("a_evil", b"")), b"a_evil", b"a\\evil"), "backslash"),
    "NUL": (renamed(zipped(("a_evil", b"")), b"a_evil", b"a\0evil"), "unprintable"),
    "escape sequence": (zipped(("\x1b[2Jevil", b"")), "unprintable"),
    "right-to-left override": (zipped(("evil\u202egpj.exe", b"")), "unprintable"),
    "line separator": (tarred(("a\u2028b", b"")), "unprintable"),
    "not UTF-8": (tarred(("caf\udce9", b""), form=tarfile.USTAR_FORMAT), "not UTF-8"),
    "long part": (zipped(("x" * 201, b"")), "longer than 200 bytes"),
    "long name": (tarred(("/".join(["x" * 190] * 3), b"")), "longer than 200 bytes"),
    "deep": (zipped(("a/" * 17 + "b", b"")), "more than 16 directories deep"),
    "case": (zipped(("Bot", b""), ("bot", b"")), "'Bot' and 'bot' differ only in case"),
    "case of directories": (zipped(("A/x", b""), ("a/y", b"")), "'A' and 'a' differ only in case"),
    "Unicode forms": (zipped(("caf\u00e9", b""), ("cafe\u0301", b"")), "differ only in case or Unicode form"),
    "twice": (tarred(("bot", b""), ("bot", b"")), "'bot' occurs twice"),
    "file and directory": (zipped(("a", b""), ("a/b", b"")), "'a' is both a file and a directory"),
    "directory and file": (tarred(("a/b", b""), ("a", b"")), "'a' is both a file and a directory"),
    "symbolic link, tar": (tarred(("link", b"", tarfile.SYMTYPE, "/etc/passwd")), "'link' is neither"),
    "symbolic link, zip": (zipped(("link", b"/etc/passwd", stat.S_IFLNK | 0o777)), "'link' is neither"),
    "hard link": (tarred(("link", b"", tarfile.LNKTYPE, "bot")), "'link' is neither"),
    "device": (tarred(("null", b"", tarfile.CHRTYPE)), "'null' is neither"),
    "block device": (tarred(("disk", b"", tarfile.BLKTYPE)), "'disk' is neither"),
    "pipe": (tarred(("pipe", b"", tarfile.FIFOTYPE)), "'pipe' is neither"),
    "sparse": (tarred(("hole", b"", tarfile.GNUTYPE_SPARSE)), "'hole' is neither"),
    "encrypted": (encrypted_zip(), "'locked' is encrypted"),
    "rare compression": (zipped(("bot", b"x"), compression=zipfile.ZIP_LZMA), "'bot' uses an unsupported compression"),
    "directory with content": (zipped(("bot", b"x", stat.S_IFDIR | 0o755)), "'bot' has the mode of a directory"),
    "large, tar": (stated(64 * 2**20 + 1), r"more than 64 MB \(at 'bomb'\)"),
    "just not too large, but cut off": (stated(64 * 2**20), "damaged"),
    "overlapping": (overlapping_zip(), "overlaps another"),
    "cut off, zip": (zipped(("bot", NOISE))[:-30], "damaged"),
    "cut off, tar": (tarred(("bot", bytes(2000)))[:1500], "damaged"),
    "cut off, gzip": (gzip.compress(tarred(("bot", NOISE)))[:-900], "damaged"),
    "wrong checksum": (renamed(tarred(("bot", b"")), b"bot\0", b"bat\0"), "damaged"),
    "wrong content": (renamed(BOTS, b"abc", b"abd"), "damaged"),
    "many gzip members": (gzip.compress(b"") * 9, "more than 8 parts"),
    "nothing": (b"", "not a .zip, .tar or .tar.gz"),
    "something else": (b"\x7fELF" + bytes(600), "not a .zip, .tar or .tar.gz"),
    "empty": (zipped(), "no files"),
    "only directories": (tarred(("a", b"", tarfile.DIRTYPE)), "no files"),
}
# Archives that would be dear to make at import, with limits a hundred times smaller than the real ones.
LARGE = {
    "large, zip": (lambda: zipped(("big", bytes(SMALL_LIMIT + 1))), r"more than 1 MB \(at 'big'\)"),
    "large in sum": (lambda: zipped(*((f"part{i}", bytes(SMALL_LIMIT // 5 + 1)) for i in range(5))),
                     r"\(at 'part4'\)"),
    "large, tar.gz": (lambda: gzip.compress(tarred(("big", bytes(SMALL_LIMIT + 1)))), r"more than 1 MB \(at 'big'\)"),
    "bomb, cut off": (lambda: gzip.compress(stated(2**30) + bytes(3 * SMALL_LIMIT), 1), r"\(at 'bomb'\)"),
    "many entries": (lambda: tarred(*((f"f{i}", b"") for i in range(21))), r"more than 20 .* \(at 'f20'\)"),
    "many directories": (lambda: tarred(*((f"d{i}/", b"", tarfile.DIRTYPE) for i in range(21))), "more than 20"),
    "very many entries": (lambda: zipped(("f", b"")) + b"PK\1\2" * 10_000, "more than 10,000 entries"),
}


class TestUnpacking:
    def test_refuses_hostile_and_damaged_archives_with_the_entrys_name_and_writes_nothing(self, tmp_path):
        wrong = []
        for case, (archive, message) in REFUSED.items():
            with pytest.raises(ArchiveRefused) as refused:
                write_entries(read_entries(archive), tmp_path / "into")
            if not re.search(message, str(refused.value)):
                wrong.append((case, str(refused.value)))
        assert wrong == []
        assert list(tmp_path.iterdir()) == []

    def test_refuses_more_bytes_and_entries_than_the_limits(self):
        wrong = []
        for case, (make, message) in LARGE.items():
            with pytest.raises(ArchiveRefused) as refused:
                read_entries(make(), max_bytes=SMALL_LIMIT, max_entries=20)
            if not re.search(message, str(refused.value)):
                wrong.append((case, str(refused.value)))
        assert wrong == []
        assert len(read_entries(tarred(*((f"f{i}", b"") for i in range(2000))))) == 2000
        with pytest.raises(ArchiveRefused, match=r"more than 2,000 .* \(at 'f2000'\)"):
            read_entries(tarred(*((f"f{i}", b"") for i in range(2001))))

    def test_accepts_the_output_of_common_tools(self, tmp_path):
        files = (("bot.toml", MANIFEST), ("src/bot", b"x"))
        archives = [
            zipped(("bot.toml", MANIFEST), ("src/bot", b"x", 0o100755)),
            zipped(("bot.toml", MANIFEST), ("src/", b""), ("src/bot", b"x"), ("__MACOSX/._bot.toml", b"?")),
            tarred(("./", b"", tarfile.DIRTYPE), ("./bot.toml", MANIFEST), ("./src/", b"", tarfile.DIRTYPE),
                   ("./src/bot", b"x")),
            tarred(*files, mode="w:gz"),
            *(tarred(*files, form=form) for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT)),
        ]
        for number, archive in enumerate(archives):
            into = tmp_path / str(number)
            write_entries(read_entries(archive), into)
            assert (into / "bot.toml").read_bytes() == MANIFEST
            assert (into / "src/bot").read_bytes() == b"x"

    @pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
    def test_reads_long_and_non_ascii_names(self, form):
        name = "/".join(["verzeichnis-mit-ä" * 4] * 3)
        assert [entry.name for entry in read_entries(tarred((name, b"x"), form=form))][-1] == name

    def test_keeps_only_the_owners_execute_bit(self, tmp_path):
        previous = os.umask(0o077)
        try:
            write_entries(read_entries(zipped(("bot", b"", 0o104711), ("data", b"", 0o100600))), tmp_path / "into")
        finally:
            os.umask(previous)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "into").iterdir()}
        assert modes == {"bot": 0o755, "data": 0o644}
        assert stat.S_IMODE((tmp_path / "into").stat().st_mode) == 0o755

    def test_never_writes_into_an_existing_directory(self, tmp_path):
        with pytest.raises(FileExistsError):
            write_entries(read_entries(zipped(("bot", b""))), tmp_path)

    @given(st.binary(max_size=2000), st.sampled_from([b"", b"PK\3\4", b"\x1f\x8b", b"PK\5\6"]))
    def test_refuses_noise_with_a_reason(self, noise, start):
        with pytest.raises(ArchiveRefused):
            read_entries(start + noise)

    def test_survives_every_kind_of_damage(self):
        wholes = [
            zipped(("bot.toml", MANIFEST), ("src/bot", b"x" * 3000)),
            tarred(("bot.toml", MANIFEST), ("src/bot-ä", b"x" * 3000), ("n" * 150, b"y")),
            tarred(("bot.toml", MANIFEST), ("n" * 150, b"y"), form=tarfile.GNU_FORMAT),
            gzip.compress(tarred(("bot.toml", MANIFEST), ("src/bot", b"x" * 3000)), mtime=0),
        ]
        rng = random.Random(20261120)
        for whole in wholes * (5 * examples(300)):
            damaged = bytearray(whole)
            for _ in range(rng.randint(1, 4)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            try:
                entries = read_entries(bytes(damaged[:rng.choice((len(damaged), rng.randrange(len(damaged)))) or 1]))
            except ArchiveRefused:
                continue
            assert all(".." not in entry.name.split("/") and not entry.name.startswith("/") for entry in entries)


class TestPacking:
    def test_is_reproducible(self, tmp_path):
        for name in ("one", "two"):
            directory = tmp_path / name
            (directory / "b").mkdir(parents=True)
            for file in (("b/z", "a", "c") if name == "one" else ("c", "b/z", "a")):
                (directory / file).write_text(file)
            os.utime(directory / "a", (0, len(name)))
        assert pack(tmp_path / "one") == pack(tmp_path / "two")

    def test_leaves_out_dot_files_and_compiled_ones(self, tmp_path):
        for name in (".git/config", "__pycache__/bot.pyc", ".env", "bot.py", "lib/__pycache__/x.pyc", "lib/x.py"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("x")
        names = [entry.name for entry in read_entries(pack(tmp_path))]
        assert names == ["bot.py", "lib", "lib/x.py"]

    def test_keeps_the_execute_bit(self, tmp_path):
        (tmp_path / "bot").write_text("x")
        (tmp_path / "bot").chmod(0o744)
        assert read_entries(pack(tmp_path))[0].executable

    def test_refuses_links_by_name(self, tmp_path):
        (tmp_path / "link").symlink_to("/etc/passwd")
        with pytest.raises(ArchiveRefused, match="'link'"):
            pack(tmp_path)
