"""The language tools: detected correctly, and usable by builds in the sandbox."""

import pytest

from engines.referee.diagnosis import error_line
from engines.sandbox.staging.tools import Tool, missing_tool, tools_here, tools_line

BUILDS = {
    "python3": 'python3 -c "print(6 * 7)" > answer',
    "numpy": 'python3 -c "import numpy; print(numpy.arange(7).sum() * 2)" > answer',
    "gcc": "echo 'int puts(const char *);\nint main(void) { puts(\"42\"); }' > a.c && gcc -O2 a.c && ./a.out > answer",
    "g++": "echo '#include <iostream>\nint main() { std::cout << 42 << std::endl; }' > a.cc && g++ -O2 a.cc "
           "&& ./a.out > answer",
    "make": "printf 'answer:\\n\\techo 42 > answer\\n' > Makefile && make",
    "cmake": "echo 'cmake_minimum_required(VERSION 3.13)\nproject(a C)\nadd_executable(a a.c)' > CMakeLists.txt "
             "&& echo 'int puts(const char *);\nint main(void) { puts(\"42\"); }' > a.c "
             "&& cmake -B out . && cmake --build out && out/a > answer",
    "javac": "echo 'class A { public static void main(String[] a) { System.out.println(42); } }' > A.java "
             "&& javac A.java && java -cp . A > answer",
    "java": "echo 'class A { public static void main(String[] a) { System.out.println(42); } }' > A.java "
            "&& java A.java > answer",
    "node": "node -e 'console.log(42)' > answer",
}
DAILY = ("python3", "gcc", "g++")
TRACEBACK = """Traceback (most recent call last):
  File "main.py", line 1, in <module>
    f()
  File "rules.py", line 12, in f
    return x
           ^
NameError: name 'x' is not defined
"""
HERE = {tool.name: tool for tool in tools_here()}


class TestTheTools:
    @pytest.mark.serial
    @pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in DAILY else [pytest.mark.thorough])
                                      for name in BUILDS])
    def test_work_in_a_build(self, name, runtime, opened, tmp_path):
        if not HERE[name].version:
            pytest.skip(f"{name} is not installed")
        (tmp_path / "bot.toml").write_text('name = "Test"\nrun = "./bot"\nbuild = "sh -e build.sh"\n')
        (tmp_path / "build.sh").write_text(BUILDS[name])
        build = runtime.stage_directory(tmp_path, sandbox=opened)
        assert (build.path / "answer").read_text() == "42\n"

    def test_are_all_tested(self):
        assert set(HERE) == set(BUILDS)


class TestTheLine:
    def test_lists_versions_and_how_to_install_missing_tools(self):
        line = tools_line([Tool("gcc", "12.2.0", "gcc libc6-dev"), Tool("java", "", "jdk"), Tool("javac", "", "jdk")])
        assert line == "gcc 12.2.0; missing: java, javac (apt-get install jdk)"


class TestAMissingTool:
    @pytest.mark.parametrize("log", [
        "build: 4: cmake: not found", "make: cmake: No such file or directory",
        "env: ‘cmake’: No such file or directory", "bash: cmake: command not found",
    ])
    def test_is_recognised_in_a_log(self, log, monkeypatch):
        monkeypatch.setattr("engines.sandbox.staging.tools.PATH", "/nowhere")
        assert missing_tool(log).startswith("this machine has no cmake;")

    def test_is_not_blamed_for_other_errors(self):
        assert missing_tool("bot.c:1: error: cmake is a word") == ""


class TestTheLineToFix:
    @pytest.mark.parametrize(("log", "line"), [
        (TRACEBACK,
         "rules.py:12: NameError: name 'x' is not defined"),
        ("cc -c bot.c\nbot.c: In function ‘main’:\nbot.c:3:5: error: ‘y’ undeclared\nmake: *** [bot.o] Error 1\n",
         "bot.c:3:5: error: ‘y’ undeclared"),
        ("Bot.java:7: error: ';' expected\n    int a\n         ^\n1 error\n", "Bot.java:7: error: ';' expected"),
        ("/bot/main.js:3\n  x.y()\n  ^\n\nReferenceError: x is not defined\n    at main (/bot/main.js:3:3)\n",
         "/bot/main.js:3: ReferenceError: x is not defined"),
        ('Exception in thread "main" java.lang.IllegalStateException: no\n\tat Bot.move(Bot.java:31)\n',
         'Bot.move(Bot.java:31): Exception in thread "main" java.lang.IllegalStateException: no'),
        ("CMake Error at CMakeLists.txt:2 (project):\n  no\n", "CMake Error at CMakeLists.txt:2 (project):"),
        ("thinking\ngiving up\n\n", "giving up"),
        ("", ""),
    ])
    def test_is_the_most_useful_line_of_the_log(self, log, line):
        assert error_line(log) == line
