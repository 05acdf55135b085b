"""Files that a copy from Windows or macOS has made unusable, as archives and as programs report them."""

import io
import zipfile

import pytest

from engines.manifest import ManifestRefused
from engines.sandbox.staging.scripts import unusable, unusable_in
from engines.sandbox.staging.submission import read_submission

CRLF = b"#!/bin/sh\r\necho built\r\n"
FILES = {"build.sh": CRLF, "tools/gen.sh": CRLF, "plain.sh": b"echo\r\n", "unix.sh": b"#!/bin/sh\necho\n",
         "bot.py": b"#!/usr/bin/env python3\r\nprint()\r\n", "bo\u0308t.py": b"", "net.bin": b"\0\r\n"}
# A command, and the file that it cannot use.
COMMANDS = (
    ("./build.sh", "'build.sh' ends its lines with CR and LF"),
    ("/bot/tools/gen.sh x", "'tools/gen.sh' ends its lines"),
    ("sh plain.sh", "'plain.sh' ends its lines"), ("/bin/bash ./build.sh", "'build.sh' ends its lines"),
    ("python3 b\u00f6t.py", "the archive has 'bo\\u0308t.py', whose name looks the same in another Unicode form"),
    # Usable: no shell reads the lines, or the line ends are right, or a build makes the file.
    ("python3 bot.py", ""), ("./unix.sh", ""), ("sh unix.sh", ""), ("./bot net.bin", ""), ("make build.sh", ""),
)
# What programs write if a file is missing or its interpreter is, and the file.
REPORTS = (
    ("build: 1: ./build.sh: not found", "build.sh"), ("sh: 1: exec: ./build.sh: not found", "build.sh"),
    ("make: ./tools/gen.sh: No such file or directory", "tools/gen.sh"),
    ("/bin/bash: ./build.sh: /bin/sh^M: bad interpreter: No such file or directory", "build.sh"),
    ("cp: x\n/bin/sh: 3: ./tools/gen.sh: not found\nmake: *** [all] Error 127", "tools/gen.sh"),
    ("python3: can't open file '/bot/b\u00f6t.py': [Errno 2] No such file or directory", "bo\\u0308t.py"),
    ("sh: 1: ./unix.sh: not found", ""), ("sh: 1: g++: not found", ""), ("", ""),
)


def zipped(files):
    """Return an archive of these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


class TestAFileOfACommand:
    def test_is_named_if_linux_cannot_use_it(self):
        found = {words: unusable(words.split(), FILES.keys(), FILES.__getitem__) for words, _ in COMMANDS}
        assert [(words, found[words]) for words, why in COMMANDS if why not in found[words]] == []
        assert [words for words, why in COMMANDS if found[words] and not why] == []

    def test_is_found_in_the_output_of_a_build_or_a_bot(self):
        found = {log: unusable_in(log, FILES.keys(), FILES.__getitem__) for log, _ in REPORTS}
        assert [(log, found[log]) for log, file in REPORTS if file not in found[log]] == []
        assert [log for log, file in REPORTS if found[log] and not file] == []

    @pytest.mark.parametrize(("lines", "why"), [
        ('run = ["python3", "bot.py"]\nbuild = "./build.sh"', "build: 'build.sh' ends its lines with CR and LF"),
        ('run = "./build.sh"', "run: 'build.sh' ends its lines with CR and LF"),
        ('run = "python3 b\u00f6t.py"', "run: there is no file 'b\u00f6t.py', but the archive has 'bo\\u0308t.py'")])
    def test_refuses_the_upload(self, lines, why):
        archive = zipped({"bot.toml": f'name = "Otter"\n{lines}\n'.encode(), **FILES})
        with pytest.raises(ManifestRefused) as refusal:
            read_submission(archive)
        assert str(refusal.value).startswith(why)

    def test_may_be_the_result_of_a_build(self):
        read_submission(zipped({"bot.toml": b'name = "Otter"\nrun = "./build.sh"\nbuild = "./unix.sh"\n', **FILES}))
