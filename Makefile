# Short names for `python3 manage.py …`, which works without make.
PYTHON ?= python3
UV = .venv-tools/bin/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 --no-header $(UPGRADE)

.PHONY: setup check test demo bench messages lock

setup:  ## install the packages and start nothing
	$(PYTHON) manage.py version

check:  ## lint, types, layers, migrations
	$(PYTHON) manage.py selftest --only lint

test:  ## everything that continuous integration tests
	$(PYTHON) manage.py selftest

demo:  ## a whole site with a tournament on this machine
	$(PYTHON) manage.py demo

bench:  ## how fast the service is, and how strong the reference bots are (docs/benchmarks.md)
	.venv/bin/python tests/bench/service.py
	nice .venv/bin/python tests/bench/bots/strength.py

messages: setup  ## look for texts to translate, and compile the catalogues (docs/languages.md)
	$(PYTHON) manage.py messages

lock: setup  ## lock what pyproject.toml asks for; the newest of everything: make lock UPGRADE=--upgrade
	$(UV) --extra service --extra s3 pyproject.toml -o requirements/run.txt
	$(UV) --extra service --extra s3 --extra dev pyproject.toml -o requirements/dev.txt
	$(UV) --extra bench -c requirements/dev.txt pyproject.toml -o requirements/bench.txt
	$(UV) --extra load -c requirements/dev.txt pyproject.toml -o requirements/load.txt
	printf 'uv\n' | $(UV) --no-annotate - -o requirements/tools.txt
