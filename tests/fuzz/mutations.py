"""Mutants of real uploads and replies: changed bytes, and archives repacked around a change.

Changing a byte of an archive mostly breaks a checksum, and the reader stops there. Half of the mutants are therefore
built from an archive's parts, with correct checksums.
"""

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from random import Random
from typing import Final

MANIFEST: Final = b'name = "Test"\nrun = ["python3", "bot.py"]\nbuild = "make"\nrulesets = ["squ", "scware"]\n'
_NAMES: Final = ["bot.toml", "bot.py", "src/a.c", "../up", "/etc/x", "a\\b", "a/./b", "a//b", "./", "..", ".", "a\0b",
                 "C:x", "con", "a\u202eb", "e\u0301", "\u00e9", "a" * 300, "d/" * 40 + "f", "BOT.TOML", "bot.toml/",
                 "x ", "\x1b[2J"]
_TYPES: Final = [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE,
                 tarfile.GNUTYPE_SPARSE, b"g", b"x", b"L", b"V", b"\0", b"7"]
_ODD: Final = [b"\0", b"\xff", b"\x7f", b"PK\3\4", b"PK\1\2", b"PK\5\6", b"\x1f\x8b", b"ustar", b"-1", b"9" * 20,
               b"\xff\xff\xff\xff", b"\0\0\0\x80", b"17 path=../evil\n", b"18 size=99999999\n", b"\n", b"\r\n", b"=",
               b"? ", b'"""', b"[[", b"]]", b"name", b"rulesets", b"\\u0000", b"inf", b"a1", b",", b"pass", b"swap",
               b"\xc2\x85"]


def seeds(target: str) -> list[bytes]:
    """Return the inputs that the mutants of a target are made from."""
    if target == "manifest":
        return [MANIFEST, b'name = "\xc3\xa9"\ncommand = "./bot --fast"\n', b'name="a"\nrun=["a"]\nrulesets="all"\n']
    if target == "protocol":
        return [b"= a1\n\n", b"=1 c3,d4\n\n", b"? unknown command\n\n", b"= pass\r\n\r\n", b"= resign\n\n",
                b"= swap\n\n", b"= a1\nb2\n\n", b"garbage\n"]
    plain = {"bot.toml": MANIFEST, "bot.py": b"print('= a1')\n" * 20, "src/a.c": b"int main;\n"}
    within = {f"bot/{name}": content for name, content in plain.items()}
    return [_zip(plain), _zip(plain, zipfile.ZIP_STORED), _zip(within), _tar(plain, tarfile.PAX_FORMAT),
            _tar(plain, tarfile.GNU_FORMAT), gzip.compress(_tar(plain, tarfile.USTAR_FORMAT), mtime=0)]


def mutant(target: str, dice: Random, corpus: list[bytes]) -> bytes:
    """Return the next input to try."""
    if target == "archive" and dice.random() < 0.5:
        return _repacked(dice)
    return changed(dice.choice(corpus), dice, corpus)


def changed(data: bytes, dice: Random, corpus: list[bytes]) -> bytes:
    """Return the data with one to eight changes: bits, bytes, runs, numbers, odd pieces, pieces of other inputs."""
    made = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        at = dice.randrange(len(made) + 1)
        span = min(len(made) - at, dice.choice((1, 2, 4, 16, 512)))
        other = dice.choice(corpus)
        piece = dice.choice((
            dice.randbytes(span), dice.choice(_ODD), b"", bytes(made[at:at + span]) * dice.choice((2, 3, 50)),
            other[dice.randrange(len(other) + 1):][:span * 4],
            struct.pack("<I", dice.choice((0, 1, 2**31, 2**32 - 1)))))
        made[at:at + (span if dice.random() < 0.7 else 0)] = piece
    return bytes(made[:256 * 1024])


def _repacked(dice: Random) -> bytes:
    files = {"bot.toml": changed(MANIFEST, dice, [MANIFEST]) if dice.random() < 0.3 else MANIFEST}
    if dice.random() < 0.2:
        files.clear()
    for _ in range(dice.randint(0, dice.choice((3, 30)))):
        size = dice.choice((0, 10, 1000, 70_000, 300_000))
        name = dice.choice(_NAMES) + dice.choice(("", "", "/x", str(dice.randrange(9))))
        files[name] = dice.randbytes(9) * (size // 9)
    kind = dice.choice(("zip", "tar", "tar.gz"))
    if kind == "zip":
        return _odd_zip(files, dice)
    packed = _odd_tar(files, dice)
    return _gzipped(packed, dice) if kind == "tar.gz" else packed


def _odd_zip(files: dict[str, bytes], dice: Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, content in files.items():
            info = zipfile.ZipInfo(name.replace("\0", "_"))
            info.compress_type = dice.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2))
            info.external_attr = dice.choice((0o100644, 0o100755, 0o120777, 0o040755, 0o010644, 0, 0o106755)) << 16
            info.extra = dice.choice((b"", b"\1\0\x10\0" + b"\xff" * 16, dice.randbytes(7)))
            info.comment = dice.choice((b"", b"x" * 99))
            packed.writestr(info, content)
            if dice.random() < 0.1:
                info.flag_bits |= dice.choice((1, 8, 0x800))
            if dice.random() < 0.1:
                info.file_size = dice.choice((0, 1, 2**31, 2**32 - 1))
    return buffer.getvalue()


def _odd_tar(files: dict[str, bytes], dice: Random) -> bytes:
    """Write headers directly, with correct checksums whatever their content."""
    blocks = []
    for name, meant in files.items():
        info, content = tarfile.TarInfo(name), meant
        info.type = dice.choice(_TYPES) if dice.random() < 0.4 else tarfile.REGTYPE
        info.linkname = dice.choice(("", "../x", "bot.py"))
        info.mode = dice.choice((0o644, 0o755, 0o6755))
        if info.type in (b"x", b"g", b"L") and dice.random() < 0.8:
            content = dice.choice((b"17 path=../evil\n", b"12 path=ok\n", b"19 size=9999999999\n", b"\0", b"x" * 300,
                                   b"9 size=-1\n", b"10 size=1\n", b"0 a=b\n", b"5 a=b", b"a" * 40 + b"\0"))
        info.size = len(content)
        if len(name.encode()) > 90:
            info.name = "long"
        header = bytearray(info.tobuf(tarfile.USTAR_FORMAT, "utf-8", "surrogateescape"))
        if dice.random() < 0.15:
            at = dice.randrange(len(header))
            piece = dice.choice(_ODD)[:512 - at]
            header[at:at + len(piece)] = piece
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        blocks += [bytes(header), content, bytes(-len(content) % 512)]
    return b"".join(blocks) + bytes(dice.choice((0, 512, 1024, 10_240)))


def _gzipped(data: bytes, dice: Random) -> bytes:
    head = b"\x1f\x8b\x08" + bytes([dice.choice((0, 0, 2, 4, 8, 16, 255))]) + dice.randbytes(4) + b"\0\3"
    deflate = zlib.compressobj(dice.choice((1, 9)), wbits=-15)
    body = deflate.compress(data) + deflate.flush()
    tail = struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)
    made = (head if dice.random() < 0.5 else b"\x1f\x8b\x08\0\0\0\0\0\0\3") + body + tail
    return made + dice.choice((b"", b"", made, b"\0" * 9, b"x"))


def _zip(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as packed:
        for name, content in files.items():
            packed.writestr(zipfile.ZipInfo(name), content, compression)
    return buffer.getvalue()


def _tar(files: dict[str, bytes], form: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as packed:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    return buffer.getvalue()
