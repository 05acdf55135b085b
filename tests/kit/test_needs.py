"""What `squarefield check` says of programs that a site does not have."""

import http.server
import json
import threading

import pytest

from engines.sandbox.archives.unpack import pack
from engines.sandbox.staging.tools import PROMISED
from tournaments.kit.main import main
from tournaments.kit.needs import missing_programs

HEAD = 'name = "x"\n'


@pytest.fixture
def missing(tmp_path):
    """What a bot of these files lacks on a site with these tools."""
    def missing(tools=None, **files):
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_text(text)
        return missing_programs(pack(tmp_path), dict.fromkeys(PROMISED, "") if tools is None else tools)
    return missing


class TestTheProgramsOfABot:
    @pytest.mark.parametrize("more", [
        'run = ["python3", "bot.py"]\nbuild = "make -j2"', 'run = "./bot"\nbuild = "gcc -O2 -o bot bot.c"',
        'run = "/usr/bin/env node bot.js"', 'run = "/bot/bot"\nbuild = "sh -c \'cmake . && cc a.c; ./out/bot\'"',
    ])
    def test_may_be_those_that_every_site_promises(self, missing, more):
        assert missing(bot__toml=HEAD + more) == []

    @pytest.mark.parametrize(("more", "program", "place"), [
        ('run = "ruby bot.rb"', "ruby", "run in bot.toml"),
        ('run = "/usr/bin/env -S A=1 rustc"', "rustc", "run in bot.toml"),
        ('run = "./bot"\nbuild = "go build"', "go", "build in bot.toml"),
        ('run = "./bot"\nbuild = "sh -c \'mkdir out && cargo build\'"', "cargo", "build in bot.toml"),
    ])
    def test_are_named_in_its_manifest(self, missing, more, program, place):
        assert missing(bot__toml=HEAD + more) == [(program, place)]

    def test_are_named_in_a_first_line_in_a_script_and_in_a_makefile(self, missing):
        assert missing(bot__toml=HEAD + 'run = "./bot.rb"\nbuild = ["sh", "build.sh"]',
                       bot__rb="#!/usr/bin/env ruby\nputs 1\n",
                       build__sh="set -e\nput() { cp a b; }\nif test -e x; then CGO=0 go build; fi\nput\n",
                       ) == [("ruby", "bot.rb"), ("go", "build.sh")]
        assert missing(bot__toml=HEAD + 'run = "./bot"\nbuild = "make"',
                       Makefile="bot: bot.c\n\t@$(CC) -o bot bot.c\n\tghc extra.hs\n") == [("ghc", "Makefile")]

    def test_may_name_a_version_that_the_site_has(self, missing):
        tools = {"python3": "3.11.2", "gcc": "12.2.0"}
        assert missing(tools, bot__toml=HEAD + 'run = "python3.11 bot.py"\nbuild = "gcc-12 a.c"') == []
        assert missing(tools, bot__toml=HEAD + 'run = "python3.14 bot.py"') == [("python3.14", "run in bot.toml")]

    def test_are_not_looked_for_in_an_archive_that_is_refused(self):
        assert missing_programs(b"no archive", {}) == []


@pytest.fixture
def site():
    """A site that has Ruby, and Go on one of its two workers."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            assert (self.path, self.headers["Authorization"]) == ("/api/tools/", None)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"workers": 2, "tools": [
                {"name": "ruby", "versions": ["3.1.2"], "everywhere": True},
                {"name": "go", "versions": ["1.19"], "everywhere": False}]}).encode())

        def log_message(self, *arguments):
            """Nobody reads it."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class TestCheck:
    @pytest.fixture
    def warnings(self, tmp_path, monkeypatch, capsys):
        """The warnings about a bot that runs this; it need not pass."""
        def warnings(run, *options):
            monkeypatch.delenv("SQUAREFIELD_SITE", raising=False)
            (tmp_path / "bot.toml").write_text(f'{HEAD}run = "{run}"\nrulesets = ["squ"]\n')
            main(["check", str(tmp_path), "--unsafe-local", *options])
            return [line for line in capsys.readouterr().out.splitlines() if line.startswith("warning: ")]
        return warnings

    def test_warns_of_a_program_that_no_site_promises(self, warnings):
        said, = warnings("ruby bot.rb")
        assert said == ("warning: a site may not have ruby, needed by run in bot.toml: pack what you need into the "
                        "bot, or check your site with --site URL")

    def test_warns_of_a_program_that_the_site_does_not_have_on_every_worker(self, warnings, site):
        assert warnings("ruby bot.rb", "--site", site) == []
        assert warnings("go run", "--site", site) == [
            f"warning: {site} does not have go, needed by run in bot.toml: pack what you need into the bot"]

    def test_goes_on_without_a_site_that_cannot_be_reached(self, warnings):
        said = warnings("ruby bot.rb", "--site", "http://127.0.0.1:1")
        assert "cannot reach" in said[0]
        assert "a site may not have ruby" in said[1]
