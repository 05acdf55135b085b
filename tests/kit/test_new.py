import pytest

from engines.manifest import MAX_NAME, parse_manifest
from tournaments.kit.bots import name_for
from tournaments.kit.main import main


class TestNew:
    def test_creates_a_bot_named_after_its_directory(self, tmp_path, capsys):
        assert main(["new", str(tmp_path / "sub" / "Möbius 7")]) == 0
        assert parse_manifest((tmp_path / "sub" / "Möbius 7" / "bot.toml").read_text()).name == "Möbius 7"
        assert "squarefield play squ" in capsys.readouterr().out

    def test_says_if_the_author_must_build(self, tmp_path, capsys):
        assert main(["new", str(tmp_path / "crab"), "--language", "rust"]) == 0
        assert f"make -C {tmp_path / 'crab'}" in capsys.readouterr().out

    def test_keeps_existing_files(self, tmp_path, capsys):
        (tmp_path / "bot.py").write_text("mine")
        assert main(["new", str(tmp_path)]) == 2
        assert "is not empty" in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["bot.py"]
        assert (tmp_path / "bot.py").read_text() == "mine"

    def test_refuses_a_path_that_cannot_be_a_directory(self, tmp_path, capsys):
        (tmp_path / "file").write_text("")
        assert main(["new", str(tmp_path / "file" / "bot")]) == 2
        assert "cannot create" in capsys.readouterr().err

    def test_refuses_an_unknown_language(self, tmp_path, capsys):
        with pytest.raises(SystemExit):
            main(["new", str(tmp_path), "--language", "cobol"])
        assert "invalid choice: 'cobol'" in capsys.readouterr().err


class TestAName:
    @pytest.mark.parametrize(("path", "name"), [
        ("x" * 60, "x" * MAX_NAME), ('say "hi"', 'say "hi"'), ("back\\slash", "back\\slash"), ("\x1b[2J", "[2J"),
        ("\n", "bot"), ("x" * 39 + " y", "x" * 39), ("🦀", "🦀"),
    ])
    def test_is_valid_in_a_manifest(self, path, name, tmp_path):
        assert name_for(tmp_path / path) == name
        assert main(["new", str(tmp_path / path)]) == 0
        assert parse_manifest((tmp_path / path / "bot.toml").read_text()).name == name
