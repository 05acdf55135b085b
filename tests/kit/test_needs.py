"""Warnings of `squarefield check` about programs that a site does not have."""

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
    """Return the programs that a bot of these files needs but a site with these tools lacks."""
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
    def test_may_be_those_that_every_site_has(self, missing, more):
        assert missing(bot__toml=HEAD + more) == []

    @pytest.mark.parametrize(("more", "program", "place"), [
        ('run = "ruby bot.rb"', "ruby", "run in bot.toml"),
        ('run = "/usr/bin/env -S A=1 rustc"', "rustc", "run in bot.toml"),
        ('run = "./bot"\nbuild = "go build"', "go", "build in bot.toml"),
        ('run = "./bot"\nbuild = "sh -c \'mkdir out && cargo build\'"', "cargo", "build in bot.toml"),
    ])
    def test_are_found_in_its_manifest(self, missing, more, program, place):
        assert missing(bot__toml=HEAD + more) == [(program, place)]

    def test_are_found_in_shebangs_scripts_and_makefiles(self, missing):
        assert missing(bot__toml=HEAD + 'run = "./bot.rb"\nbuild = ["sh", "build.sh"]',
                       bot__rb="#!/usr/bin/env ruby\nputs 1\n",
                       build__sh="set -e\nput() { cp a b; }\nif test -e x; then CGO=0 go build; fi\nput\n",
                       ) == [("ruby", "bot.rb"), ("go", "build.sh")]
        assert missing(bot__toml=HEAD + 'run = "./bot"\nbuild = "make"',
                       Makefile="bot: bot.c\n\t@$(CC) -o bot bot.c\n\tghc extra.hs\n") == [("ghc", "Makefile")]

    def test_may_have_a_version_that_the_site_has(self, missing):
        tools = {"python3": "3.11.2", "gcc": "12.2.0"}
        assert missing(tools, bot__toml=HEAD + 'run = "python3.11 bot.py"\nbuild = "gcc-12 a.c"') == []
        assert missing(tools, bot__toml=HEAD + 'run = "python3.14 bot.py"') == [("python3.14", "run in bot.toml")]

    def test_are_not_searched_for_in_a_refused_archive(self):
        assert missing_programs(b"no archive", {}) == []


@pytest.fixture
def site():
    """A site that has Ruby, and Go on only one of its two workers."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            assert (self.path, self.headers["Authorization"]) == ("/api/tools/", None)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"workers": 2, "tools": [
                {"name": "ruby", "versions": ["3.1.2"], "everywhere": True},
                {"name": "go", "versions": ["1.19"], "everywhere": False}]}).encode())

        def log_message(self, *arguments):
            """Log nothing."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class TestCheck:
    @pytest.fixture
    def warnings(self, tmp_path, monkeypatch, capsys):
        """Return the warnings about a bot with this run command, which need not pass."""
        def warnings(run, *options):
            monkeypatch.delenv("SQUAREFIELD_SITE", raising=False)
            (tmp_path / "bot.toml").write_text(f'{HEAD}run = "{run}"\nrulesets = ["squ"]\n')
            main(["check", str(tmp_path), "--unsafe-local", *options])
            return [line for line in capsys.readouterr().out.splitlines() if line.startswith("warning: ")]
        return warnings

    def test_warns_about_a_program_that_sites_need_not_have(self, warnings):
        said, = warnings("ruby bot.rb")
        assert said == ("warning: a site may not have ruby, needed by run in bot.toml: pack what you need into the "
                        "bot, or check your site with --site URL")

    def test_warns_about_a_program_missing_on_a_worker_of_the_site(self, warnings, site):
        assert warnings("ruby bot.rb", "--site", site) == []
        assert warnings("go run", "--site", site) == [
            f"warning: {site} does not have go, needed by run in bot.toml: pack what you need into the bot"]

    def test_continues_without_an_unreachable_site(self, warnings):
        said = warnings("ruby bot.rb", "--site", "http://127.0.0.1:1")
        assert "cannot reach" in said[0]
        assert "a site may not have ruby" in said[1]
