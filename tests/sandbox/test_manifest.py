"""bot.toml: valid manifests, and the refusals of invalid ones."""

import io
import tarfile
import time
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.manifest import MAX_FILE_BYTES, Manifest, ManifestRefused, parse_manifest
from engines.rules.registry import RULESETS
from engines.sandbox.staging.submission import read_submission

GOOD = 'name = "My bot"\ncommand = ["python3", "bot.py"]\n'

REFUSED = {
    "no TOML": ("name = ", "not TOML"),
    "no name": ('command = "./bot"', "name as a string"),
    "a number for a name": ('name = 7\ncommand = "./bot"', "name as a string"),
    "an empty name": ('name = ""\ncommand = "./bot"', "1 to 40 printable"),
    "a long name": (f'name = "{"x" * 41}"\ncommand = "./bot"', "1 to 40 printable"),
    "an escape sequence for a name": ('name = "\\u001b[2J"\ncommand = "./bot"', "1 to 40 printable"),
    "a name that reverses the text": ('name = "\\u202egpj"\ncommand = "./bot"', "1 to 40 printable"),
    "a padded name": ('name = " bot"\ncommand = "./bot"', "leading or trailing spaces"),
    "no command": ('name = "x"', "must set command"),
    "an empty command": ('name = "x"\ncommand = []', "must set command"),
    "a blank command": ('name = "x"\ncommand = "  "', "must set command"),
    "numbers in a command": ('name = "x"\ncommand = ["./bot", 7]', "must set command"),
    "an open quotation mark": ('name = "x"\ncommand = "./bot \'"', "close every quotation mark"),
    "NUL in a command": ('name = "x"\ncommand = ["./bot", "a\\u0000b"]', "unprintable characters"),
    "an option for a program": ('name = "x"\ncommand = ["--help"]', "must begin with a program"),
    "an empty program": ('name = "x"\ncommand = [""]', "must begin with a program"),
    "many words": (f'name = "x"\ncommand = {["./bot"] * 65}', "more than 64 words"),
    "a long word": (f'name = "x"\ncommand = ["./bot", "{"x" * 1001}"]', "longer than 1000"),
    "a bad build": (GOOD + "build = true", "must set build"),
    "an unknown key": (GOOD + "colour = 1", "unknown key 'colour'"),
    "an unknown table": (GOOD + "[env]\nA = 1", "unknown key 'env'"),
    "no rulesets": (GOOD + "rulesets = []", "at least one of"),
    "an unknown ruleset": (GOOD + 'rulesets = ["go"]', "unknown ruleset 'go': choose from scware"),
    "another word than all": (GOOD + 'rulesets = "none"', "at least one of"),
    "numbers for rulesets": (GOOD + "rulesets = [1]", "at least one of"),
    "a nest of brackets": ("x = " + "[" * 5000, "not TOML"),
    "a number of 5,000 digits": ("x = " + "9" * 5000, "more than 20 digits"),
    "a number of 5,000 digits in groups": ("x = " + "9_" * 5000 + "9", "more than 20 digits"),
    "a key of 8,000 parts": ("a" + ".a" * 7999 + " = 1", "more than 8 parts"),
    "a table of 2,000 quoted parts": (GOOD + "[a" + ' . "a.b"' * 1999 + "]", "more than 8 parts"),
    "a long key behind a string that ends in five quotation marks": (
        'x = """""""""\na' + ".a" * 4000 + " = 1", "more than 8 parts"),
}
# Parts that a hostile file repeats: each of them has been slow in some parser.
FRAGMENTS = ["a", ".a", '."a"', ". \t", "=", "9", "9_", "0x", "1.", " ", "\t", "\n", "[", "]", "[[", "{a=", "}", ",",
             '"', "'", '"""', "'''", "\\", '\\"', "#", "name", "run", " = ", "\r\n", "a.b = 1\n", "[a.b.c.d.e.f]\n",
             "\u2028"]


class TestTheManifest:
    def test_states_name_command_build_and_rulesets(self):
        assert parse_manifest(GOOD + 'build = "make -j2 \'a b\'"\nrulesets = ["squ", "scware"]') == Manifest(
            "My bot", ("python3", "bot.py"), ("make", "-j2", "a b"), ("scware", "squ"))

    @pytest.mark.parametrize("more", ["", 'rulesets = "all"'])
    def test_means_every_ruleset_if_it_names_none(self, more):
        assert parse_manifest(GOOD + more).rulesets == tuple(RULESETS)

    def test_splits_a_command_and_expands_nothing(self):
        assert parse_manifest('name = "x"\ncommand = "./bot $HOME *"').command == ("./bot", "$HOME", "*")

    def test_refuses_with_a_printable_sentence(self):
        wrong = []
        for case, (text, message) in REFUSED.items():
            with pytest.raises(ManifestRefused) as refusal:
                parse_manifest(text)
            if message not in str(refusal.value) or not str(refusal.value).isprintable():
                wrong.append((case, str(refusal.value)))
        assert wrong == []

    def test_names_the_line_of_a_number_that_is_too_long(self):
        with pytest.raises(ManifestRefused) as refusal:
            parse_manifest(f'name = """\n\n"""\nrun = {"1" * 21}')
        assert refusal.value.line == f"bot.toml:4: run = {'1' * 21}"

    def test_may_have_digits_and_dots_in_strings_and_comments(self):
        assert parse_manifest(f'name = "x" # {"9" * 99}{".a" * 99}\nrun = ["./b", "{"9" * 99}", \'{".a" * 99}\']')

    @given(st.lists(st.tuples(st.sampled_from(FRAGMENTS), st.sampled_from([1, 2, 9, 500, MAX_FILE_BYTES])), max_size=8))
    def test_handles_every_hostile_file_quickly(self, parts):
        text = "".join(fragment * times for fragment, times in parts)[:MAX_FILE_BYTES]
        began = time.thread_time()
        with suppress(ManifestRefused):
            parse_manifest(text)
        # Ten times the promised limit; quadratic time would exceed it.
        assert time.thread_time() - began < 0.5

    def test_handles_a_line_of_blanks_quickly(self):
        began = time.thread_time()
        with pytest.raises(ManifestRefused, match="unknown key"):
            parse_manifest(" " * (MAX_FILE_BYTES - 8) + "\nzz = 1")
        assert time.thread_time() - began < 0.5


def archive(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in files.items():
            file.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


class TestASubmission:
    @pytest.mark.parametrize("prefix", ["", "my-bot/"])
    def test_has_its_manifest_at_the_top_or_in_the_only_directory(self, prefix):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as file:
            for name in ("bot.py", "bot.toml"):
                info = tarfile.TarInfo(prefix + name)
                info.size = len(GOOD)
                file.addfile(info, io.BytesIO(GOOD.encode()))
        assert read_submission(buffer.getvalue()).name == "My bot"

    @pytest.mark.parametrize("files", [
        {"bot.py": ""}, {"a__bot.toml": GOOD, "b__bot.py": ""}, {"a__b__bot.toml": GOOD}, {"bot.toml__x": ""},
    ])
    def test_is_refused_without_a_manifest_in_these_places(self, files):
        with pytest.raises(ManifestRefused, match=r"there is no bot\.toml"):
            read_submission(archive(**files))

    def test_is_refused_if_the_manifest_is_not_text(self):
        with pytest.raises(ManifestRefused, match="not UTF-8"):
            read_submission(archive(**{"bot.toml": b"name = '\xff'"}))

    def test_is_refused_if_the_manifest_is_too_large(self):
        with pytest.raises(ManifestRefused, match="larger than 16 KB"):
            read_submission(archive(**{"bot.toml": "#" * 20_000}))

    def test_may_begin_with_a_byte_order_mark(self):
        assert read_submission(archive(**{"bot.toml": "\ufeff" + GOOD})).name == "My bot"
