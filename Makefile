# Shortcuts for `python3 manage.py …`, which works without make.
PYTHON ?= python3
UV = .venv-tools/bin/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 --no-header $(UPGRADE)

.PHONY: setup check test demo bench messages reference wheel release lock

setup:  ## install the packages, without starting anything
	$(PYTHON) manage.py version

check:  ## check style, types, layers and migrations
	$(PYTHON) manage.py selftest --only lint

test:  ## run all tests of continuous integration
	$(PYTHON) manage.py selftest

demo:  ## run a whole site with a tournament on this machine
	$(PYTHON) manage.py demo

bench:  ## measure the speed of the service and the strength of the reference bots (docs/reference/benchmarks.md)
	.venv/bin/python tests/bench/service.py
	nice .venv/bin/python tests/bench/bots/strength.py

messages: setup  ## extract texts for translation, and compile the catalogues (docs/how-to/contributor/languages.md)
	$(PYTHON) manage.py messages

wheel:  ## build the library's wheel in dist/
	$(PYTHON) -m tournaments.setup.packaging.release --wheel

release:  ## build wheel, sdist, squarefield.pyz, their hashes and a bill of materials in dist/ (docs/how-to/contributor/releasing.md)
	$(PYTHON) -m tournaments.setup.packaging.release

reference: setup  ## write the pages about the Python library from its docstrings (docs/reference/library)
	$(PYTHON) manage.py library_reference

lock: setup  ## lock the dependencies in pyproject.toml; to upgrade all of them: make lock UPGRADE=--upgrade
	$(UV) --extra service --extra s3 pyproject.toml -o requirements/run.txt
	$(UV) --extra service --extra s3 --extra dev pyproject.toml -o requirements/dev.txt
	$(UV) --extra bench -c requirements/dev.txt pyproject.toml -o requirements/bench.txt
	$(UV) --extra load -c requirements/dev.txt pyproject.toml -o requirements/load.txt
	$(UV) --extra env -c requirements/dev.txt pyproject.toml -o requirements/env.txt
	printf 'uv\n' | $(UV) --no-annotate - -o requirements/tools.txt
