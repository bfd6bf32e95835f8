# `make match` plays the demonstration match, `make test` runs the whole test suite; each first sets up what it needs
# in a virtual environment of its own. Both are quick the second time.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
SHARED ?= ../shared
SOURCES := $(shell find skat_env solvers agents -name '*.py[xd]' 2>/dev/null) pyproject.toml setup.py constraints.txt
MATCH := $(BIN)/skat-env match --game skat --agents "pimc(worlds=40)" rule --seed 1 --workers 2
KLAVERJAS := $(BIN)/skat-env match --game klaverjas --agents "ismcts(simulations=200)" rule --seed 1 --workers 2

# The long versions of tests; CONTRIBUTING.md says what each is.
LONG := SKAT_ENV_KILLS=20 SKAT_ENV_BAD_VALUES=all SKAT_ENV_FUZZ_SECONDS=60 SKAT_ENV_ISS_GAMES=10000 \
	SKAT_ENV_POSITIONS=1000 SKAT_ENV_TRAJECTORIES=10000 SKAT_ENV_REPLIES=100000 SKAT_ENV_ENDINGS=1000
# The sanitizers' own copy of the tree, so that its extensions do not take the place of the plain ones.
SANITIZED := build/sanitized
SANITIZERS = LD_PRELOAD="$(shell gcc -print-file-name=libasan.so) $(shell gcc -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
	PYTHONPATH=$(abspath $(SANITIZED)) SKAT_ENV_SHARED=$(abspath $(SHARED))
FUZZ_SECONDS ?= 60

.PHONY: help setup match test test-doors test-long test-lowest test-ray site lint sanitize benchmarks clean

help:
	@echo "make match       set up, then play pimc(40) against rule in Skat, and ismcts(200) against rule in Klaverjas, and"
	@echo "                 print who is better and how sure that is"
	@echo "make test        set up with all test extras, then lint, type-check and test"
	@echo "make test-long   the same with the long versions of its tests"
	@echo "make test-doors  the long versions of the tests of language models' doors, verifiers and Inspect among them"
	@echo "make test-lowest test with the lowest versions of its dependencies"
	@echo "make test-ray    test workers, commands and learners on a ray cluster of this machine; other tests leave ray out"
	@echo "make sanitize    test with the address and undefined-behaviour sanitizers, and fuzz for FUZZ_SECONDS=60"
	@echo "make site        build the documentation site in build/site, with warnings as errors"
	@echo "make benchmarks  print speed tables of docs/performance.md"
	@echo "make clean       remove the virtual environment and everything built"

setup: $(VENV)/.installed

match: $(VENV)/.installed
	$(MATCH) --from skat_env/data/skat_games.jsonl --deals 200 --out results/match
	@if [ -f $(SHARED)/data/skat/iss_games.sgf ]; then \
		$(MATCH) --mode mirrored --from $(SHARED)/data/skat/iss_games.sgf --out results/match-iss; fi
	$(KLAVERJAS) --deals 200 --out results/match-klaverjas

test: $(VENV)/.tested-with lint
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -rs

# With ray, whose tests start clusters of two nodes on this machine.
test-long: $(VENV)/.with-ray lint
	$(LONG) $(BIN)/python -m pytest --numprocesses auto --dist worksteal

# Verifiers and Inspect pin other versions than constraints.txt, so that they have an environment of their own.
test-doors: $(VENV)/.installed
	$(PYTHON) -m venv build/doors
	build/doors/bin/pip install --quiet uv torch==2.13.0 "setuptools>=77" pytest pytest-xdist hypothesis
	build/doors/bin/uv pip install --quiet --python build/doors torch==2.13.0 -r pyproject.toml \
		--extra learn --extra llm --extra mcp --extra openenv --extra verifiers --extra inspect
	SKAT_ENV_POSITIONS=10000 SKAT_ENV_REPLIES=100000 SKAT_ENV_VIEWS=100000 SKAT_ENV_DEALS=200 \
		PYTHONPATH=$(CURDIR) build/doors/bin/python -m pytest --numprocesses auto -rs \
		tests/doors tests/skat_env/text tests/test_hidden_cards.py -k "not test_hidden_cards or door or text"

# The floors of pyproject.toml, in an environment of their own; torch is heavy and stays as it is. The test client of the
# lowest Starlette needs httpx, and tests of the table ask for httpx2, which that of today needs.
test-lowest: $(VENV)/.installed
	$(PYTHON) -m venv build/lowest
	build/lowest/bin/pip install --quiet uv torch==2.13.0 "setuptools>=77" "cython>=3.1" pytest pytest-xdist hypothesis \
		httpx httpx2
	build/lowest/bin/uv pip install --quiet --python build/lowest --resolution lowest-direct torch==2.13.0 \
		-r pyproject.toml --extra learn --extra plot --extra table --extra pictures
	build/lowest/bin/pip install --quiet --no-deps --no-build-isolation --editable .
	build/lowest/bin/python -m pytest --numprocesses auto -m "not slow"

test-ray: $(VENV)/.with-ray
	$(BIN)/python -m pytest tests/skat_env/tools/test_ray_workers.py tests/agents/test_ray_commands.py

# The variable silences an advertisement.
site: $(VENV)/.tested-with
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

lint: $(VENV)/.tested-with
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(abspath $(BIN)):$$PATH" cython-lint skat_env solvers agents examples
	$(BIN)/oxlint --quiet table/static
	$(BIN)/mypy

# Python's own memory has to come from malloc for faults in small objects to be seen; reports go to the standard error
# of the process, which pytest must leave alone.
sanitize: $(VENV)/.tested-with
	mkdir -p $(SANITIZED)
	find $(SANITIZED) -type f -not -path '*/build/temp*' -not -name '*.so' -not -name '*.c' -delete
	git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -c | tar -x -C $(SANITIZED)
	cd $(SANITIZED) && SKAT_ENV_SANITIZE=1 $(abspath $(BIN))/python setup.py --quiet build_ext --inplace
	cd $(SANITIZED) && $(SANITIZERS) $(abspath $(BIN))/python -m pytest --capture sys --numprocesses auto -m "not slow" \
		tests/skat_env tests/solvers tests/agents tests/table tests/test_third_game.py
	cd $(SANITIZED) && $(SANITIZERS) $(abspath $(BIN))/python -m pytest --capture sys --numprocesses auto -m slow \
		tests/agents/test_bad_networks.py tests/agents/test_bad_batches.py
	cd $(SANITIZED) && $(SANITIZERS) SKAT_ENV_FUZZ_SECONDS=$(FUZZ_SECONDS) $(abspath $(BIN))/python -m pytest --capture sys \
		-rP tests/test_fuzz.py tests/test_wrong_order.py

benchmarks: $(VENV)/.installed
	$(BIN)/python -m benchmarks.speed.environments
	$(BIN)/python -m benchmarks.speed.skat_solver
	$(BIN)/python -m benchmarks.speed.klaverjas_solver
	$(BIN)/python -m benchmarks.speed.decisions
	$(BIN)/python -m benchmarks.speed.decisions --game klaverjas --agents "ismcts(simulations=3200)"

$(VENV)/.venv:
	@echo "creating the virtual environment $(VENV)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) "setuptools>=77" "cython>=3.1" wheel
	@touch $@

# An editable install builds the Cython extensions in place; the venv's own setuptools and Cython do it.
$(VENV)/.installed: $(VENV)/.venv $(SOURCES)
	@echo "installing skat_env (compiles its extensions: about a minute)"
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/.tested-with: $(VENV)/.installed
	@echo "installing the test extras"
	$(PIP) torch==2.13.0
	$(PIP) --no-build-isolation --editable ".[learn,plot,onnx,interop,torchrl,docs,table,llm,mcp,openenv,dev]"
	@touch $@

$(VENV)/.with-ray: $(VENV)/.tested-with
	@echo "installing ray"
	$(PIP) --no-build-isolation --editable ".[ray]"
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info
	find skat_env solvers agents \( -name '*.so' -o -name '*.c' \) -delete
